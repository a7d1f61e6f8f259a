import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { Fault, messageOf } from "../errors.ts";
import type { Status } from "../telemetry/status.ts";
import { StatusPage } from "./page.tsx";

export interface Dashboard {
  /** `http://127.0.0.1:PORT/`. */
  readonly url: string;
  close(): Promise<void>;
}

export interface DashboardOptions {
  /** 0 takes any free port. */
  readonly port: number;
  readonly readStatus: () => Status;
  readonly now: () => number;
}

const HOST = "127.0.0.1";
/** Other names for this machine could be another site's, pointed here. */
const OWN_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

/** Serves the local page. Throws a Fault where the port is taken. */
export async function openDashboard(options: DashboardOptions): Promise<Dashboard> {
  const app = new Hono();
  app.use(async (context, next) => {
    if (!OWN_HOST.test(context.req.header("host") ?? "")) return context.text("not here", 421);
    await next();
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value);
  });
  app.get("/", (context) =>
    context.html(<StatusPage status={options.readStatus()} nowMs={options.now()} />),
  );
  app.get("/status.json", (context) => context.json(options.readStatus()));
  app.onError((_, context) => context.text("this page cannot be shown right now", 500));
  return listen(app, options.port);
}

function listen(app: Hono, port: number): Promise<Dashboard> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, hostname: HOST, port }, (address) => {
      resolve({
        url: `http://${HOST}:${address.port}/`,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            if ("closeAllConnections" in server) server.closeAllConnections();
          }),
      });
    });
    server.once("error", (cause: unknown) => {
      reject(
        new Fault(`dashboard.port: ${port} cannot be used (${messageOf(cause)})`, {
          code: "port",
          mend: "stop what uses it, or set dashboard.port to another one, to 0 for any, or to false for none",
          cause,
        }),
      );
    });
  });
}
