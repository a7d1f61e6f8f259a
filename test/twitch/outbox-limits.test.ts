import fc from "fast-check";
import { expect, test } from "vitest";
import type { SendResult } from "../../src/twitch/delivery.ts";
import { type Arrival, bench, WINDOW_MS } from "./outbox-bench.ts";

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
