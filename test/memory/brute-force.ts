import type { Db } from "../../src/db/open.ts";

/** Every text of every table but raw chat itself, with the place where it stands. */
export function storedTexts(db: Db): { readonly place: string; readonly text: string }[] {
  const tables = db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
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
    for (let at = 0; at + 60 <= said.length; at += 1) {
      if (stored.includes(said.slice(at, at + 60))) return true;
    }
    const saidWords = words(said);
    for (let at = 0; at + 12 <= saidWords.length; at += 1) {
      if (storedWords.includes(` ${saidWords.slice(at, at + 12).join(" ")} `)) return true;
    }
    return false;
  };
}

/** Names and tokens count as one thing: the same person, whichever way they are written. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll(/\{u:\w+\}|@?sailor_\d+/g, "somebody").trim();
}

function words(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}
