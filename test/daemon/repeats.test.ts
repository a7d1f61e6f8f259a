import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { repeats } from "../../src/daemon/routes.ts";

const REMEMBERED_MS = 2 * 60_000;
const REMEMBERED = 1_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

test("what came within two minutes or the last thousand came before, however the rest is spread", () => {
  const pauses = fc.array(fc.integer({ min: 0, max: REMEMBERED_MS }), { maxLength: 50 });
  fc.assert(
    fc.property(pauses, fc.integer({ min: 0, max: REMEMBERED - 1 }), (before, between) => {
      const isRepeated = repeats();
      for (const [n, pauseMs] of before.entries()) {
        vi.advanceTimersByTime(pauseMs);
        expect(isRepeated(`before-${n}`)).toBe(false);
      }
      expect(isRepeated("it")).toBe(false);
      for (let n = 0; n < between; n += 1) {
        vi.advanceTimersByTime(Math.floor((REMEMBERED_MS - 1) / between));
        isRepeated(`between-${n}`);
      }
      expect(isRepeated("it")).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test("in a quiet channel it is let go of after a while", () => {
  const isRepeated = repeats();
  isRepeated("it");
  for (const n of [1, 2]) {
    vi.advanceTimersByTime(REMEMBERED_MS);
    isRepeated(`line ${n}`);
  }
  expect(isRepeated("it")).toBe(false);
});

test("what has no id repeats nothing", () => {
  const isRepeated = repeats();
  expect([isRepeated(null), isRepeated(null)]).toEqual([false, false]);
});
