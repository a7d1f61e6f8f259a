import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { type Browser, chromium, type Page } from "playwright-core";
import { CHROMIUM } from "../test/stand-ins/chromium.ts";

// Pictures of every view, light and dark, from a page that runs: npx tsx bench/screenshots.ts LINK [FOLDER]
// LINK is the one that a rehearsal prints, or `forgetmenot page`.

const VIEWS = [
  ["now", "/"],
  ["anatomy", null],
  ["review", "/review"],
  ["memory", "/memory"],
  ["note", null],
  ["person", null],
  ["streams", "/memory/streams"],
  ["actions", "/actions"],
  ["policy", "/actions/policy"],
  ["telemetry", "/telemetry"],
  ["settings", "/settings"],
] as const;
/** Views of which the newest of a list is shown, and where the list stands. */
const NEWEST: Readonly<Record<string, readonly [string, string]>> = {
  anatomy: ["/replies", 'main a[href^="/replies/"]'],
  note: ["/memory?scope=viewer", 'main .fact a[href^="/memory/notes/"]'],
  person: ["/memory?scope=viewer", 'main .meta a[href^="/memory/people/"]'],
};

async function main(): Promise<void> {
  const [link = "", folder = "docs/page"] = process.argv.slice(2);
  mkdirSync(folder, { recursive: true });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  const storageState = await login(browser, link);
  for (const colorScheme of ["light", "dark"] as const) {
    for (const [suffix, width] of [["", 1280] as const, ["-phone", 390] as const]) {
      const viewport = { width, height: 860 };
      const context = await browser.newContext({ storageState, colorScheme, viewport });
      const page = await context.newPage();
      for (const [view, path] of VIEWS) {
        if (suffix !== "" && !ON_A_PHONE.has(view)) continue;
        await open(page, link, { view, path });
        const file = join(folder, `${view}${suffix}-${colorScheme}.png`);
        await page.screenshot({ path: file, animations: "disabled" });
      }
      await context.close();
    }
  }
  await browser.close();
}

const ON_A_PHONE = new Set<string>(["now", "review", "memory"]);

async function open(
  page: Page,
  link: string,
  { view, path }: { view: string; path: string | null },
) {
  const [list, selector] = NEWEST[view] ?? ["", ""];
  await page.goto(new URL(path ?? list, link).href);
  if (path !== null) return;
  const newest = page.locator(selector).first();
  if ((await newest.count()) === 0) return;
  await newest.click();
  await page.waitForLoadState();
}

async function login(browser: Browser, link: string) {
  const context = await browser.newContext();
  await (await context.newPage()).goto(link);
  return context.storageState();
}

await main();
