import { personToken } from "../language/people.ts";
import {
  asciiLower,
  type NameSought,
  namesSought,
  type UnnamedPerson,
  withoutTokens,
} from "../language/unname.ts";
import { normalWords } from "../language/words.ts";
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
  place("episode_claims", "statement", { key: ["episode_id", "n"] }),
  place("semantic_notes", "fact"),
  place("semantic_notes", "topics"),
  place("note_candidates", "fact", { isDropped: true }),
  place("note_candidates", "offer_json", { isDropped: true }),
  place("stream_sessions", "recap"),
];

/** A function that takes people out of every stored sentence. To be called inside a transaction. */
export function unnamer(db: Db): (people: readonly UnnamedPerson[]) => void {
  const texts = PLACES.map((one) => placeTexts(db, one));
  const heldByOther = nameHolder(db);
  const isCommonWord = ({ needle, mayBeWord, takeOut }: NameSought): boolean => {
    const holds = (text: string) => takeOut(text, false) !== takeOut(text, true);
    return mayBeWord && sum(texts.map(({ count }) => count(needle, holds))) > NAME_TEXTS_MAX;
  };
  return (people) => {
    const ids = people.map(({ userId }) => userId);
    for (const token of ids.map(personToken).map(asciiLower)) {
      for (const { rewrite } of texts) rewrite(token, (text) => withoutTokens(text, ids));
    }
    for (const name of namesSought(people).filter(({ needle }) => !heldByOther(needle, ids))) {
      const onlyMentions = isCommonWord(name);
      for (const { rewrite } of texts)
        rewrite(name.needle, (text) => name.takeOut(text, onlyMentions));
    }
  };
}

function place(table: string, column: string, more: Partial<Place> = {}): Place {
  return { table, column, key: ["id", "0"], isRaw: false, isDropped: false, ...more };
}

interface PlaceTexts {
  /** Changes the texts that hold `needle`, in lower case. */
  readonly rewrite: (needle: string, change: (text: string) => string) => void;
  /** How many of them pass the test; none of what is raw. */
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
  const keepWords = table === "semantic_notes" ? wordsKeeper(db) : () => undefined;
  return {
    count: (needle, test) => (isRaw ? 0 : find.all(needle).filter(({ text }) => test(text)).length),
    rewrite: (needle, change) => {
      const found = find.all(needle).map((row) => ({ ...row, left: change(row.text) }));
      for (const row of found.filter(({ text, left }) => left !== text)) {
        put.run(isDropped ? null : row.left, row.a, row.b);
        keepWords(row.a);
      }
    },
  };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** A function that brings a note's words for recall in line with its fact. */
function wordsKeeper(db: Db): (noteId: number) => void {
  const read = db.prepare<[number], { fact: string; topics: string }>(
    "SELECT fact, topics FROM semantic_notes WHERE id = ?",
  );
  const write = db.prepare<[string, number]>("UPDATE semantic_notes SET words = ? WHERE id = ?");
  return (noteId) => {
    const note = read.get(noteId);
    if (note !== undefined) write.run(normalWords(`${note.fact} ${note.topics}`).join(" "), noteId);
  };
}

/** Whether somebody else has a name, too: then a sentence that holds it may mean them. */
function nameHolder(db: Db): (name: string, userIds: readonly string[]) => boolean {
  const other = db
    .prepare<[string, string, string], number>(
      `SELECT 1 FROM viewers WHERE (login = ? OR lower(display_name) = ?)
         AND user_id NOT IN (SELECT value FROM json_each(?)) LIMIT 1`,
    )
    .pluck();
  return (name, userIds) => other.get(name, name, JSON.stringify(userIds)) !== undefined;
}
