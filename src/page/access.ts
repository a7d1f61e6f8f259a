import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import type { Db } from "../database/open-database.ts";
import { RuntimeStore } from "../database/runtime-store.ts";

const HOUR_MS = 3_600_000;
/** The lifetime of each kind of key; null until it is revoked. */
const LIFETIME_MS = {
  /** Opens one session, once. */
  link: 12 * HOUR_MS,
  /** A browser that came by a link. */
  session: 30 * 24 * HOUR_MS,
  /** A program. */
  token: null,
  /** Shows the overlay and nothing else. */
  overlay: null,
} as const;
type KeyKind = keyof typeof LIFETIME_MS;
/** The most keys of one kind; the oldest are deleted. */
const KEYS_MAX = 50;
const SECRET_BYTES = 24;
/** The name of the row with all keys. */
const ROW = "page_access";

const keysSchema = z.array(
  z.strictObject({
    /** The hash of the secret, which is not stored. */
    hash: z.string(),
    kind: z.enum(["link", "session", "token", "overlay"]),
    /** The user's name for a token; "" for the others. */
    name: z.string(),
    createdAtMs: z.int(),
    expiresAtMs: z.int().nullable(),
  }),
);
type Key = z.output<typeof keysSchema>[number];

/** The keys of the page. They are in the database, so that a command next to the daemon can make one. */
export class PageAccess {
  readonly #db: Db;
  readonly #now: () => number;
  readonly #store: RuntimeStore;

  constructor(db: Db, now: () => number) {
    this.#db = db;
    this.#now = now;
    this.#store = new RuntimeStore(db, now);
  }

  list(kind: KeyKind): readonly Key[] {
    return this.#read().filter((key) => key.kind === kind);
  }

  /** True if a key of this kind has this secret, and has not expired. */
  knows(kind: KeyKind, secret: string): boolean {
    const hash = hashSecret(secret);
    return this.list(kind).some((key) => key.hash === hash);
  }

  /** Makes a key; beyond 50 of a kind, the oldest is deleted. Returns its secret, which cannot be read again. */
  make(kind: KeyKind, name = ""): string {
    const secret = randomBytes(SECRET_BYTES).toString("base64url");
    this.#change((keys) => [...keys, this.#makeKey(kind, name, hashSecret(secret))]);
    return secret;
  }

  /** Exchanges the secret of a link for that of a session, once; null if it is no valid link. */
  enter(link: string): string | null {
    return this.#db
      .transaction(() => {
        if (!this.knows("link", link)) return null;
        const used = hashSecret(link);
        this.#change((keys) => keys.filter(({ hash }) => hash !== used));
        return this.make("session");
      })
      .immediate();
  }

  /**
   * Adds sessions that it does not know by their hashes, for 30 days from now: they were valid on this server before it
   * showed this database.
   */
  adopt(hashes: readonly string[]): void {
    this.#change((keys) => {
      const known = new Set(keys.map(({ hash }) => hash));
      const missing = hashes.filter((hash) => !known.has(hash));
      return [...keys, ...missing.map((hash) => this.#makeKey("session", "", hash))];
    });
  }

  /** Deletes all keys of a kind, or those of one name. Returns their number. */
  revoke(kind: KeyKind, name?: string): number {
    const isKept = (key: Key) => key.kind !== kind || (name !== undefined && key.name !== name);
    return this.#change((keys) => keys.filter(isKept));
  }

  #makeKey(kind: KeyKind, name: string, hash: string): Key {
    const createdAtMs = this.#now();
    const lifetimeMs = LIFETIME_MS[kind];
    const expiresAtMs = lifetimeMs === null ? null : createdAtMs + lifetimeMs;
    return { hash, kind, name, createdAtMs, expiresAtMs };
  }

  #read(): readonly Key[] {
    const nowMs = this.#now();
    const keys = this.#store.read(ROW, keysSchema)?.value ?? [];
    return keys.filter(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > nowMs);
  }

  /**
   * Stores the keys that `change` makes of the valid ones, at most the 50 newest of each kind. Returns how many fewer
   * keys `change` returned than it got, before the limit of 50; negative if it added some.
   */
  #change(change: (keys: readonly Key[]) => readonly Key[]): number {
    return this.#db
      .transaction(() => {
        const before = this.#read();
        const keys = change(before);
        const isNewest = (key: Key, at: number) =>
          keys.slice(at).filter(({ kind }) => kind === key.kind).length <= KEYS_MAX;
        this.#store.write(ROW, keys.filter(isNewest));
        return before.length - keys.length;
      })
      .immediate();
  }
}

function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** The sender of a request. */
export type Visitor =
  | { readonly kind: "person"; readonly session: string; readonly csrf: string }
  | { readonly kind: "program" }
  | { readonly kind: "overlay" }
  | { readonly kind: "stranger" };

export interface HttpRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly url: URL;
}

export const SESSION_COOKIE = "forgetmenot_session";
const COOKIE = new RegExp(`(?:^|;)\\s*${SESSION_COOKIE}=([^;\\s]*)`);
const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * True if a request was sent to a name of this machine. Another site's name may point here, and its pages could then
 * read ours.
 */
export function isOwnHost(host: string | undefined): boolean {
  return LOOPBACK.has((host ?? "").toLowerCase().replace(/:\d+$/, ""));
}

export function isSafe(method: string): boolean {
  return method === "GET";
}

/** True if a browser says that another site's page made the request. False if that page only has a link to here. */
export function isForeign({ headers, method }: HttpRequest): boolean {
  const { origin, "sec-fetch-site": from } = headers;
  if (origin !== undefined && origin !== `http://${headers.host ?? ""}`) return true;
  return !isSafe(method) && (from === "cross-site" || from === "same-site");
}

/**
 * Identifies the sender by token, cookie, or under `/overlay` its key; a stranger if none is valid. With a wrong token,
 * the others do not count.
 */
export function findVisitor({ headers, url }: HttpRequest, access: PageAccess): Visitor {
  const bearer = /^Bearer ([\w-]{16,128})$/.exec(headers.authorization ?? "")?.[1];
  if (bearer !== undefined) return { kind: access.knows("token", bearer) ? "program" : "stranger" };
  const session = COOKIE.exec(headers.cookie ?? "")?.[1];
  if (session !== undefined && access.knows("session", session)) {
    const csrf = createHmac("sha256", session).update("csrf").digest("base64url");
    return { kind: "person", session, csrf };
  }
  const key = url.searchParams.get("key");
  const isOverlay = /^\/overlay(\/|$)/.test(url.pathname);
  const isKnown = isOverlay && key !== null && access.knows("overlay", key);
  return { kind: isKnown ? "overlay" : "stranger" };
}

/**
 * True if the visitor may change something with this request. A browser sends its cookie with any form. So it must also
 * name the origin of the form and repeat the session's own token (`given`). Only the program itself sends a program's
 * token.
 */
export function mayChange(
  visitor: Visitor,
  { headers }: HttpRequest,
  given: string | string[] | null,
): boolean {
  if (visitor.kind === "program") return true;
  if (visitor.kind !== "person" || headers.origin === undefined) return false;
  if (typeof given !== "string") return false;
  const [own, other] = [Buffer.from(visitor.csrf), Buffer.from(given)];
  return own.length === other.length && timingSafeEqual(own, other);
}

/** Returns the body of every error. */
export function makeErrorBody(code: string, message: string, fix: string | null = null) {
  return { error: { code, message, mend: fix } };
}
