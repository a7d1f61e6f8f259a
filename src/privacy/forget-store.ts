import { z } from "zod";
import { prepareLedgerForget } from "../actions/ledger-store.ts";
import { prepareEventForget, prepareOwnTextRemoval } from "../chat/event-removal-store.ts";
import { MomentStore } from "../chat/moment-store.ts";
import {
  AccountStore,
  IdentityStore,
  prepareAccountWrites,
  prepareRecentViewers,
} from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { RuntimeStore } from "../database/runtime-store.ts";
import { prepareStatements } from "../database/statements.ts";
import type { KeyedHash } from "../language/people.ts";
import { findTopicForms } from "../language/topic.ts";
import { ClaimStore } from "../memory/episode-texts-store.ts";
import { NoteStore } from "../memory/note-store.ts";
import { RemovalStore } from "../memory/removal-store.ts";
import { suppressionRows } from "../memory/suppression-store.ts";
import { prepareReplyForget } from "../reply/reply-store.ts";
import { type PrivacyRecord, readRecord, writeRecord } from "./record.ts";
import { nameRemover } from "./texts-store.ts";

/** The accounts of a forgotten viewer, and the number of removed and changed rows. */
export interface Forgotten {
  readonly userIds: readonly string[];
  readonly notes: number;
  /** Chat messages whose text or author was still stored. */
  readonly messages: number;
  readonly moments: number;
  /** Summaries that changed: they named the viewer, or were about a talk with them alone. */
  readonly summaries: number;
}

interface ForgetParts {
  readonly db: Db;
  readonly hash: KeyedHash;
  readonly now: () => number;
}

/**
 * Forgets one viewer, with all their accounts, in one transaction. Cooldowns, caps, opt-outs and suppressed topics stay
 * under a keyed hash. For an unknown viewer it only stores that the viewer is forgotten. `names`: further names to
 * remove from texts. It marks the backups and exports that may hold the viewer as stale. It does not clean the files:
 * call `cleanNow`. `saveRecord` writes the record file before the commit; if it throws, nothing is forgotten.
 */
export function forgetEverything(
  parts: ForgetParts & { readonly saveRecord: () => void },
  userId: string,
  names: readonly string[] = [],
): Forgotten {
  return parts.db
    .transaction(() => {
      const { firstSeenMs, ...forgotten } = removeViewer(parts, userId, names);
      openStaleCopies(parts.db, parts.now).markStale(firstSeenMs);
      parts.saveRecord();
      return forgotten;
    })
    .immediate();
}

/**
 * Forgets the viewers of this database whose keyed hash is in `hashes`, in one transaction. Unlike `forgetEverything`,
 * it marks no copies as stale and writes no record file: the first forget did both.
 */
function forgetHashed(parts: ForgetParts, hashes: ReadonlySet<string>): void {
  if (hashes.size === 0) return;
  parts.db
    .transaction(() => {
      for (const id of listUserIds(parts.db))
        if (hashes.has(parts.hash.person(id))) removeViewer(parts, id, []);
    })
    .immediate();
}

/**
 * Removes a viewer, with all their accounts, and stores that they are forgotten. Call it inside a transaction. Returns
 * the counts, and when each known account was first seen.
 */
function removeViewer({ db, hash, now }: ForgetParts, userId: string, names: readonly string[]) {
  const forgets = forgetRows(db);
  const before = forgets.changes();
  const identities = new IdentityStore(db, now);
  const userIds = identities.accountsOf(userId);
  const accounts = new AccountStore(db);
  const known = userIds.flatMap((id) => accounts.findById(id) ?? []);
  const forgetMessages = prepareEventForget(db, now);
  const removeOwnTexts = prepareOwnTextRemoval(db);
  const replies = prepareReplyForget(db);
  let messages = 0;
  for (const id of userIds) {
    messages += forgetMessages(id);
    removeOwnTexts(replies.answersTo(id), now());
  }
  const memory = new RemovalStore(db, now);
  // Notes that rest on today's messages go first, as for every removed message.
  memory.settle();
  const learned = userIds.map((id) => memory.forgetViewer(id));
  const forgetInLedger = prepareLedgerForget(db);
  const momentStore = new MomentStore(db);
  const people = prepareAccountWrites(db);
  let moments = 0;
  for (const id of userIds) {
    replies.anonymise(id, hash.person(id));
    forgetInLedger(id, hash.person(id));
    moments += momentStore.forget(id);
    identities.unlink(id);
    people.remove(id);
  }
  const renamed = nameRemover(db)([
    ...known.map((one) => ({ userId: one.userId, names: [one.login, one.displayName] })),
    ...userIds.map((id) => ({ userId: id, names: [] })),
    { userId, names },
  ]);
  const store = forgets.changes() === before ? forgets.add : forgets.renew;
  for (const id of userIds) store(hash.person(id), now());
  return {
    ...{ userIds, messages, moments },
    notes: learned.reduce((sum, { notes }) => sum + notes, 0),
    summaries: learned.reduce((sum, { summaries }) => sum + summaries, renamed),
    firstSeenMs: known.map(({ firstSeenAtMs }) => firstSeenAtMs),
  };
}

/** Columns with user ids: a new one is one entry here, and needs a step in `removeViewer`. */
export const ID_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  viewers: ["user_id"],
  identity_aliases: ["user_id", "same_as"],
  events: ["user_id"],
  moments: ["user_id"],
  episode_participants: ["user_id"],
  episode_claims: ["subject_id"],
  claim_carriers: ["user_id"],
  semantic_notes: ["subject_id"],
  replies: ["user_id"],
  action_log: ["requested_by", "target_id"],
};

function listUserIds(db: Db): string[] {
  const selects = Object.entries(ID_COLUMNS).flatMap(([table, columns]) =>
    columns.map((column) => `SELECT ${column} FROM ${table} WHERE ${column} IS NOT NULL`),
  );
  return prepareStatements(db).values<[], string>(selects.join(" UNION "))();
}

/** Prepares statements for the table of forgotten viewers: a row for each keyed hash. No row is ever deleted. */
function forgetRows(db: Db) {
  const sql = prepareStatements(db);
  return {
    changes: sql.value<[], number>("SELECT total_changes()"),
    all: sql.all<[], { who: string; atMs: number }>(
      "SELECT who, forgotten_at AS atMs FROM forgets ORDER BY who",
    ),
    add: sql.run<[who: string, atMs: number]>(
      "INSERT INTO forgets (who, forgotten_at) VALUES (?, ?) ON CONFLICT DO NOTHING",
    ),
    /** Moves the row to the end: `forgetLog` sees it as new. */
    renew: sql.run<[who: string, atMs: number]>(
      "INSERT OR REPLACE INTO forgets (who, forgotten_at) VALUES (?, ?)",
    ),
    /** Adds a row, or sets its time to a later one. */
    absorb: sql.run<[who: string, atMs: number]>(
      `INSERT INTO forgets (who, forgotten_at) VALUES (?, ?)
       ON CONFLICT (who) DO UPDATE SET forgotten_at = max(forgotten_at, excluded.forgotten_at)
         WHERE excluded.forgotten_at > forgotten_at`,
    ),
    newestId: sql.value<[], number>("SELECT max(rowid) FROM forgets"),
    after: sql.all<[id: number], { id: number; who: string }>(
      "SELECT rowid AS id, who FROM forgets WHERE rowid > ? ORDER BY rowid",
    ),
  };
}

/** The runtime value that says since when (epoch ms) backups and exports may hold a forgotten viewer. */
const STALE_COPIES = "stale_copies";
/** The runtime value that is true if copies of any age may hold a viewer who was first seen later. */
const DOUBTFUL_COPIES = "doubtful_copies";

/** Opens the stored time since when backups and exports may hold a forgotten viewer. */
export function openStaleCopies(db: Db, now: () => number) {
  const runtime = new RuntimeStore(db, now);
  const shape = z.strictObject({ sinceMs: z.int(), forgets: z.int() }).nullable();
  const read = () => runtime.read(STALE_COPIES, shape)?.value ?? null;
  const isAnyDoubtful = () => runtime.read(DOUBTFUL_COPIES, z.boolean())?.value === true;
  return {
    /** Since when copies may hold a forgotten viewer, and how many forgets that covers; null if no copy is stale. */
    read,
    /**
     * Stores a forget. `firstSeenMs`: when each known account was first seen. Does nothing if none is known, since no copy
     * has it; but if copies are doubtful, all are stale.
     */
    markStale: (firstSeenMs: readonly number[]): void => {
      const sinceMs = isAnyDoubtful() ? [0] : firstSeenMs;
      if (sinceMs.length === 0) return;
      const before = read();
      runtime.write(STALE_COPIES, {
        sinceMs: Math.min(before?.sinceMs ?? now(), ...sinceMs),
        forgets: (before?.forgets ?? 0) + 1,
      });
    },
    /** Stores that copies of any age may hold any viewer, after an import or a restore, until all are replaced. */
    markDoubtful: (): void => runtime.write(DOUBTFUL_COPIES, true),
    /**
     * Stores that the copies which `seen` covers were replaced. `seen`: what `read` returned before. Does nothing if a
     * forget came after that.
     */
    settle: (seen: { readonly sinceMs: number; readonly forgets: number }): void => {
      if (read()?.forgets !== seen.forgets) return;
      runtime.write(STALE_COPIES, null);
      if (seen.sinceMs === 0) runtime.write(DOUBTFUL_COPIES, false);
    },
  };
}

/** Opens a reader of the forgets that are stored after this call, also by other processes. */
export function forgetLog(db: Db) {
  const rows = forgetRows(db);
  let readTo = rows.newestId() ?? 0;
  /** Rows of this process after `readTo`. */
  const own = new Set<number>();
  return {
    /** Returns the hashes of viewers who were forgotten since the last call, without those of `markOwn`. */
    reread: (): ReadonlySet<string> => {
      const news = rows.after(readTo);
      const others = news.filter(({ id }) => !own.has(id));
      readTo = news.at(-1)?.id ?? readTo;
      own.clear();
      return new Set(others.map(({ who }) => who));
    },
    /** Notes that this process forgot the viewers with these hashes: the next `reread` leaves them out. */
    markOwn: (hashes: readonly string[]): void => {
      for (const { id, who } of rows.after(readTo)) if (hashes.includes(who)) own.add(id);
    },
    /** Returns the ids of viewers who were seen in any channel since a time. */
    seenSince: prepareRecentViewers(db),
  };
}

/** Reads the privacy record from the database, not from the record file. */
export function readRecordRows(db: Db): PrivacyRecord {
  return { forgets: forgetRows(db).all(), suppressions: suppressionRows(db).all() };
}

/**
 * Returns a function that writes the privacy record of the database to the record file. Call that inside the
 * transaction that changes a request: the file is then synced before the commit. Throws a Fault if it cannot.
 */
export function recordSaver(db: Db, dataDir: string): () => void {
  return () => writeRecord(dataDir, readRecordRows(db));
}

/**
 * Applies a record's forgets, forgotten topics and opt-outs to a database, which may lack them. Returns the number of
 * forgets that are missing in the database, or older there. Uses several transactions; writes no record file.
 */
export function applyRecord(db: Db, record: PrivacyRecord, hash: KeyedHash, nowMs: number): number {
  if (record.forgets.length + record.suppressions.length === 0) return 0;
  const forgets = forgetRows(db);
  const suppressions = suppressionRows(db);
  const { setOptedOut } = prepareAccountWrites(db);
  const known = new Map(forgets.all().map(({ who, atMs }) => [who, atMs]));
  const news = record.forgets.filter(
    ({ who, atMs }) => atMs > (known.get(who) ?? Number.NEGATIVE_INFINITY),
  );
  const unknown = new Set(news.map(({ who }) => who));
  forgetHashed({ db, hash, now: () => nowMs }, unknown);
  dropForgottenTopics(db, record, hash, nowMs);
  db.transaction(() => {
    for (const { who, atMs } of record.forgets) forgets.absorb(who, atMs);
    for (const { who, topic, atMs } of record.suppressions) suppressions.add(who, topic, atMs);
    const optOuts = record.suppressions.filter(({ topic }) => topic === null);
    const out = new Set(optOuts.map(({ who }) => who));
    for (const { userId } of out.size === 0 ? [] : new AccountStore(db).everybody())
      if (out.has(hash.person(userId))) setOptedOut(userId, true);
  }).immediate();
  return unknown.size;
}

/**
 * Applies the record file to the database. Then writes the file again if the database has requests that it lacks.
 * Throws a Fault if the file is broken or cannot be written.
 */
export function mergeRecord(db: Db, dataDir: string, hash: KeyedHash, nowMs: number): void {
  const inFile = readRecord(dataDir);
  applyRecord(db, inFile, hash, nowMs);
  const merged = readRecordRows(db);
  if (JSON.stringify(merged) !== JSON.stringify(inFile)) writeRecord(dataDir, merged);
}

/** Removes notes and claims about viewers on topics that the record says they asked to forget. One transaction. */
function dropForgottenTopics(
  db: Db,
  { suppressions }: PrivacyRecord,
  hash: KeyedHash,
  nowMs: number,
): void {
  const topics = new Map<string, Set<string>>();
  for (const { who, topic } of suppressions) {
    if (topic !== null) topics.set(who, (topics.get(who) ?? new Set()).add(topic));
  }
  if (topics.size === 0) return;
  const notes = new NoteStore(db, () => nowMs);
  const claims = new ClaimStore(db, () => nowMs);
  const removeAbout = (userId: string, isForgotten: (text: string) => boolean): void => {
    for (const { id, fact } of notes.textsAbout(userId))
      if (isForgotten(fact)) notes.removeWithClaims(id);
    for (const { episodeId, n, statement } of claims.aboutViewer(userId))
      if (isForgotten(statement)) claims.withdraw(episodeId, n);
  };
  db.transaction(() => {
    for (const userId of listUserIds(db)) {
      const own = topics.get(hash.person(userId));
      if (own === undefined) continue;
      const isOwn = (form: string): boolean => own.has(hash.topic(userId, form));
      removeAbout(userId, (text) => findTopicForms(text).some(isOwn));
    }
  })();
}
