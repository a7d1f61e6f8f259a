import { accountStore, accountWriter } from "../chat/viewer-store.ts";
import type { KeyedHash } from "../language/people.ts";
import { peopleIn } from "../language/people.ts";
import { formsIn } from "../language/topic.ts";
import type { ExportContent } from "../memory/export-store.ts";
import { NOTE_FACTS, NOTE_SUBJECTS, NOTES_TOLD } from "../memory/note-lists-store.ts";
import type { Db } from "../platform/database/open-database.ts";

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

const SUBJECTS = `${NOTE_SUBJECTS}
  UNION SELECT subject_id FROM episode_claims WHERE subject_id IS NOT NULL`;
const TOLD = `${NOTES_TOLD}
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
  const dropNote = DROP_NOTE.map((sql) => db.prepare<[{ a: number; nowMs: number }]>(sql));
  db.transaction(() => {
    for (const { kind, id, n } of gone) {
      if (kind === "claim") withdraw.run(nowMs, id, n);
      else for (const step of dropNote) step.run({ a: id, nowMs });
    }
  })();
  return gone.length;
}

const DROP_NOTE: readonly string[] = [
  // What it rests on goes with it, unless another note rests on it too.
  `UPDATE episode_claims SET statement = '', withdrawn_at = coalesce(withdrawn_at, @nowMs)
   WHERE (episode_id, n) IN (SELECT episode_id, claim_n FROM note_evidence v WHERE v.note_id = @a
     AND NOT EXISTS (SELECT 1 FROM note_evidence o WHERE o.episode_id = v.episode_id
       AND o.claim_n IS v.claim_n AND o.note_id <> v.note_id))`,
  ...NOTE_FACTS.drop,
];

/** What was wished for by people whom nobody can tell from it. */
export interface Tombstones {
  readonly forgets: readonly { readonly who: string; readonly atMs: number }[];
  readonly suppressions: readonly {
    readonly who: string;
    /** null: everything. */
    readonly topic: string | null;
    readonly atMs: number;
  }[];
}

export interface TombstoneStore {
  read(): Tombstones;
  /** Whose forgetting this database does not know of yet, or only of an earlier one. */
  unknown(given: Tombstones): ReadonlySet<string>;
  /** Adds what is not known yet, and opts out whoever is opted out by it. One transaction. */
  absorb(given: Tombstones, hash: KeyedHash): void;
}

export function tombstoneStore(db: Db): TombstoneStore {
  const forgets = db.prepare<[], Tombstones["forgets"][number]>(
    "SELECT who, forgotten_at AS atMs FROM forgets ORDER BY who",
  );
  const suppressions = db.prepare<[], Tombstones["suppressions"][number]>(
    "SELECT who, topic, created_at AS atMs FROM suppressions ORDER BY who, topic",
  );
  const forget = db.prepare<[string, number]>(
    `INSERT INTO forgets (who, forgotten_at) VALUES (?, ?)
     ON CONFLICT (who) DO UPDATE SET forgotten_at = max(forgotten_at, excluded.forgotten_at)`,
  );
  const suppress = db.prepare<[string, string | null, number]>(
    "INSERT INTO suppressions (who, topic, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const accounts = accountStore(db);
  const { setOptedOut } = accountWriter(db);
  return {
    read: () => ({ forgets: forgets.all(), suppressions: suppressions.all() }),
    unknown: (given) => {
      const known = new Map(forgets.all().map(({ who, atMs }) => [who, atMs]));
      const news = given.forgets.filter(
        ({ who, atMs }) => atMs > (known.get(who) ?? Number.NEGATIVE_INFINITY),
      );
      return new Set(news.map(({ who }) => who));
    },
    absorb: db.transaction((given: Tombstones, hash: KeyedHash) => {
      for (const { who, atMs } of given.forgets) forget.run(who, atMs);
      for (const { who, topic, atMs } of given.suppressions) suppress.run(who, topic, atMs);
      const out = optedOut(given);
      for (const { userId } of out.size === 0 ? [] : accounts.everybody())
        if (out.has(hash.person(userId))) setOptedOut(userId, true);
    }).immediate,
  };
}

/** Hashes of those of whom nothing may be kept. */
function optedOut({ suppressions }: Tombstones): ReadonlySet<string> {
  return new Set(suppressions.filter(({ topic }) => topic === null).map(({ who }) => who));
}

/**
 * An export without those who asked to be forgotten since, or who are opted out, and without what was forgotten of
 * others; the same object where nothing of that is in it.
 */
export function withoutUnwanted(
  content: ExportContent,
  { tombstones, hash, isUnwanted }: Wishes,
): ExportContent {
  const gone = new Set([
    ...tombstones.forgets.filter(({ atMs }) => atMs >= content.exportedAtMs).map(({ who }) => who),
    ...optedOut(tombstones),
  ]);
  const stays = (userId: string): boolean => !gone.has(hash.person(userId));
  const notes = content.notes.filter(
    ({ subjectId, fact, topics }) =>
      (subjectId === null || (stays(subjectId) && !isUnwanted(subjectId, fact))) &&
      [fact, ...topics].flatMap(peopleIn).every(stays),
  );
  if (notes.length === content.notes.length && everybody(content).every(stays)) return content;
  const used = new Set(notes.flatMap(({ evidence }) => evidence.map(({ episode }) => episode)));
  return {
    ...content,
    people: content.people.filter(({ userId }) => stays(userId)),
    aliases: content.aliases.filter(({ userId, sameAs }) => stays(userId) && stays(sameAs)),
    episodes: content.episodes.filter(({ ref }) => used.has(ref)),
    notes,
  };
}

function everybody({ people, aliases, notes }: ExportContent): string[] {
  return [
    ...people.map(({ userId }) => userId),
    ...aliases.flatMap(({ userId, sameAs }) => [userId, sameAs]),
    ...notes.flatMap(({ subjectId, fact, topics }) => [
      ...(subjectId === null ? [] : [subjectId]),
      ...[fact, ...topics].flatMap(peopleIn),
    ]),
  ];
}
