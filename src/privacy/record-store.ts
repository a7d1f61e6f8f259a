import { accountStore, accountWriter } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import type { KeyedHash } from "../language/people.ts";
import { formsIn } from "../language/topic.ts";
import { claimWithdrawer } from "../memory/episode-store.ts";
import { NOTE_SUBJECTS, NOTES_TOLD } from "../memory/note-reads-store.ts";
import { noteStore } from "../memory/note-store.ts";
import { forgetStore } from "./forget-store.ts";
import { type PrivacyRecord, readRecord, writeRecord } from "./record.ts";

/** The privacy record as the database has it. */
export function recordStore(db: Db) {
  const forgets = db.prepare<[], PrivacyRecord["forgets"][number]>(
    "SELECT who, forgotten_at AS atMs FROM forgets ORDER BY who",
  );
  const suppressions = db.prepare<[], PrivacyRecord["suppressions"][number]>(
    "SELECT who, topic, created_at AS atMs FROM suppressions ORDER BY who, topic",
  );
  const forget = db.prepare<[string, number]>(
    `INSERT INTO forgets (who, forgotten_at) VALUES (?, ?)
     ON CONFLICT (who) DO UPDATE SET forgotten_at = max(forgotten_at, excluded.forgotten_at)
       WHERE excluded.forgotten_at > forgotten_at`,
  );
  const suppress = db.prepare<[string, string | null, number]>(
    "INSERT INTO suppressions (who, topic, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const accounts = accountStore(db);
  const { setOptedOut } = accountWriter(db);
  return {
    read: (): PrivacyRecord => ({ forgets: forgets.all(), suppressions: suppressions.all() }),
    /** Hashes of viewers who were forgotten after this database last knew of it. */
    unknown: (record: PrivacyRecord): ReadonlySet<string> => {
      const known = new Map(forgets.all().map(({ who, atMs }) => [who, atMs]));
      const news = record.forgets.filter(
        ({ who, atMs }) => atMs > (known.get(who) ?? Number.NEGATIVE_INFINITY),
      );
      return new Set(news.map(({ who }) => who));
    },
    /** Adds what this database does not have yet, and marks viewers who opted out. One transaction. */
    absorb: db.transaction((record: PrivacyRecord, hash: KeyedHash) => {
      for (const { who, atMs } of record.forgets) forget.run(who, atMs);
      for (const { who, topic, atMs } of record.suppressions) suppress.run(who, topic, atMs);
      const out = new Set(
        record.suppressions.filter(({ topic }) => topic === null).map(({ who }) => who),
      );
      for (const { userId } of out.size === 0 ? [] : accounts.everybody())
        if (out.has(hash.person(userId))) setOptedOut(userId, true);
    }).immediate,
  };
}

/**
 * Gives a function that writes the record file as the database has it now. Call it inside the transaction that changed
 * a request: the file is then synced before the commit.
 */
export function recordSaver(db: Db, dataDir: string): () => void {
  const store = recordStore(db);
  return () => writeRecord(dataDir, store.read());
}

/** Forgets in a database what a record says was forgotten since. Returns how many viewers that were. */
export function applyRecord(db: Db, record: PrivacyRecord, hash: KeyedHash, nowMs: number): number {
  if (record.forgets.length + record.suppressions.length === 0) return 0;
  const store = recordStore(db);
  const unknown = store.unknown(record);
  forgetStore(db, hash, () => nowMs).forgetHashed(unknown);
  dropForgottenTopics(db, record, hash, nowMs);
  store.absorb(record, hash);
  return unknown.size;
}

/**
 * Brings the database and the record file together at a start: a database that is new, or older than the file, learns
 * who is forgotten and opted out.
 */
export function mergeRecord(db: Db, dataDir: string, hash: KeyedHash, nowMs: number): void {
  const store = recordStore(db);
  const inFile = readRecord(dataDir);
  applyRecord(db, inFile, hash, nowMs);
  const merged = store.read();
  if (JSON.stringify(merged) !== JSON.stringify(inFile)) writeRecord(dataDir, merged);
}

const SUBJECTS = `${NOTE_SUBJECTS}
  UNION SELECT subject_id FROM episode_claims WHERE subject_id IS NOT NULL`;
const TOLD = `${NOTES_TOLD}
  UNION ALL
  SELECT 'claim', episode_id, n, subject_id, statement FROM episode_claims
    WHERE subject_id = @userId AND statement <> ''`;
/**
 * Removes notes and claims on topics that their viewers had forgotten. For a restored copy, in one transaction.
 * Returns how many went.
 */
function dropForgottenTopics(
  db: Db,
  { suppressions }: PrivacyRecord,
  hash: KeyedHash,
  nowMs: number,
): number {
  const topics = new Map<string, Set<string>>();
  for (const { who, topic } of suppressions) {
    if (topic !== null) topics.set(who, (topics.get(who) ?? new Set()).add(topic));
  }
  if (topics.size === 0) return 0;
  const told = db.prepare<
    [{ userId: string }],
    { kind: "note" | "claim"; id: number; n: number; userId: string; text: string }
  >(TOLD);
  const notes = noteStore(db, () => nowMs);
  const { withdraw } = claimWithdrawer(db, () => nowMs);
  const isForgotten = (userId: string, text: string): boolean => {
    const own = topics.get(hash.person(userId));
    return formsIn(text).some((form) => own?.has(hash.topic(userId, form)) === true);
  };
  return db.transaction(() => {
    const subjects = db.prepare<[], string>(SUBJECTS).pluck().all();
    const gone = subjects
      .filter((userId) => topics.has(hash.person(userId)))
      .flatMap((userId) => told.all({ userId }))
      .filter(({ userId, text }) => isForgotten(userId, text));
    for (const { kind, id, n } of gone) {
      if (kind === "claim") withdraw(id, n);
      else notes.removeWithClaims(id);
    }
    return gone.length;
  })();
}
