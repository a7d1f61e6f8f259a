import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createSharedTimer } from "../src/clock.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});

afterEach(() => {
  vi.useRealTimers();
});

test("what is due together is done together, at multiples of its interval, whenever it began", () => {
  const setOne = createSharedTimer();
  const done: Record<string, number[]> = { often: [], seldom: [], late: [] };
  const note = (name: string) => () => void done[name]?.push(Math.round(performance.now()));
  vi.advanceTimersByTime(120);
  setOne(1_000, note("seldom"));
  setOne(250, note("often"));
  vi.advanceTimersByTime(510);
  setOne(1_000, note("late"));
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(2_000);
  expect(done).toEqual({
    often: [250, 500, 750, 1_000, 1_250, 1_500, 1_750, 2_000, 2_250, 2_500],
    seldom: [1_000, 2_000],
    late: [1_000, 2_000],
  });
});

test("what ended is done no more, also where another ends it that is due at the same time, and nothing waits then", () => {
  const setOne = createSharedTimer();
  let count = 0;
  const endFirst = setOne(100, () => {
    count += 1;
    endFirst();
    endSecond();
  });
  const endSecond = setOne(100, () => {
    count += 100;
  });
  vi.advanceTimersByTime(1_000);
  expect(count).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
});

test("a time that passed while the program was busy asks for no negative wait", () => {
  const setOne = createSharedTimer();
  setOne(100, () => undefined);
  const asked = vi.spyOn(globalThis, "setTimeout");
  const { now } = performance;
  performance.now = () => now.call(performance) + 150;
  setOne(1_000, () => undefined);
  performance.now = now;
  expect(asked.mock.calls.map(([, ms]) => ms)).toEqual([0]);
});
