import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findFaults, listComplaints, openContext, useBrowser } from "./browser-rig.ts";
import { openView, playRehearsal, type Rehearsed, VIEWS, type ViewName } from "./rehearsed.ts";

useBrowser();

/** Simulated seconds in a real one. */
const SPEED = 30;
const PLAY_MS_MAX = 180_000;
const PHONE = { width: 360, height: 740 };

interface Shown {
  readonly played: Rehearsed;
  readonly page: Page;
  readonly wrong: string[];
}
const shared: { shown: Shown | null } = { shown: null };

beforeAll(async () => {
  const played = await playRehearsal(SPEED);
  const context = await openContext({ viewport: PHONE });
  const page = await context.newPage();
  const wrong = listComplaints(page, new URL(played.link).origin);
  await page.goto(played.link);
  shared.shown = { played, page, wrong };
}, PLAY_MS_MAX);

afterAll(() => shared.shown?.played.end(), PLAY_MS_MAX);

/** A source of a broadcast has no headings: nobody moves about in it. */
const OF_OVERLAY = `rules: { "page-has-heading-one": { enabled: false }, "landmark-one-main": { enabled: false } }`;

test.for(Object.keys(VIEWS) as ViewName[])(
  "%s passes axe, fits a phone, and asks no other server",
  async (view) => {
    if (shared.shown === null) throw new Error("there is no rehearsal");
    const { page, played, wrong } = shared.shown;
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
