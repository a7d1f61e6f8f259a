import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import type { Status } from "../telemetry/status.ts";
import { StatusPage } from "./page.tsx";

export interface PageSource {
  readonly readStatus: () => Status;
  readonly now: () => number;
}

/** Other names for this machine could be another site's, pointed here. */
const OWN_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

/** Answers the requests of the local page. */
export function pageListener({ readStatus, now }: PageSource): RequestListener {
  const app = new Hono();
  app.use(async (context, next) => {
    if (!OWN_HOST.test(context.req.header("host") ?? "")) return context.text("not here", 421);
    await next();
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value);
  });
  app.get("/", (context) => context.html(<StatusPage status={readStatus()} nowMs={now()} />));
  app.get("/status.json", (context) => context.json(readStatus()));
  app.onError((_, context) => context.text("this page cannot be shown right now", 500));
  return getRequestListener(app.fetch, { overrideGlobalObjects: false });
}
