import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the stand-in does with one request. */
export type ModelScript =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>>;
      /** How long it thinks first, ms of the wall's clock. */
      readonly afterMs?: number;
    }
  /** Takes the request and never says a word. */
  | { readonly kind: "hang" }
  /** Sends headers and the beginning of a body, and no end. */
  | { readonly kind: "stall" }
  /** Closes the connection without an answer. */
  | { readonly kind: "drop" }
  /** Sends as fast as it is read, for ever. */
  | { readonly kind: "endless" };

interface ModelRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface ModelServer {
  readonly url: string;
  readonly requests: readonly ModelRequest[];
  /** Scripts are used up in order; then each request gets the fallback. */
  enqueue(...scripts: readonly ModelScript[]): void;
  /** Forgets what was enqueued and not used. */
  drain(): void;
  /** Resolves when `count` requests have come. */
  received(count: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * An HTTP server on loopback that answers as it was told and remembers what it was asked. The fallback may be made of the
 * request's body.
 */
export async function openModelServer(
  fallback: ModelScript | ((body: unknown) => ModelScript),
): Promise<ModelServer> {
  const queue: ModelScript[] = [];
  const requests: ModelRequest[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = jsonOrText(Buffer.concat(chunks).toString("utf8"));
      requests.push({
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        body,
      });
      for (const one of waiting.filter(({ count }) => requests.length >= count)) one.resolve();
      const usual = typeof fallback === "function" ? fallback(body) : fallback;
      perform(queue.shift() ?? usual, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    enqueue: (...scripts) => {
      queue.push(...scripts);
    },
    drain: () => {
      queue.length = 0;
    },
    received: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function perform(script: ModelScript, response: ServerResponse): void {
  switch (script.kind) {
    case "answer":
      if (script.afterMs === undefined) answer(script, response);
      else setTimeout(() => answer(script, response), script.afterMs).unref();
      return;
    case "hang":
      return;
    case "stall":
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"candidates": [');
      return;
    case "drop":
      response.destroy();
      return;
    case "endless":
      response.writeHead(200, { "content-type": "application/json" });
      pourForever(response);
  }
}

function answer(
  { status, headers, body }: Extract<ModelScript, { kind: "answer" }>,
  response: ServerResponse,
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(body);
}

function pourForever(response: ServerResponse): void {
  const chunk = " ".repeat(64_000);
  const pour = () => {
    if (response.destroyed) return;
    if (response.write(chunk)) setImmediate(pour);
    else response.once("drain", pour);
  };
  pour();
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
