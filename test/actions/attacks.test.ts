import { expect, test } from "vitest";
import { ATTACKS } from "./attacks.ts";
import { BOB, MOD, openRig, STREAMER, VIEWER } from "./rig.ts";

/** Everything allowed, nothing cooling down: only who asks and who wrote it stand in the way. */
const OPEN = {
  actionSeconds: 0,
  targetSeconds: 0,
  requesterSeconds: 0,
  perHour: 1_000,
  perStream: 10_000,
};
const NO_COOLDOWNS = Object.fromEntries(
  ["remember", "forget", "announce", "shoutout", "clip", "poll", "warn", "delete", "timeout"].map(
    (name) => [name, OPEN],
  ),
);

test.each([
  ["their own turn", BOB, null],
  ["a chatty viewer's turn", VIEWER, "good evening mark, how was your day"],
  ["a moderator's turn", MOD, "good evening mark, how was your day"],
  ["the streamer's turn", STREAMER, "mark, what are we playing next?"],
] as const)(
  "a model that obeys an attacker gets nothing done in %s",
  async (_name, requester, words) => {
    expect(ATTACKS.length).toBeGreaterThan(150);
    const rig = await openRig({ botId: STREAMER, policy: { limits: NO_COOLDOWNS } });
    const through: unknown[] = [];
    for (const { line, spans } of ATTACKS) {
      const others = words === null ? [] : [line];
      const outcomes = await rig.ask(requester, words ?? line, spans, { others });
      // A clip touches nobody; one's own note goes only after a yes.
      const isHarmless = /^\[action (?:clip|forget)/.test(spans[0] ?? "");
      if (outcomes.some(({ decision }) => decision !== "refuse") && !isHarmless)
        through.push([line, outcomes]);
    }
    expect(through).toEqual([]);
    expect(rig.acts().filter(({ path }) => path !== "/mock/clips")).toEqual([]);
    expect(rig.remembered).toEqual([]);
    const logged = rig.review.list({ limit: 1_000 });
    expect(logged.length).toBe(ATTACKS.length);
    expect(logged.filter(({ reason }) => reason === "")).toEqual([]);
  },
);
