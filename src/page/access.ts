import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import type { Db } from "../database/open-database.ts";
import { RuntimeStore } from "../database/runtime-store.ts";

const HOUR_MS = 3_600_000;
/** The lifetime of each kind of key, ms; null until it is revoked. */
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

  /** Returns the keys of a kind that have not expired. */
  list(kind: KeyKind): Key[] {
    return this.#read().filter((key) => key.kind === kind);
  }

  /** True if a key of this kind has this secret, and has not expired. */
  knows(kind: KeyKind, secret: string): boolean {
    const hash = hashSecret(secret);
    return this.list(kind).some((key) => key.hash === hash);
  }

  /** Makes a key. Returns its secret, which cannot be read again. */
  make(kind: KeyKind, name = ""): string {
    const secret = randomBytes(SECRET_BYTES).toString("base64url");
    this.#change((keys) => [...keys, this.#makeKey(kind, name, hashSecret(secret))]);
    return secret;
  }

  /** Uses up a link, and returns the secret of a new session. Returns null if the link is used, expired or unknown. */
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

  /** Adds the sessions that another database listed, by their hashes. Each lasts 30 days from now. */
  adopt(hashes: readonly string[]): void {
    this.#change((keys) => [
      ...keys.filter(({ hash }) => !hashes.includes(hash)),
      ...hashes.map((hash) => this.#makeKey("session", "", hash)),
    ]);
  }

  /** Deletes the keys of a kind: all, or those with `name` if it is given. Returns their number. */
  revoke(kind: KeyKind, name?: string): number {
    const hasName = (key: Key) => name === undefined || key.name === name;
    let count = 0;
    this.#change((keys) => {
      const kept = keys.filter((key) => key.kind !== kind || !hasName(key));
      count = keys.length - kept.length;
      return kept;
    });
    return count;
  }

  #makeKey(kind: KeyKind, name: string, hash: string): Key {
    const createdAtMs = this.#now();
    const lifetimeMs = LIFETIME_MS[kind];
    const expiresAtMs = lifetimeMs === null ? null : createdAtMs + lifetimeMs;
    return { hash, kind, name, createdAtMs, expiresAtMs };
  }

  /** Returns the keys that have not expired. */
  #read(): Key[] {
    const nowMs = this.#now();
    const keys = this.#store.read(ROW, keysSchema)?.value ?? [];
    return keys.filter(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > nowMs);
  }

  /** Replaces all keys with the result of `change`, which gets the valid ones. Expired keys are deleted. */
  #change(change: (keys: Key[]) => Key[]): void {
    this.#db.transaction(() => this.#store.write(ROW, change(this.#read()))).immediate();
  }
}

function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** A browser, by its session. Each of its forms repeats `csrf`. */
export interface PageSession {
  readonly kind: "person";
  readonly session: string;
  readonly csrf: string;
}

/** The sender of a request. */
export type Visitor =
  | PageSession
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
 * True if a `Host` header names this machine; false without one. Another site's name may point here, and its pages
 * could then read ours.
 */
export function isOwnHost(host: string | undefined): boolean {
  return LOOPBACK.has((host ?? "").toLowerCase().replace(/:\d+$/, ""));
}

/** True if a browser says that another site's page made the request. A GET by a link from there is not foreign. */
export function isForeign({ headers, method }: HttpRequest): boolean {
  const { origin, "sec-fetch-site": from } = headers;
  if (origin !== undefined && origin !== `http://${headers.host ?? ""}`) return true;
  return method !== "GET" && (from === "cross-site" || from === "same-site");
}

/**
 * Identifies the sender by its token. If it sent none, by its cookie; if that is not valid, under `/overlay`, by its
 * key. A sender with a wrong token is a stranger, whatever else it sent.
 */
export function findVisitor({ headers, url }: HttpRequest, access: PageAccess): Visitor {
  const [, token] = /^Bearer (.+)$/.exec(headers.authorization ?? "") ?? [];
  if (token !== undefined) return { kind: access.knows("token", token) ? "program" : "stranger" };
  const [, session] = COOKIE.exec(headers.cookie ?? "") ?? [];
  if (session !== undefined && access.knows("session", session)) {
    const csrf = createHmac("sha256", session).update("csrf").digest("base64url");
    return { kind: "person", session, csrf };
  }
  const isOverlay = /^\/overlay(\/|$)/.test(url.pathname);
  const key = url.searchParams.get("key") ?? "";
  return { kind: isOverlay && access.knows("overlay", key) ? "overlay" : "stranger" };
}

/**
 * True for a program, and for a browser that names its origin and whose form has the `csrf` token of its session. Its
 * cookie is not enough: a browser sends that with any form. Check `isForeign` first.
 */
export function mayChange(visitor: Visitor, { headers }: HttpRequest, sentCsrf: string): boolean {
  if (visitor.kind === "program") return true;
  if (visitor.kind !== "person" || headers.origin === undefined) return false;
  const [own, other] = [Buffer.from(visitor.csrf), Buffer.from(sentCsrf)];
  return own.length === other.length && timingSafeEqual(own, other);
}

/** Returns the body of every error. `fix` becomes its `mend`. */
export function makeErrorBody(code: string, message: string, fix: string | null = null) {
  return { error: { code, message, mend: fix } };
}
