import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { BoundedMap } from "../src/bounded-map.ts";
import { createUptimeClock, SharedTimer } from "../src/clock.ts";

test("holds what was set last, up to its size, whatever was set before", () => {
  const keys = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 });
  fc.assert(
    fc.property(keys, fc.integer({ min: 1, max: 6 }), (set, sizeMax) => {
      const map = new BoundedMap<number, string>(sizeMax);
      for (const key of set) map.set(key, `of ${key}`);
      const last = [...new Set(set.toReversed())].slice(0, sizeMax).toReversed();
      expect(map.keys()).toEqual(last);
      for (let key = 0; key < 10; key += 1) {
        expect(map.get(key)).toBe(last.includes(key) ? `of ${key}` : undefined);
      }
    }),
  );
});

test("drops what is too old, also by a clock that was set back", () => {
  const map = new BoundedMap<string, number>(10, 1_000);
  map.set("one", 1, 5_000);
  expect(map.get("one", 5_999)).toBe(1);
  expect([map.get("one", 6_000), map.get("one", 4_000)]).toEqual([undefined, undefined]);
  map.set("two", 2, 5_500);
  expect([map.keys(5_999), map.keys(6_000)]).toEqual([["one", "two"], ["two"]]);
  map.set("three", 3, 6_200);
  expect(map.get("one", 5_000)).toBeUndefined();
  map.clear();
  expect(map.keys(6_200)).toEqual([]);
});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
});

afterEach(() => {
  vi.useRealTimers();
});

test("what is due together is done together, at multiples of its interval, whenever it began", () => {
  const timer = new SharedTimer();
  const done: Record<string, number[]> = { often: [], seldom: [], late: [] };
  const note = (name: string) => () => void done[name]?.push(Math.round(performance.now()));
  vi.advanceTimersByTime(120);
  timer.setInterval(1_000, note("seldom"));
  timer.setInterval(250, note("often"));
  vi.advanceTimersByTime(510);
  timer.setInterval(1_000, note("late"));
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(2_000);
  expect(done).toEqual({
    often: [250, 500, 750, 1_000, 1_250, 1_500, 1_750, 2_000, 2_250, 2_500],
    seldom: [1_000, 2_000],
    late: [1_000, 2_000],
  });
});

test("what ended is done no more, also where another ends it that is due at the same time, and nothing waits then", () => {
  const timer = new SharedTimer();
  let count = 0;
  const endFirst = timer.setInterval(100, () => {
    count += 1;
    endFirst();
    endSecond();
  });
  const endSecond = timer.setInterval(100, () => {
    count += 100;
  });
  vi.advanceTimersByTime(1_000);
  expect(count).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
});

test("a time that passed while the program was busy asks for no negative wait", () => {
  const timer = new SharedTimer();
  timer.setInterval(100, () => undefined);
  // No spy: the runner restores each spy again after the file, and would leave the fake clock to later files.
  const waits: unknown[] = [];
  const { setTimeout: fake } = globalThis;
  globalThis.setTimeout = new Proxy(fake, {
    apply: (target, self, given) => {
      waits.push(given[1]);
      return Reflect.apply(target, self, given);
    },
  });
  const { now } = performance;
  performance.now = () => now.call(performance) + 150;
  timer.setInterval(1_000, () => undefined);
  performance.now = now;
  globalThis.setTimeout = fake;
  expect(waits).toEqual([0]);
});

test("the uptime counts sleep but no set time, and asks the system only after one of them", () => {
  const machine = { upMs: 5_000_000, asked: 0 };
  const getUptime = createUptimeClock(() => {
    machine.asked += 1;
    return machine.upMs / 1_000;
  });
  const passMs = (ms: number) => {
    machine.upMs += ms;
    vi.advanceTimersByTime(ms);
  };
  for (let n = 0; n < 5; n += 1) {
    expect(getUptime()).toBeCloseTo(machine.upMs, 3);
    passMs(60_000);
  }
  expect(machine.asked).toBe(1);
  // Asleep, where the process's own clock stands still meanwhile.
  machine.upMs += 3_600_000;
  vi.setSystemTime(Date.now() + 3_600_000);
  expect(getUptime()).toBeCloseTo(machine.upMs, 3);
  for (const byMs of [86_400_000, -86_400_000, 500]) {
    passMs(1_000);
    vi.setSystemTime(Date.now() + byMs);
    expect(getUptime()).toBeCloseTo(machine.upMs, 3);
  }
  expect(machine.asked).toBe(5);
});
