import fc from "fast-check";
import { expect, test } from "vitest";
import { countSendsLeft, mayUseReservedCalls } from "../../src/reply/reply-queue.ts";
import { queueRig } from "./queue-rig.ts";

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("ask" as const),
      user: fc.nat(7),
      ageMs: fc.nat(30_000),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("end" as const), throws: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.nat(15_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("discard" as const), user: fc.nat(7) }) },
);

test("every question ends in exactly one turn or one refusal, never two turns at a time, never six waiting", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const rig = queueRig({ viewerCooldownMs: 3_000 });
      const done = { asked: 0, ended: 0 };
      for (const next of steps) {
        await act(rig, next, done);
        expect(rig.turns.length - done.ended).toBeLessThanOrEqual(1);
        expect(done.asked - rig.turns.length - rig.refusals().length).toBeLessThanOrEqual(5);
      }
      const closing = rig.queue.close();
      await act(rig, { do: "end", throws: false }, done);
      await rig.pass(1_000);
      await closing;
      const fates = [...rig.taken(), ...rig.refusals().map((line) => line.replace(/:.*/, ""))];
      const asked = Array.from({ length: done.asked }, (_, index) => `q${index}`);
      expect(fates.sort()).toEqual(asked.sort());
    }),
    { numRuns: 60 },
  );
});

type Step =
  | { readonly do: "ask"; readonly user: number; readonly ageMs: number }
  | { readonly do: "end"; readonly throws: boolean }
  | { readonly do: "pass"; readonly ms: number }
  | { readonly do: "discard"; readonly user: number };

async function act(
  rig: ReturnType<typeof queueRig>,
  next: Step,
  done: { asked: number; ended: number },
): Promise<void> {
  switch (next.do) {
    case "ask":
      await rig.ask(String(next.user), `q${done.asked}`, { atMs: rig.now() - next.ageMs });
      done.asked += 1;
      return;
    case "end":
      if (rig.turns.length === done.ended) return;
      done.ended += 1;
      return rig.turn().end(next.throws ? new Error("a bug") : undefined);
    case "pass":
      return rig.pass(next.ms);
    case "discard":
      rig.queue.discard(({ userId }) => userId === String(next.user));
  }
}

test("the streamer goes first, then moderators, then viewers, each in the order of asking", async () => {
  const rig = queueRig();
  await rig.ask("0", "running");
  await rig.ask("1", "viewer");
  await rig.ask("2", "moderator", { rank: "moderator" });
  await rig.ask("3", "streamer", { rank: "streamer" });
  await rig.ask("4", "second moderator", { rank: "moderator" });
  for (let n = 0; n < 4; n += 1) {
    await rig.turn().end();
    await rig.pass(1_000);
  }
  expect(rig.taken()).toEqual(["running", "streamer", "moderator", "second moderator", "viewer"]);
});

test("a full queue lets a viewer go, not a moderator who waited longer", async () => {
  const rig = queueRig();
  await rig.ask("0", "running");
  await rig.ask("1", "moderator", { rank: "moderator" });
  for (const user of ["2", "3", "4", "5", "6"]) await rig.ask(user, `q${user}`);
  expect(rig.refusals()).toEqual(["q2: queue_full"]);
});

test("the last messages and calls are kept for the streamer and moderators", async () => {
  const sendsFree = 2;
  const rig = queueRig({
    slotDelayMs: (ticket) => (sendsFree > countSendsLeft(ticket) ? 0 : 5_000),
  });
  await rig.ask("1", "viewer");
  expect(rig.taken()).toEqual([]);
  await rig.ask("2", "moderator", { rank: "moderator" });
  expect(rig.taken()).toEqual(["moderator"]);
  const ranks = ["streamer", "moderator", "viewer"] as const;
  expect(ranks.map((rank) => mayUseReservedCalls({ rank }))).toEqual([true, true, false]);
});
