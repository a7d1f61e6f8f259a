import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import { setSharedInterval } from "../clock.ts";
import { type Db, openDatabase } from "../database/open-database.ts";
import { describeBug, Fault } from "../errors.ts";
import { ACTION_VIEWS } from "./actions-view.tsx";
import { REPLIES } from "./answers-view.tsx";
import { apiRoutes } from "./api.ts";
import { browseStore } from "./browse-store.ts";
import { botState, FLOWER_FILE, Page, type PageView } from "./layout.tsx";
import { changeReader, type Listeners } from "./live-store.ts";
import { MEMORY } from "./memory-view.tsx";
import { NOW } from "./now-view.tsx";
import { REPORT } from "./report-view.tsx";
import { REVIEW } from "./review-view.tsx";
import type { Flash, Served, ShownPage, Views } from "./route.ts";
import type { Site } from "./server.ts";
import { SETTINGS } from "./settings-view.tsx";
import { STREAMS } from "./streams-view.tsx";
import { OVERLAY_STYLE, STYLE } from "./style.ts";

/** How long a change waits for a busy database. The bot waits with it. */
const BUSY_TIMEOUT_MS = 500;
const CHECK_EVERY_MS = 100;
const VIEWS: Views = {
  ...NOW,
  ...REPLIES,
  ...REVIEW,
  ...MEMORY,
  ...STREAMS,
  ...ACTION_VIEWS,
  ...REPORT,
  ...SETTINGS,
};

/**
 * Opens the views and the API over the daemon's database, in its process. A connection that only reads serves the views:
 * it cannot change anything, and SQLite tells it when the daemon wrote. Changes go through a second one, so the daemon
 * notices them as it notices a command's.
 */
export function openSite(shown: ShownPage, live: Listeners): Site {
  const { databaseFile } = shown.config;
  const db = openDatabase(databaseFile, { readOnly: true });
  let writable: Db | null = null;
  let endWatch = (): void => undefined;
  const browse = browseStore(db, shown.now);
  const readChanges = changeReader(db);
  /** By session; each is shown once. */
  const flashes = new Map<string, Flash>();
  const api = apiRoutes();
  const views = viewApp();
  const onBug = (thrown: unknown): void => shown.onBug(describeBug(thrown));
  const check = (): void => {
    try {
      const told = readChanges();
      if (told !== null) live.tell(told, shown.now());
    } catch (thrown) {
      onBug(thrown);
      // Browsers connect again by themselves, and draw what they missed.
      live.dropAll();
    }
  };
  return {
    answer: async (request, visitor) => {
      const { person, back, isRedrawn } = visitor;
      const app = new URL(request.url).pathname.startsWith("/api/") ? api : views;
      const nowMs = shown.now();
      return app.fetch(request, {
        data: {
          ...shown,
          nowMs,
          db,
          browse,
          change: (work) => {
            writable ??= openDatabase(databaseFile, { busyTimeoutMs: BUSY_TIMEOUT_MS });
            return work({ config: shown.config, db: writable, now: () => nowMs });
          },
        },
        person,
        back,
        onBug,
        takeFlash: () => {
          const session = isRedrawn ? "" : (person?.id ?? "");
          const flash = flashes.get(session) ?? null;
          flashes.delete(session);
          return flash;
        },
        flash: (flash) => void (person !== null && flashes.set(person.id, flash)),
      });
    },
    watch: (isHeard) => {
      endWatch();
      if (!isHeard) return;
      // The page that listens shows all changes until now.
      readChanges();
      endWatch = setSharedInterval(CHECK_EVERY_MS, check);
    },
    close: () => {
      endWatch();
      db.close();
      writable?.close();
    },
  };
}

function viewApp(): Hono<Served> {
  const app = new Hono<Served>();
  for (const [path, [type, text]] of Object.entries(assets()))
    app.get(path, (context) => context.body(text, 200, { "content-type": type }));
  app.get("/overlay", (context) => {
    const key = context.req.query("key");
    const query = key === undefined ? "" : `?key=${encodeURIComponent(key)}`;
    return context.html(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Overlay</title><link rel="icon" href="/overlay/flower.svg${query}"><link rel="stylesheet" href="/overlay/style.css${query}"><script type="module" src="/overlay/overlay.js${query}"></script></head><body><div class="bubble" role="status"></div></body></html>`,
    );
  });
  for (const [path, show] of Object.entries(VIEWS)) {
    app.get(path, async (context) => {
      const { req, env } = context;
      const view = await show(env.data, { params: req.param(), query: req.query() });
      return draw(context, view, env.takeFlash());
    });
  }
  app.notFound((context) => missing(context, "There is nothing here.", 404));
  app.onError((thrown, context) => {
    if (thrown instanceof HTTPException && thrown.status === 404)
      return missing(context, "Nothing has that name or number.", 404);
    if (thrown instanceof Fault) return missing(context, thrown.message, 400);
    if (thrown instanceof z.ZodError) return missing(context, "This address is not valid.", 400);
    context.env.onBug(thrown);
    return missing(context, "This page cannot be shown now. Try again in a moment.", 500);
  });
  return app;
}

function assets(): Readonly<Record<string, readonly [type: string, text: string]>> {
  const read = (file: URL | string) => readFileSync(file, "utf8");
  const script = (file: URL | string) => ["text/javascript; charset=utf-8", read(file)] as const;
  const ours = (name: string) => script(new URL(`./browser/${name}`, import.meta.url));
  const idiomorph = createRequire(import.meta.url).resolve("idiomorph/dist/idiomorph.esm.js");
  const style = "text/css; charset=utf-8";
  const flower = ["image/svg+xml", FLOWER_FILE] as const;
  return {
    "/assets/style.css": [style, STYLE],
    "/assets/app.js": ours("app.js"),
    "/assets/idiomorph.js": script(idiomorph),
    "/assets/flower.svg": flower,
    "/overlay/flower.svg": flower,
    "/overlay/style.css": [style, OVERLAY_STYLE],
    "/overlay/overlay.js": ours("overlay.js"),
  };
}

function draw(context: Context<Served>, view: PageView, flash: Flash | null) {
  const { data, person } = context.env;
  const around = {
    csrf: person?.csrf ?? "",
    nowMs: data.nowMs,
    isDemo: data.control.goLive !== undefined,
  };
  const path = context.req.path;
  return context.html(
    <Page view={view} path={path} flash={flash} bot={botState(data)} around={around} />,
  );
}

/** Answers with an error: a page for a person, text for others. */
function missing(context: Context<Served>, text: string, status: 400 | 404 | 500) {
  context.status(status);
  if (context.env.person === null) return context.text(text);
  // A note that was forgotten from its own page is missing there: the flash says so.
  const isSeen = (context.req.header("accept") ?? "").includes("text/html");
  const flash = isSeen ? context.env.takeFlash() : null;
  try {
    const lead = <a href="/">Back to now</a>;
    return draw(context, { title: "Nothing", heading: text, lead, shown: null }, flash);
  } catch {
    // The rail reads the database, which may be what failed.
    return context.text(text, 500);
  }
}
