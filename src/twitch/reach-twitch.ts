import { randomBytes } from "node:crypto";
import { get as getInClear } from "node:http";
import { get } from "node:https";
import { boundedCall } from "./bounded-call.ts";

/** `status`: something answered that is no chat server, such as a proxy. `detail` is a code or a number. */
export type Reached =
  | { readonly kind: "answered"; readonly tookMs: number }
  | { readonly kind: "timeout" }
  | { readonly kind: "status" | "error"; readonly detail: string };

const KEY_BYTES = 16;

/**
 * Connects to a chat server as far as the WebSocket, without logging in, and hangs up. Never rejects; ends once `signal`
 * aborts or `timeoutMs` are over.
 */
export function reachChat(
  chatUrl: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Reached> {
  const startedAtMs = performance.now();
  const late = AbortSignal.timeout(timeoutMs);
  const url = new URL(chatUrl);
  const isEncrypted = url.protocol === "wss:";
  url.protocol = isEncrypted ? "https:" : "http:";
  const open = isEncrypted ? get : getInClear;
  return new Promise((resolve) => {
    const request = open(url, {
      agent: false,
      signal: AbortSignal.any([signal, late]),
      headers: {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-protocol": "irc",
        "sec-websocket-key": randomBytes(KEY_BYTES).toString("base64"),
      },
    });
    request.on("upgrade", (_response, socket) => {
      socket.destroy();
      resolve({ kind: "answered", tookMs: performance.now() - startedAtMs });
    });
    request.on("response", (response) => {
      response.destroy();
      resolve({ kind: "status", detail: String(response.statusCode) });
    });
    request.on("error", (error) => {
      const code = "code" in error ? String(error.code) : error.name;
      resolve(late.aborted ? { kind: "timeout" } : { kind: "error", detail: code });
    });
  });
}

/** How this machine's clock stands against Twitch's, as far as one answer tells: half a second and half the round trip. */
export type TwitchClock =
  | {
      readonly kind: "measured";
      /** How far this machine's clock is ahead, ms; negative where it is behind. */
      readonly aheadMs: number;
    }
  | { readonly kind: "unreachable" };

/** `Date` has whole seconds: half of one is cut off on average. */
const CUT_OFF_MS = 500;
const TIMEOUT_MS = 10_000;

/** Asks Twitch's log-in server for the time. It gets no token, and says so; its clock is in the answer. Never rejects. */
export async function readTwitchClock(
  now: () => number,
  signal: AbortSignal,
): Promise<TwitchClock> {
  try {
    const askedAtMs = now();
    const question = { type: "auth", url: "validate" } as const;
    const answer = await boundedCall(question, {}, { timeoutMs: TIMEOUT_MS, signal });
    const roundTripMs = now() - askedAtMs;
    const toldAtMs = Date.parse(answer.headers.date ?? "");
    if (Number.isNaN(toldAtMs)) return { kind: "unreachable" };
    const aheadMs = askedAtMs + roundTripMs / 2 - (toldAtMs + CUT_OFF_MS);
    return { kind: "measured", aheadMs };
  } catch {
    return { kind: "unreachable" };
  }
}
