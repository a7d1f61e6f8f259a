import type { Db } from "../../src/db/open.ts";

/** Every text of every table but raw chat itself, with the place where it stands. */
export function storedTexts(db: Db): { readonly place: string; readonly text: string }[] {
  const tables = db
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    )
    .pluck()
    .all();
  return tables
    .filter((table) => table !== "events")
    .flatMap((table) =>
      db
        .prepare<[], Readonly<Record<string, unknown>>>(`SELECT * FROM ${table}`)
        .all()
        .flatMap((row) =>
          Object.entries(row).flatMap(([column, value]) =>
            typeof value === "string" ? [{ place: `${table}.${column}`, text: value }] : [],
          ),
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
  return (message) => {
    const said = plain(message);
    if (said.length >= 25 && stored.includes(said)) return true;
    if (runs(said, 60).some((run) => stored.includes(run.join("")))) return true;
    return runs(words(said), 12).some((run) => storedWords.includes(` ${run.join(" ")} `));
  };
}

/** Every stretch of `size` items in a row. */
function runs(items: string | readonly string[], size: number): string[][] {
  const all = typeof items === "string" ? items.split("") : [...items];
  return all.flatMap((_, at) => (at + size <= all.length ? [all.slice(at, at + size)] : []));
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
