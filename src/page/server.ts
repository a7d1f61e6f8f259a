import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { withShellCommands } from "../config/environment.ts";
import type { Db } from "../database/open-database.ts";
import { Fault, getMessage } from "../errors.ts";
import {
  findVisitor,
  type HttpRequest,
  isForeign,
  isOwnHost,
  makeErrorBody,
  mayChange,
  PageAccess,
  type PageSession,
  SESSION_COOKIE,
  type Visitor,
} from "./access.ts";
import type { ShownPage } from "./api.ts";
import { Listeners } from "./live-store.ts";
import type { Setup } from "./setup.ts";

/** The sender of a request that passed the checks. */
export interface Visit {
  /** Is null for a program. */
  readonly person: PageSession | null;
  /** The address of the page that the request came from; "/" if it came from none of ours. */
  readonly back: string;
  /** True if an open page redraws itself. */
  readonly isRedrawn: boolean;
}

/** The application behind the server: a bot's page, or setup. */
export interface Site {
  answer(request: Request, visit: Visit): Promise<Response>;
  /** Begins to check for changes if `isHeard`, as a browser listens; else ends it. */
  watch?(isHeard: boolean): void;
  close?(): void;
}

const BODY_BYTES_MAX = 256 * 1024;
const IMPORT_BYTES_MAX = 33 * 1024 * 1024;
/** Methods that are answered. Not HEAD, which previews of links send: it would use up a link. */
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
  // Other sites get no referrer. Our forms need one: without it they count as another site's.
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
};

const LOOPBACK = "127.0.0.1";

/**
 * Listens for browsers and programs of this machine alone. Port 0, or a taken port: any free port. Throws a Fault if it
 * cannot listen. Until the first `show`, it answers that the bot is starting.
 */
export async function openDashboard(port: number): Promise<Dashboard> {
  const server = createServer();
  const isMoved = await listen(server, port);
  const { port: taken } = server.address() as AddressInfo;
  return new Dashboard(server, `http://${LOOPBACK}:${taken}/`, isMoved);
}

/** The server of the page. It shows the demo, setup and the bot in turn. Browsers stay logged in. */
export class Dashboard {
  /** `http://127.0.0.1:PORT/` */
  readonly url: string;
  /** True if the configured port was taken, and this is another one. */
  readonly isMoved: boolean;
  readonly #server: Server;
  #door: Door | null = null;
  #sessions: readonly string[] = [];

  constructor(server: Server, url: string, isMoved: boolean) {
    this.#server = server;
    this.url = url;
    this.isMoved = isMoved;
    server.on("request", (_, response: ServerResponse) => {
      for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
      answer(response, this.#door).catch(() => {
        if (!response.headersSent) refuse(response, "broken");
        else response.destroy();
      });
    });
  }

  /** Closes the shown site, and shows a bot or the demo's bot. */
  show(shown: ShownPage): void {
    // A demo's clock jumps ahead; links and sessions last by the machine's.
    const load = async (live: Listeners) => new (await import("./site.ts")).BotSite(shown, live);
    this.#show(new Door(shown.db, Date.now, load));
  }

  /** Closes the shown site, and shows a setup. */
  showSetup(setup: Setup): void {
    const load = async () => (await import("./setup-view.ts")).openSetupSite(setup);
    this.#show(new Door(setup.db, setup.now, load));
  }

  /** Closes the shown site and shows another, with the sessions of the first. */
  #show(door: Door): void {
    void this.hide();
    this.#door = door;
    if (this.#sessions.length > 0) door.access.adopt(this.#sessions);
  }

  /**
   * Closes the shown site. Until another is shown, browsers read that the bot is starting. Call it before the site's
   * database closes.
   */
  async hide(): Promise<void> {
    const door = this.#door;
    this.#door = null;
    if (door === null) return;
    this.#sessions = door.access.list("session").map(({ hash }) => hash);
    await door.close();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await this.#door?.close();
    await closed;
  }

  /** Stores a key in a database, and returns the link that opens its page in one browser, once, within 12 hours. */
  makeLink(db: Db, now: () => number = Date.now): string {
    return `${this.url}enter?key=${new PageAccess(db, now).make("link")}`;
  }
}

/** A site with its keys and its listening browsers. The site loads for the first visitor, to save memory until then. */
class Door {
  readonly access: PageAccess;
  readonly live: Listeners;
  readonly #load: (live: Listeners) => Promise<Site>;
  #site: Promise<Site> | null = null;

  constructor(db: Db, now: () => number, load: (live: Listeners) => Promise<Site>) {
    this.access = new PageAccess(db, now);
    this.#load = load;
    this.live = new Listeners((isHeard) => {
      this.open()
        .then((site) => site.watch?.(isHeard))
        .catch(() => this.live.dropAll());
    });
  }

  open(): Promise<Site> {
    this.#site ??= this.#load(this.live);
    return this.#site;
  }

  async close(): Promise<void> {
    this.live.dropAll();
    (await this.#site)?.close?.();
  }
}

/** Refuses a request, or passes it on: `/enter`, a stream of changes, or the site. A null door: the bot is starting. */
async function answer(response: ServerResponse, door: Door | null): Promise<void> {
  const { headers, method = "GET" } = response.req;
  if (!isOwnHost(headers.host)) return refuse(response, "wrong_host");
  const url = readUrl(response.req);
  if (url === null) return refuse(response, "malformed");
  const incoming = { headers, method, url };
  if (isForeign(incoming)) return refuse(response, "foreign");
  if (door === null) {
    // A browser that waits for the bot asks again by itself.
    if (method === "GET") response.setHeader("refresh", "1");
    return refuse(response, "starting");
  }
  if (!METHODS.includes(method)) {
    response.setHeader("allow", METHODS.join(", "));
    return refuse(response, "no_method");
  }
  if (url.pathname === "/enter") return enter(incoming, response, door);
  const visitor = findVisitor(incoming, door.access);
  if (visitor.kind === "stranger") return refuse(response, "stranger");
  const isOverlay = url.pathname === "/overlay/live";
  if (method === "GET" && (url.pathname === "/api/live" || isOverlay)) {
    const mayHear = () => findVisitor(incoming, door.access).kind === visitor.kind;
    return door.live.add(response, { isOverlay, mayHear });
  }
  await pass(incoming, visitor, response, door);
}

/** Opens one session for a link, which is then used up. Refuses an invalid link. */
function enter({ method, url }: HttpRequest, response: ServerResponse, { access }: Door): void {
  const session = method === "GET" ? access.enter(url.searchParams.get("key") ?? "") : null;
  const cookie = `${SESSION_COOKIE}=${session}; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000`;
  if (session === null) refuse(response, "stranger");
  else response.writeHead(303, { location: "/", "set-cookie": cookie }).end();
}

/** Passes a request to the site, and its answer back. Refuses a body that is too long, and a change without right. */
async function pass(
  incoming: HttpRequest,
  visitor: Visitor,
  response: ServerResponse,
  door: Door,
): Promise<void> {
  const { headers, url, method } = incoming;
  const bytesMax = url.pathname === "/api/import" ? IMPORT_BYTES_MAX : BODY_BYTES_MAX;
  const body = method === "GET" ? "" : await readBody(response.req, bytesMax);
  if (body === null) return refuse(response, "too_large");
  const { accept = "", "content-type": type = "" } = headers;
  const isForm = type.startsWith("application/x-www-form-urlencoded");
  const form = new URLSearchParams(isForm ? body : "");
  const csrf = form.get("_csrf") ?? "";
  if (method !== "GET" && !mayChange(visitor, incoming, csrf)) return refuse(response, "not_yours");
  // A browser's form can only GET and POST; a field names the other methods.
  const field = form.get("_method") ?? "";
  const named = ["put", "patch", "delete"].includes(field) ? field.toUpperCase() : method;
  const request = new Request(url, {
    method: named,
    headers: { accept, "content-type": type },
    body: body || null,
  });
  const site = await door.open();
  const { referer = "", host } = headers;
  const answered = await site.answer(request, {
    person: visitor.kind === "person" ? visitor : null,
    back: referer.startsWith(`http://${host}/`) ? referer : "/",
    isRedrawn: headers["x-redraw"] !== undefined,
  });
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  if (answered.body === null) response.end();
  else await pipeline(answered.body, response);
}

/** Returns the address of a request; null if it is malformed, or that of another host. */
function readUrl({ url: path = "" }: IncomingMessage): URL | null {
  try {
    const url = new URL(path, "http://page.invalid");
    decodeURIComponent(url.pathname);
    return url.host === "page.invalid" ? url : null;
  } catch {
    // Such an address is refused as malformed.
    return null;
  }
}

/** Returns the body; null if it is longer than `bytesMax`. */
async function readBody(request: IncomingMessage, bytesMax: number): Promise<string | null> {
  if (Number(request.headers["content-length"] ?? 0) > bytesMax) return null;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Listens on the port, or on any other if it is taken: then returns true. Throws a Fault if it cannot listen. */
async function listen(server: Server, port: number): Promise<boolean> {
  try {
    await once(server.listen(port, LOOPBACK), "listening");
    return false;
  } catch (cause) {
    // Windows says EACCES of ports that it reserves for itself.
    const code = cause instanceof Error && "code" in cause ? cause.code : null;
    if (port === 0 || (code !== "EADDRINUSE" && code !== "EACCES"))
      throw new Fault(`dashboard: ${LOOPBACK}:${port} cannot be used (${getMessage(cause)})`, {
        code: "port",
        fix: "set dashboard.port to 0 for any free port, or to false for none",
        cause,
      });
    await once(server.listen(0, LOOPBACK), "listening");
    return true;
  }
}

const REFUSALS = {
  wrong_host: [421, "This address is not the page's own. Open the link that the bot prints."],
  malformed: [400, "This request cannot be read."],
  no_method: [405, "This address does not accept that method."],
  foreign: [403, "Another site sent this request, so it was refused."],
  not_yours: [403, "This form was not made for your session. Open the page again."],
  starting: [503, "The bot is starting. Try again in a moment."],
  too_large: [413, "The request is too large. Nothing was done."],
  stranger: [
    401,
    "This page is private. Run `forgetmenot page` on this machine for a link that opens it.",
  ],
  broken: [500, "This page cannot be shown now. Try again in a moment."],
} as const;

/** Answers a request with an error, as text for a person and as JSON for a program, and closes the connection. */
function refuse(response: ServerResponse, why: keyof typeof REFUSALS): void {
  const { headers, url = "" } = response.req;
  const [status, text] = REFUSALS[why];
  const message = withShellCommands(text);
  const isApi = url.startsWith("/api/") || !(headers.accept ?? "").includes("text/html");
  const type = isApi ? "application/json" : "text/plain";
  // The rest of a body is not read.
  response.setHeader("connection", "close");
  response.writeHead(status, { "content-type": `${type}; charset=utf-8` });
  response.end(isApi ? JSON.stringify(makeErrorBody(why, message)) : `${message}\n`);
}
