import type { Db } from "../database/open-database.ts";
import { cleanLine } from "../language/clean.ts";
import { instructs } from "../language/instruction.ts";
import { NOTE_FACTS } from "../memory/note-store.ts";

interface Text {
  readonly a: number;
  readonly b: number;
  readonly text: string;
}

/** Where a text of memory stands, how long the longest that the program writes is, and what becomes of one that is none. */
const PLACES: readonly {
  readonly read: string;
  readonly charsMax: number;
  /** Its `b` says where an order is none, since it tells how somebody is to be called. */
  readonly isNote?: boolean;
  readonly drop: readonly string[];
}[] = [
  {
    ...NOTE_FACTS,
    charsMax: 400,
    isNote: true,
  },
  {
    read: `SELECT id AS a, 0 AS b, topic || ' ' || summary || ' ' || unproven AS text FROM episodes WHERE id > ? ORDER BY id LIMIT ?`,
    charsMax: 4_000,
    drop: ["UPDATE episodes SET topic = '', summary = '', unproven = '' WHERE id = @a"],
  },
  {
    read: `SELECT id AS a, 0 AS b, recap AS text FROM stream_sessions
      WHERE id > ? AND recap IS NOT NULL ORDER BY id LIMIT ?`,
    charsMax: 4_000,
    drop: ["UPDATE stream_sessions SET recap = NULL WHERE id = @a"],
  },
];
const CLAIMS = "SELECT episode_id AS a, n AS b, statement AS text FROM episode_claims";
const CLAIM_CHARS_MAX = 1_000;
const DROP_CLAIM = "UPDATE episode_claims SET statement = '' WHERE episode_id = @a AND n = @b";
const ROWS = 1_000;
/** No text of memory has any: it would stand in a prompt as more than one line. */
const BREAKS = /[\p{Cc}\u2028\u2029]/u;

/**
 * Takes out of a copy of the database every text that the program would not have written: nothing, too long, of more than
 * one line, with what cannot be seen, with a link, the syntax of an action or marks of a prompt in it; and notes that give
 * a bot orders, as an import does. What is private stays: a viewer may have asked for it. Gives how many. One transaction.
 */
export function dropUnfitIn(db: Db): number {
  const dropAll = (): number =>
    PLACES.reduce((sum, place) => sum + dropIn(db, place), 0) + dropClaims(db);
  return db.transaction(dropAll)();
}

function dropIn(db: Db, { read, charsMax, drop, isNote }: (typeof PLACES)[number]): number {
  const rows = db.prepare<[number, number], Text>(read);
  const steps = drop.map((sql) => db.prepare<[{ a: number }]>(sql));
  let count = 0;
  for (let slice = rows.all(0, ROWS); slice.length > 0; ) {
    const unfit = slice.filter(({ b, text }) =>
      isNote ? text === "" || isUnfit(text, charsMax, b === 0) : isUnfit(text, charsMax),
    );
    for (const { a } of unfit) for (const step of steps) step.run({ a });
    count += unfit.length;
    slice = rows.all(slice.at(-1)?.a ?? 0, ROWS);
  }
  return count;
}

function dropClaims(db: Db): number {
  const found: Text[] = [];
  for (const row of db.prepare<[], Text>(CLAIMS).iterate()) {
    if (isUnfit(row.text, CLAIM_CHARS_MAX)) found.push({ ...row, text: "" });
  }
  const drop = db.prepare<[{ a: number; b: number }]>(DROP_CLAIM);
  for (const { a, b } of found) drop.run({ a, b });
  return found.length;
}

function isUnfit(text: string, charsMax: number, isOrderUnfit = false): boolean {
  if (text.length > charsMax || BREAKS.test(text) || cleanLine(text) !== spaced(text)) return true;
  const kind = instructs(text);
  return kind === "order" ? isOrderUnfit : kind !== null;
}

/** As a sentence may stand in memory after names were taken out of it. */
function spaced(text: string): string {
  return text.normalize("NFC").replaceAll(/\s+/g, " ").trim();
}
