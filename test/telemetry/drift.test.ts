import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Metric, movedMetrics } from "../../src/telemetry/drift.ts";
import { shareOf } from "../../src/telemetry/figures.ts";

describe("drift", () => {
  test("names a share that moved far beyond what streams differ by", () => {
    const earlier = [0.1, 0.12, 0.11, 0.09, 0.1].map((value) => [share("replies.stale", value)]);
    const moved = movedMetrics([share("replies.stale", 0.4)], earlier);
    expect(moved).toMatchObject([{ name: "replies.stale", from: 0.1, to: 0.4 }]);
    expect(moved[0]?.score).toBeGreaterThan(3.5);
  });

  test("is silent where streams always differ that much", () => {
    const earlier = [0.05, 0.4, 0.2, 0.5, 0.1, 0.35].map((value) => [share("a.b", value)]);
    expect(movedMetrics([share("a.b", 0.45)], earlier)).toEqual([]);
  });

  test("is silent about few samples, here or there, and about fewer than three streams", () => {
    const three = [0.1, 0.1, 0.1].map((value) => [share("a.b", value)]);
    expect(movedMetrics([share("a.b", 0.9, 19)], three)).toEqual([]);
    expect(movedMetrics([share("a.b", 0.9, 20)], three)).toHaveLength(1);
    expect(movedMetrics([share("a.b", 0.9)], three.slice(1))).toEqual([]);
    const thin = [0.1, 0.1, 0.1].map((value) => [share("a.b", value, 5)]);
    expect(movedMetrics([share("a.b", 0.9)], thin)).toEqual([]);
  });

  test("is silent about moves too small for a word, however sure", () => {
    const earlier = [0.5, 0.5, 0.5].map((value) => [share("a.b", value, 1e6)]);
    expect(movedMetrics([share("a.b", 0.54, 1e6)], earlier)).toEqual([]);
  });

  test("a kind that a stream never had was a share of none, and one that is gone is one now", () => {
    const others = [0.1, 0.2, 0.15].map((value) => [share("notes.profile", value)]);
    const now = [share("notes.profile", 0.15), share("notes.event", 0.6)];
    expect(movedMetrics(now, others)).toMatchObject([{ name: "notes.event", from: 0, to: 0.6 }]);
    const had = [0.5, 0.5, 0.52].map((value) => [
      share("notes.event", value),
      share("notes.x", 0.4),
    ]);
    expect(movedMetrics([share("notes.x", 0.4)], had)).toMatchObject([
      { name: "notes.event", from: 0.5, to: 0 },
    ]);
  });

  test("names a mean that moved, the furthest first", () => {
    const earlier = [100, 104, 98, 101].map((value) => [
      mean("reply.tokens", value),
      mean("prompt.tokens", 10 * value),
    ]);
    const now = [mean("reply.tokens", 160), mean("prompt.tokens", 3_000)];
    const moved = movedMetrics(now, earlier);
    expect(moved.map(({ name }) => name)).toEqual(["prompt.tokens", "reply.tokens"]);
  });

  test("rarely cries wolf over chance alone", () => {
    // Streams of 300 replies, of which each was refused with the same chance.
    const streams = fc.array(fc.array(fc.boolean(), { minLength: 300, maxLength: 300 }), {
      minLength: 11,
      maxLength: 11,
    });
    let alarms = 0;
    fc.assert(
      fc.property(streams, (coins) => {
        const [now = [], ...earlier] = coins.map((tosses) => [
          share("replies.refused", tosses.filter(Boolean).length / 300, 300),
        ]);
        alarms += movedMetrics(now, earlier).length;
      }),
      { numRuns: 40, seed: 5 },
    );
    expect(alarms).toBeLessThanOrEqual(1);
  });
});

describe("a share's interval", () => {
  test("is Wilson's", () => {
    // Brown, Cai, DasGupta 2001; the figures by R's prop.test(correct = FALSE).
    const { low, high } = shareOf(8, 10);
    expect(low).toBeCloseTo(0.4902, 4);
    expect(high).toBeCloseTo(0.9433, 4);
    expect(shareOf(0, 10)).toMatchObject({ low: 0 });
    expect(shareOf(0, 10).high).toBeCloseTo(0.2775, 4);
  });

  test("holds the share, stays between 0 and 1, and narrows with trials", () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(500), (hits, misses) => {
        const { share: found, low, high } = shareOf(hits, hits + misses);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        if (hits + misses === 0) return;
        expect(low - 1e-9).toBeLessThanOrEqual(found);
        expect(high + 1e-9).toBeGreaterThanOrEqual(found);
        const more = shareOf(10 * hits, 10 * (hits + misses));
        expect(more.high - more.low).toBeLessThan(high - low);
      }),
    );
  });
});

function share(name: string, value: number, of = 200): Metric {
  return { name, unit: "share", value, of, deviation: 0 };
}

function mean(name: string, value: number): Metric {
  return { name, unit: "mean", value, of: 100, deviation: 20 };
}
