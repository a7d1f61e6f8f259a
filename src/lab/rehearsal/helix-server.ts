import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import {
  ACTION_ROUTES,
  AUTH_ROUTES,
  HELIX_ROUTES,
  type HelixReply,
  type HelixRequest,
  type HelixRoute,
  type HelixRoutes,
  refusal,
} from "./helix-routes.ts";

const BODY_BYTES_MAX = 65_536;
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
export interface HelixServer {
  readonly port: number;
  /** Every request so far, failed ones too, in order of arrival. */
  readonly requests: readonly HelixRequest[];
  /** Chat messages that Twitch would have shown, in order. */
  readonly messages: readonly ReceivedMessage[];
  setUser(user: StandInUser): void;
  setStream(userId: string, stream: StandInStream): void;
  setToken(accessToken: string, token: StandInToken): void;
  revokeToken(accessToken: string): void;
  /** Lets `refreshToken` be used once, for `grant`. */
  setRefreshToken(refreshToken: string, grant: StandInGrant): void;
  approveDevice(deviceCode: string, grant: StandInGrant): void;
  /** Makes the next `times` requests to a path (`/mock/users`) fail. */
  failNext(path: string, fault: HelixFault, times?: number): void;
  /** Drops the next chat message, with Twitch's code for it. */
  dropNextMessage(code: string): void;
  /** Cuts what hangs and stops listening. */
  close(): Promise<void>;
}

/** Starts it on a free port, on both address families of localhost where the machine has both. */
export async function startHelixServer(options: HelixServerOptions): Promise<HelixServer> {
  const requests: HelixRequest[] = [];
  const messages: ReceivedMessage[] = [];
  const faults = new Map<string, HelixFault[]>();
  const state = helixState(options.now, (message) => {
    const verdict = options.onChatMessage?.(message) ?? {
      kind: "taken" as const,
      messageId: `message-${messages.length + 1}`,
    };
    if (verdict.kind === "taken") messages.push(message);
    return verdict;
  });
  const routes = { ...HELIX_ROUTES, ...ACTION_ROUTES, ...options.routes };

  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const bearer = headerOf(incoming, "authorization").replace(/^(Bearer|OAuth) /, "");
    const request = await readRequest(incoming, state.liveToken(bearer), options.now());
    requests.push(request);
    const clientId = headerOf(incoming, "client-id");
    const act = () =>
      answer(request, { state, routes }, { token: state.liveToken(bearer), clientId });
    const fault = faults.get(request.path)?.shift();
    if (fault === undefined) reply(response, act());
    else fail(response, fault, act);
  };
  const handler = (incoming: IncomingMessage, response: ServerResponse) => {
    serve(incoming, response).catch(() => response.destroy());
  };
  const servers = await listenOnLocalhost(handler);

  return {
    port: portOf(servers[0]),
    requests,
    messages,
    setUser: (user) => void state.users.set(user.id, user),
    setStream: (userId, stream) => void state.streams.set(userId, stream),
    setToken: state.setToken,
    revokeToken: (accessToken) => void state.tokens.delete(accessToken),
    setRefreshToken: (refreshToken, grant) => void state.refreshTokens.set(refreshToken, grant),
    approveDevice: (deviceCode, grant) => void state.devices.set(deviceCode, grant),
    failNext: (path, fault, times = 1) => {
      const waiting = faults.get(path) ?? [];
      faults.set(path, [...waiting, ...Array<HelixFault>(times).fill(fault)]);
    },
    dropNextMessage: (code) => void state.dropCodes.push(code),
    close: async () => {
      await Promise.all(servers.map(closeServer));
    },
  };
}

/** `clientId` and `token` are those that the request came with. */
function answer(
  request: HelixRequest,
  { state, routes }: { readonly state: HelixState; readonly routes: HelixRoutes },
  { token, clientId }: { readonly token: LiveToken | null; readonly clientId: string },
): HelixReply {
  const key = `${request.method} ${request.path}`;
  if (key === "GET /auth/validate") return validate(request, token);
  const auth = AUTH_ROUTES[key];
  if (auth !== undefined) return auth.handle(request, state);
  const route = routes[key];
  if (route === undefined) return refusal(404, "Not Found");
  return whyNot(route, token, clientId) ?? route.handle(request, state);
}

function validate(request: HelixRequest, token: LiveToken | null): HelixReply {
  if (token === null)
    return { status: 401, body: { status: 401, message: "invalid access token" } };
  return {
    status: 200,
    body: {
      client_id: token.clientId,
      login: token.login,
      user_id: token.userId,
      scopes: token.scopes,
      expires_in:
        token.expiresAtMs === null ? null : Math.floor((token.expiresAtMs - request.atMs) / 1_000),
    },
  };
}

function whyNot(route: HelixRoute, token: LiveToken | null, clientId: string): HelixReply | null {
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
    body: parseBody(await readBody(incoming), headerOf(incoming, "content-type")),
    scopes: token?.scopes ?? null,
    userId: token?.userId ?? null,
    atMs,
  };
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    if (bytes > BODY_BYTES_MAX) throw new Error("body too large");
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
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
    const v4 = createServer(handler);
    await listen(v4, 0, "127.0.0.1");
    const v6 = createServer(handler);
    const refused = await listen(v6, portOf(v4), "::1").then(() => null, codeOf);
    if (refused === null) return [v4, v6];
    if (refused !== "EADDRINUSE" || tries === LISTEN_TRIES) return [v4];
    await closeServer(v4);
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not listening");
  return address.port;
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

interface LiveToken extends StandInToken {
  readonly expiresAtMs: number | null;
}

/** What stands behind the stand-in's answers. */
export interface HelixState {
  readonly users: Map<string, StandInUser>;
  readonly streams: Map<string, StandInStream>;
  readonly tokens: Map<string, LiveToken>;
  /** Devices waiting for approval (null), and approved ones. */
  readonly devices: Map<string, StandInGrant | null>;
  readonly refreshTokens: Map<string, StandInGrant>;
  /** Codes for the next chat messages, which are dropped with them. */
  readonly dropCodes: string[];
  setToken(accessToken: string, token: StandInToken): void;
  /** The token, unless it is unknown or ran out. */
  liveToken(accessToken: string): LiveToken | null;
  grant(grant: StandInGrant): void;
  /** What a refresh token gives, once; null when it is unknown, spent or another application's. */
  useRefreshToken(refreshToken: string, clientId: string): StandInGrant | null;
  receive(message: ReceivedMessage): ChatVerdict;
}

/** Empty state. `onMessage` decides about each chat message that is not dropped by a code. */
function helixState(
  now: () => number,
  onMessage: (message: ReceivedMessage) => ChatVerdict,
): HelixState {
  const tokens = new Map<string, LiveToken>();
  const refreshTokens = new Map<string, StandInGrant>();
  const dropCodes: string[] = [];
  const setToken = (accessToken: string, token: StandInToken) => {
    const { expiresInSeconds } = token;
    const expiresAtMs = expiresInSeconds === null ? null : now() + expiresInSeconds * 1_000;
    tokens.set(accessToken, { ...token, expiresAtMs });
  };
  const grant = ({ accessToken, token }: StandInGrant) => setToken(accessToken, token);
  return {
    users: new Map(),
    streams: new Map(),
    tokens,
    devices: new Map(),
    refreshTokens,
    dropCodes,
    setToken,
    liveToken: (accessToken) => {
      const token = tokens.get(accessToken);
      if (token === undefined) return null;
      return token.expiresAtMs !== null && token.expiresAtMs <= now() ? null : token;
    },
    grant,
    useRefreshToken: (refreshToken, clientId) => {
      const found = refreshTokens.get(refreshToken);
      if (found === undefined || found.token.clientId !== clientId) return null;
      refreshTokens.delete(refreshToken);
      grant(found);
      return found;
    },
    receive: (message) => {
      const code = dropCodes.shift();
      return code === undefined ? onMessage(message) : { kind: "dropped", code };
    },
  };
}
