import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { Fault, messageOf } from "../errors.ts";
import {
  attemptLimit,
  isForeign,
  isOwnHost,
  isSafe,
  type Knock,
  mayChange,
  pageAccess,
  SESSION_COOKIE,
  type Visitor,
  visitorOf,
} from "./access.ts";
import { openListeners } from "./live-store.ts";
import { errorBody, type ShownPage } from "./route.ts";
import type { Site } from "./site.tsx";

export interface Dashboard {
  /** `http://127.0.0.1:PORT/`; null while there is none. */
  readonly url: string;
  /** Whether the port that was asked for was taken, and this is another one. */
  readonly isMoved: boolean;
  /** What it shows from now on; before, it says that the bot is starting. */
  show(shown: ShownPage): void;
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
  return {
    url: `http://${LOOPBACK}:${taken}/`,
    isMoved,
    show: (shown) => {
      door = openDoor(shown);
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await door?.close();
      await closed;
    },
  };
}

type Door = ReturnType<typeof openDoor>;

/** Who may come in, and the site behind, which is loaded for the first visitor: a bot without one needs no memory for it. */
function openDoor(shown: ShownPage) {
  let site: Promise<Site> | null = null;
  const live = openListeners((isHeard) => {
    open()
      .then(({ watch }) => watch(isHeard))
      .catch(live.dropAll);
  });
  const open = () => {
    site ??= import("./site.tsx").then(({ openSite }) => openSite(shown, live));
    return site;
  };
  return {
    access: pageAccess(shown.db, shown.now),
    // By the machine's clock: a rehearsal's runs fast.
    attempts: attemptLimit(() => performance.now()),
    live,
    open,
    close: async () => (await site)?.close(),
  };
}

async function answer(response: ServerResponse, door: Door | null): Promise<void> {
  if (!isOwnHost(response.req.headers.host)) return refuse(response, "wrong_host");
  const knock = knockOf(response.req);
  if (knock === null) return refuse(response, "malformed");
  if (isForeign(knock)) return refuse(response, "foreign");
  if (door === null) return refuse(response, "starting");
  const { pathname } = knock.url;
  const { method } = knock;
  if (!METHODS.has(method)) {
    response.setHeader("allow", [...METHODS].join(", "));
    return refuse(response, "no_method");
  }
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

/** A wrong key is counted, and after too many nobody new is let in. Those who are in already never come here. */
function turnAway({ headers, url }: Knock, response: ServerResponse, { attempts }: Door): void {
  const hasKey = headers.authorization !== undefined || url.searchParams.has("key");
  const isOver = hasKey && attempts.isOver();
  if (hasKey && !isOver) attempts.fail();
  refuse(response, isOver ? "too_many" : "stranger");
}

/** A link opens one session and is used up by it. */
function enter({ url }: Knock, response: ServerResponse, { access, attempts }: Door): void {
  const isOver = attempts.isOver();
  const session = isOver ? null : access.enter(url.searchParams.get("key") ?? "");
  if (session === null) {
    if (!isOver) attempts.fail();
    refuse(response, isOver ? "too_many" : "stranger");
    return;
  }
  const cookie = `${SESSION_COOKIE}=${session}; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000`;
  response.writeHead(303, { location: "/", "set-cookie": cookie }).end();
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
  wrong_host: [421, "This is not that place."],
  malformed: [400, "This request cannot be read."],
  no_method: [405, "Nothing here is asked for in that way."],
  foreign: [403, "Another site sent this request, and it is not obeyed."],
  not_yours: [403, "This form was not made for your session. Open the page again."],
  starting: [503, "The bot is starting. Try again in a moment."],
  too_many: [429, "Too many wrong keys. Wait a minute."],
  too_large: [413, "This is too large."],
  stranger: [
    401,
    "This page is private. Run `forgetmenot page` on this machine for a link that opens it.",
  ],
  broken: [500, "This cannot be shown right now."],
} as const;

/** Turns a request away before anything is read for it: as text for a person, in the one shape for a program. */
function refuse(response: ServerResponse, why: keyof typeof REFUSALS): void {
  const { headers, url = "" } = response.req;
  const [status, message] = REFUSALS[why];
  const isApi = url.startsWith("/api/") || !(headers.accept ?? "").includes("text/html");
  const type = isApi ? "application/json" : "text/plain";
  // What is left of a body is not read.
  response.setHeader("connection", "close");
  response.writeHead(status, { "content-type": `${type}; charset=utf-8` });
  response.end(isApi ? JSON.stringify(errorBody(why, message)) : `${message}\n`);
}
