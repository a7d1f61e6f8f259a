import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findFaults, launchBrowser } from "./browser-rig.ts";
import { openView, playRehearsal, type Rehearsed, VIEWS, type ViewName } from "./rehearsed.ts";

/** Simulated seconds in a real one. */
const SPEED = 30;
const PLAY_MS_MAX = 180_000;
const PHONE = { width: 360, height: 740 };

const shared: { browser: Browser | null; played: Rehearsed | null; page: Page | null } = {
  browser: null,
  played: null,
  page: null,
};
/** What the page complained about, and asked of other places. */
const wrong: string[] = [];

beforeAll(async () => {
  const [browser, played] = await Promise.all([launchBrowser(), playRehearsal(SPEED)]);
  const context = await browser.newContext({ viewport: PHONE });
  const page = await context.newPage();
  const { origin } = new URL(played.link);
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== origin) wrong.push(`asked ${request.url()}`);
  });
  await page.goto(played.link);
  Object.assign(shared, { browser, played, page });
}, PLAY_MS_MAX);

afterAll(async () => {
  await shared.browser?.close();
  await shared.played?.end();
}, PLAY_MS_MAX);

/** A source of a broadcast has no headings: nobody moves about in it. */
const OF_OVERLAY = `rules: { "page-has-heading-one": { enabled: false }, "landmark-one-main": { enabled: false } }`;

test.for(Object.keys(VIEWS) as ViewName[])(
  "%s, filled by a rehearsal, is without findings of axe, complains of nothing, asks nobody else, and fits a phone",
  async (view) => {
    const { page, played } = shared;
    if (page === null || played === null) throw new Error("there is no rehearsal");
    wrong.length = 0;
    await page.setViewportSize(PHONE);
    await openView(page, played.link, view);
    // What is folded away is looked at, too.
    await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
    const width = await page.evaluate("document.documentElement.scrollWidth");
    expect(Number(width)).toBeLessThanOrEqual(PHONE.width);
    expect(await findFaults(page, view === "overlay" ? OF_OVERLAY : "")).toEqual([]);
    expect(wrong).toEqual([]);
  },
);
