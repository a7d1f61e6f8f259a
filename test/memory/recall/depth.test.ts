import fc from "fast-check";
import { expect, test } from "vitest";
import { getDepth, nextPace, OWN_LINES_MAX, type Pace } from "../../../src/memory/recall/pace.ts";

const PACES: readonly Pace[] = ["quiet", "normal", "busy", "raid"];
const BORDERS = [5, 30, 150];

test.each([
  ["quiet", 0, "quiet"],
  ["quiet", 5, "quiet"],
  ["quiet", 6, "normal"],
  ["quiet", 400, "raid"],
  ["normal", 4, "normal"],
  ["normal", 3.9, "quiet"],
  ["normal", 35, "normal"],
  ["normal", 36, "busy"],
  ["busy", 24, "busy"],
  ["busy", 23, "normal"],
  ["busy", 179, "busy"],
  ["busy", 180, "raid"],
  ["raid", 120, "raid"],
  ["raid", 119, "busy"],
  ["raid", 20, "normal"],
  ["raid", 0, "quiet"],
] as const)("from %s, at %d messages a minute, the chat is %s", (from, perMinute, to) => {
  expect(nextPace(from, perMinute)).toBe(to);
});

test("a pace that swings by less than 20 % around a border changes the tier once at most", () => {
  const swing = fc.double({ min: 0.801, max: 1.199, noNaN: true });
  fc.assert(
    fc.property(
      fc.constantFrom(...PACES),
      fc.constantFrom(...BORDERS),
      fc.array(swing, { minLength: 2, maxLength: 30 }),
      (start, border, swings) => {
        expect(
          flips(
            start,
            swings.map((factor) => border * factor),
          ),
        ).toBeLessThanOrEqual(1);
      },
    ),
  );
});

test("fast chat gets fewer notes, a raid less chat and more of the speaker's own", () => {
  const [quiet, normal, busy, raid] = PACES.map(getDepth);
  expect(normal).toMatchObject({
    hasMoreLore: true,
    own: 5,
    chat: 30,
    replies: 5,
  });
  expect([quiet, busy, raid].map((depth) => depth?.hasMoreLore)).toEqual([true, false, false]);
  expect(raid?.chat).toBeLessThan(busy?.chat ?? 0);
  expect(raid?.own).toBeGreaterThan(normal?.own ?? 0);
  expect(OWN_LINES_MAX).toBe(Math.max(...PACES.map((pace) => getDepth(pace).own)));
});

function flips(start: Pace, paces: readonly number[]): number {
  let pace = start;
  let settled: Pace | null = null;
  let count = 0;
  for (const perMinute of paces) {
    pace = nextPace(pace, perMinute);
    // The first look may be a jump from anywhere.
    if (settled !== null && pace !== settled) count += 1;
    settled = pace;
  }
  return count;
}
