import { nameHolder } from "../chat/viewer-store.ts";
import { personToken } from "../language/people.ts";
import {
  asciiLower,
  type NameToTakeOut,
  namesToTakeOut,
  type UnnamedPerson,
  withoutTokens,
} from "../language/unname.ts";
import { NOTE_TEXTS } from "../memory/note-lists-store.ts";
import { wordsKeeper } from "../memory/note-records-store.ts";
import type { Db } from "../platform/database/open-database.ts";

/** A text of the database in which somebody may be named. */
interface Place {
  readonly table: string;
  /** What tells its row. */
  readonly key: readonly [string, string];
  readonly column: string;
  /** Holds for hours only. */
  readonly isRaw: boolean;
  /** It is not kept without the name: what a model wrote for one purpose, and that purpose is over. */
  readonly isDropped: boolean;
}

interface Found {
  readonly a: number;
  readonly b: number;
  readonly text: string;
}

/**
 * A plain word that so many stored texts hold is no name: people stand there as tokens, and names slip in rarely. Or
 * whoever takes a common word for a login could take it out of everybody's memory.
 */
const NAME_TEXTS_MAX = 40;

const PLACES: readonly Place[] = [
  place("events", "text", { isRaw: true }),
  place("replies", "text", { isRaw: true }),
  place("action_log", "args_json", { isRaw: true, isDropped: true }),
  place("episodes", "topic"),
  place("episodes", "summary"),
  place("episodes", "unproven"),
  place("episode_claims", "statement", { key: ["episode_id", "n"] }),
  ...NOTE_TEXTS.map(({ table, column, isDropped }) => place(table, column, { isDropped })),
  place("note_candidates", "fact", { isDropped: true }),
  place("note_candidates", "offer_json", { isDropped: true }),
  place("stream_sessions", "recap"),
];

/** A function that takes people out of every stored sentence. To be called inside a transaction. */
export function unnamer(db: Db): (people: readonly UnnamedPerson[]) => void {
  const unname = slicedUnnamer(db);
  return (people) => {
    const steps = unname(people);
    while (steps.next().done !== true);
  };
}

/** The same a slice of a few ms at a time. What was done stays done, and may be done again. */
export function slicedUnnamer(db: Db): (people: readonly UnnamedPerson[]) => Generator<void> {
  const texts = PLACES.map((one) => placeTexts(db, one));
  const heldByOther = nameHolder(db);
  return function* unname(people) {
    const ids = people.map(({ userId }) => userId);
    const names = namesToTakeOut(people).filter(({ needle }) => !heldByOther(needle, ids));
    const common = new Set<NameToTakeOut>();
    for (const name of names) if (yield* isCommonWord(texts, name)) common.add(name);
    const changes = [
      ...ids.map((id) => ({
        needle: asciiLower(personToken(id)),
        change: (text: string) => withoutTokens(text, ids),
      })),
      ...names.map((name) => ({
        needle: name.needle,
        change: (text: string) => name.takeOut(text, common.has(name)),
      })),
    ];
    for (const [place, slice] of slicesOf(texts)) {
      for (const { needle, change } of changes) place.rewrite(slice, needle, change);
      yield;
    }
  };
}

function* isCommonWord(
  texts: readonly PlaceTexts[],
  { needle, mayBeWord, takeOut }: NameToTakeOut,
): Generator<void, boolean> {
  const holds = (text: string) => takeOut(text, false) !== takeOut(text, true);
  let count = 0;
  for (const [place, slice] of mayBeWord ? slicesOf(texts.filter(({ isRaw }) => !isRaw)) : []) {
    count += place.count(slice, needle, holds);
    if (count > NAME_TEXTS_MAX) return true;
    yield;
  }
  return false;
}

function* slicesOf(texts: readonly PlaceTexts[]): Generator<readonly [PlaceTexts, Slice]> {
  for (const place of texts) for (const slice of place.slices()) yield [place, slice];
}

function place(table: string, column: string, more: Partial<Place> = {}): Place {
  return { table, column, key: ["id", "0"], isRaw: false, isDropped: false, ...more };
}

/** Rows whose key is above `after`, and not above `upTo`. */
interface Slice {
  readonly after: number;
  readonly upTo: number;
}

/** A ms of reading, or some where the disk has to be asked. */
const SLICE_KEYS = 100;

interface PlaceTexts {
  readonly isRaw: boolean;
  /** All of it, up to what is there when the last one is asked for. */
  readonly slices: () => Generator<Slice>;
  /** Changes the texts that hold `needle`, in lower case. */
  readonly rewrite: (slice: Slice, needle: string, change: (text: string) => string) => void;
  /** How many of them pass the test. */
  readonly count: (slice: Slice, needle: string, test: (text: string) => boolean) => number;
}

/** No index covers any text, so these read whole tables. */
function placeTexts(db: Db, { table, column, key: [a, b], isRaw, isDropped }: Place): PlaceTexts {
  const find = db.prepare<[number, number, string], Found>(
    `SELECT ${a} AS a, ${b} AS b, ${column} AS text FROM ${table}
     WHERE ${a} > ? AND ${a} <= ? AND ${column} IS NOT NULL AND instr(lower(${column}), ?) > 0`,
  );
  const next = db
    .prepare<[number], number | null>(`SELECT min(${a}) FROM ${table} WHERE ${a} > ?`)
    .pluck();
  const put = db.prepare<[string | null, number, number]>(
    `UPDATE ${table} SET ${column} = ? WHERE ${a} = ? AND ${b} = ?`,
  );
  const keepWords = wordsKeeper(db, table);
  return {
    isRaw,
    slices: function* slices() {
      for (let first = next.get(0); first != null; ) {
        const upTo = first + SLICE_KEYS - 1;
        yield { after: first - 1, upTo };
        first = next.get(upTo);
      }
    },
    count: ({ after, upTo }, needle, test) =>
      find.all(after, upTo, needle).filter(({ text }) => test(text)).length,
    rewrite: ({ after, upTo }, needle, change) => {
      const found = find
        .all(after, upTo, needle)
        .map((row) => ({ ...row, left: change(row.text) }));
      for (const row of found.filter(({ text, left }) => left !== text)) {
        put.run(isDropped ? null : row.left, row.a, row.b);
        keepWords(row.a);
      }
    },
  };
}
