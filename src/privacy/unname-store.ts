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

/** Gives a function that removes people from every stored sentence. Call it inside a transaction. */
export function unnamer(db: Db): (people: readonly UnnamedPerson[]) => void {
  const texts = PLACES.map((one) => placeTexts(db, one));
  const heldByOther = nameHolder(db);
  return (people) => {
    const ids = people.map(({ userId }) => userId);
    const names = namesToTakeOut(people).filter(({ needle }) => !heldByOther(needle, ids));
    const common = new Set(names.filter((name) => isCommonWord(texts, name)));
    for (const place of texts) {
      for (const id of ids) {
        const needle = asciiLower(personToken(id));
        place.rewrite(needle, (text) => withoutTokens(text, [id]));
      }
      for (const name of names) {
        place.rewrite(name.needle, (text) => name.takeOut(text, common.has(name)));
      }
    }
  };
}

/** True if the name, as a plain word, is in too many stored texts to be a name. */
function isCommonWord(
  texts: readonly PlaceTexts[],
  { needle, mayBeWord, takeOut }: NameToTakeOut,
): boolean {
  if (!mayBeWord) return false;
  const holds = (text: string) => takeOut(text, false) !== takeOut(text, true);
  let count = 0;
  for (const place of texts) {
    if (!place.isRaw) count += place.count(needle, holds);
    if (count > NAME_TEXTS_MAX) return true;
  }
  return false;
}

function place(table: string, column: string, more: Partial<Place> = {}): Place {
  return { table, column, key: ["id", "0"], isRaw: false, isDropped: false, ...more };
}

interface PlaceTexts {
  readonly isRaw: boolean;
  /** Changes the texts that hold `needle`, in lower case. */
  readonly rewrite: (needle: string, change: (text: string) => string) => void;
  /** Counts the texts that hold `needle` and pass the test. */
  readonly count: (needle: string, test: (text: string) => boolean) => number;
}

/** No index covers any text, so these read whole tables. */
function placeTexts(db: Db, { table, column, key: [a, b], isRaw, isDropped }: Place): PlaceTexts {
  const find = db.prepare<[string], Found>(
    `SELECT ${a} AS a, ${b} AS b, ${column} AS text FROM ${table}
     WHERE ${column} IS NOT NULL AND instr(lower(${column}), ?) > 0`,
  );
  const put = db.prepare<[string | null, number, number]>(
    `UPDATE ${table} SET ${column} = ? WHERE ${a} = ? AND ${b} = ?`,
  );
  const keepWords = wordsKeeper(db, table);
  return {
    isRaw,
    count: (needle, test) => find.all(needle).filter(({ text }) => test(text)).length,
    rewrite: (needle, change) => {
      for (const row of find.all(needle)) {
        const left = change(row.text);
        if (left === row.text) continue;
        put.run(isDropped ? null : left, row.a, row.b);
        keepWords(row.a);
      }
    },
  };
}
