import { randomBytes } from "node:crypto";
import { get as getInClear } from "node:http";
import { get } from "node:https";

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
