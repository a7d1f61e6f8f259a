import { expect, onTestFinished, test, vi } from "vitest";
import { makeBotFolder } from "./bot-folder.ts";

const HOUR_MS = 3_600_000;
const WINTER_MS = Date.UTC(2026, 0, 10, 18);
const SUMMER_MS = Date.UTC(2026, 4, 2, 18);

/** A data folder that knows two streams, and the program beside it with its clock in a time zone. */
function openBot(zone: string) {
  const { openDb, run } = makeBotFolder({ channel: "here" });
  const db = openDb();
  const add = db.prepare(
    "INSERT INTO stream_sessions (channel, started_at, ended_at) VALUES ('here', ?, ?)",
  );
  db.exec("INSERT INTO channel_state (channel) VALUES ('here')");
  for (const atMs of [WINTER_MS, SUMMER_MS]) add.run(atMs, atMs + HOUR_MS);
  vi.stubEnv("TZ", zone);
  onTestFinished(() => void vi.unstubAllEnvs());
  return async (...args: string[]): Promise<string> => {
    const { exit, output, errors } = await run(...args);
    expect(exit, errors).toBe(0);
    return output;
  };
}

test.each([
  ["UTC", "2026-01-10 18:00 +00:00", "2026-05-02 18:00 +00:00", "2026-05-02T00:00:00.000Z"],
  [
    "Asia/Kolkata",
    "2026-01-10 23:30 +05:30",
    "2026-05-02 23:30 +05:30",
    "2026-05-01T18:30:00.000Z",
  ],
  [
    "America/New_York",
    "2026-01-10 13:00 -05:00",
    "2026-05-02 14:00 -04:00",
    "2026-05-02T04:00:00.000Z",
  ],
])(
  "in %s times are shown and days are read by the clock on the wall",
  async (zone, winter, summer, midnight) => {
    const said = openBot(zone);
    expect(await said("report", "--session", "1", "--details")).toContain(`\n${winter} to `);
    expect(await said("report", "--session", "2", "--details")).toContain(`\n${summer} to `);
    const { period } = JSON.parse(await said("report", "--since", "2026-05-02", "--json"));
    expect(new Date(period.fromMs).toISOString()).toBe(midnight);
    const named = JSON.parse(await said("report", "--since", "2026-05-02T06:00Z", "--json"));
    expect(new Date(named.period.fromMs).toISOString()).toBe("2026-05-02T06:00:00.000Z");
  },
);
