import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { CHROMIUM } from "../stand-ins/chromium.ts";
import { addRow } from "../stand-ins/rows.ts";
import { CHANNEL, openPageRig, type PageRig, ROSA } from "./page-rig.ts";

/** Other work may hold the machine up: what matters is measured where it is claimed. */
export const SOON = { timeout: 15_000 };

const shared: { browser: Browser | null } = { browser: null };

/** Has a browser while the tests of a file run. */
export function useBrowser(): void {
  beforeAll(async () => {
    shared.browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  });
  afterAll(() => shared.browser?.close());
}

export function openContext(options: BrowserContextOptions): Promise<BrowserContext> {
  if (shared.browser === null) throw new Error("there is no browser");
  return shared.browser.newContext(options);
}

interface Seen {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the page complained about, and asked of other places. */
  readonly wrong: string[];
}

/** A browser that came by a link and went on to a view, and what its page complained about. */
export async function openBrowser(
  { url, access }: PageRig,
  view = "",
  options: BrowserContextOptions = {},
): Promise<Seen> {
  const { page, context } = await openTab(options);
  const wrong = listComplaints(page, url);
  await page.goto(`${url}enter?key=${access.make("link")}`);
  if (view !== "") await page.goto(url + view);
  return { page, context, wrong };
}

/** What a page complains about from now on, and asks of other places. */
export function listComplaints(page: Page, url: string): string[] {
  const wrong: string[] = [];
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(url)) wrong.push(`asked ${request.url()}`);
  });
  return wrong;
}

/**
 * An empty tab without cookies. To open one takes longer than most of what is looked at in it: without `options` it is
 * the one that the test before had.
 */
export async function openTab(
  options: BrowserContextOptions = {},
): Promise<{ page: Page; context: BrowserContext }> {
  const isPlain = Object.keys(options).length === 0;
  const used = isPlain ? shared.browser?.contexts()[0] : undefined;
  const context = used ?? (await openContext(options));
  const page = context.pages()[0] ?? (await context.newPage());
  onTestFinished(() => (isPlain ? clear(context) : context.close()));
  return { page, context };
}

async function clear(context: BrowserContext): Promise<void> {
  const [page, ...others] = context.pages();
  await Promise.all(others.map((one) => one.close()));
  for (const heard of ["console", "pageerror", "request", "dialog"] as const)
    page?.removeAllListeners(heard);
  await context.unrouteAll({ behavior: "ignoreErrors" });
  await page?.goto("about:blank");
  await context.clearCookies();
}

/** With two notes, an answer, and a proposal that waits. */
export async function filledRig(given = {}): Promise<PageRig> {
  const rig = await openPageRig(given);
  rig.note("plays the cello");
  rig.note("keeps bees", null);
  addReply(rig, { text: "It plays the cello, I am told.", question: "what do I play?" });
  addRow(rig.db, "action_log", {
    ...{ reply_id: 1, channel: CHANNEL, action: "timeout", class: "moderation" },
    ...{ target_id: ROSA, requested_by: ROSA, args_json: '{"seconds":60}', waits_for: "streamer" },
    ...{ decision: "hold", reason: "needs_approval", idempotency_key: "k1" },
    ...{ created_at: Date.now(), expires_at: Date.now() + 600_000 },
  });
  return rig;
}

export function addReply(
  { db }: PageRig,
  { text, question }: { text: string; question: string },
): number {
  const atMs = Date.now();
  const asked = { channel: CHANNEL, user_id: ROSA, created_at: atMs };
  const event = addRow(db, "events", { ...asked, text: question });
  return addRow(db, "replies", {
    ...{ ...asked, event_id: event, sent_at: atMs, model: "m1", latency_ms: 12, text },
  });
}

/** The one value that a statement finds. */
export function value(rig: PageRig, sql: string): unknown {
  return rig.db.prepare(sql).pluck().get();
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const CONTRAST = 'runOnly: ["color-contrast"]';
/** Colours depend on the scheme, and all else on the width: each rule runs wherever its answer may differ. */
const LOOKS = [
  [1_280, "light", ""],
  [1_280, "dark", CONTRAST],
  [390, "dark", ""],
  [390, "light", CONTRAST],
] as const;

/** Lists what axe finds in each look of the page, and where the page is wider than the window. `rules` change those of axe. */
export async function findFaults(page: Page, rules = ""): Promise<string[]> {
  const found: string[] = [];
  // Not as a script of the page, which its policy forbids.
  await page.evaluate(AXE);
  for (const [width, colorScheme, contrast] of LOOKS) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    // Only the findings: to send all that passed takes longer than the search.
    const wrong = await page.evaluate<string[]>(
      `axe.run({ resultTypes: ["violations"], ${contrast === "" ? rules : contrast} }).then(({ violations }) => [
        ...(document.documentElement.scrollWidth > innerWidth ? ["wider than the window"] : []),
        ...violations.map(({ id, nodes }) => id + ": " + nodes[0]?.html),
      ])`,
    );
    found.push(...wrong.map((one) => `${width} px, ${colorScheme}: ${one}`));
  }
  return found;
}
