import { fillNames } from "../language/people.ts";
import {
  IN_FORCE,
  NOTE_CHANNELS,
  NOTES_AND_NAMES,
  newestNote,
  STATUS_NOW,
} from "../memory/note-lists-store.ts";
import type { Db } from "../platform/database/open-database.ts";
import type { ListPage } from "./browse-store.ts";
import type { PageData } from "./route.ts";

/** A note in a list: names put in. */
export interface ListedNote {
  readonly id: number;
  readonly channel: string;
  readonly scope: string;
  /** Display name, and the user id; null for the channel. */
  readonly about: string | null;
  readonly subjectId: string | null;
  readonly kind: string;
  readonly fact: string;
  readonly topics: string;
  readonly confidence: number;
  readonly status: string;
  readonly pinned: boolean;
  readonly source: string;
  readonly createdAtMs: number;
  readonly lastConfirmedAtMs: number;
  readonly useCount: number;
  readonly expiresAtMs: number | null;
  readonly supersededBy: number | null;
  /** How many episodes it rests on. */
  readonly evidence: number;
}

interface NotesAsked {
  readonly scope: string | null;
  /** `null`: active, shadow and pending; `all`: every one. */
  readonly status: string | null;
  readonly kind: string | null;
  /** User ids, as a JSON list. */
  readonly subjects: string | null;
  readonly channel: string | null;
  /** Only notes with a smaller number: where the last page ended. */
  readonly before: number | null;
  readonly limit: number;
}

/** A search reads on for so long and then says where it stopped. No index holds words of notes, nor every filter. */
const SEARCH_MS_MAX = 60;
/** Numbers of notes that SQLite looks through, some milliseconds long, between two looks at the clock. */
const SLICE = 25_000;
const LOOK_AT_CLOCK_EVERY = 256;
/** Shorter words are part of too many names. */
const NAME_CHARS_MIN = 3;

interface At {
  readonly nowMs: number;
}

interface StoredNote extends Omit<ListedNote, "pinned"> {
  readonly words: string;
  readonly pinned: number;
}

const NOTE = `n.id, n.channel, n.scope, v.display_name AS about, n.subject_id AS subjectId, n.kind, n.fact, n.topics,
  n.words, n.confidence, ${STATUS_NOW} AS status, n.pinned, n.source_kind AS source, n.created_at AS createdAtMs,
  n.last_confirmed_at AS lastConfirmedAtMs, n.use_count AS useCount, n.expires_at AS expiresAtMs,
  n.superseded_by AS supersededBy, (SELECT count(*) FROM note_evidence e WHERE e.note_id = n.id) AS evidence
  FROM ${NOTES_AND_NAMES}`;
const COUNTS = "('active', 'shadow', 'pending')";

/** Notes as the page lists them. */
export function notesIn({
  db,
  nowMs,
  browse: { nameOf },
}: Pick<PageData, "db" | "nowMs" | "browse">) {
  const shown = ({ words: _, ...row }: StoredNote): ListedNote => ({
    ...row,
    about: row.subjectId === null ? null : (row.about ?? "someone"),
    pinned: row.pinned === 1,
    fact: fillNames(row.fact, nameOf),
    topics: fillNames(row.topics, nameOf),
  });
  return {
    /** Newest first. Stops early where a search takes long; `next` goes on. */
    notes: (asked: NotesAsked, search: WordSearch | null = null): ListPage<ListedNote> => {
      const items: ListedNote[] = [];
      const most = { ...asked, limit: search === null ? asked.limit : -1 };
      for (const { row, reached, isLate } of lookedThrough(db, most, nowMs)) {
        if (row !== null && search?.(row) !== false) items.push(shown(row));
        if (items.length >= asked.limit || isLate) return { items, next: String(reached) };
      }
      return { items, next: null };
    },
    /** Notes by their numbers, in that order; those that are gone are left out. */
    notesOf: (ids: readonly number[]): ListedNote[] => {
      const one = db.prepare<[At, number], StoredNote>(`SELECT ${NOTE} WHERE n.id = ?`);
      const at = { nowMs };
      return ids.flatMap((id) => {
        const row = one.get(at, id);
        return row === undefined ? [] : [shown(row)];
      });
    },
    /** What waits for the streamer, oldest first. */
    waiting: (limit: number): ListedNote[] =>
      db
        .prepare<[At, number], StoredNote>(
          `SELECT ${NOTE} WHERE n.status IN ('shadow', 'pending') AND ${STATUS_NOW} <> 'expired'
           ORDER BY n.last_confirmed_at, n.id LIMIT ?`,
        )
        .all({ nowMs }, limit)
        .map(shown),
    /** Active notes that came since, newest first. */
    newSince: (id: number, sinceMs: number, limit: number): ListedNote[] => {
      const made = db.prepare<[At, string, number, number, number], StoredNote>(
        `SELECT ${NOTE} WHERE n.channel = ? AND n.created_at >= ? AND +n.id > ? AND ${IN_FORCE}
         ORDER BY n.created_at DESC, n.id DESC LIMIT ?`,
      );
      return db
        .prepare<[], string>(NOTE_CHANNELS)
        .pluck()
        .all()
        .flatMap((channel) => made.all({ nowMs }, channel, sinceMs, id, limit))
        .toSorted((one, other) => other.createdAtMs - one.createdAtMs || other.id - one.id)
        .slice(0, limit)
        .map(shown);
    },
    newestNoteId: newestNote(db),
    notesOfEpisode: (episodeId: number): ListedNote[] =>
      db
        .prepare<[At, number], StoredNote>(
          `SELECT ${NOTE} WHERE n.id IN (SELECT note_id FROM note_evidence WHERE episode_id = ?) ORDER BY n.id`,
        )
        .all({ nowMs }, episodeId)
        .map(shown),
  };
}

interface Step {
  /** null: a slice is done, and there are more. */
  readonly row: StoredNote | null;
  /** How far it got. */
  readonly reached: number;
  readonly isLate: boolean;
}

/** Notes that the database finds, newest first. */
function* lookedThrough(db: Db, asked: NotesAsked, nowMs: number): Generator<Step> {
  const { sql, values, isByNumber } = noteQuery(asked, nowMs);
  const found = db.prepare<[typeof values], StoredNote>(sql);
  const until = performance.now() + SEARCH_MS_MAX;
  let seen = 0;
  let before = Math.min(asked.before ?? Number.POSITIVE_INFINITY, newestNote(db)() + 1);
  while (before > 0) {
    const from = isByNumber ? Math.max(0, before - SLICE) : 0;
    for (const row of found.iterate({ ...values, from, before })) {
      seen += 1;
      const isLate = seen % LOOK_AT_CLOCK_EVERY === 0 && performance.now() > until;
      yield { row, reached: row.id, isLate };
    }
    before = from;
    if (before > 0) yield { row: null, reached: before, isLate: performance.now() > until };
  }
}

/** Written out by what is asked, so that the planner sees which index serves. */
function noteQuery({ limit, before: _, ...asked }: NotesAsked, nowMs: number) {
  const { scope, status, channel } = asked;
  const wanted = Object.entries(TERMS).flatMap(([name, term]) => {
    const value = asked[name as keyof typeof TERMS];
    return value === null || (name === "status" && value === "all") ? [] : [{ name, term, value }];
  });
  const isOfChannel = scope === "channel" || scope === "bit";
  // The index over channel, scope and subject serves where all three are said.
  const indexed = [
    "n.subject_id IS NULL",
    ...(channel === null ? [`n.channel IN (${NOTE_CHANNELS})`] : []),
  ];
  const terms = [
    "n.id >= @from AND n.id < @before",
    ...wanted.map(({ term }) => term),
    ...(isOfChannel ? indexed : []),
    ...(status === null ? [`n.status IN ${COUNTS}`, `${STATUS_NOW} <> 'expired'`] : []),
  ];
  const values: Record<string, string | number> = { nowMs, limit };
  for (const { name, value } of wanted) if (value !== null) values[name] = value;
  return {
    sql: `SELECT ${NOTE} WHERE ${terms.join(" AND ")} ORDER BY n.id DESC LIMIT @limit`,
    values,
    /** No index serves: notes are looked through by their numbers. */
    isByNumber: !isOfChannel && asked.subjects === null,
  };
}

const TERMS = {
  scope: "n.scope = @scope",
  kind: "n.kind = @kind",
  subjects: "n.subject_id IN (SELECT value FROM json_each(@subjects))",
  channel: "n.channel = @channel",
  status: `n.status = @status AND ${STATUS_NOW} = n.status`,
} as const;

type WordSearch = (row: Pick<StoredNote, "id" | "words" | "about">) => boolean;

/**
 * By stems, as notes are stored; the number of a note, and part of the person's name will do. The words of languages are
 * loaded for the first search: no view waits for them, or keeps them in memory.
 */
export async function wordSearch(words: string): Promise<WordSearch> {
  const { normalWords } = await import("../language/words.ts");
  const stems = normalWords(words);
  const names = words
    .toLowerCase()
    .split(/[\s@#]+/u)
    .filter((name) => name !== "");
  const isWhole = stems.length > 0;
  return (row) => {
    const known = new Set(row.words.split(" "));
    if (isWhole && stems.every((stem) => known.has(stem) || startsOne(known, stem))) return true;
    const about = row.about?.toLowerCase() ?? "";
    return names.some(
      (name) => name === String(row.id) || (name.length >= NAME_CHARS_MIN && about.includes(name)),
    );
  };
}

/** While a word is being typed. */
function startsOne(known: ReadonlySet<string>, stem: string): boolean {
  if (stem.length < NAME_CHARS_MIN) return false;
  for (const word of known) if (word.startsWith(stem)) return true;
  return false;
}
