import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { setTimeout as delay } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import type { Hono } from "hono";
import { describeBug } from "../errors.ts";
import { type Db, openDatabase } from "../platform/database/open-database.ts";
import type { TriedOut } from "../reply/try-out.ts";
import { browseStore } from "./browse-store.ts";
import { FLOWER_FILE } from "./layout.tsx";
import { changeTeller } from "./live-store.ts";
import { NOW } from "./now-view.tsx";
import type { Back, FromReader, PageQuestion, ReaderData, ToReader } from "./reader.ts";
import type { Flash, PageData, Served } from "./route.ts";
import { OVERLAY_STYLE, STYLE } from "./style.ts";
import { viewApp } from "./views.tsx";

// A thread of its own: pages and answers of the API are made here, and what the streamer changes is written from here,
// as a command beside the daemon would do it.

/** A VACUUM of the daemon's may hold the database that long. */
const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 100;
/** A click that comes meanwhile is answered between two of them. */
const AREA_EVERY_MS = 50;

const port = parentPort;
const data = workerData as ReaderData;
const state = {
  config: data.config,
  watching: null as NodeJS.Timeout | null,
  lastTry: 0,
  isLoaded: false,
  /** Opened for the first change: whoever only looks needs none. */
  writable: null as Db | null,
  /** As the daemon has it, when it asked last. */
  nowMs: 0,
};
const { databaseFile, configFile } = data;
const db = openDatabase(databaseFile, { readOnly: true });
const browse = browseStore(db, () => state.nowMs);
const changes = changeTeller(db);
/** Word of what a session just did; it is told once. */
const flashes = new Map<string, Flash>();
const trying = new Map<number, (tried: TriedOut) => void>();
const SCRIPT = "text/javascript; charset=utf-8";
const STYLES = "text/css; charset=utf-8";
const IMAGE = "image/svg+xml";
const IDIOMORPH = createRequire(import.meta.url).resolve("idiomorph/dist/idiomorph.esm.js");
const apps = new Map<string, Promise<Hono<Served>>>();

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
    void answer(asked, nowMs).then((back) => {
      post({ kind: "back", id, back });
      if (asked.person !== null && !state.isLoaded) void loadAreas();
    });
  }
});

post({ kind: "ready" });

/** Without its message, which could quote chat. */
function onBug(thrown: unknown): void {
  post({ kind: "bug", ...describeBug(thrown) });
}

function post(message: FromReader): void {
  port?.postMessage(message);
}

async function answer(asked: PageQuestion, nowMs: number): Promise<Back> {
  const data: PageData = {
    config: state.config,
    configFile,
    nowMs,
    db,
    browse,
    change: (work) => {
      state.writable ??= openDatabase(databaseFile, { busyTimeoutMs: PATIENCE_MS });
      return work({ config: state.config, db: state.writable, now: () => nowMs });
    },
    tryAnswer: (question) => {
      state.lastTry += 1;
      const id = state.lastTry;
      post({ kind: "try", id, asked: question });
      return new Promise((resolve) => trying.set(id, resolve));
    },
  };
  const { person, isDrawnAnew } = asked;
  const app = await appFor(areaOf(asked));
  const response = await app.fetch(requestOf(asked), {
    data,
    person,
    onBug,
    takeFlash: () => {
      const session = isDrawnAnew ? "" : (person?.id ?? "");
      const flash = flashes.get(session) ?? null;
      flashes.delete(session);
      return flash;
    },
    flash: (flash: Flash) => void (person !== null && flashes.set(person.id, flash)),
  });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}

/** Behind a person's first page the other areas are loaded: the next click waits for none. */
async function loadAreas(): Promise<void> {
  state.isLoaded = true;
  for (const area of AREAS.keys()) {
    await delay(AREA_EVERY_MS);
    await appFor(area);
  }
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

/** What answers, by the first part of an address. Each is loaded when it is first asked for: no first page waits for all. */
const AREAS = new Map<string, () => Promise<Hono<Served>>>([
  ["", async () => viewApp(NOW)],
  [
    "assets",
    async () =>
      files({
        "/assets/style.css": [STYLES, STYLE],
        "/assets/app.js": [SCRIPT, browserFile("app.js")],
        "/assets/idiomorph.js": [SCRIPT, readFileSync(IDIOMORPH, "utf8")],
        "/assets/flower.svg": [IMAGE, FLOWER_FILE],
      }),
  ],
  ["overlay", async () => overlay()],
  ["api", async () => (await import("./api.ts")).apiRoutes()],
  ["replies", async () => viewApp((await import("./anatomy-view.tsx")).REPLIES)],
  ["review", async () => viewApp((await import("./review-view.tsx")).REVIEW)],
  ["memory", async () => viewApp((await import("./people-view.tsx")).MEMORY)],
  ["actions", async () => viewApp((await import("./actions-view.tsx")).ACTIONS)],
  ["telemetry", async () => viewApp((await import("./telemetry-view.tsx")).TELEMETRY)],
  ["settings", async () => viewApp((await import("./settings-view.tsx")).SETTINGS)],
]);

/** The key of the overlay opens nothing else. */
function areaOf({ path, isOverlay }: PageQuestion): string {
  const [, first = ""] = path.split(/[/?]/);
  return isOverlay ? "overlay" : first;
}

function appFor(area: string): Promise<Hono<Served>> {
  const name = AREAS.has(area) ? area : "";
  const app = apps.get(name) ?? AREAS.get(name)?.() ?? Promise.resolve(viewApp({}));
  apps.set(name, app);
  return app;
}

const FORM_METHODS = ["put", "patch", "delete"];

function requestOf({ method, path, accept, contentType, body, etag, back }: PageQuestion): Request {
  // A form knows two methods; which of the others it means stands in a field.
  const isForm = contentType.startsWith("application/x-www-form-urlencoded");
  const field = isForm ? (new URLSearchParams(body).get("_method") ?? "") : "";
  const meant = FORM_METHODS.includes(field) ? field.toUpperCase() : method;
  return new Request(`http://page.invalid${path}`, {
    method: meant === "HEAD" ? "GET" : meant,
    headers: { accept, "content-type": contentType, "if-none-match": etag, "x-back": back },
    ...(body === "" ? {} : { body }),
  });
}

function overlay(): Hono<Served> {
  const app = files({
    "/overlay/flower.svg": [IMAGE, FLOWER_FILE],
    "/overlay/style.css": [STYLES, OVERLAY_STYLE],
    "/overlay/overlay.js": [SCRIPT, browserFile("overlay.js")],
  });
  return app.get("/overlay", (context) => {
    const key = context.req.query("key");
    const query = key === undefined ? "" : `?key=${encodeURIComponent(key)}`;
    return context.html(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Overlay</title><link rel="icon" href="/overlay/flower.svg${query}"><link rel="stylesheet" href="/overlay/style.css${query}"><script type="module" src="/overlay/overlay.js${query}"></script></head><body><div class="bubble" role="status"></div></body></html>`,
    );
  });
}

/** Files by their addresses. A browser that has one is told so by its mark. */
function files(all: Readonly<Record<string, readonly [type: string, text: string]>>): Hono<Served> {
  const app = viewApp({});
  for (const [path, [type, text]] of Object.entries(all)) {
    const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 16)}"`;
    const headers = { "content-type": type, "cache-control": "private, no-cache", etag };
    app.get(path, (context) =>
      context.req.header("if-none-match") === etag
        ? context.body(null, 304, headers)
        : context.body(text, 200, headers),
    );
  }
  return app;
}

function browserFile(name: string): string {
  return readFileSync(new URL(`./browser/${name}`, import.meta.url), "utf8");
}
