import type { Db } from "../../src/database/open-database.ts";

/** Every text of every table but raw chat itself, with the place where it stands. */
export function storedTexts(db: Db): Stored[] {
  const read = readers.get(db) ?? textReader(db);
  readers.set(db, read);
  return read();
}

interface Stored {
  readonly place: string;
  readonly text: string;
}

/** A property asks thousands of times: what is read is prepared once. */
const readers = new WeakMap<Db, () => Stored[]>();

function textReader(db: Db): () => Stored[] {
  const columns = db
    .prepare<[], { name: string; column: string }>(
      `SELECT t.name, c.name AS "column" FROM sqlite_schema t, pragma_table_info(t.name) c
       WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name <> 'events' AND c.type = 'TEXT'`,
    )
    .all();
  const reads = [...new Set(columns.map(({ name }) => name))].map((table) => {
    const own = columns.filter(({ name }) => name === table).map(({ column }) => column);
    const names = own.map((column) => `"${column}"`).join(", ");
    const statement = db.prepare<[], (string | null)[]>(`SELECT ${names} FROM ${table}`).raw();
    return { statement, places: own.map((column) => `${table}.${column}`) };
  });
  return () =>
    reads.flatMap(({ statement, places }) =>
      statement
        .all()
        .flatMap((row) =>
          row.flatMap((text, at) => (text === null ? [] : [{ place: places[at] ?? "", text }])),
        ),
    );
}

/**
 * A function that says whether one of the texts holds 60 characters or 12 words in a row of a message, or all of one of
 * 25 characters or more: the law's own words, tried at every place, without the program's finder.
 */
export function runSeeker(texts: readonly string[]): (message: string) => boolean {
  const stored = texts.map(plain).join("\n");
  const storedWords = texts.map((text) => ` ${words(plain(text)).join(" ")} `).join("\n");
  const holds = (run: string) => stored.includes(run);
  const holdsWords = (run: readonly string[]) => storedWords.includes(` ${run.join(" ")} `);
  return (message) => {
    const said = plain(message);
    if (said.length >= 25 && holds(said)) return true;
    return someRun(said, 60, holds) || someRun(words(said), 12, holdsWords);
  };
}

/**
 * Whether a stretch of `size` items in a row is held. Each of them has a whole half in it that begins at a multiple of
 * that half's length: where none of these is held, no place needs to be tried.
 */
function someRun<T extends { readonly length: number; slice(from: number, to: number): T }>(
  items: T,
  size: number,
  holds: (run: T) => boolean,
): boolean {
  const someOf = (step: number, length: number): boolean => {
    for (let at = 0; at + length <= items.length; at += step)
      if (holds(items.slice(at, at + length))) return true;
    return false;
  };
  return someOf(size / 2, size / 2) && someOf(1, size);
}

/** Names and tokens count as one thing: the same person, whichever way they are written. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/\{u:\w+\}|@?sailor_\d+/g, "somebody")
    .trim();
}

function words(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}
