import { fillNames } from "../language/people.ts";
import { normalWords } from "../language/words.ts";
import { IN_FORCE, NOTES_AND_NAMES, newestNote, STATUS_NOW } from "../memory/note-lists-store.ts";
import type { ListPage } from "./browse-store.ts";
import type { PageData } from "./route.ts";

/** A note in a list: names put in. */
export interface NoteRow {
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
  readonly words: string;
  /** Only notes with a smaller number: where the last page ended. */
  readonly before: number | null;
  readonly limit: number;
}

/** A search reads on for so long and then says where it stopped. No index holds words of notes. */
const SEARCH_MS_MAX = 60;
const LOOK_AT_CLOCK_EVERY = 256;
/** Shorter words are part of too many names. */
const NAME_CHARS_MIN = 3;

interface At {
  readonly nowMs: number;
}

interface StoredNote extends Omit<NoteRow, "pinned"> {
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
  const shown = ({ words: _, ...row }: StoredNote): NoteRow => ({
    ...row,
    about: row.subjectId === null ? null : (row.about ?? "someone"),
    pinned: row.pinned === 1,
    fact: fillNames(row.fact, nameOf),
    topics: fillNames(row.topics, nameOf),
  });
  return {
    /** Newest first. Stops early where a search takes long; `next` goes on. */
    notes: (asked: NotesAsked): ListPage<NoteRow> => {
      const { sql, values } = noteQuery(asked, nowMs);
      const holds = asked.words.trim() === "" ? () => true : wordSearch(asked.words);
      const until = performance.now() + SEARCH_MS_MAX;
      const items: NoteRow[] = [];
      let seen = 0;
      for (const row of db.prepare<[typeof values], StoredNote>(sql).iterate(values)) {
        if (holds(row)) items.push(shown(row));
        seen += 1;
        const isLate = seen % LOOK_AT_CLOCK_EVERY === 0 && performance.now() > until;
        if (items.length >= asked.limit || isLate) return { items, next: String(row.id) };
      }
      return { items, next: null };
    },
    /** Notes by their numbers, in that order; those that are gone are left out. */
    notesOf: (ids: readonly number[]): NoteRow[] => {
      const one = db.prepare<[At, number], StoredNote>(`SELECT ${NOTE} WHERE n.id = ?`);
      const at = { nowMs };
      return ids.flatMap((id) => {
        const row = one.get(at, id);
        return row === undefined ? [] : [shown(row)];
      });
    },
    /** What waits for the streamer, oldest first. */
    waiting: (limit: number): NoteRow[] =>
      db
        .prepare<[At, number], StoredNote>(
          `SELECT ${NOTE} WHERE n.status IN ('shadow', 'pending') AND ${STATUS_NOW} <> 'expired'
           ORDER BY n.last_confirmed_at, n.id LIMIT ?`,
        )
        .all({ nowMs }, limit)
        .map(shown),
    /** Active notes that came since, newest first. */
    newSince: (id: number, sinceMs: number, limit: number): NoteRow[] =>
      db
        .prepare<[At, number, number, number], StoredNote>(
          `SELECT ${NOTE} WHERE n.id > ? AND ${IN_FORCE} AND n.created_at >= ?
           ORDER BY n.id DESC LIMIT ?`,
        )
        .all({ nowMs }, id, sinceMs, limit)
        .map(shown),
    newestNoteId: newestNote(db),
    notesOfEpisode: (episodeId: number): NoteRow[] =>
      db
        .prepare<[At, number], StoredNote>(
          `SELECT ${NOTE} WHERE n.id IN (SELECT note_id FROM note_evidence WHERE episode_id = ?) ORDER BY n.id`,
        )
        .all({ nowMs }, episodeId)
        .map(shown),
  };
}

/** Written out by what is asked, so that the planner sees which index serves. */
function noteQuery({ words, limit, ...asked }: NotesAsked, nowMs: number) {
  const { scope, status } = asked;
  const wanted = Object.entries(TERMS).flatMap(([name, term]) => {
    const value = asked[name as keyof typeof TERMS];
    return value === null || (name === "status" && value === "all") ? [] : [{ name, term, value }];
  });
  const terms = [
    ...wanted.map(({ term }) => term),
    // Says so, for the index over channel, scope and subject.
    ...(scope === "channel" || scope === "bit" ? ["n.subject_id IS NULL"] : []),
    ...(status === null ? [`n.status IN ${COUNTS}`, `${STATUS_NOW} <> 'expired'`] : []),
  ];
  const where = terms.length === 0 ? "" : `WHERE ${terms.join(" AND ")}`;
  const values: Record<string, string | number> = {
    nowMs,
    limit: words.trim() === "" ? limit : -1,
  };
  for (const { name, value } of wanted) if (value !== null) values[name] = value;
  return { sql: `SELECT ${NOTE} ${where} ORDER BY n.id DESC LIMIT @limit`, values };
}

const TERMS = {
  scope: "n.scope = @scope",
  kind: "n.kind = @kind",
  subjects: "n.subject_id IN (SELECT value FROM json_each(@subjects))",
  channel: "n.channel = @channel",
  before: "n.id < @before",
  status: `n.status = @status AND ${STATUS_NOW} = n.status`,
} as const;

/** By stems, as notes are stored; the number of a note, and part of the person's name will do. */
function wordSearch(words: string): (row: StoredNote) => boolean {
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
