import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { withShellCommands } from "../config/command-line.ts";
import type { Db } from "../database/open-database.ts";
import { Fault, messageOf } from "../errors.ts";
import {
  attemptLimit,
  isForeign,
  isFromElsewhere,
  isOwnHost,
  isSafe,
  type Knock,
  mayChange,
  pageAccess,
  SESSION_COOKIE,
  type Visitor,
  visitorOf,
} from "./access.ts";
import { type Listeners, openListeners } from "./live-store.ts";
import { errorBody, type Served, type ShownPage } from "./route.ts";
import type { Setup } from "./setup.ts";

/** What a door leads to. */
export interface Site {
  answer(
    request: Request,
    visitor: {
      person: Served["Bindings"]["person"];
      back: string;
      /** True if an open page draws itself again: it takes no flash. */
      isRedrawn: boolean;
    },
  ): Promise<Response>;
  /** Checks for changes while a browser listens. */
  watch(isHeard: boolean): void;
  close(): void;
}

/** The server of the page. It may show one thing after the other: the demo, setup, the bot. Browsers stay logged in. */
export interface Dashboard {
  /** `http://127.0.0.1:PORT/` */
  readonly url: string;
  /** True if the configured port was taken, and this is another one. */
  readonly isMoved: boolean;
  /** Shows a bot from now on, in place of what is shown. If nothing is, the page says that the bot is starting. */
  show(shown: ShownPage): void;
  /** Shows the setup from now on, in place of what is shown. */
  showSetup(setup: Setup): void;
  /** Shows nothing until the next `show`. Call it before the database of what is shown closes. */
  hide(): Promise<void>;
  close(): Promise<void>;
}

const BODY_BYTES_MAX = 256 * 1024;
const IMPORT_BYTES_MAX = 33 * 1024 * 1024;
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
  // To another site nothing. A form of ours has to say where it stood: without that it counts as another site's.
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
};

const LOOPBACK = "127.0.0.1";

/**
 * Serves the page to this machine alone; port 0 takes any free port, and so does a port that is taken. Decides who may come in.
 * Throws a Fault if it cannot listen.
 */
export async function openDashboard(port: number): Promise<Dashboard> {
  let door: Door | null = null;
  const server = createServer((_, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    answer(response, door).catch(() => {
      if (!response.headersSent) refuse(response, "broken");
      else response.destroy();
    });
  });
  const isMoved = await listen(server, port);
  const address = server.address();
  const taken = typeof address === "object" && address !== null ? address.port : port;
  let sessions: readonly string[] = [];
  const hide = async (): Promise<void> => {
    const before = door;
    door = null;
    if (before === null) return;
    sessions = before.access.list("session").map(({ hash }) => hash);
    await before.close();
  };
  const show = (given: { db: Db; now: () => number }, load: Load): void => {
    void hide();
    door = openDoor(given, load);
    if (sessions.length > 0) door.access.adopt(sessions);
  };
  return {
    url: `http://${LOOPBACK}:${taken}/`,
    isMoved,
    show: (shown) =>
      // A demo's clock jumps ahead; links and sessions last by the machine's.
      show({ db: shown.db, now: Date.now }, async (live) =>
        (await import("./site.tsx")).openSite(shown, live),
      ),
    showSetup: (setup) =>
      show(setup, async () => (await import("./setup-site.tsx")).openSetupSite(setup)),
    hide,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await door?.close();
      await closed;
    },
  };
}

type Load = (live: Listeners) => Promise<Site>;
type Door = ReturnType<typeof openDoor>;

/** Who may come in, and the site behind, which is loaded for the first visitor: a bot without one needs no memory for it. */
function openDoor({ db, now }: { db: Db; now: () => number }, load: Load) {
  let site: Promise<Site> | null = null;
  const live = openListeners((isHeard) => {
    open()
      .then(({ watch }) => watch(isHeard))
      .catch(live.dropAll);
  });
  const open = () => {
    site ??= load(live);
    return site;
  };
  return {
    access: pageAccess(db, now),
    // By the machine's clock: the demo's runs fast.
    attempts: attemptLimit(() => performance.now()),
    live,
    open,
    close: async () => {
      live.dropAll();
      (await site)?.close();
    },
  };
}

async function answer(response: ServerResponse, door: Door | null): Promise<void> {
  if (!isOwnHost(response.req.headers.host)) return refuse(response, "wrong_host");
  const knock = knockOf(response.req);
  if (knock === null) return refuse(response, "malformed");
  if (isForeign(knock)) return refuse(response, "foreign");
  if (door === null) {
    // A browser that waits for the bot asks again by itself.
    if (isSafe(knock.method)) response.setHeader("refresh", "1");
    return refuse(response, "starting");
  }
  const { pathname } = knock.url;
  const { method } = knock;
  if (!METHODS.has(method)) {
    response.setHeader("allow", [...METHODS].join(", "));
    return refuse(response, "no_method");
  }
  // A preview of a link, such as a chat program makes, must not use it up.
  if (pathname === "/enter") return enter(knock, response, door);
  const visitor = visitorOf(knock, door.access);
  if (visitor.kind === "stranger") return turnAway(knock, response, door);
  if (method === "GET" && (pathname === "/api/live" || pathname === "/overlay/live"))
    return door.live.add(response, {
      isOverlay: pathname === "/overlay/live",
      mayHear: () => visitorOf(knock, door.access).kind === visitor.kind,
    });
  await pass(knock, visitor, response, door);
}

/** Counts a wrong key. After too many, nobody new comes in for a minute; open sessions go on. */
function turnAway(knock: Knock, response: ServerResponse, { attempts }: Door): void {
  const { headers, url } = knock;
  const hasKey = headers.authorization !== undefined || url.searchParams.has("key");
  const isOver = hasKey && attempts.isOver();
  // Another site's page may send any number of wrong keys. They must not lock the streamer out.
  if (hasKey && !isOver && !isFromElsewhere(knock)) attempts.fail();
  refuse(response, isOver ? "too_many" : "stranger");
}

/** Opens one session for a link, which is then used up. A HEAD request, as previews send, uses up nothing. */
function enter(knock: Knock, response: ServerResponse, door: Door): void {
  const { method, url } = knock;
  const isAsked = method === "GET" && !door.attempts.isOver();
  const session = isAsked ? door.access.enter(url.searchParams.get("key") ?? "") : null;
  if (method === "HEAD") response.writeHead(204).end();
  else if (session === null) turnAway(knock, response, door);
  else {
    const cookie = `${SESSION_COOKIE}=${session}; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000`;
    response.writeHead(303, { location: "/", "set-cookie": cookie }).end();
  }
}

const FORM_METHODS = ["put", "patch", "delete"];

async function pass(
  knock: Knock,
  visitor: Visitor,
  response: ServerResponse,
  door: Door,
): Promise<void> {
  const { headers, url, method } = knock;
  const bytesMax = url.pathname === "/api/import" ? IMPORT_BYTES_MAX : BODY_BYTES_MAX;
  const body = isSafe(method) ? "" : await bodyOf(response.req, bytesMax);
  if (body === null) return refuse(response, "too_large");
  const form = formOf(headers, body);
  const csrf = headers["x-csrf-token"] ?? form?.get("_csrf") ?? null;
  if (!isSafe(method) && !mayChange(visitor, knock, csrf)) return refuse(response, "not_yours");
  // A form knows two methods; a field names the others.
  const field = form?.get("_method") ?? "";
  const meant = FORM_METHODS.includes(field) ? field.toUpperCase() : method;
  const request = new Request(url, {
    method: meant === "HEAD" ? "GET" : meant,
    headers: {
      accept: headers.accept ?? "",
      "content-type": headers["content-type"] ?? "",
      "if-none-match": headers["if-none-match"] ?? "",
    },
    ...(body === "" ? {} : { body }),
  });
  const site = await door.open();
  const answered = await site.answer(request, {
    person: visitor.kind === "person" ? { id: visitor.session, csrf: visitor.csrf } : null,
    back: backOf(headers),
    isRedrawn: headers["x-drawn-anew"] !== undefined,
  });
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  await send(method === "HEAD" ? null : answered.body, response);
}

/** Sends a body as fast as the browser takes it; ends if the browser leaves. */
async function send(body: ReadableStream | null, response: ServerResponse): Promise<void> {
  const left = new AbortController();
  response.once("close", () => left.abort());
  for await (const piece of body ?? [])
    if (!response.write(piece)) await once(response, "drain", { signal: left.signal });
  response.end();
}

function knockOf(request: IncomingMessage): Knock | null {
  try {
    const url = new URL(request.url ?? "", "http://page.invalid");
    if (url.host !== "page.invalid") return null;
    decodeURIComponent(url.pathname);
    return { method: request.method ?? "GET", headers: request.headers, url };
  } catch {
    return null;
  }
}

/** null: more than that, of which the rest is not read. */
async function bodyOf(request: IncomingMessage, bytesMax: number): Promise<string | null> {
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

/** The page of ours that a request came from, with its query; "" for none. */
function backOf({ referer = "", host }: IncomingHttpHeaders): string {
  const own = `http://${host}`;
  return referer.startsWith(`${own}/`) ? referer.slice(own.length) : "";
}

/** The fields of a form; null for any other body. */
function formOf(headers: IncomingHttpHeaders, body: string): URLSearchParams | null {
  const type = headers["content-type"] ?? "";
  return type.startsWith("application/x-www-form-urlencoded") ? new URLSearchParams(body) : null;
}

/** Whether it had to take another port than that. */
async function listen(server: Server, port: number): Promise<boolean> {
  try {
    await once(server.listen(port, LOOPBACK), "listening");
    return false;
  } catch (cause) {
    if (port === 0 || !isTaken(cause)) throw cannotListen(port, cause);
    await once(server.listen(0, LOOPBACK), "listening");
    return true;
  }
}

/** Taken, or reserved: Windows says it of ports that it keeps for itself. */
function isTaken(cause: unknown): boolean {
  const code = cause instanceof Error && "code" in cause ? cause.code : null;
  return code === "EADDRINUSE" || code === "EACCES";
}

function cannotListen(port: number, cause: unknown): Fault {
  return new Fault(`dashboard: ${LOOPBACK}:${port} cannot be used (${messageOf(cause)})`, {
    code: "port",
    mend: "set dashboard.port to 0 for any free port, or to false for none",
    cause,
  });
}

const REFUSALS = {
  wrong_host: [421, "This address is not the page's own."],
  malformed: [400, "This request cannot be read."],
  no_method: [405, "This address does not accept that method."],
  foreign: [403, "Another site sent this request, so it was refused."],
  not_yours: [403, "This form was not made for your session. Open the page again."],
  starting: [503, "The bot is starting. Try again in a moment."],
  too_many: [429, "Too many wrong keys. Wait a minute."],
  too_large: [413, "The request is too large."],
  stranger: [
    401,
    "This page is private. Run `forgetmenot page` on this machine for a link that opens it.",
  ],
  broken: [500, "This page cannot be shown now. Try again in a moment."],
} as const;

/** Turns a request away before anything is read for it: as text for a person, in the one shape for a program. */
function refuse(response: ServerResponse, why: keyof typeof REFUSALS): void {
  const { headers, url = "" } = response.req;
  const [status, text] = REFUSALS[why];
  const message = withShellCommands(text);
  const isApi = url.startsWith("/api/") || !(headers.accept ?? "").includes("text/html");
  const type = isApi ? "application/json" : "text/plain";
  // What is left of a body is not read.
  response.setHeader("connection", "close");
  response.writeHead(status, { "content-type": `${type}; charset=utf-8` });
  response.end(isApi ? JSON.stringify(errorBody(why, message)) : `${message}\n`);
}
