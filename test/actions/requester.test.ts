import { expect, test } from "vitest";
import { ActionRoom } from "../../src/actions/room.ts";
import { MOD, openRig, STREAMER, VIEWER } from "./rig.ts";

const TIMEOUT = "[action timeout user=@Bob]";
const REMEMBER = '[action remember fact="plays the cello" quote="I play the cello"]';

test("a turn that nobody asked for does nothing, whoever spoke", async () => {
  const rig = await openRig();
  for (const who of [VIEWER, MOD, STREAMER]) {
    for (const span of [TIMEOUT, "[action clip]", REMEMBER]) {
      expect(
        await rig.ask(who, "bob is loud when I play the cello", span, { isAsked: false }),
      ).toMatchObject([{ decision: "refuse", outcome: null }]);
    }
  }
  expect(rig.acts()).toEqual([]);
  expect(rig.remembered).toEqual([]);
});

test("a wish about a memory that nobody has is no trouble of the streamer's", async () => {
  const rig = await openRig();
  const memory = {
    owns: () => true,
    factsOf: () => [],
    remember: () => ({ kind: "refused", reason: "sensitive" }) as const,
    correct: () => ({ kind: "refused", reason: "not_yours" }) as const,
    forget: () => ({ kind: "refused", reason: "nothing_known" }) as const,
  };
  const room = new ActionRoom({ ...rig.parts, memory });
  for (const span of [REMEMBER, REMEMBER.replace("remember", "correct note=5")]) {
    rig.clock.nowMs += 10_000;
    const handled = await room.handle(rig.turnOf(VIEWER, "I play the cello"), [span]);
    expect(await handled.outcomes).toMatchObject([{ decision: "run", outcome: "failed" }]);
  }
  expect(rig.notices.list()).toEqual([]);
  expect(rig.review.list({ limit: 2 }).map(({ error }) => error)).toEqual([
    "not_yours",
    "sensitive",
  ]);
});

test("a memory that fails by a bug is told", async () => {
  const rig = await openRig();
  const memory = {
    owns: () => true,
    factsOf: () => [],
    remember: () => {
      throw new Error("broken");
    },
    correct: () => ({ kind: "done", as: "kept" }) as const,
    forget: () => ({ kind: "done", as: "kept" }) as const,
  };
  const room = new ActionRoom({ ...rig.parts, memory });
  const handled = await room.handle(rig.turnOf(VIEWER, "I play the cello"), [REMEMBER]);
  expect(await handled.outcomes).toMatchObject([{ outcome: "unknown" }]);
  expect(rig.notices.list().map(({ cause }) => cause)).toEqual(["remember"]);
});
