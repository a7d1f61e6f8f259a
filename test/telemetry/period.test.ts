import { describe, expect, test } from "vitest";
import type { Db } from "../../src/database/open-database.ts";
import { choosePeriod, type PeriodAsked } from "../../src/telemetry/report-store.ts";
import { DAY_MS, HOUR_MS, ledgers, START_MS } from "./reported.ts";

const MINUTE_MS = 60_000;
const NOW_MS = START_MS + 20 * DAY_MS;

describe("the period of a report", () => {
  test("is the last stream, and its memory's work for an hour more or until the next one", () => {
    const { db, stream } = ledgers();
    stream(START_MS, START_MS + HOUR_MS);
    const last = stream(START_MS + 2 * HOUR_MS, START_MS + 3 * HOUR_MS);
    expect(period(db)).toEqual({
      sessionId: last,
      channels: ["here"],
      fromMs: START_MS + 2 * HOUR_MS,
      toMs: START_MS + 3 * HOUR_MS,
      callsToMs: START_MS + 4 * HOUR_MS,
      isOver: true,
    });
    const soon = stream(START_MS + 3 * HOUR_MS + MINUTE_MS, null);
    expect(period(db, { session: String(last) }).callsToMs).toBe(
      START_MS + 3 * HOUR_MS + MINUTE_MS,
    );
    expect(period(db)).toMatchObject({ sessionId: soon, toMs: NOW_MS, isOver: false });
  });

  test("is the last day where there never was a stream", () => {
    expect(period(ledgers().db)).toMatchObject({
      sessionId: null,
      channels: ["here", "there"],
      fromMs: NOW_MS - DAY_MS,
    });
  });

  test.each([
    ["24h", NOW_MS - DAY_MS],
    ["3d", NOW_MS - 3 * DAY_MS],
    ["2026-05-02", new Date(2026, 4, 2).getTime()],
    ["2026-05-02T12:30", new Date(2026, 4, 2, 12, 30).getTime()],
    ["2026-05-02T12:30Z", Date.UTC(2026, 4, 2, 12, 30)],
    ["2026-05-02T12:30-04:00", Date.UTC(2026, 4, 2, 16, 30)],
  ])("can be since %s", (since, fromMs) => {
    expect(period(ledgers().db, { since })).toMatchObject({ fromMs, toMs: NOW_MS });
  });

  test.each<Partial<PeriodAsked>>([
    { since: "yesterday" },
    { since: "2027-01-01" },
    { since: "24h", session: "last" },
    { session: "99" },
    { session: "first" },
    { channel: "nowhere" },
  ])("is refused where it cannot be meant: %j", (asked) => {
    expect(() => period(ledgers().db, asked)).toThrow(expect.objectContaining({ code: "usage" }));
  });

  test("of another channel's stream is refused", () => {
    const { db, stream } = ledgers();
    const id = stream(START_MS, null, "there");
    expect(() => period(db, { session: String(id), channel: "here" })).toThrow();
    expect(period(db, { session: String(id), channel: "there" }).sessionId).toBe(id);
  });
});

function period(db: Db, asked: Partial<PeriodAsked> = {}) {
  return choosePeriod(db, { session: null, since: null, channel: null, ...asked }, NOW_MS);
}
