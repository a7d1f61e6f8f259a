import { expect, test } from "vitest";
import { formatLocalDay, formatLocalTime } from "../../src/config/local-time.ts";

const EVENING_MS = Date.UTC(2026, 4, 1, 20, 5);

test.each([
  ["2026-05-01 20:05 +00:00", 0],
  ["2026-05-01 22:05 +02:00", 120],
  ["2026-05-01 16:05 -04:00", -240],
  ["2026-05-02 01:35 +05:30", 330],
  ["2026-05-01 16:35 -03:30", -210],
  ["2026-05-02 10:05 +14:00", 14 * 60],
])("a time is %s where clocks are %i minutes ahead of UTC", (shown, aheadMinutes) => {
  expect(formatLocalTime(EVENING_MS, aheadMinutes)).toBe(shown);
  expect(formatLocalDay(EVENING_MS, aheadMinutes)).toBe(shown.slice(0, 10));
});

test("what is shown is that very time, wherever this runs, in winter and in summer", () => {
  for (const atMs of [Date.UTC(2026, 0, 1), Date.UTC(2026, 6, 1, 12), EVENING_MS]) {
    const [day, time, offset] = formatLocalTime(atMs).split(" ");
    expect(Date.parse(`${day}T${time}${offset}`)).toBe(atMs);
    expect(formatLocalDay(atMs)).toBe(day);
  }
});
