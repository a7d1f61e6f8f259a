import { createHash, createHmac, randomBytes } from "node:crypto";
import { z } from "zod";
import type { Db } from "../platform/database/open-database.ts";
import { runtimeStore } from "../platform/database/runtime-store.ts";

/**
 * What opens the page: a link that works once, the session of a browser that came by one, a token for programs, and the
 * link of the overlay, which shows the overlay and nothing else.
 */
type KeyKind = "link" | "session" | "token" | "overlay";

interface KeyRow {
  /** Of the secret, which is not kept. */
  readonly hash: string;
  readonly kind: KeyKind;
  /** What a person calls a token; "" for the others. */
  readonly name: string;
  readonly createdAtMs: number;
  /** null: until it is revoked. */
  readonly expiresAtMs: number | null;
}

export interface Access {
  /** Makes a key; gives its secret, which cannot be read again. */
  make(kind: KeyKind, name?: string): string;
  /** The key that a secret is of; null where it is none of that kind, or has run out. */
  find(kind: KeyKind, secret: string): KeyRow | null;
  /** Turns the secret of a link into that of a session, once; null where it is none, was used or has run out. */
  enter(link: string): string | null;
  list(kind: KeyKind): readonly KeyRow[];
  /** Takes away all keys of a kind, or those of one name; says how many. */
  revoke(kind: KeyKind, name?: string): number;
}

const HOUR_MS = 3_600_000;
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

const rowsSchema = z.array(
  z.strictObject({
    hash: z.string(),
    kind: z.enum(["link", "session", "token", "overlay"]),
    name: z.string(),
    createdAtMs: z.int(),
    expiresAtMs: z.int().nullable(),
  }),
);

/** Who may open the page. Kept in the database, so that a command beside the daemon can make a link that it knows. */
export function pageAccess(db: Db, now: () => number): Access {
  const kept = runtimeStore(db, now);
  const read = (): KeyRow[] => {
    const nowMs = now();
    const rows = kept.read(ROW, rowsSchema)?.value ?? [];
    return rows.filter(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > nowMs);
  };
  const add = (kind: KeyKind, name: string): string => {
    const secret = randomBytes(SECRET_BYTES).toString("base64url");
    const lifetimeMs = LIFETIME_MS[kind];
    const row: KeyRow = {
      hash: hashOf(secret),
      kind,
      name,
      createdAtMs: now(),
      expiresAtMs: lifetimeMs === null ? null : now() + lifetimeMs,
    };
    const rows = [...read(), row];
    const tooMany = new Set(rows.filter((one) => one.kind === kind).slice(0, -KEYS_MAX));
    kept.write(
      ROW,
      rows.filter((one) => !tooMany.has(one)),
    );
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
  return {
    find,
    list: (kind) => read().filter((row) => row.kind === kind),
    make: (kind, name = "") => db.transaction(() => add(kind, name)).immediate(),
    enter: (link) =>
      db
        .transaction(() => {
          const row = find("link", link);
          if (row === null) return null;
          drop(({ hash }) => hash === row.hash);
          return add("session", "");
        })
        .immediate(),
    revoke: (kind, name) =>
      db
        .transaction(() =>
          drop((row) => row.kind === kind && (name === undefined || row.name === name)),
        )
        .immediate(),
  };
}

/** Proves that a form came from a page that this very session was shown. */
export function csrfToken(session: string): string {
  return createHmac("sha256", session).update("csrf").digest("base64url");
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
