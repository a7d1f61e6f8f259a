import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import type { Db } from "../database/open-database.ts";
import { runtimeStore } from "../database/runtime-store.ts";

/**
 * What opens the page: a link that works once, the session of a browser that came by one, a token for programs, and the
 * link of the overlay, which shows the overlay and nothing else.
 */
type KeyKind = z.output<typeof rowsSchema>[number]["kind"];

const HOUR_MS = 3_600_000;
/** null: until it is revoked. */
const LIFETIME_MS: Readonly<Record<KeyKind, number | null>> = {
  link: 12 * HOUR_MS,
  session: 30 * 24 * HOUR_MS,
  token: null,
  overlay: null,
};
/** Of one kind; the oldest go. */
const KEYS_MAX = 50;
const SECRET_BYTES = 24;
/** Name of its row among the runtime values. */
const ROW = "page_access";

/** `hash` is of the secret, which is not kept; `name` what a person calls a token, "" for the others. */
const rowsSchema = z.array(
  z.strictObject({
    hash: z.string(),
    kind: z.enum(["link", "session", "token", "overlay"]),
    name: z.string(),
    createdAtMs: z.int(),
    expiresAtMs: z.int().nullable(),
  }),
);
type KeyRow = z.output<typeof rowsSchema>[number];

export type Access = ReturnType<typeof pageAccess>;

/** Who may open the page. Kept in the database, so that a command beside the daemon can make a link that it knows. */
export function pageAccess(db: Db, now: () => number) {
  const kept = runtimeStore(db, now);
  const read = (): KeyRow[] => {
    const nowMs = now();
    const rows = kept.read(ROW, rowsSchema)?.value ?? [];
    return rows.filter(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > nowMs);
  };
  const addHash = (kind: KeyKind, name: string, hash: string): void => {
    const lifetimeMs = LIFETIME_MS[kind];
    const expiresAtMs = lifetimeMs === null ? null : now() + lifetimeMs;
    const rows = [...read(), { hash, kind, name, createdAtMs: now(), expiresAtMs }];
    const tooMany = new Set(rows.filter((one) => one.kind === kind).slice(0, -KEYS_MAX));
    const left = rows.filter((one) => !tooMany.has(one));
    kept.write(ROW, left);
  };
  const add = (kind: KeyKind, name: string): string => {
    const secret = randomBytes(SECRET_BYTES).toString("base64url");
    addHash(kind, name, hashOf(secret));
    return secret;
  };
  const find = (kind: KeyKind, secret: string): KeyRow | null => {
    const hash = hashOf(secret);
    return read().find((row) => row.kind === kind && row.hash === hash) ?? null;
  };
  const drop = (isMeant: (row: KeyRow) => boolean): number => {
    const rows = read();
    const left = rows.filter((row) => !isMeant(row));
    if (left.length < rows.length) kept.write(ROW, left);
    return rows.length - left.length;
  };
  const atOnce = <T>(work: () => T): T => db.transaction(work).immediate();
  return {
    /** The key that a secret is of; null where it is none of that kind, or has run out. */
    find,
    list: (kind: KeyKind): readonly KeyRow[] => read().filter((row) => row.kind === kind),
    /** Makes a key; gives its secret, which cannot be read again. */
    make: (kind: KeyKind, name = ""): string => atOnce(() => add(kind, name)),
    /** Turns the secret of a link into that of a session, once; null where it is none, was used or has run out. */
    enter: (link: string): string | null =>
      atOnce(() => {
        const row = find("link", link);
        if (row === null) return null;
        drop(({ hash }) => hash === row.hash);
        return add("session", "");
      }),
    /** Makes sessions valid here that were valid on the same server before, by their hashes. */
    adopt: (hashes: readonly string[]): void =>
      atOnce(() => {
        const known = new Set(read().map(({ hash }) => hash));
        for (const hash of hashes) if (!known.has(hash)) addHash("session", "", hash);
      }),
    /** Takes away all keys of a kind, or those of one name; says how many. */
    revoke: (kind: KeyKind, name?: string): number =>
      atOnce(() => drop((row) => row.kind === kind && (name === undefined || row.name === name))),
  };
}

/** Proves that a form came from a page that this very session was shown. */
function csrfToken(session: string): string {
  return createHmac("sha256", session).update("csrf").digest("base64url");
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

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
const COOKIE = new RegExp(`(?:^|;)\\s*${SESSION_COOKIE}=([^;\\s]*)`);
const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);
const SAFE_METHODS = new Set(["GET", "HEAD"]);
const FAILURES_PER_MINUTE_MAX = 20;
const MINUTE_MS = 60_000;

/**
 * Whether a request names this machine. Another site's name may be pointed here, and a browser would then hand that site
 * what it shows; so only loopback's names pass.
 */
export function isOwnHost(host: string | undefined): boolean {
  return LOOPBACK.has((host ?? "").toLowerCase().replace(/:\d+$/, ""));
}

/** Whether a browser says that another site's page made the request. */
export function isForeign({ headers, method }: Knock): boolean {
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${headers.host ?? ""}`) return true;
  return !SAFE_METHODS.has(method) && isFromElsewhere({ headers });
}

/** True if a browser says that a page of another site led to the request, be it a link. */
export function isFromElsewhere({ headers }: { headers: IncomingHttpHeaders }): boolean {
  const from = headers["sec-fetch-site"];
  return from === "cross-site" || from === "same-site";
}

/** Who it is, by cookie, token or the overlay's key. */
export function visitorOf({ headers, url }: Knock, access: Access): Visitor {
  const bearer = /^Bearer ([\w-]{16,128})$/.exec(headers.authorization ?? "")?.[1];
  if (bearer !== undefined) {
    return access.find("token", bearer) === null ? { kind: "stranger" } : { kind: "program" };
  }
  const session = COOKIE.exec(headers.cookie ?? "")?.[1];
  if (session !== undefined && access.find("session", session) !== null)
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
export function mayChange(
  visitor: Visitor,
  knock: Knock,
  given: string | string[] | null,
): boolean {
  if (visitor.kind === "program") return true;
  if (visitor.kind !== "person" || knock.headers.origin === undefined) return false;
  return typeof given === "string" && isSame(visitor.csrf, given);
}

export function isSafe(method: string): boolean {
  return SAFE_METHODS.has(method);
}

/** Counts keys that were none; too many of them in a minute, and nobody new is let in for the rest of it. */
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

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
