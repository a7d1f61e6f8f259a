import fc from "fast-check";
import { expect, test } from "vitest";
import { laneRig } from "./lane-rig.ts";

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
      const rig = laneRig({ viewerCooldownMs: 3_000 });
      const done = { asked: 0, ended: 0 };
      for (const next of steps) {
        await act(rig, next, done);
        expect(rig.turns.length - done.ended).toBeLessThanOrEqual(1);
        expect(done.asked - rig.turns.length - rig.refusals().length).toBeLessThanOrEqual(5);
      }
      const closing = rig.lane.close();
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
  rig: ReturnType<typeof laneRig>,
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
      rig.lane.discard(({ userId }) => userId === String(next.user));
  }
}
