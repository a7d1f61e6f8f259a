import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { type Access, csrfToken } from "./access.ts";

/** Who asks, as far as the page is concerned. */
export type Visitor =
  | { readonly kind: "person"; readonly session: string; readonly csrf: string }
  | { readonly kind: "program" }
  | { readonly kind: "overlay" }
  | { readonly kind: "stranger" };

export interface Knock {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly url: URL;
}

export const SESSION_COOKIE = "forgetmenot_session";
const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);
const SAFE_METHODS = new Set(["GET", "HEAD"]);
const FAILURES_PER_MINUTE_MAX = 20;
const MINUTE_MS = 60_000;

/**
 * Whether a request names this machine. Another site's name may be pointed here, and a browser would then hand that site
 * what it shows; so only loopback's names pass, and what the streamer configured. An address is nobody's name.
 */
export function isOwnHost(host: string | undefined, configured: string): boolean {
  const name = (host ?? "").toLowerCase().replace(/:\d+$/, "");
  if (LOOPBACK.has(name)) return true;
  if (LOOPBACK.has(configured)) return false;
  return name === configured.toLowerCase() || isIP(name.replace(/^\[|\]$/g, "")) !== 0;
}

/** Whether a browser says that another site's page made the request. */
export function isForeign({ headers, method }: Knock): boolean {
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${headers.host ?? ""}`) return true;
  const from = headers["sec-fetch-site"];
  return !SAFE_METHODS.has(method) && (from === "cross-site" || from === "same-site");
}

/** Who it is, by cookie, token or the overlay's key. */
export function visitorOf({ headers, url }: Knock, access: Access): Visitor {
  const bearer = /^Bearer ([\w-]{16,128})$/.exec(headers.authorization ?? "")?.[1];
  if (bearer !== undefined) {
    return access.find("token", bearer) === null ? { kind: "stranger" } : { kind: "program" };
  }
  const session = cookieOf(headers.cookie, SESSION_COOKIE);
  if (session !== null && access.find("session", session) !== null)
    return { kind: "person", session, csrf: csrfToken(session) };
  const key = url.searchParams.get("key");
  const isOverlay = url.pathname === "/overlay" || url.pathname.startsWith("/overlay/");
  if (isOverlay && key !== null && access.find("overlay", key) !== null) return { kind: "overlay" };
  return { kind: "stranger" };
}

/**
 * Whether this visitor may change something with this request. A browser sends its cookie whoever wrote the form, so it
 * has to say where the form came from and to repeat the session's own token. A program's token is sent by nobody else.
 */
export function mayChange(visitor: Visitor, knock: Knock, given: string | null): boolean {
  if (visitor.kind === "program") return true;
  if (visitor.kind !== "person" || knock.headers.origin === undefined) return false;
  return isSame(visitor.csrf, given ?? "");
}

export function isSafe(method: string): boolean {
  return SAFE_METHODS.has(method);
}

/** Counts keys that were none; too many of them in a minute, and nobody is let in for the rest of it. */
export function attemptLimit(now: () => number): { isOver(): boolean; fail(): void } {
  let failures: number[] = [];
  const recent = (): number[] => {
    failures = failures.filter((atMs) => now() - atMs < MINUTE_MS);
    return failures;
  };
  return {
    isOver: () => recent().length >= FAILURES_PER_MINUTE_MAX,
    fail: () => void recent().push(now()),
  };
}

function cookieOf(header: string | undefined, name: string): string | null {
  const found = (header ?? "")
    .split(";")
    .map((part) => part.trim().split("="))
    .find(([key]) => key === name);
  return found?.[1] ?? null;
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
