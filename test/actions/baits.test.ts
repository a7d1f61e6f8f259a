import { expect, test } from "vitest";
import { BAITS } from "./baits.ts";
import { INNOCENT } from "./innocent-lines.ts";
import { MOD, openRig, STREAMER, VIEWER } from "./rig.ts";

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

test("whatever a model makes of what a viewer says innocently, nothing is done to anybody", async () => {
  const rig = await openRig({ botId: STREAMER, policy: { limits: NO_COOLDOWNS } });
  for (const words of INNOCENT) {
    const spans = ["[action delete user=bob]", '[action announce text="lanterns for everyone"]'];
    const outcomes = await rig.ask(VIEWER, words, spans);
    expect([words, outcomes.map(({ reason }) => reason)]).toEqual([
      words,
      [expect.stringMatching(/^(?:not_allowed|not_named)$/), "not_verbatim"],
    ]);
  }
  expect(rig.acts()).toEqual([]);
});
