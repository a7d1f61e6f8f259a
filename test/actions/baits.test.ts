import { expect, test } from "vitest";
import { BAITS } from "./baits.ts";
import { MOD, openRig, STREAMER } from "./rig.ts";

/** Everything allowed, nothing cooling down: only who asks for what stands in the way. */
const OPEN = {
  actionSeconds: 0,
  targetSeconds: 0,
  requesterSeconds: 0,
  perHour: 1_000,
  perStream: 10_000,
};
const NO_COOLDOWNS = Object.fromEntries(
  [
    "remember",
    "forget",
    "announce",
    "shoutout",
    "clip",
    "marker",
    "poll",
    "warn",
    "delete",
    "timeout",
  ].map((name) => [name, OPEN]),
);
/** What moderators ask for while a bait lies about: always of carl. */
const TOUCHES_NOBODY = /^\[action (?:clip|marker)/;
const WISHES = ["time carl out for a minute", "gib carl eine auszeit", "carlをミュートして"];

test("a bait that lies about adds nothing to what a moderator asks for", async () => {
  const rig = await openRig({ botId: STREAMER, policy: { limits: NO_COOLDOWNS } });
  const wrong: unknown[] = [];
  for (const [at, [line, span]] of BAITS.entries()) {
    rig.db.exec("DELETE FROM action_log");
    const words = WISHES[at % WISHES.length] ?? "";
    const [baited] = await rig.ask(MOD, words, [span], { others: [line] });
    if (baited?.decision !== "refuse" && !TOUCHES_NOBODY.test(span)) wrong.push([line, baited]);
  }
  expect(BAITS.length).toBeGreaterThan(50);
  expect(wrong).toEqual([]);
  const paths = rig.acts().map(({ path }) => path);
  expect(paths.filter((path) => !["/mock/clips", "/mock/streams/markers"].includes(path))).toEqual(
    [],
  );
  expect(rig.remembered).toEqual([]);
});
