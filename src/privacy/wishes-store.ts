import type { KeyedHash } from "../language/keyed-hash.ts";
import { formsIn } from "../language/topic.ts";
import type { Db } from "../platform/database/open-database.ts";
import { type Tombstones, tombstoneStore } from "./tombstone-store.ts";

/** What people asked for that has to reach every copy of the database. */
export interface Wishes {
  readonly tombstones: Tombstones;
  readonly hash: KeyedHash;
  /** Whether a person had this forgotten: it is of a topic of theirs, and the present database does not know it any more. */
  readonly isUnwanted: (userId: string, text: string) => boolean;
}

/** As a database has them, or with tombstones that others have too. The database may be closed afterwards. */
export function wishesIn(db: Db, hash: KeyedHash, tombstones = tombstoneStore(db).read()): Wishes {
  const topics = topicsOf(tombstones);
  const known = new Set(toldIn(db, topics, hash).map(({ userId, text }) => keyOf(userId, text)));
  return { tombstones, hash, isUnwanted: unwanted(topics, hash, known) };
}

/** Where there is no database to ask: whatever is of such a topic goes. */
export function wishesOf(tombstones: Tombstones, hash: KeyedHash): Wishes {
  return { tombstones, hash, isUnwanted: unwanted(topicsOf(tombstones), hash, new Set()) };
}

/** Hashes of topics, by those of people. */
type Topics = ReadonlyMap<string, ReadonlySet<string>>;

function topicsOf({ suppressions }: Tombstones): Topics {
  const topics = new Map<string, Set<string>>();
  for (const { who, topic } of suppressions) {
    if (topic !== null) topics.set(who, (topics.get(who) ?? new Set()).add(topic));
  }
  return topics;
}

function unwanted(topics: Topics, hash: KeyedHash, known: ReadonlySet<string>) {
  return (userId: string, text: string): boolean => {
    const own = topics.size === 0 ? undefined : topics.get(hash.person(userId));
    if (own === undefined || known.has(keyOf(userId, text))) return false;
    return formsIn(text).some((form) => own.has(hash.topic(userId, form)));
  };
}

function keyOf(userId: string, text: string): string {
  return `${userId} ${text}`;
}

interface Told {
  readonly kind: "note" | "claim";
  /** Of the note, or of the claim's episode. */
  readonly id: number;
  readonly n: number;
  readonly userId: string;
  readonly text: string;
}

/** What a database knows about those who had a topic forgotten: few of all. */
function toldIn(db: Db, topics: Topics, hash: KeyedHash): Told[] {
  if (topics.size === 0) return [];
  const subjects = db.prepare<[], string>(SUBJECTS).pluck().all();
  const told = db.prepare<[{ userId: string }], Told>(TOLD);
  return subjects
    .filter((userId) => topics.has(hash.person(userId)))
    .flatMap((userId) => told.all({ userId }));
}

const SUBJECTS = `SELECT subject_id FROM semantic_notes WHERE subject_id IS NOT NULL
  UNION SELECT subject_id FROM episode_claims WHERE subject_id IS NOT NULL`;
const TOLD = `SELECT 'note' AS kind, id, 0 AS n, subject_id AS userId, fact AS text FROM semantic_notes
    WHERE subject_id = @userId
  UNION ALL
  SELECT 'claim', episode_id, n, subject_id, statement FROM episode_claims
    WHERE subject_id = @userId AND statement <> ''`;

/** Takes out of a copy of the database what is not wanted in it any more. Says how much that was. One transaction. */
export function dropUnwanted(
  db: Db,
  { tombstones, hash, isUnwanted }: Wishes,
  nowMs: number,
): number {
  const told = toldIn(db, topicsOf(tombstones), hash);
  const gone = told.filter(({ userId, text }) => isUnwanted(userId, text));
  const withdraw = db.prepare<[number, number, number]>(
    `UPDATE episode_claims SET statement = '', withdrawn_at = coalesce(withdrawn_at, ?)
     WHERE episode_id = ? AND n = ?`,
  );
  const dropNote = DROP_NOTE.map((sql) => db.prepare<[{ id: number; nowMs: number }]>(sql));
  db.transaction(() => {
    for (const { kind, id, n } of gone) {
      if (kind === "claim") withdraw.run(nowMs, id, n);
      else for (const step of dropNote) step.run({ id, nowMs });
    }
  })();
  return gone.length;
}

const DROP_NOTE: readonly string[] = [
  "UPDATE semantic_notes SET superseded_by = NULL WHERE superseded_by = @id",
  // What it rests on goes with it, unless another note rests on it too.
  `UPDATE episode_claims SET statement = '', withdrawn_at = coalesce(withdrawn_at, @nowMs)
   WHERE (episode_id, n) IN (SELECT episode_id, claim_n FROM note_evidence v WHERE v.note_id = @id
     AND NOT EXISTS (SELECT 1 FROM note_evidence o WHERE o.episode_id = v.episode_id
       AND o.claim_n IS v.claim_n AND o.note_id <> v.note_id))`,
  "UPDATE note_candidates SET fact = NULL WHERE note_id = @id",
  "DELETE FROM semantic_notes WHERE id = @id",
];
