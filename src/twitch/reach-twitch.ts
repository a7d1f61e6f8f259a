import WebSocket from "ws";
import { callBounded } from "./bounded-call.ts";

/** `status`: another server answered, such as a proxy. `detail` is an error code or an HTTP status. */
export type ReachResult =
  | { readonly kind: "answered"; readonly tookMs: number }
  | { readonly kind: "timeout" }
  | { readonly kind: "status" | "error"; readonly detail: string };

/** Opens a WebSocket to a chat server without logging in, and closes it. Never rejects. */
export function reachChat(
  chatUrl: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ReachResult> {
  const startedAtMs = performance.now();
  const late = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve) => {
    const socket = new WebSocket(chatUrl, "irc", { signal: AbortSignal.any([signal, late]) });
    socket.on("open", () => {
      resolve({ kind: "answered", tookMs: performance.now() - startedAtMs });
      socket.terminate();
    });
    socket.on("unexpected-response", (_request, { statusCode }) => {
      resolve({ kind: "status", detail: String(statusCode) });
      socket.terminate();
    });
    socket.on("error", (error: NodeJS.ErrnoException) =>
      resolve(
        late.aborted ? { kind: "timeout" } : { kind: "error", detail: error.code ?? error.name },
      ),
    );
  });
}

/** Difference between this machine's clock and Twitch's, accurate to half a second and half the round trip. */
export type TwitchClock =
  /** `aheadMs` is negative if this machine's clock is behind. */
  { readonly kind: "measured"; readonly aheadMs: number } | { readonly kind: "unreachable" };

/** The header `date` has whole seconds: half of one is cut off on average. */
const CUT_OFF_MS = 500;
const TIMEOUT_MS = 10_000;

/** Asks Twitch's log-in server for the time, without a token: its refusal has the time. Never rejects. */
export async function readTwitchClock(
  now: () => number,
  signal: AbortSignal,
): Promise<TwitchClock> {
  try {
    const askedAtMs = now();
    const question = { type: "auth", url: "validate" } as const;
    const answer = await callBounded(question, {}, { timeoutMs: TIMEOUT_MS, signal });
    const roundTripMs = now() - askedAtMs;
    const twitchMs = Date.parse(answer.headers.date ?? "");
    if (Number.isNaN(twitchMs)) return { kind: "unreachable" };
    const aheadMs = askedAtMs + roundTripMs / 2 - (twitchMs + CUT_OFF_MS);
    return { kind: "measured", aheadMs };
  } catch {
    return { kind: "unreachable" };
  }
}
