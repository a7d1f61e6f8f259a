import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { reportPage } from "../../src/page/report-view.tsx";
import { choosePeriod, readReport } from "../../src/telemetry/report-store.ts";
import { HOUR_MS, type Ledgers, ledgers, START_MS } from "../telemetry/reported.ts";

test("the page needs nothing from elsewhere, and may not fetch it", () => {
  const page = pageOf(filled());
  expect(page).toMatch(/^<!doctype html><html lang="en">/);
  const policy = /http-equiv="content-security-policy" content="([^"]*)"/.exec(page)?.[1] ?? "";
  expect(policy).toContain("default-src &#39;none&#39;");
  expect(policy).not.toContain("unsafe");
  const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? "";
  expect(policy).toContain(createHash("sha256").update(style).digest("base64"));
  expect(page).not.toMatch(
    /<script|<link|<img|<iframe|@import|url\(|\ssrc=|\shref=|\sstyle=|\son\w+=/,
  );
  expect(page.replace('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(/https?:/);
});

test("the page fits a phone and follows light and dark", () => {
  const page = pageOf(filled());
  expect(page).toContain('name="viewport" content="width=device-width, initial-scale=1"');
  expect(page).toContain("--paper: light-dark(");
  expect(page).toContain("color-scheme: light dark");
  const widths = [...page.matchAll(/viewBox="0 0 (\d+) \d+"/g)].map(([, width]) => Number(width));
  expect(widths.length).toBeGreaterThan(4);
  expect(Math.max(...widths)).toBeLessThanOrEqual(360);
});

test("whatever a name holds, it is text on the page", () => {
  const house = filled();
  const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)>&amp;'`;
  house.call({ atMs: START_MS + 1, model: hostile });
  house.reply({
    atMs: START_MS + 2,
    reason: hostile,
    state: "silent",
    trail: {
      model: hostile,
      messageKind: hostile,
      sections: { [hostile]: 5 },
      ladder: [{ section: hostile, from: 2, to: 1, savedTokens: 1, droppedIds: [] }],
      guard: { removed: [hostile], rule: hostile },
    },
  });
  const page = pageOf(house);
  expect(page).not.toContain("<script");
  expect(page).not.toContain("<img");
  expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
});

function filled(): Ledgers {
  const house = ledgers();
  house.stream(START_MS, START_MS + HOUR_MS);
  const step = { section: "lore", from: 10, to: 7, savedTokens: 60, droppedIds: [1] };
  for (let n = 0; n < 12; n += 1)
    house.reply({
      atMs: START_MS + n * 60_000,
      trail: { ladder: [step] },
      outcomes: ["viewer_answered"],
    });
  house.call({ atMs: START_MS });
  return house;
}

function pageOf({ db }: Ledgers): string {
  const nowMs = START_MS + 2 * HOUR_MS;
  const period = choosePeriod(db, { session: null, since: null, channel: null }, nowMs);
  return reportPage(readReport(db, period, nowMs));
}
