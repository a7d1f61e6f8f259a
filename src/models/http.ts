import { once } from "node:events";
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestInClear,
} from "node:http";
import { request as requestSecurely } from "node:https";
import { failed, type ModelFailure } from "./model-port.ts";

/** No answer we asked for comes near it: 8,192 tokens are some 60 kB. */
const BODY_BYTES_MAX = 1_000_000;
/** No call of ours has more tokens; a count above it is nonsense that would close the daily cap. */
export const COUNT_MAX = 1_000_000;
const SAFE_CODE = /^[A-Z][A-Z0-9_]{2,40}$/;

export interface HttpReply {
  readonly ok: true;
  readonly status: number;
  /** The `retry-after` header as it came. */
  readonly retryAfter: string | null;
  readonly text: string;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** False: no connection is kept for it, nor used again. */
  readonly agent?: false;
}

/** What came of one request: `text` is null where it is longer than asked for. */
interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string | null;
}

/**
 * One HTTP request with its body read whole, up to `bytesMax`; redirects are not followed. Rejects with what Node's
 * client throws. By that client: whatever touches `fetch` or its `Headers` loads another, which takes 8 MB and 45 ms.
 */
export async function request(
  url: string | URL,
  { headers = {}, body = "", ...init }: Asked,
  bytesMax: number,
): Promise<Answered> {
  const target = new URL(url);
  const sent = (target.protocol === "https:" ? requestSecurely : requestInClear)(target, {
    ...init,
    headers: { accept: "*/*", "user-agent": "node", ...headers },
  });
  sent.on("error", () => undefined); // `once` hears it, or whoever reads the body
  const answered = once(sent.end(body), "response");
  const [response] = (await answered) as [IncomingMessage];
  const text = await readBounded(response, bytesMax);
  return { status: response.statusCode ?? 0, headers: response.headers, text };
}

/**
 * A request to a model, its answer up to a megabyte. Redirects are refused: they would carry the key to another host.
 * Never rejects.
 */
export async function exchange(url: string | URL, asked: Asked): Promise<HttpReply | ModelFailure> {
  try {
    const { status, headers, text } = await request(url, asked, BODY_BYTES_MAX);
    if (status >= 300 && status < 400) return failed("network", "a redirect");
    if (text === null) return failed("truncated", `answer larger than ${BODY_BYTES_MAX} bytes`);
    return { ok: true, status, retryAfter: headers["retry-after"] ?? null, text };
  } catch (error) {
    return asked.signal.aborted ? failed("aborted", "") : failed("network", networkCode(error));
  }
}

export function isFine(reply: HttpReply): boolean {
  return reply.status >= 200 && reply.status < 300;
}

/** The body as JSON; undefined where it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `ECONNREFUSED` and the like. Messages are left out: they hold URLs. */
function networkCode(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && SAFE_CODE.test(code) ? code : "no connection";
}

/** The body of an answer as text, or null as soon as it is larger than `bytesMax`: then the rest is not read. */
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
