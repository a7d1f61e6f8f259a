import { expect, test } from "vitest";
import { NOTE_KIND_NAMES } from "../../src/catalogue/note-kinds.ts";
import { LIFETIMES } from "../../src/memory/note-prompt.ts";
import { calculateExpiry, getImportance, getStaleTime } from "../../src/memory/note-settings.ts";

const DAY_MS = 86_400_000;
const NOW = 1_700_000_000_000;
const LEARNED = { source: "extracted" } as const;

test("a profile and a constraint are for good, other kinds run out", () => {
  const days = NOTE_KIND_NAMES.map((kind) =>
    calculateExpiry({ ...LEARNED, kind, lifetime: null }, NOW),
  );
  expect(days.map((at) => (at === null ? null : (at - NOW) / DAY_MS))).toEqual([
    null,
    null,
    90,
    30,
    30,
    7,
  ]);
});

test("a preference that the model calls permanent is permanent", () => {
  const lasting = { ...LEARNED, kind: "preference", lifetime: "permanent" } as const;
  expect(calculateExpiry(lasting, NOW)).toBeNull();
});

test("a fact about a day ahead runs out a week after it, a birthday does not", () => {
  const exam = { ...LEARNED, kind: "state", lifetime: null, happensOn: "2023-12-01" } as const;
  const weekAfter = new Date(2023, 11, 9).getTime();
  expect(calculateExpiry(exam, NOW)).toBe(weekAfter);
  expect(calculateExpiry({ ...exam, happensOn: "2023-11-01" }, NOW)).toBe(NOW + 7 * DAY_MS);
  const property = { name: "birthday", value: "1 December", game: null } as const;
  const birthday = { ...exam, kind: "profile", property } as const;
  expect(calculateExpiry(birthday, NOW)).toBeNull();
});

test("the model's lifetime shortens and never lengthens", () => {
  expect(calculateExpiry({ ...LEARNED, kind: "profile", lifetime: "3d" }, NOW)).toBe(
    NOW + 3 * DAY_MS,
  );
  expect(calculateExpiry({ ...LEARNED, kind: "state", lifetime: "permanent" }, NOW)).toBe(
    NOW + 7 * DAY_MS,
  );
  for (const kind of NOTE_KIND_NAMES.filter((one) => one !== "preference")) {
    for (const lifetime of LIFETIMES) {
      const own =
        calculateExpiry({ ...LEARNED, kind, lifetime: null }, NOW) ?? Number.POSITIVE_INFINITY;
      expect(
        calculateExpiry({ ...LEARNED, kind, lifetime }, NOW) ?? Number.POSITIVE_INFINITY,
      ).toBeLessThanOrEqual(own);
    }
  }
});

test("what a viewer asked to keep stays until they say otherwise", () => {
  for (const kind of NOTE_KIND_NAMES) {
    for (const lifetime of [null, ...LIFETIMES]) {
      expect(calculateExpiry({ kind, lifetime, source: "viewer_request" }, NOW)).toBeNull();
    }
  }
});

test("what nobody confirmed for half a year is stale", () => {
  expect(getStaleTime(NOW)).toBe(NOW - 180 * DAY_MS);
});

test("importance adds up to a fifth", () => {
  expect((["low", "medium", "high"] as const).map(getImportance)).toEqual([0, 0.1, 0.2]);
});
