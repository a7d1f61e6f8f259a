import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { runRehearsal } from "../../src/demo/rehearsal.ts";
import { openLog } from "../../src/log.ts";
import { openDashboard } from "../../src/page/server.ts";

export interface Rehearsed {
  /** Opens the page in one browser, once. */
  readonly link: string;
  end(): Promise<void>;
}

/** Plays a rehearsal to the end of its second evening, and holds the bot there with its page open. */
export async function playRehearsal(speed: number): Promise<Rehearsed> {
  const dataDir = mkdtempSync(join(tmpdir(), "forgetmenot-"));
  const nothing = () => undefined;
  const page = await openDashboard(0);
  let letGo: () => void = nothing;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let played: Promise<void> = Promise.resolve();
  const link = await new Promise<string>((resolve, reject) => {
    played = runRehearsal(
      {
        speed,
        dataDir,
        page,
        log: openLog("silent"),
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
        ending: async (daemon) => {
          resolve(daemon.pageLink() ?? "");
          await held;
        },
      },
    );
    played.catch(reject);
  });
  return {
    link,
    end: async () => {
      letGo();
      await played;
      await page.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Every view: where it stands, or the list that it is reached from, the links in it, and which of them leads there. */
export const VIEWS = {
  now: "/",
  answers: "/replies",
  anatomy: ["/replies?state=sent", 'main a[href^="/replies/"]', 2],
  review: "/review",
  memory: "/memory",
  note: ["/memory/notes?scope=viewer", 'main .fact a[href^="/memory/notes/"]', 2],
  person: ["/memory", 'main a[href^="/memory/people/"]', 1],
  channel: "/memory/notes?scope=channel",
  notes: "/memory/notes",
  forgotten: "/memory/forgotten",
  streams: "/memory/streams",
  episode: ["/memory/streams", 'main .fact a[href^="/memory/episodes/"]', 0],
  actions: "/actions",
  report: "/report",
  settings: "/settings",
  overlay: "/overlay?theme=light&seconds=60",
} as const;

export type ViewName = keyof typeof VIEWS;

/** Opens a view with all that it shows: what comes by a request of its own, and in the overlay an answer that was given. */
export async function openView(page: Page, link: string, view: ViewName): Promise<void> {
  const place = VIEWS[view];
  if (view === "overlay") await sayInOverlay(page, link);
  const path = typeof place === "string" ? place : place[0];
  await page.goto(new URL(path, link).href);
  if (typeof place !== "string") {
    await page.locator(place[1]).nth(place[2]).click();
    await page.waitForLoadState();
  }
  if (view !== "overlay") return;
  await page.locator(".bubble.shown").waitFor();
  await page.evaluate(FADED_IN);
}

const FADED_IN = `Promise.all(
  document.querySelector(".bubble").getAnimations().map((one) => one.finished)).then(() => undefined)`;

async function sayInOverlay(page: Page, link: string): Promise<void> {
  await page.goto(new URL("/replies?state=sent", link).href);
  const text = await page.locator("main .quote").nth(2).textContent();
  const said = `event: said\ndata: ${JSON.stringify({ text })}\n\n`;
  await page.route("**/overlay/live*", (route) =>
    route.fulfill({ contentType: "text/event-stream", body: `retry: 60000\n\n${said}` }),
  );
}
