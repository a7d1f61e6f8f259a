import type { Db } from "../platform/database/open-database.ts";

/**
 * A function that tells how often anybody was forgotten, in whichever process: triggers of schema.sql count it. What a
 * model wrote before it changed may name somebody who is not to be named any more.
 */
export function forgetMark(db: Db): () => number {
  const read = db
    .prepare<[], number>("SELECT value FROM counters WHERE name = 'removed.people'")
    .pluck();
  return () => read.get() ?? 0;
}
