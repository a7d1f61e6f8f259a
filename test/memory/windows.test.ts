import fc from "fast-check";
import { expect, test } from "vitest";
import { sampleEvenly } from "../../src/memory/transcript.ts";
import {
  REST_EVENTS_MIN,
  SILENCE_MS,
  SLOW_EVENTS_A_MINUTE,
  sizeWindow,
  WINDOW_EVENTS_MIN,
  WINDOW_EVENTS_SAMPLED_MAX,
} from "../../src/memory/windows.ts";
import { CHAT, windowOf } from "./summary-window.ts";

const NOW = 1_700_000_000_000;
const going = { nowMs: NOW, isOver: false, intervalMs: 180_000 };
const over = { ...going, isOver: true };
const fresh = (events: number) => ({
  events,
  newestAtMs: NOW,
  oldestAtMs: NOW,
  lastMinute: SLOW_EVENTS_A_MINUTE,
});

test("while chat goes on, a window waits until it is full, or three intervals, and has 25 events", () => {
  const waited = (events: number) => ({ ...fresh(events), oldestAtMs: NOW - 3 * 180_000 });
  expect(sizeWindow(fresh(99), going)).toBe(0);
  expect(sizeWindow(fresh(100), going)).toBe(100);
  expect(sizeWindow(waited(24), going)).toBe(0);
  expect(sizeWindow(waited(25), going)).toBe(25);
});

test("a stream that ended closes a rest of eight, and not of seven", () => {
  expect(sizeWindow(fresh(7), over)).toBe(0);
  expect(sizeWindow(fresh(8), over)).toBe(8);
});

test("thirty minutes of silence close what waits, a second less does not", () => {
  const waiting = { ...fresh(12), newestAtMs: NOW - SILENCE_MS, oldestAtMs: NOW - SILENCE_MS };
  expect(sizeWindow(waiting, going)).toBe(12);
  expect(sizeWindow({ ...waiting, newestAtMs: NOW - SILENCE_MS + 1_000 }, going)).toBe(0);
});

test("in slow chat a window waits for 60 events, or three intervals, ten minutes at most", () => {
  const slow = (events: number, waitedMs: number) => ({
    ...fresh(events),
    lastMinute: SLOW_EVENTS_A_MINUTE - 1,
    oldestAtMs: NOW - waitedMs,
  });
  expect(sizeWindow(slow(59, 0), going)).toBe(0);
  expect(sizeWindow(slow(60, 0), going)).toBe(60);
  expect(sizeWindow(slow(30, 3 * 180_000 - 1), going)).toBe(0);
  expect(sizeWindow(slow(30, 3 * 180_000), going)).toBe(30);
  expect(sizeWindow(slow(30, 600_000), { ...going, intervalMs: 3_600_000 })).toBe(30);
  expect(sizeWindow(slow(8, 0), over)).toBe(8);
});

test("what would be too small for a window of its own gets company", () => {
  expect(sizeWindow(fresh(107), over)).toBe(92);
  expect(sizeWindow(fresh(108), over)).toBe(100);
});

test("all of chat is read, a hundred lines after the other, until lines have waited for twenty minutes", () => {
  expect(sizeWindow(fresh(150), going)).toBe(100);
  expect(sizeWindow(fresh(950), going)).toBe(100);
  const late = { ...fresh(950), oldestAtMs: NOW - 20 * 60_000 - 1 };
  expect(sizeWindow(late, going)).toBe(300);
  expect(sizeWindow({ ...late, events: 120 }, going)).toBe(120);
});

test("whatever waits, a window takes no more than that and no more than its limits", () => {
  fc.assert(
    fc.property(fc.nat(2_000), fc.nat(2 * SILENCE_MS), fc.boolean(), (events, silentMs, isOver) => {
      const taken = sizeWindow(
        { ...fresh(events), newestAtMs: NOW - silentMs, oldestAtMs: NOW - silentMs },
        { ...going, isOver },
      );
      const least = isOver || silentMs >= SILENCE_MS ? REST_EVENTS_MIN : WINDOW_EVENTS_MIN;
      expect(taken).toBeLessThanOrEqual(Math.min(events, WINDOW_EVENTS_SAMPLED_MAX));
      expect(taken === 0).toBe(events < least);
      if (taken > 0) expect(taken).toBeGreaterThanOrEqual(least);
    }),
  );
});

test("drained to the end, no rest that could close is left", () => {
  fc.assert(
    fc.property(fc.nat(5_000), (events) => {
      let left = events;
      for (let taken = sizeWindow(fresh(left), over); taken > 0; left -= taken) {
        taken = sizeWindow(fresh(left), over);
      }
      expect(left).toBeLessThan(REST_EVENTS_MIN);
    }),
  );
});

test("a sample keeps the order, the first, the last, and even gaps", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 2, max: 120 }), (size, max) => {
      const items = Array.from({ length: size }, (_, index) => index);
      const sample = sampleEvenly(items, max);
      expect(sample).toHaveLength(Math.min(size, max));
      expect([sample[0], sample.at(-1)]).toEqual([0, size - 1]);
      const gaps = sample.slice(1).map((item, index) => item - (sample[index] ?? 0));
      expect(Math.min(1, ...gaps)).toBe(1);
      expect(Math.max(0, ...gaps) - Math.min(size, ...gaps)).toBeLessThanOrEqual(1);
    }),
  );
});

test("a window knows the moments of its own time", () => {
  const raid = { kind: "raid", userId: "9", amount: 1 } as const;
  const startMs = 1_700_000_000_000;
  const moments = [0, CHAT.length - 1, CHAT.length].map((late, id) => ({
    ...raid,
    id,
    atMs: startMs + late,
  }));
  expect(windowOf(CHAT, moments).moments.map(({ id }) => id)).toEqual([0, 1]);
});
