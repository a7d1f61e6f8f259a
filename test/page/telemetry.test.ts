import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HOUR_MS, ledgers } from "../telemetry/reported.ts";
import { launchBrowser, openBrowser, SOON } from "./browser-rig.ts";
import { CHANNEL, openPageRig } from "./page-rig.ts";

const shared: { browser: Browser | null } = { browser: null };
beforeAll(async () => {
  shared.browser = await launchBrowser();
});
afterAll(() => shared.browser?.close());

test("the report shows people and problems first, and folds the numbers, with links to notes and replies", async () => {
  const rig = await openPageRig();
  const { stream, reply, call, episode } = ledgers({ db: rig.db, channel: CHANNEL });
  rig.db.exec("DELETE FROM stream_sessions");
  const startMs = Date.now() - 2 * HOUR_MS;
  stream(startMs, startMs + HOUR_MS);
  const [note = 0] = episode(startMs + 60_000, ["profile"]);
  const faulted = reply({ atMs: startMs + 1, outcomes: ["bad"] });
  call({ atMs: startMs, dollars: 0.0314 });
  const { page, wrong } = await openBrowser(shared.browser, rig);
  await page.goto(`${rig.url}report`);
  await page.getByRole("heading", { name: "What it learned" }).waitFor(SOON);
  const headings = page.locator("#figures h2").filter({ visible: true });
  const summary = ["People", "What it learned", "Answers", "What went wrong", "Cost per day"];
  expect(await headings.allTextContents()).toEqual(summary);
  await page.getByText("Numbers for engineers", { exact: true }).click();
  expect((await headings.allTextContents()).slice(0, 6)).toEqual([...summary, "Replies"]);
  expect(await page.locator(`#figures a[href="/memory/notes/${note}"]`).count()).toBe(1);
  expect(await page.locator(`#figures a[href="/replies/${faulted}"]`).count()).toBe(1);
  expect(await page.locator("#figures").textContent()).toContain("$0.0314: answers $0.0314");
  expect(wrong).toEqual([]);
});
