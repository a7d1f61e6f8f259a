import fc from "fast-check";
import { expect, test } from "vitest";
import { countSendsToLeave, mayUseReservedCalls } from "../../src/reply/reply-queue.ts";
import { queueRig, settled } from "./queue-rig.ts";

test("one turn at a time, in the order of asking, a pause in between", async () => {
  const rig = queueRig();
  await rig.ask("1", "a");
  await rig.ask("2", "b");
  await rig.ask("3", "c");
  expect(rig.taken()).toEqual(["a"]);
  await rig.pass(3_000);
  expect(rig.taken()).toEqual(["a"]);
  await rig.turn().end();
  expect(rig.taken()).toEqual(["a"]);
  await rig.pass(999);
  expect(rig.taken()).toEqual(["a"]);
  await rig.pass(1);
  expect(rig.taken()).toEqual(["a", "b"]);
  await rig.turn().end();
  await rig.pass(1_000);
  expect(rig.taken()).toEqual(["a", "b", "c"]);
  expect(rig.refusals()).toEqual([]);
});

test("of one viewer's waiting questions the newest stays", async () => {
  const rig = queueRig();
  await rig.ask("1", "running");
  await rig.ask("2", "old");
  await rig.ask("3", "other");
  await rig.ask("2", "new");
  expect(rig.refusals()).toEqual(["old: superseded"]);
  await rig.turn().end();
  await rig.pass(1_000);
  expect(rig.taken()).toEqual(["running", "other"]);
});

test("five wait at most, and the oldest goes", async () => {
  const rig = queueRig();
  for (const user of ["0", "1", "2", "3", "4", "5"]) await rig.ask(user, `q${user}`);
  expect(rig.refusals()).toEqual([]);
  await rig.ask("6", "q6");
  await rig.ask("7", "q7");
  expect(rig.refusals()).toEqual(["q1: queue_full", "q2: queue_full"]);
});

test("a question older than 25 s is dropped, on arrival and at its turn", async () => {
  const rig = queueRig();
  await rig.ask("1", "arrives late", { atMs: rig.now() - 25_001 });
  await rig.ask("2", "just in time", { atMs: rig.now() - 25_000 });
  await rig.ask("3", "waits too long");
  await rig.pass(25_001);
  await rig.turn().end();
  await rig.pass(1_000);
  expect(rig.taken()).toEqual(["just in time"]);
  expect(rig.refusals()).toEqual(["arrives late: stale", "waits too long: stale"]);
});

test("a viewer in cooldown waits for its end, another one does not", async () => {
  const rig = queueRig();
  await rig.ask("1", "a");
  await rig.turn().end();
  await rig.pass(1_000);
  await rig.ask("1", "soon");
  await rig.ask("2", "another viewer");
  expect(rig.taken()).toEqual(["a", "another viewer"]);
  await rig.turn().end();
  await rig.pass(8_999);
  expect(rig.taken()).toHaveLength(2);
  await rig.pass(1);
  expect(rig.taken()).toEqual(["a", "another viewer", "soon"]);
  expect(rig.refusals()).toEqual([]);
});

test("a cooldown that outlasts 25 s refuses at once", async () => {
  const rig = queueRig({ viewerCooldownMs: 60_000 });
  await rig.ask("1", "a");
  await rig.turn().end();
  await rig.pass(1_000);
  await rig.ask("1", "too soon");
  await rig.pass(34_000);
  await rig.ask("1", "waits");
  expect(rig.refusals()).toEqual(["too soon: viewer_cooldown"]);
  await rig.pass(25_000);
  expect(rig.taken()).toEqual(["a", "waits"]);
});

test.each(["reply", "continuation"] as const)("a %s needs three seconds", async (trigger) => {
  const rig = queueRig();
  await rig.ask("1", "a");
  await rig.turn().end();
  await rig.pass(2_000);
  await rig.ask("1", "and then?", { trigger });
  expect(rig.taken()).toEqual(["a"]);
  await rig.pass(1_000);
  expect(rig.taken()).toEqual(["a", "and then?"]);
});

test("an unfinished thought waits, and the next message joins it", async () => {
  const rig = queueRig();
  const holdUntilMs = rig.now() + 2_000;
  await rig.ask("1", "so", { holdUntilMs });
  await rig.ask("2", "another viewer");
  expect(rig.taken()).toEqual(["another viewer"]);
  await rig.turn().end();
  const joins = rig.queue.findHeld("here", "1") ?? undefined;
  expect(joins?.question).toBe("so");
  await rig.pass(1_000);
  await rig.ask("1", "so which rod was it", { ...(joins && { joins }) });
  expect(rig.taken()).toEqual(["another viewer", "so which rod was it"]);
  expect(rig.queue.findHeld("here", "1")).toBeNull();
  expect(rig.refusals()).toEqual([]);
});

test("an unfinished thought that nobody goes on with is answered after its wait", async () => {
  const rig = queueRig();
  await rig.ask("1", "so", { holdUntilMs: rig.now() + 2_000 });
  await rig.pass(2_000);
  expect(rig.taken()).toEqual(["so"]);
});

test("in a crowd of short questions nobody is held: a full queue goes on", async () => {
  const rig = queueRig();
  const holdUntilMs = rig.now() + 2_000;
  for (const user of ["1", "2", "3", "4"]) await rig.ask(user, `so ${user}`, { holdUntilMs });
  expect(rig.taken()).toEqual([]);
  await rig.ask("5", "so 5", { holdUntilMs });
  expect(rig.taken()).toEqual(["so 1"]);
  expect(rig.refusals()).toEqual([]);
});

test("cooldowns hold after a restart", async () => {
  const startedAtMs = queueRig().now();
  const earlier = [
    { channel: "here", userId: "1", atMs: startedAtMs - 4_000 },
    { channel: "here", userId: "2", atMs: startedAtMs - 11_000 },
    { channel: "there", userId: "3", atMs: startedAtMs - 1_000 },
  ];
  const rig = queueRig({ earlier });
  await rig.ask("1", "a");
  await rig.ask("2", "b");
  await rig.ask("3", "c");
  expect(rig.taken()).toEqual(["b"]);
  await rig.turn().end();
  await rig.pass(1_000);
  expect(rig.taken()).toEqual(["b", "c"]);
  await rig.turn().end();
  await rig.pass(5_000);
  expect(rig.taken()).toEqual(["b", "c", "a"]);
});

test("an account that answers within two seconds gets three answers in a row, and no fourth", async () => {
  const rig = queueRig({ viewerCooldownMs: 0, channelCooldownMs: 0 });
  for (const question of ["a", "b", "c"]) {
    await rig.ask("bot", question);
    await rig.turn().end();
    await rig.pass(1_900);
  }
  await rig.ask("bot", "d");
  expect(rig.taken()).toEqual(["a", "b", "c"]);
  expect(rig.refusals()).toEqual(["d: loop"]);
  await rig.ask("human", "someone else is answered");
  await rig.turn().end();
  await rig.pass(5_000);
  await rig.ask("bot", "after a pause");
  expect(rig.taken()).toEqual(["a", "b", "c", "someone else is answered", "after a pause"]);
});

test("the streamer is neither cooled down nor taken for a bot, however fast the questions come", async () => {
  const rig = queueRig({ channelCooldownMs: 0 });
  const questions = ["a", "b", "c", "d", "e"];
  for (const question of questions) {
    await rig.ask("streamer", question, { rank: "streamer" });
    await rig.turn().end();
    await rig.pass(1_900);
  }
  expect(rig.taken()).toEqual(questions);
});

test("a removed message is not answered: waiting it goes, running it is aborted", async () => {
  const rig = queueRig();
  await rig.ask("1", "running");
  await rig.ask("2", "waiting");
  await rig.ask("3", "stays");
  rig.queue.discard(({ userId }) => userId === "2");
  expect(rig.refusals()).toEqual(["waiting: removed"]);
  expect(rig.turn().signal.aborted).toBe(false);
  rig.queue.discard(({ messageId }) => messageId === "id of running");
  expect(rig.turn().signal.aborted).toBe(true);
  expect(rig.refusals()).toHaveLength(1);
  await rig.turn().end();
  await rig.pass(1_000);
  expect(rig.taken()).toEqual(["running", "stays"]);
  expect(rig.turn().signal.aborted).toBe(false);
});

test("a turn that throws is told and ends, and the next one is taken", async () => {
  const rig = queueRig();
  await rig.ask("1", "a");
  await rig.ask("2", "b");
  await rig.turn().end(new Error("a bug"));
  await rig.pass(1_000);
  expect(rig.bugs).toEqual([new Error("a bug")]);
  expect(rig.taken()).toEqual(["a", "b"]);
});

test("a refusal that cannot be written reaches neither the one who asked nor the queue", async () => {
  const rig = queueRig({
    refuse: () => {
      throw new Error("the disk is full");
    },
  });
  await rig.ask("1", "running");
  await rig.ask("2", "old");
  await rig.ask("2", "new");
  await rig.ask("3", "late", { atMs: rig.now() - 60_000 });
  await rig.pass(30_000);
  await rig.turn().end();
  await rig.pass(1_000);
  await rig.ask("4", "the next");
  expect(rig.taken()).toEqual(["running", "the next"]);
  expect(rig.bugs).toHaveLength(3);
});

test("closing refuses what waits, aborts what runs, ends when that ended, and takes no more", async () => {
  const rig = queueRig();
  await rig.ask("1", "running");
  await rig.ask("2", "waiting");
  let closed = false;
  const closing = rig.queue.close().then(() => {
    closed = true;
  });
  await settled();
  expect(rig.refusals()).toEqual(["waiting: closing"]);
  expect(rig.turn().signal.aborted).toBe(true);
  expect(closed).toBe(false);
  await rig.ask("3", "too late");
  expect(rig.refusals()).toContain("too late: closing");
  await rig.turn().end();
  await closing;
  expect(rig.taken()).toEqual(["running"]);
});

test("who asks on before the answer came is impatient, not a bot", async () => {
  const rig = queueRig();
  await rig.ask("1", "question 0");
  for (let question = 1; question < 6; question += 1) {
    await rig.pass(11_000);
    await rig.ask("1", `question ${question}`);
    await rig.turn().end();
    await rig.pass(1_000);
  }
  expect(rig.refusals()).toEqual([]);
});

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
    slotDelayMs: ({ rank }) => (sendsFree > countSendsToLeave(rank) ? 0 : 5_000),
  });
  await rig.ask("1", "viewer");
  expect(rig.taken()).toEqual([]);
  await rig.ask("2", "moderator", { rank: "moderator" });
  expect(rig.taken()).toEqual(["moderator"]);
  const ranks = ["streamer", "moderator", "viewer"] as const;
  expect(ranks.map(mayUseReservedCalls)).toEqual([true, true, false]);
});
