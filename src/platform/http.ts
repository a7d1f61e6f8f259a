import { failed, type ModelFailure } from "./models/model-port.ts";

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

/**
 * One HTTP exchange with its body read whole, up to a megabyte. Redirects are refused: they would carry the key
 * to another host. Never rejects.
 */
export async function exchange(
  url: string | URL,
  init: RequestInit & { readonly signal: AbortSignal },
): Promise<HttpReply | ModelFailure> {
  try {
    const response = await fetch(url, { ...init, redirect: "error" });
    const text = await readBounded(response, BODY_BYTES_MAX);
    if (text === null) return failed("truncated", `answer larger than ${BODY_BYTES_MAX} bytes`);
    const retryAfter = response.headers.get("retry-after");
    return { ok: true, status: response.status, retryAfter, text };
  } catch (error) {
    return init.signal.aborted ? failed("aborted", "") : failed("network", networkCode(error));
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
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return typeof code === "string" && SAFE_CODE.test(code) ? code : "no connection";
}

/** The body of an answer as text, or null as soon as it is larger than `bytesMax`: then the rest is not read. */
export async function readBounded(response: Response, bytesMax: number): Promise<string | null> {
  if (response.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
