import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import { ViewerList } from "../chat/viewer-store.ts";
import { setSharedInterval } from "../clock.ts";
import { type Db, openDatabase } from "../database/open-database.ts";
import { describeBug, Fault } from "../errors.ts";
import { EpisodeReview } from "../memory/episode-texts-store.ts";
import { NoteReview } from "../memory/note-review-store.ts";
import { ReplyReview } from "../reply/reply-view-store.ts";
import { ANSWERS, NOW } from "./answers-view.ts";
import {
  type Flash,
  openApi,
  type PageData,
  type RequestContext,
  type ShownPage,
  type View,
} from "./api.ts";
import { drawPage, FLOWER_FILE, type PageView, serveAssets } from "./layout.ts";
import { changeReader, type Listeners, type News } from "./live-store.ts";
import { MEMORY } from "./memory-view.ts";
import { drawWith, link } from "./parts.ts";
import { REPORT, REVIEW } from "./review-view.ts";
import { ROUTES } from "./routes.ts";
import type { Site, Visit } from "./server.ts";
import { SETTINGS } from "./settings.ts";
import { OVERLAY_STYLE, STYLE } from "./style.ts";

/** A change waits this long for a busy database. The bot waits for the change. */
const BUSY_TIMEOUT_MS = 500;
const CHECK_EVERY_MS = 100;
const VIEWS: readonly View[] = [...NOW, ...ANSWERS, ...REVIEW, ...MEMORY, ...REPORT, ...SETTINGS];

/**
 * The views and the API over the daemon's database, in its process. A read-only connection serves the views: SQLite
 * marks what the daemon wrote. Changes go through a second one, so the daemon notices them like a command's.
 */
export class BotSite implements Site {
  readonly #data: PageData;
  readonly #live: Listeners;
  readonly #readChanges: () => News | null;
  readonly #flashes = new Map<string, Flash>();
  readonly #api = openApi(ROUTES);
  readonly #views = openViews();
  #writable: Db | null = null;
  #endWatch = (): void => undefined;

  constructor(shown: ShownPage, live: Listeners) {
    const db = openDatabase(shown.config.databaseFile, { readOnly: true });
    this.#data = {
      ...shown,
      db,
      nowMs: 0,
      notes: new NoteReview(db, shown.now),
      viewers: new ViewerList(db),
      episodes: new EpisodeReview(db),
      replies: new ReplyReview(db),
      change: (work) => {
        const { config, now } = shown;
        this.#writable ??= openDatabase(config.databaseFile, { busyTimeoutMs: BUSY_TIMEOUT_MS });
        return work({ config, db: this.#writable, now });
      },
    };
    this.#live = live;
    this.#readChanges = changeReader(db);
  }

  async answer(request: Request, visit: Visit): Promise<Response> {
    const app = new URL(request.url).pathname.startsWith("/api/") ? this.#api : this.#views;
    const data = { ...this.#data, nowMs: this.#data.now() };
    return app.fetch(request, { data, ...visit, flashes: this.#flashes });
  }

  watch(isHeard: boolean): void {
    this.#endWatch();
    if (!isHeard) return;
    // The listening page shows all changes until now.
    this.#readChanges();
    this.#endWatch = setSharedInterval(CHECK_EVERY_MS, () => this.#sendChanges());
  }

  /** Sends changes to the listening browsers. If they cannot be read, reports a bug and drops the browsers. */
  #sendChanges(): void {
    try {
      const news = this.#readChanges();
      if (news !== null) this.#live.send(news, this.#data.now());
    } catch (thrown) {
      this.#data.onBug(describeBug(thrown));
      // Browsers connect again by themselves, and redraw.
      this.#live.dropAll();
    }
  }

  close(): void {
    this.#endWatch();
    this.#data.db.close();
    this.#writable?.close();
  }
}

/** Serves the views, the overlay, their files, and pages for their errors. */
function openViews(): Hono<RequestContext> {
  const app = new Hono<RequestContext>();
  const readScript = (file: URL | string) =>
    ["text/javascript", readFileSync(file, "utf8")] as const;
  const idiomorph = createRequire(import.meta.url).resolve("idiomorph/dist/idiomorph.esm.js");
  const flower = ["image/svg+xml", FLOWER_FILE] as const;
  serveAssets(app, {
    "/assets/style.css": ["text/css", STYLE],
    "/assets/app.js": readScript(new URL("./browser/app.js", import.meta.url)),
    "/assets/idiomorph.js": readScript(idiomorph),
    "/assets/flower.svg": flower,
    "/overlay/flower.svg": flower,
    "/overlay/style.css": ["text/css", OVERLAY_STYLE],
    "/overlay/overlay.js": readScript(new URL("./browser/overlay.js", import.meta.url)),
  });
  for (const view of VIEWS)
    app.get(view.path, (context) => {
      const { req, env } = context;
      return draw(context, () => view.open(env.data, { params: req.param(), query: req.query() }));
    });
  app.get("/overlay", (context) => {
    const key = context.req.query("key");
    const query = key === undefined ? "" : `?key=${encodeURIComponent(key)}`;
    return context.html(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Overlay</title><link rel="icon" href="/overlay/flower.svg${query}"><link rel="stylesheet" href="/overlay/style.css${query}"><script type="module" src="/overlay/overlay.js${query}"></script></head><body><div class="bubble" role="status"></div></body></html>`,
    );
  });
  app.notFound((context) => drawError(context, "There is nothing here.", 404));
  app.onError((thrown, context) => {
    if (thrown instanceof HTTPException && thrown.status === 404)
      return drawError(context, "Nothing has that name or number.", 404);
    if (thrown instanceof Fault) return drawError(context, thrown.message, 400);
    if (thrown instanceof z.ZodError) return drawError(context, "This address is not valid.", 400);
    context.env.data.onBug(describeBug(thrown));
    return drawError(context, "This page cannot be shown now. Try again in a moment.", 500);
  });
  return app;
}

/** Answers with the page of a view, and the flash of the session, once. A page that redraws itself gets no flash. */
function draw(context: Context<RequestContext>, makeView: () => PageView) {
  const { data, person, isRedrawn, flashes } = context.env;
  const { session = "", csrf = "" } = person ?? {};
  const drawn = drawWith({ csrf, nowMs: data.nowMs }, () => {
    const view = makeView();
    const flash = isRedrawn ? undefined : flashes.get(session);
    if (flash !== undefined) flashes.delete(session);
    return drawPage(view, context.req.path, flash, data);
  });
  return context.html(drawn);
}

/** Answers with an error: a page for a browser's tab, else text. */
function drawError(context: Context<RequestContext>, text: string, status: 400 | 404 | 500) {
  context.status(status);
  const isPage = context.req.header("accept")?.includes("text/html") ?? false;
  if (context.env.person === null || !isPage) return context.text(text);
  const lead = link("/", "Back to now");
  return draw(context, () => ({ title: "Nothing", heading: text, lead, shown: null }));
}
