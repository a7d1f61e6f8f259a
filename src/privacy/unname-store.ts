import { nameHolder } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { personToken } from "../language/people.ts";
import {
  asciiLower,
  namesToTakeOut,
  type UnnamedPerson,
  withoutTokens,
} from "../language/unname.ts";
import { NOTE_TEXTS, wordsKeeper } from "../memory/note-store.ts";

/** A text of the database in which somebody may be named. */
interface Place {
  readonly table: string;
  /** What tells its row. */
  readonly key: readonly [string, string];
  readonly column: string;
  /** It is not kept without the name: what a model wrote for one purpose, and that purpose is over. */
  readonly isDropped: boolean;
  /** The bot's own words: rows that this condition names. */
  readonly isOwn: string | null;
}

interface Found {
  readonly a: number;
  readonly b: number;
  readonly text: string;
}

const PLACES: readonly Place[] = [
  place("events", "text"),
  place("events", "text", { isOwn: "kind = 'bot'" }),
  place("replies", "text", { isOwn: "1" }),
  place("action_log", "args_json", { isDropped: true }),
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
    for (const place of texts) {
      for (const id of ids) {
        const needle = asciiLower(personToken(id));
        place.rewrite(needle, (text) => withoutTokens(text, [id]));
      }
      for (const name of names) {
        place.rewrite(name.needle, place.isOwn ? name.takeOutWords : name.takeOut);
      }
    }
  };
}

const BARE_WORDS_MAX = 200;
const SUMMARIES = "topic || ': ' || summary || ' ' || unproven";

/**
 * Finds notes and summaries that hold a login as a whole word, in any case. A forget leaves bare words: they may mean
 * something else. Reads on request; nothing of it is stored.
 */
export function bareWords(db: Db) {
  const found = db.prepare<
    [object],
    { of: "note" | "summary" | "stream"; id: number; text: string }
  >(
    `SELECT 'note' AS of, id, fact AS text FROM semantic_notes WHERE instr(lower(fact), @needle) > 0
     UNION ALL
     SELECT 'summary', id, ${SUMMARIES} FROM episodes WHERE instr(lower(${SUMMARIES}), @needle) > 0
     UNION ALL
     SELECT 'stream', id, recap FROM stream_sessions WHERE instr(lower(recap), @needle) > 0`,
  );
  return (login: string) => {
    const needle = asciiLower(login);
    const whole = new RegExp(`(?<![\\p{L}\\p{N}_])${needle}(?![\\p{L}\\p{N}_])`, "iu");
    return found
      .all({ needle })
      .filter(({ text }) => whole.test(text))
      .slice(0, BARE_WORDS_MAX);
  };
}

function place(table: string, column: string, more: Partial<Place> = {}): Place {
  return { table, column, key: ["id", "0"], isDropped: false, isOwn: null, ...more };
}

interface PlaceTexts {
  readonly isOwn: boolean;
  /** Changes the texts that hold `needle`, in lower case. */
  readonly rewrite: (needle: string, change: (text: string) => string) => void;
}

/** No index covers any text, so these read whole tables. */
function placeTexts(db: Db, { table, column, key: [a, b], isDropped, isOwn }: Place): PlaceTexts {
  const find = db.prepare<[string], Found>(
    `SELECT ${a} AS a, ${b} AS b, ${column} AS text FROM ${table}
     WHERE ${isOwn ?? "1"} AND ${column} IS NOT NULL AND instr(lower(${column}), ?) > 0`,
  );
  const put = db.prepare<[string | null, number, number]>(
    `UPDATE ${table} SET ${column} = ? WHERE ${a} = ? AND ${b} = ?`,
  );
  const keepWords = wordsKeeper(db, table);
  return {
    isOwn: isOwn !== null,
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
