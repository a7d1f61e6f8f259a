import fc from "fast-check";
import { expect, test } from "vitest";
import type { SendResult } from "../../src/twitch/delivery.ts";
import { type Arrival, bench, START_MS, WINDOW_MS } from "./outbox-bench.ts";

test("one channel gets at most one message a second, in order; another does not wait for it", async () => {
  const { clock, offer, arrivals } = bench();
  for (const text of ["one", "two", "three"]) offer(text);
  offer("elsewhere", { channel: "cakestream" });
  await clock.advance(5_000);
  expect(arrivals.map(({ text, atMs }) => [text, atMs])).toEqual([
    ["one", 0],
    ["elsewhere", 0],
    ["two", 1_100],
    ["three", 2_200],
  ]);
});

test("a moderator sends up to 100 in 30 s, and its channel's share does not open others", async () => {
  const { clock, outbox, offer, arrivals, outcomes } = bench({
    limits: { channelGapMs: 0, waitingMax: 200 },
  });
  outbox.setRole("teastream", true);
  for (let n = 0; n < 120; n++) offer(`line ${n}`);
  await clock.advance(1_000);
  expect(arrivals).toHaveLength(100);
  offer("hello there", { channel: "cakestream" });
  await clock.advance(24_500);
  expect(outcomes.at(-1)).toBeNull();
  await clock.advance(500);
  expect(outcomes.at(-1)).toEqual({ kind: "expired" });
});

test("the same text is not said twice within 30 s in a channel, and is afterwards", async () => {
  const { clock, offer, outcomes } = bench();
  offer("scones");
  offer("  scones ");
  offer("scones", { channel: "cakestream" });
  await clock.advance(WINDOW_MS);
  offer("scones");
  await clock.advance(1_000);
  offer("scones");
  await clock.advance(0);
  const kinds = outcomes.map((outcome) => outcome?.kind);
  expect(kinds).toEqual(["sent", "duplicate", "sent", "duplicate", "sent"]);
});

test("a text that surely did not arrive may be said again", async () => {
  const { clock, offer, outcomes } = bench({
    sendIrc: () => ({ kind: "failed", reason: "not_connected" }),
  });
  offer("scones");
  offer("scones");
  await clock.advance(2_000);
  expect(outcomes).toEqual(Array(2).fill({ kind: "failed", reason: "not_connected" }));
});

test("a message expires on time, while it waits and when it comes too late", async () => {
  const { clock, offer, outcomes, arrivals } = bench();
  offer("first");
  offer("impatient", { expiresAtMs: START_MS + 1_000 });
  offer("patient");
  offer("late", { expiresAtMs: START_MS });
  await clock.advance(999);
  expect(outcomes.map((outcome) => outcome?.kind)).toEqual([
    "sent",
    undefined,
    undefined,
    "expired",
  ]);
  await clock.advance(1);
  expect(outcomes[1]).toEqual({ kind: "expired" });
  await clock.advance(200);
  expect(arrivals.map(({ text }) => text)).toEqual(["first", "patient"]);
});

test("what ran out while the machine slept is not sent on waking", async () => {
  const { clock, offer, outcomes, arrivals } = bench();
  offer("first");
  offer("second", { expiresAtMs: START_MS + 5_000 });
  await clock.advance(100);
  clock.set(START_MS + 60_000);
  await clock.advance(0);
  expect(outcomes[1]).toEqual({ kind: "expired" });
  expect(arrivals).toHaveLength(1);
});

test("a moderator's message waits for an ordinary one in progress", async () => {
  const { clock, outbox, offer, outcomes } = bench({
    limits: { ordinaryMax: 1 },
    sendHelix: async ({ channel }) => {
      if (channel === "slowstream") await clock.wait(3_000, new AbortController().signal);
      return { kind: "sent", messageId: "m-1" };
    },
  });
  outbox.setRole("modstream", true);
  offer("takes a while", { channel: "slowstream" });
  offer("hello", { channel: "modstream" });
  await clock.advance(2_999);
  expect(outcomes).toEqual([null, null]);
  await clock.advance(1);
  expect(outcomes.map((outcome) => outcome?.kind)).toEqual(["sent", "sent"]);
});

test("a channel whose send hangs holds up only itself", async () => {
  const { clock, offer, outcomes } = bench({
    sendHelix: ({ channel }) =>
      channel === "teastream"
        ? new Promise(() => {})
        : Promise.resolve({ kind: "sent", messageId: "m-1" }),
  });
  offer("hangs");
  offer("waits behind it");
  offer("elsewhere", { channel: "cakestream" });
  await clock.advance(30_000);
  expect(outcomes).toEqual([
    null,
    { kind: "expired" },
    { kind: "sent", messageId: "m-1", via: "helix" },
  ]);
});

test("what could be more than one plain message, and more than fits, is not taken", async () => {
  const { clock, offer, outcomes, arrivals } = bench({ limits: { waitingMax: 2 } });
  offer("two\r\nlines");
  offer("/ban somebody");
  for (const text of ["a", "b", "c"]) offer(text);
  await clock.advance(5_000);
  const unsafe = { kind: "failed", reason: "unsafe_text" };
  expect(outcomes.slice(0, 2)).toEqual([unsafe, unsafe]);
  expect(outcomes.at(-1)).toEqual({ kind: "failed", reason: "queue_full" });
  expect(arrivals).toHaveLength(2);
});

test("closing lets what waits expire, and waits for what is being sent", async () => {
  let answer: (result: SendResult) => void = () => {};
  const { clock, outbox, offer, outcomes } = bench({
    sendHelix: () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  });
  offer("on its way");
  offer("waiting");
  await clock.advance(0);
  let isClosed = false;
  const closing = outbox.close().then(() => {
    isClosed = true;
  });
  await clock.advance(100);
  expect(outcomes).toEqual([null, { kind: "expired" }]);
  expect(isClosed).toBe(false);
  answer({ kind: "sent", messageId: "m-1" });
  await closing;
  offer("after the end");
  await clock.advance(0);
  expect(outcomes.map((outcome) => outcome?.kind)).toEqual(["sent", "expired", "expired"]);
});

test("a clock that is set back does not silence the bot", async () => {
  const { clock, offer, outcomes } = bench();
  offer("before");
  await clock.advance(500);
  clock.set(START_MS - 3_600_000);
  offer("after");
  await clock.advance(2_000);
  expect(outcomes.map((outcome) => outcome?.kind)).toEqual(["sent", "sent"]);
});

const LIMITS = { ordinaryMax: 5, elevatedMax: 9 };
const UNKNOWN: SendResult = { kind: "unknown" };
const RESULTS: readonly SendResult[] = [
  { kind: "sent", messageId: "m" },
  UNKNOWN,
  { kind: "refused", reason: "msg_rejected" },
  { kind: "failed", reason: "missing_scope" },
  { kind: "failed", reason: "request" },
];

interface Plan {
  readonly afterMs: number;
  readonly channel: string;
  readonly text: string;
  readonly lifeMs: number;
  readonly result: SendResult;
  readonly takesMs: number;
  readonly mayGo: boolean;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  afterMs: fc.nat({ max: 1_500 }),
  channel: fc.constantFrom("ordinary1", "ordinary2", "elevated1", "elevated2"),
  text: fc.constantFrom("aye", "bee", "sea", "dee", "ease"),
  lifeMs: fc.nat({ max: 60_000 }),
  result: fc.constantFrom(...RESULTS),
  takesMs: fc.nat({ max: 4_000 }),
  mayGo: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
});

interface Numbered extends Arrival {
  readonly n: number;
}

/** Runs the plans. A message arrives at the start or the end of its attempt, whichever is worse for a limit. */
async function rehearse(plans: readonly Plan[]) {
  const arrivals: Numbered[] = [];
  const late: number[] = [];
  const current = new Map<string, number>();
  const arrive = (n: number) => {
    const { channel, text } = plans[n] ?? { channel: "", text: "" };
    arrivals.push({ n, channel, text, atMs: made.clock.now() });
  };
  const made = bench({
    limits: LIMITS,
    sendHelix: async ({ channel }) => {
      const n = current.get(channel) ?? -1;
      const { result, takesMs } = plans[n] ?? { result: UNKNOWN, takesMs: 0 };
      const arrives = result.kind === "sent" || result.kind === "unknown";
      if (arrives && n % 2 === 0) arrive(n);
      await made.clock.wait(takesMs, new AbortController().signal);
      if (arrives && n % 2 === 1) arrive(n);
      return result;
    },
    sendIrc: ({ channel }) => {
      arrive(current.get(channel) ?? -1);
      return { kind: "sent", messageId: null };
    },
  });
  for (const channel of ["elevated1", "elevated2"]) made.outbox.setRole(channel, true);
  for (const [n, { afterMs, channel, text, lifeMs, mayGo }] of plans.entries()) {
    await made.clock.advance(afterMs);
    const expiresAtMs = made.clock.now() + lifeMs;
    const onSending = () => {
      if (made.clock.now() >= expiresAtMs) late.push(n);
      current.set(channel, n);
      return mayGo;
    };
    made.offer(text, { channel, expiresAtMs, onSending });
  }
  await made.clock.advance(120_000);
  return { outcomes: made.outcomes, arrivals, late };
}

test("whatever is offered: no limit is passed, nothing is late, repeated, sent twice or forgotten", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 60 }), async (plans) => {
      const { arrivals, outcomes, late } = await rehearse(plans);
      expect(late).toEqual([]);
      expect(outcomes).not.toContain(null);
      expect(new Set(arrivals.map(({ n }) => n)).size).toBe(arrivals.length);
      expect(arrivals.every(({ n }) => plans[n]?.mayGo)).toBe(true);
      for (const [at, arrival] of arrivals.entries()) {
        expectWithinLimit(arrival, arrivals.slice(0, at));
        expectApart(arrival, arrivals.slice(0, at));
      }
    }),
    { numRuns: 150 },
  );
});

/** Twitch's rule when a message arrives: by what arrived before it, and by the bot's role where it arrives. */
function expectWithinLimit({ channel, atMs }: Numbered, before: readonly Numbered[]): void {
  const inWindow = before.filter((one) => one.atMs > atMs - WINDOW_MS);
  const max = channel.startsWith("elevated") ? LIMITS.elevatedMax : LIMITS.ordinaryMax;
  expect(inWindow.length).toBeLessThan(max);
}

function expectApart({ channel, text, atMs }: Numbered, before: readonly Numbered[]): void {
  for (const one of before.filter((other) => other.channel === channel)) {
    expect(atMs - one.atMs).toBeGreaterThanOrEqual(one.text === text ? WINDOW_MS : 1_000);
  }
}
