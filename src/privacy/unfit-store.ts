import { takeOutActions } from "../language/action-syntax.ts";
import { NOTE_FACTS } from "../memory/note-lists-store.ts";
import type { Db } from "../platform/database/open-database.ts";

interface Text {
  readonly a: number;
  readonly b: number;
  readonly text: string;
}

/** Where a text of memory stands, how long the longest that the program writes is, and what becomes of one that is none. */
const PLACES: readonly {
  readonly read: string;
  readonly charsMax: number;
  readonly drop: readonly string[];
}[] = [
  {
    ...NOTE_FACTS,
    charsMax: 400,
  },
  {
    read: `SELECT id AS a, 0 AS b, topic || ' ' || summary AS text FROM episodes WHERE id > ? ORDER BY id LIMIT ?`,
    charsMax: 4_000,
    drop: ["UPDATE episodes SET topic = '', summary = '' WHERE id = @a"],
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
 * Takes out of a copy of the database every text that the program would not have written: too long, of more than one
 * line, or with the syntax of an action in it. Gives how many. One transaction.
 */
export function dropUnfitIn(db: Db): number {
  const dropAll = (): number =>
    PLACES.reduce((sum, place) => sum + dropIn(db, place), 0) + dropClaims(db);
  return db.transaction(dropAll)();
}

function dropIn(db: Db, { read, charsMax, drop }: (typeof PLACES)[number]): number {
  const rows = db.prepare<[number, number], Text>(read);
  const steps = drop.map((sql) => db.prepare<[{ a: number }]>(sql));
  let count = 0;
  for (let slice = rows.all(0, ROWS); slice.length > 0; ) {
    const unfit = slice.filter(({ text }) => isUnfit(text, charsMax));
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

function isUnfit(text: string, charsMax: number): boolean {
  if (text.length > charsMax) return true;
  return BREAKS.test(text) || takeOutActions(text).spans.length > 0;
}
