import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { type Browser, chromium, type Page } from "playwright-core";
import { openView, playRehearsal, VIEWS, type ViewName } from "../test/page/rehearsed.ts";
import { CHROMIUM } from "../test/stand-ins/chromium.ts";

// Pictures of every view, light and dark, of the bot in a rehearsal: npm run screenshots [FOLDER]

const SPEED = 2;
const ON_A_PHONE = new Set<ViewName>(["now", "review", "memory"]);
const SIZES = [
  ["", { width: 1280, height: 860 }],
  ["-phone", { width: 390, height: 860 }],
] as const;
/** A bubble alone needs no more. */
const OVERLAY = { width: 720, height: 240 };

const [folder = "docs/page"] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
const played = await playRehearsal(SPEED);
try {
  await takeAll(browser, played.link);
} finally {
  await browser.close();
  await played.end();
}

async function takeAll(browser: Browser, link: string): Promise<void> {
  const first = await browser.newContext();
  await (await first.newPage()).goto(link);
  const storageState = await first.storageState();
  for (const colorScheme of ["light", "dark"] as const) {
    for (const [suffix, viewport] of SIZES) {
      const context = await browser.newContext({ storageState, colorScheme, viewport });
      const views = Object.keys(VIEWS) as ViewName[];
      const wanted = suffix === "" ? views : views.filter((view) => ON_A_PHONE.has(view));
      for (const view of wanted) {
        const path = join(folder, `${view}${suffix}-${colorScheme}.png`);
        await take(await context.newPage(), link, { view, path, colorScheme });
      }
      await context.close();
    }
  }
}

interface Picture {
  readonly view: ViewName;
  readonly path: string;
  readonly colorScheme: "light" | "dark";
}

async function take(page: Page, link: string, { view, path, colorScheme }: Picture): Promise<void> {
  if (view === "overlay") await page.setViewportSize(OVERLAY);
  await openView(page, link, view);
  if (view === "overlay") await page.evaluate(overAGame(colorScheme));
  await page.screenshot({ path, animations: "disabled" });
  await page.close();
}

/** The overlay has its own theme, and lies over a game. */
function overAGame(theme: string): string {
  return `document.documentElement.classList.replace("light", "${theme}");
    document.body.style.background = "linear-gradient(160deg, #31506b, #7d8f5a 60%, #c9a35c)"`;
}
