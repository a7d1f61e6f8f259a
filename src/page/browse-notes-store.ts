import { z } from "zod";
import {
  IN_FORCE,
  NOTE_CHANNELS,
  NOTES_AND_NAMES,
  newestNote,
  STATUS_NOW,
} from "../memory/note-lists-store.ts";
import { NOTE_SCOPES, NOTE_STATUSES } from "../platform/config/names.ts";
import type { Db } from "../platform/database/open-database.ts";
import { isTrue, type ListPage, named, rowShape } from "./browse-store.ts";
import { type PageData, timeMs } from "./route.ts";

/** A note in a list. */
export const NOTE = rowShape({
  id: [z.int(), "n.id"],
  channel: [z.string(), "n.channel"],
  scope: [z.enum(NOTE_SCOPES), "n.scope"],
  about: [
    z.string().nullable(),
    "iif(n.subject_id IS NULL, NULL, coalesce(v.display_name, 'someone'))",
  ],
  subjectId: [z.string().nullable(), "n.subject_id"],
  kind: [z.string(), "n.kind"],
  fact: [z.string(), "n.fact", named],
  topics: [z.string(), "n.topics", named],
  confidence: [z.number(), "n.confidence"],
  status: [z.enum(NOTE_STATUSES), STATUS_NOW],
  pinned: [z.boolean(), "n.pinned", isTrue],
  source: [z.string(), "n.source_kind"],
  createdAtMs: [timeMs, "n.created_at"],
  lastConfirmedAtMs: [timeMs, "n.last_confirmed_at"],
  useCount: [z.int(), "n.use_count"],
  expiresAtMs: [timeMs.nullable(), "n.expires_at"],
  supersededBy: [z.int().nullable(), "n.superseded_by"],
  evidence: [
    z.int().describe("How many episodes it rests on."),
    "(SELECT count(*) FROM note_evidence e WHERE e.note_id = n.id)",
  ],
});
export type ListedNote = ReturnType<typeof NOTE.read>;

/** What narrows the list; "" is no filter. */
interface NotesAsked {
  readonly scope: string;
  /** "": active, shadow and pending; `all`: every one. */
  readonly status: string;
  readonly kind: string;
  readonly subjects: string;
  readonly channel: string;
  /** Only notes with a smaller number: where the last page ended. */
  readonly after?: number | undefined;
  readonly limit: number;
}

/** A search reads on for so long and then says where it stopped. No index holds words of notes, nor every filter. */
const SEARCH_MS_MAX = 60;
/** Numbers of notes that SQLite looks through, some milliseconds long, between two looks at the clock. */
const SLICE = 25_000;
const LOOK_AT_CLOCK_EVERY = 256;
/** Shorter words are part of too many names. */
const NAME_CHARS_MIN = 3;

/** What a search looks at, and the columns of a listed note. */
interface StoredNote {
  readonly id: number;
  readonly words: string;
  readonly about: string | null;
}

const SELECT = `SELECT ${NOTE.columns}, n.words FROM ${NOTES_AND_NAMES}`;

/** Notes as the page lists them. */
export function notesIn({
  db,
  nowMs,
  browse: { nameOf },
}: Pick<PageData, "db" | "nowMs" | "browse">) {
  const shown = (row: StoredNote): ListedNote => NOTE.read(row, nameOf);
  const notesBy = (rest: string, values: object): ListedNote[] =>
    db
      .prepare<[object], StoredNote>(`${SELECT} WHERE ${rest}`)
      .all({ ...values, nowMs })
      .map(shown);
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
    notesOf: (ids: readonly number[]): ListedNote[] =>
      ids.flatMap((id) => notesBy("n.id = @id", { id })),
    /** What waits for the streamer, oldest first. */
    waiting: (limit: number): ListedNote[] =>
      notesBy(
        `n.status IN ('shadow', 'pending') AND ${STATUS_NOW} <> 'expired'
         ORDER BY n.last_confirmed_at, n.id LIMIT @limit`,
        { limit },
      ),
    /** Active notes that came since, newest first. */
    newSince: (id: number, sinceMs: number, limit: number): ListedNote[] =>
      db
        .prepare<[], string>(NOTE_CHANNELS)
        .pluck()
        .all()
        .flatMap((channel) =>
          notesBy(
            `n.channel = @channel AND n.created_at >= @sinceMs AND +n.id > @id AND ${IN_FORCE}
             ORDER BY n.created_at DESC, n.id DESC LIMIT @limit`,
            { channel, sinceMs, id, limit },
          ),
        )
        .toSorted((one, other) => other.createdAtMs - one.createdAtMs || other.id - one.id)
        .slice(0, limit),
    newestNoteId: newestNote(db),
    notesOfEpisode: (episodeId: number): ListedNote[] =>
      notesBy(
        "n.id IN (SELECT note_id FROM note_evidence WHERE episode_id = @episodeId) ORDER BY n.id",
        { episodeId },
      ),
  };
}

interface Step {
  /** null: a slice is done, and there are more. */
  readonly row: StoredNote | null;
  readonly reached: number;
  readonly isLate: boolean;
}

/** Notes that the database finds, newest first. */
function* lookedThrough(db: Db, asked: NotesAsked, nowMs: number): Generator<Step> {
  const { terms, isByNumber } = termsOf(asked);
  const found = db.prepare<[object], StoredNote>(
    `${SELECT} WHERE n.id >= @from AND n.id < @before${terms} ORDER BY n.id DESC LIMIT @limit`,
  );
  const until = performance.now() + SEARCH_MS_MAX;
  let seen = 0;
  let before = Math.min(asked.after ?? Number.POSITIVE_INFINITY, newestNote(db)() + 1);
  while (before > 0) {
    const from = isByNumber ? Math.max(0, before - SLICE) : 0;
    for (const row of found.iterate({ ...asked, nowMs, from, before })) {
      seen += 1;
      const isLate = seen % LOOK_AT_CLOCK_EVERY === 0 && performance.now() > until;
      yield { row, reached: row.id, isLate };
    }
    before = from;
    if (before > 0) yield { row: null, reached: before, isLate: performance.now() > until };
  }
}

/** Written out by what is asked, so that the planner sees which index serves. */
function termsOf(asked: NotesAsked) {
  const { scope, status, channel, subjects } = asked;
  const isOfChannel = scope === "channel" || scope === "bit";
  const isAsked = (name: keyof typeof TERMS) => asked[name] !== "" && asked[name] !== "all";
  const terms = [
    ...(Object.keys(TERMS) as (keyof typeof TERMS)[]).filter(isAsked).map((name) => TERMS[name]),
    // The index over channel, scope and subject serves where all three are said.
    ...(isOfChannel ? ["n.subject_id IS NULL"] : []),
    ...(isOfChannel && channel === "" ? [`n.channel IN (${NOTE_CHANNELS})`] : []),
    ...(status === "" ? [`n.status IN ${COUNTS} AND ${STATUS_NOW} <> 'expired'`] : []),
  ];
  return {
    terms: terms.map((term) => ` AND ${term}`).join(""),
    /** No index serves: notes are looked through by their numbers. */
    isByNumber: !isOfChannel && subjects === "",
  };
}

const COUNTS = "('active', 'shadow', 'pending')";
const TERMS = {
  scope: "n.scope = @scope",
  kind: "n.kind = @kind",
  subjects: "n.subject_id IN (SELECT value FROM json_each(@subjects))",
  channel: "n.channel = @channel",
  status: `n.status = @status AND ${STATUS_NOW} = n.status`,
} as const;

type WordSearch = (row: StoredNote) => boolean;

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
