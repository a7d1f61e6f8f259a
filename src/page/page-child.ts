import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import { describeBug, Fault } from "../errors.ts";
import { type Db, openDatabase } from "../platform/database/open-database.ts";
import type { TriedOut } from "../reply/try-out.ts";
import { apiRoutes, type Held } from "./api.ts";
import { browseStore } from "./browse-store.ts";
import { FLOWER_FILE } from "./layout.tsx";
import { changeTeller } from "./live-store.ts";
import type { Asked, Back, FromReader, ReaderData, ToReader } from "./reader.ts";
import type { Flash, PageData } from "./route.ts";
import { OVERLAY_STYLE, STYLE } from "./style.ts";
import { errorView, viewRoutes } from "./views.tsx";

// A thread of its own: pages and answers of the API are made here, and what the streamer changes is written from here,
// as a command beside the daemon would do it.

/** A VACUUM of the daemon's may hold the database that long. */
const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 100;

const port = parentPort;
const data = workerData as ReaderData;
const state = {
  config: data.config,
  watching: null as NodeJS.Timeout | null,
  lastTry: 0,
  /** As the daemon has it, when it asked last. */
  nowMs: 0,
};
const { databaseFile, configFile } = data;
const db = openDatabase(databaseFile, { readOnly: true });
const browse = browseStore(db, () => state.nowMs);
const changes = changeTeller(db);
const flashes = new Map<string, Flash>();
const trying = new Map<number, (tried: TriedOut) => void>();
const writable = connection();
const SCRIPT = "text/javascript; charset=utf-8";
const STYLES = "text/css; charset=utf-8";
const app = pageApp();

port?.on("message", (message: ToReader) => {
  if (message.kind === "config") state.config = message.config;
  if (message.kind === "watch") watch(message.isHeard);
  if (message.kind === "tried") {
    trying.get(message.id)?.(message.tried);
    trying.delete(message.id);
  }
  if (message.kind === "ask") {
    const { id, asked, nowMs } = message;
    state.nowMs = nowMs;
    void answer(asked, nowMs).then((back) => post({ kind: "back", id, back }));
  }
});

/** Without its message, which could quote chat. */
function onBug(thrown: unknown): void {
  post({ kind: "bug", ...describeBug(thrown) });
}

function post(message: FromReader): void {
  port?.postMessage(message);
}

async function answer(asked: Asked, nowMs: number): Promise<Back> {
  const data: PageData = {
    config: state.config,
    configFile,
    nowMs,
    db,
    browse,
    change: (work) => work({ config: state.config, db: writable(), now: () => nowMs }),
    tryAnswer: (question) => {
      state.lastTry += 1;
      const id = state.lastTry;
      post({ kind: "try", id, asked: question });
      return new Promise((resolve) => trying.set(id, resolve));
    },
  };
  const response = await app.fetch(requestOf(asked), { asked, data });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}

/** Opened for the first change: whoever only looks needs none. */
function connection(): () => Db {
  let opened: Db | null = null;
  return () => {
    opened ??= openDatabase(databaseFile, { busyTimeoutMs: PATIENCE_MS });
    return opened;
  };
}

function watch(isHeard: boolean): void {
  if (state.watching !== null) clearInterval(state.watching);
  state.watching = null;
  if (!isHeard) return;
  changes.look();
  state.watching = setInterval(() => {
    const told = changes.look();
    if (told !== null) post({ kind: "told", told });
  }, LOOK_EVERY_MS);
}

interface Whole extends Held {
  Bindings: { readonly asked: Asked; readonly data: PageData };
}

/** Answers whatever was let in: pages, the API, and the few files that pages need. */
function pageApp(): Hono<Whole> {
  const app = new Hono<Whole>();
  app.use(async (context, next) => {
    const { asked, data } = context.env;
    context.set("data", data);
    context.set("person", asked.person);
    context.set("takeFlash", () => (asked.isDrawnAnew ? null : takeFlash(asked.person?.id ?? "")));
    context.set("onBug", onBug);
    context.set("flash", (flash) => {
      if (asked.person !== null) flashes.set(asked.person.id, flash);
    });
    await next();
  });
  overlayFiles(app);
  // The key of the overlay opens nothing else.
  app.use(async (context, next) => {
    if (context.env.asked.isOverlay) throw new HTTPException(404, { message: "nothing is here" });
    await next();
  });
  assets(app);
  app.route("/api", apiRoutes());
  app.route("/", viewRoutes());
  app.notFound((context) => errorView(context as never, "There is nothing here.", 404));
  app.onError((thrown, context) => {
    if (thrown instanceof HTTPException && thrown.status === 404)
      return errorView(context as never, "There is nothing of that name or number.", 404);
    if (thrown instanceof Fault) return errorView(context as never, thrown.message, 400);
    if (thrown instanceof z.ZodError)
      return errorView(context as never, "This address asks for what there is not.", 400);
    onBug(thrown);
    return errorView(context as never, "This cannot be shown right now.", 500);
  });
  return app;
}

/** Word of what a session just did; it is told once. */
function takeFlash(session: string): Flash | null {
  const flash = flashes.get(session) ?? null;
  flashes.delete(session);
  return flash;
}

function requestOf({ method, path, accept, contentType, body, etag, back }: Asked): Request {
  // A form knows two methods; which of the others it means stands in a field.
  const isForm = contentType.startsWith("application/x-www-form-urlencoded");
  const meant = isForm ? (new URLSearchParams(body).get("_method") ?? method) : method;
  return new Request(`http://page.invalid${path}`, {
    method: meant.toUpperCase() === "HEAD" ? "GET" : meant.toUpperCase(),
    headers: { accept, "content-type": contentType, "if-none-match": etag, "x-back": back },
    ...(body === "" || method === "GET" || method === "HEAD" ? {} : { body }),
  });
}

function assets(app: Hono<Whole>): void {
  const idiomorph = createRequire(import.meta.url).resolve("idiomorph/dist/idiomorph.esm.js");
  file(app, "/assets/style.css", { type: STYLES, text: STYLE });
  file(app, "/assets/app.js", { type: SCRIPT, text: browserFile("app.js") });
  file(app, "/assets/idiomorph.js", { type: SCRIPT, text: readFileSync(idiomorph, "utf8") });
  file(app, "/assets/flower.svg", { type: "image/svg+xml", text: FLOWER_FILE });
}

function overlayFiles(app: Hono<Whole>): void {
  app.get("/overlay", (context) => {
    const key = context.req.query("key");
    const query = key === undefined ? "" : `?key=${encodeURIComponent(key)}`;
    return context.html(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Overlay</title><link rel="icon" href="/overlay/flower.svg${query}"><link rel="stylesheet" href="/overlay/style.css${query}"><script type="module" src="/overlay/overlay.js${query}"></script></head><body><div class="bubble" role="status"></div></body></html>`,
    );
  });
  file(app, "/overlay/flower.svg", { type: "image/svg+xml", text: FLOWER_FILE });
  file(app, "/overlay/style.css", { type: STYLES, text: OVERLAY_STYLE });
  file(app, "/overlay/overlay.js", { type: SCRIPT, text: browserFile("overlay.js") });
}

function file(
  app: Hono<Whole>,
  path: string,
  { type, text }: { type: string; text: string },
): void {
  const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 16)}"`;
  const headers = { "content-type": type, "cache-control": "private, no-cache", etag };
  app.get(path, (context) =>
    context.req.header("if-none-match") === etag
      ? context.body(null, 304, headers)
      : context.body(text, 200, headers),
  );
}

function browserFile(name: string): string {
  return readFileSync(new URL(`./browser/${name}`, import.meta.url), "utf8");
}
