import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import { Fault } from "../errors.ts";
import { apiRoutes, type Held } from "./api.ts";
import type { Desk, Flash } from "./desk.ts";
import { FLOWER_FILE } from "./layout.tsx";
import type { Asked } from "./reader.ts";
import { OVERLAY_STYLE, STYLE } from "./style.ts";
import { errorView, viewRoutes } from "./views.tsx";

interface Given {
  readonly desk: Desk;
  /** Told of what nobody foresaw. */
  readonly onBug: (thrown: unknown) => void;
  /** Word of what was just done, by session. */
  readonly flashes: Map<string, Flash>;
}

interface Bindings extends Given {
  readonly asked: Asked;
}

interface Whole extends Held {
  Bindings: Bindings;
}

/** Answers whatever was let in: pages, the API, and the few files that pages need. */
export function pageApp(): (asked: Asked, given: Given) => Promise<Response> {
  const app = new Hono<Whole>();
  app.use(async (context, next) => {
    const { asked, desk, flashes } = context.env;
    context.set("desk", desk);
    context.set("person", asked.person);
    context.set("onBug", context.env.onBug);
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
  app.route(
    "/",
    viewRoutes((context) => {
      const { asked, flashes } = (context as unknown as Context<Whole>).env;
      const flash = asked.person === null ? undefined : flashes.get(asked.person.id);
      if (asked.person !== null) flashes.delete(asked.person.id);
      return flash ?? null;
    }),
  );
  app.notFound((context) => errorView(context as never, "There is nothing here.", 404));
  app.onError((thrown, context) => {
    if (thrown instanceof HTTPException && thrown.status === 404)
      return errorView(context as never, "There is nothing of that name or number.", 404);
    if (thrown instanceof Fault) return errorView(context as never, thrown.message, 400);
    if (thrown instanceof z.ZodError)
      return errorView(context as never, "This address asks for what there is not.", 400);
    context.env.onBug(thrown);
    return errorView(context as never, "This cannot be shown right now.", 500);
  });
  return async (asked, given) => app.fetch(requestOf(asked), { asked, ...given });
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

const SCRIPT = "text/javascript; charset=utf-8";
const STYLES = "text/css; charset=utf-8";

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
