import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { type Browser, chromium, type Page } from "playwright-core";
import { rehearse } from "../src/lab/rehearsal/rehearsal.ts";
import { openLog } from "../src/log.ts";
import { CHROMIUM } from "../test/stand-ins/chromium.ts";

// Pictures of every view, light and dark, of the bot in a rehearsal: npm run screenshots [FOLDER]

const SPEED = 4;
const VIEWS = [
  ["now", "/"],
  ["anatomy", null],
  ["review", "/review"],
  ["memory", "/memory"],
  ["note", null],
  ["person", null],
  ["streams", "/memory/streams"],
  ["actions", "/actions"],
  ["what-if", "/actions/explain?as=moderator&action=warn&about=sirlaghalot&text=no+spoilers"],
  ["policy", "/actions/policy"],
  ["telemetry", "/telemetry"],
  ["settings", "/settings"],
] as const;
const ON_A_PHONE = new Set<string>(["now", "review", "memory"]);
/** Views of which the newest of a list is shown, and where the list stands. */
const NEWEST: Readonly<Record<string, readonly [string, string]>> = {
  anatomy: ["/replies?state=sent", 'main a[href^="/replies/"]'],
  note: ["/memory?scope=viewer", 'main .fact a[href^="/memory/notes/"]'],
  person: ["/memory?scope=viewer", 'main .meta a[href^="/memory/people/"]'],
};

async function main(): Promise<void> {
  const [folder = "docs/page"] = process.argv.slice(2);
  mkdirSync(folder, { recursive: true });
  const dataDir = mkdtempSync(join(tmpdir(), "forgetmenot-"));
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  const nothing = () => undefined;
  try {
    await rehearse(
      {
        long: null,
        speed: SPEED,
        dataDir,
        port: 0,
        log: openLog("error"),
        stop: new AbortController().signal,
        onBeat: nothing,
        onBotSaid: nothing,
        onBotDid: nothing,
        onTick: nothing,
      },
      {
        open: nothing,
        over: nothing,
        next: nothing,
        ending: async (daemon) => takeAll(browser, (await daemon.pageLink()) ?? "", folder),
      },
    );
  } finally {
    await browser.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function takeAll(browser: Browser, link: string, folder: string): Promise<void> {
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
}

async function open(
  page: Page,
  link: string,
  { view, path }: { view: string; path: string | null },
) {
  const [list, selector] = NEWEST[view] ?? ["", ""];
  await page.goto(new URL(path ?? list, link).href);
  // What comes by a request of its own.
  await page.locator("[data-load] .empty").waitFor({ state: "detached" });
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
