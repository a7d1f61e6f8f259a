import fc from "fast-check";
import { expect, test } from "vitest";
import { compare, reversed } from "../../../src/lab/evaluation/compare.ts";
import { meanOf } from "../../../src/lab/evaluation/mean.ts";

test("a sign test is exact", () => {
  // Nine of ten: 2 · (1 + 10) / 1024.
  const nine = compare(Array(10).fill(1), [1, ...Array(9).fill(0)]);
  expect(nine).toMatchObject({ better: 9, worse: 0 });
  expect(nine.p).toBeCloseTo(2 / 512, 12);
  const mixed = compare([1, 1, 1, 1, 1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  expect(mixed.p).toBeCloseTo((2 * 11) / 1024, 12);
});

test("the interval holds the mean, and is one point where all differences are alike", () => {
  expect(compare([1, 1, 1], [0, 0, 0])).toMatchObject({ mean: 1, low: 1, high: 1 });
  const { mean, low, high } = compare([1, 1, 1, 0, 1, 0], [0, 1, 0, 0, 1, 1]);
  expect(mean).toBeCloseTo(1 / 6, 12);
  expect(low).toBeLessThanOrEqual(mean);
  expect(high).toBeGreaterThanOrEqual(mean);
  expect(low).toBeLessThan(high);
});

test("nothing differs from itself, and the other way round is the opposite", () => {
  const shares = fc.array(fc.tuple(fc.boolean(), fc.boolean()), { maxLength: 40 });
  fc.assert(
    fc.property(shares, (pairs) => {
      const a = pairs.map(([one]) => Number(one));
      const b = pairs.map(([, other]) => Number(other));
      expect(compare(a, a)).toMatchObject({ mean: 0, low: 0, high: 0, better: 0, worse: 0, p: 1 });
      const turned = reversed(compare(a, b));
      const other = compare(b, a);
      expect([turned.better, turned.worse, turned.p]).toEqual([other.better, other.worse, other.p]);
      for (const key of ["mean", "low", "high"] as const)
        expect(turned[key]).toBeCloseTo(other[key], 12);
      const [there, back] = [compare(a, b), compare(b, a)];
      expect(there.mean).toBeCloseTo(-back.mean, 12);
      expect([there.better, there.worse]).toEqual([back.worse, back.better]);
      expect(there.p).toBe(back.p);
      expect(there.p).toBeLessThanOrEqual(1);
    }),
    { numRuns: 20 },
  );
});

test("the mean of nothing is 0", () => {
  expect(meanOf([])).toBe(0);
  expect(meanOf([1, 2])).toBe(1.5);
});
