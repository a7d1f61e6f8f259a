import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import {
  ACTION_ROUTES,
  HELIX_ROUTES,
  type HelixReply,
  type HelixRequest,
  type HelixRoute,
  type HelixRoutes,
  refusal,
} from "./helix-routes.ts";

const LISTEN_TRIES = 5;

/**
 * What goes wrong with a request instead of an answer. With `acted` the request has its effect first, as
 * when Twitch takes a message and then fails to say so.
 */
type HelixFault =
  | { readonly kind: "status"; readonly status: number; readonly acted?: boolean }
  | { readonly kind: "hang"; readonly acted?: boolean }
  | { readonly kind: "cut"; readonly acted?: boolean }
  | { readonly kind: "rate_limit"; readonly resetAtMs: number };

interface HelixServerOptions {
  readonly now: () => number;
  /** Decides about each chat message sent; without it every message is taken. */
  readonly onChatMessage?: (message: ReceivedMessage) => ChatVerdict;
  /** Paths besides the built-in ones, by `METHOD /mock/path`; the same key replaces a built-in. */
  readonly routes?: HelixRoutes;
}

/** A stand-in of Twitch's Helix and log-in servers, on loopback, as twurple calls them in its mock mode. */
export type HelixServer = Awaited<ReturnType<typeof startHelixServer>>;

/** Starts it on a free port, on both address families of localhost where the machine has both. */
export async function startHelixServer(options: HelixServerOptions) {
  const requests: HelixRequest[] = [];
  const messages: ReceivedMessage[] = [];
  const faults = new Map<string, HelixFault[]>();
  const state = helixState(options.now, (message) => {
    const taken = { kind: "taken", messageId: `message-${messages.length + 1}` } as const;
    const verdict = options.onChatMessage?.(message) ?? taken;
    if (verdict.kind === "taken") messages.push(message);
    return verdict;
  });
  const routes: HelixRoutes = { ...HELIX_ROUTES, ...ACTION_ROUTES, ...options.routes };
  const hanging: ServerResponse[] = [];
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const bearer = headerOf(incoming, "authorization").replace(/^(Bearer|OAuth) /, "");
    const request = await readRequest(incoming, state.liveToken(bearer), options.now());
    requests.push(request);
    const act = (): HelixReply => {
      const route = routes[`${request.method} ${request.path}`];
      if (route === undefined) return refusal(404, "Not Found");
      const token = state.liveToken(bearer);
      const refused = whyNot(route, token, headerOf(incoming, "client-id"));
      return refused ?? route.handle(request, state, token);
    };
    const fault = faults.get(request.path)?.shift();
    if (fault?.kind === "hang") hanging.push(response);
    if (fault === undefined) reply(response, act());
    else fail(response, fault, act);
  };
  const servers = await listenOnLocalhost((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  });
  return {
    port: portOf(servers[0]),
    /** Every request so far, failed ones too, in order of arrival. */
    requests,
    /** Chat messages that Twitch would have shown, in order. */
    messages,
    setUser: (user: StandInUser) => void state.users.set(user.id, user),
    setStream: (userId: string, stream: StandInStream) => void state.streams.set(userId, stream),
    setToken: state.setToken,
    revokeToken: (accessToken: string) => void state.tokens.delete(accessToken),
    /** Lets `refreshToken` be used once, for `grant`. */
    setRefreshToken: (refreshToken: string, grant: StandInGrant) =>
      void state.refreshTokens.set(refreshToken, grant),
    approveDevice: (deviceCode: string, grant: StandInGrant) =>
      void state.devices.set(deviceCode, grant),
    /** Makes the next `times` requests to a path (`/mock/users`) fail. */
    failNext: (path: string, fault: HelixFault, times = 1) => {
      const waiting = faults.get(path) ?? [];
      faults.set(path, [...waiting, ...Array<HelixFault>(times).fill(fault)]);
    },
    /** Cuts the connections of all requests that hang. */
    cutHanging: () => {
      for (const response of hanging.splice(0)) response.destroy();
    },
    /** Drops the next chat message, with Twitch's code for it. */
    dropNextMessage: (code: string) => void state.dropCodes.push(code),
    /** Cuts what hangs and stops listening. */
    close: async () => {
      await Promise.all(servers.map(closeServer));
    },
  };
}

function whyNot(route: HelixRoute, token: LiveToken | null, clientId: string): HelixReply | null {
  if (route.isOpen === true) return null;
  if (token === null) return refusal(401, "Invalid OAuth token");
  if (token.clientId !== clientId) return refusal(401, "Client ID and OAuth token do not match");
  const wanted = route.scopes ?? [];
  if (wanted.length === 0 || wanted.some((scope) => token.scopes.includes(scope))) return null;
  return refusal(401, `Missing scope: ${wanted.join(" or ")}`);
}

function fail(response: ServerResponse, fault: HelixFault, act: () => HelixReply): void {
  if (fault.kind === "rate_limit") {
    const headers = {
      "ratelimit-limit": "800",
      "ratelimit-remaining": "0",
      "ratelimit-reset": String(Math.ceil(fault.resetAtMs / 1_000)),
    };
    reply(response, { ...refusal(429, "Too Many Requests"), headers });
    return;
  }
  if (fault.acted === true) act();
  if (fault.kind === "status") reply(response, refusal(fault.status, "as the test asked"));
  if (fault.kind === "cut") response.destroy();
}

function reply(response: ServerResponse, { status, body, headers }: HelixReply): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(body === undefined ? "" : JSON.stringify(body));
}

async function readRequest(
  incoming: IncomingMessage,
  token: LiveToken | null,
  atMs: number,
): Promise<HelixRequest> {
  const url = new URL(incoming.url ?? "/", "http://localhost");
  return {
    method: incoming.method ?? "GET",
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    body: parseBody(await textOf(incoming), headerOf(incoming, "content-type")),
    scopes: token?.scopes ?? null,
    userId: token?.userId ?? null,
    atMs,
  };
}

function parseBody(text: string, contentType: string): unknown {
  if (text === "") return null;
  if (contentType.includes("json")) return JSON.parse(text);
  return Object.fromEntries(new URLSearchParams(text));
}

function headerOf(incoming: IncomingMessage, name: string): string {
  const value = incoming.headers[name];
  return typeof value === "string" ? value : "";
}

type Handler = (incoming: IncomingMessage, response: ServerResponse) => void;

/** twurple calls `localhost`, which is 127.0.0.1, ::1 or both, as the machine has it. */
async function listenOnLocalhost(handler: Handler): Promise<readonly [Server, ...Server[]]> {
  for (let tries = 1; ; tries++) {
    const v4 = await listen(handler, 0, "127.0.0.1");
    const v6 = await listen(handler, portOf(v4), "::1").catch(codeOf);
    if (typeof v6 !== "string") return [v4, v6];
    if (v6 !== "EADDRINUSE" || tries === LISTEN_TRIES) return [v4];
    await closeServer(v4);
  }
}

async function listen(handler: Handler, port: number, host: string): Promise<Server> {
  const server = createServer(handler).listen(port, host);
  await once(server, "listening");
  return server;
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** A token as the stand-in knows it. */
interface StandInToken {
  readonly userId: string;
  readonly login: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Life from the moment it is set; null: it never runs out. */
  readonly expiresInSeconds: number | null;
}

/** What a refresh, or an approved device, gives. */
export interface StandInGrant {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly token: StandInToken;
}

interface StandInUser {
  readonly id: string;
  readonly login: string;
  readonly displayName: string;
}

interface StandInStream {
  readonly isLive: boolean;
  readonly title: string;
  readonly category: string;
  readonly startedAtMs: number | null;
}

/** A message that reached the stand-in's chat, dropped ones included. */
interface ReceivedMessage {
  readonly broadcasterId: string;
  readonly senderId: string;
  readonly text: string;
  readonly replyTo: string | null;
  readonly atMs: number;
}

type ChatVerdict =
  | { readonly kind: "taken"; readonly messageId: string }
  | { readonly kind: "dropped"; readonly code: string };

export interface LiveToken extends StandInToken {
  readonly expiresAtMs: number | null;
}

/** What stands behind the stand-in's answers. */
export type HelixState = ReturnType<typeof helixState>;

/** Empty state. `onMessage` decides about each chat message that is not dropped by a code. */
function helixState(now: () => number, onMessage: (message: ReceivedMessage) => ChatVerdict) {
  const tokens = new Map<string, LiveToken>();
  const dropCodes: string[] = [];
  return {
    users: new Map<string, StandInUser>(),
    streams: new Map<string, StandInStream>(),
    tokens,
    /** Devices waiting for approval (null), and approved ones. */
    devices: new Map<string, StandInGrant | null>(),
    refreshTokens: new Map<string, StandInGrant>(),
    /** Codes for the next chat messages, which are dropped with them. */
    dropCodes,
    setToken: (accessToken: string, token: StandInToken): void => {
      const { expiresInSeconds } = token;
      const expiresAtMs = expiresInSeconds === null ? null : now() + expiresInSeconds * 1_000;
      tokens.set(accessToken, { ...token, expiresAtMs });
    },
    /** The token, unless it is unknown or ran out. */
    liveToken: (accessToken: string): LiveToken | null => {
      const token = tokens.get(accessToken);
      return token !== undefined && (token.expiresAtMs ?? Infinity) > now() ? token : null;
    },
    receive: (message: ReceivedMessage): ChatVerdict => {
      const code = dropCodes.shift();
      return code === undefined ? onMessage(message) : { kind: "dropped", code };
    },
  };
}
