import { once } from "node:events";
import {
  Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestInClear,
} from "node:http";
import { request as requestSecurely, Agent as SecureAgent } from "node:https";
import { failWith, type ModelFailure } from "./model-port.ts";

/** The largest answer that is read: 8,192 tokens are about 60 kB. */
const BODY_BYTES_MAX = 1_000_000;
/** A higher token count of a provider is ignored: a wrong one would use up the daily cap. */
export const COUNT_MAX = 1_000_000;
/** Node's own clients keep an idle connection for 5 s, and opening one takes three round trips. */
const MODEL_AGENTS = makeAgents(60_000);
const SAFE_CODE = /^[A-Z][A-Z0-9_]{2,40}$/;

export interface HttpReply {
  /** True if a reply came, also one with an HTTP error: see `isSuccess`. */
  readonly ok: true;
  readonly status: number;
  /** The `retry-after` header: seconds or a date. */
  readonly retryAfter: string | null;
  readonly text: string;
}

interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Default: `MODEL_AGENTS`. */
  readonly agents?: typeof MODEL_AGENTS;
}

/** Makes clients for HTTP and HTTPS that keep connections open, and close one that is idle for `idleMs`. */
export function makeAgents(idleMs: number) {
  const kept = { keepAlive: true, timeout: idleMs };
  return { clear: new Agent(kept), secure: new SecureAgent(kept) };
}

/**
 * Sends one HTTP request and reads its body; the text is null if it is longer than `bytesMax`. Follows no redirect.
 * Rejects with the errors of Node's client. It avoids `fetch`, whose client takes 8 MB and 45 ms to load.
 */
export async function request(
  url: string | URL,
  { headers = {}, body = "", agents = MODEL_AGENTS, ...init }: RequestOptions,
  bytesMax: number,
): Promise<{ status: number; headers: IncomingHttpHeaders; text: string | null }> {
  const target = new URL(url);
  const isSecure = target.protocol === "https:";
  const sent = (isSecure ? requestSecurely : requestInClear)(target, {
    agent: isSecure ? agents.secure : agents.clear,
    ...init,
    headers: { accept: "*/*", "user-agent": "node", ...headers },
  });
  sent.on("error", () => undefined); // `once` reports it, or the reader of the body
  const answered = once(sent.end(body), "response");
  const [response] = (await answered) as [IncomingMessage];
  const text = await readBounded(response, bytesMax);
  return { status: response.statusCode ?? 0, headers: response.headers, text };
}

/**
 * Sends a request to a model. Returns the reply, also one with an HTTP error. Returns a failure for a redirect, a body
 * above a megabyte, an abort, or no connection. Never rejects.
 */
export async function exchange(
  url: string | URL,
  options: RequestOptions,
): Promise<HttpReply | ModelFailure> {
  try {
    const { status, headers, text } = await request(url, options, BODY_BYTES_MAX);
    if (status >= 300 && status < 400) return failWith("network", "a redirect");
    if (text === null) return failWith("truncated", `answer larger than ${BODY_BYTES_MAX} bytes`);
    return { ok: true, status, retryAfter: headers["retry-after"] ?? null, text };
  } catch (error) {
    if (options.signal.aborted) return failWith("aborted", "");
    // A code such as `ECONNREFUSED`. Messages are left out, because they hold URLs.
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return failWith("network", SAFE_CODE.test(code) ? code : "no connection");
  }
}

/** Returns true for an HTTP status from 200 to 299. */
export function isSuccess(reply: HttpReply): boolean {
  return reply.status >= 200 && reply.status < 300;
}

/** Parses a body. Returns undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads a body as text. Returns null as soon as it is larger than `bytesMax`. */
async function readBounded(
  body: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<string | null> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
