import WebSocket from "ws";

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
