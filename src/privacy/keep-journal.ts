import { z } from "zod";
import type { KeyedHash } from "../language/keyed-hash.ts";
import type { Db } from "../platform/database/open-database.ts";
import { runtimeStore } from "../platform/database/runtime-store.ts";
import { readJournal, writeJournal } from "./forget-journal.ts";
import { type Tombstones, tombstoneStore } from "./tombstone-store.ts";

export interface JournalParts {
  readonly db: Db;
  readonly dataDir: string;
  /** Asked only where somebody is in the journal whom the database does not know of. */
  readonly hash: () => KeyedHash;
  readonly now: () => number;
}

/** Its name among the runtime values: a database that has it knows all that the journal knew. */
const KNOWN = "journal";

/**
 * Gives a function that keeps the journal of tombstones what the database has. A database that never had to do with this
 * journal, because it is new, takes over what stands in it first.
 */
export function keepJournal({ db, dataDir, hash, now }: JournalParts): () => void {
  const store = tombstoneStore(db);
  const runtime = runtimeStore(db, now);
  let written: string | null = null;
  const takeOver = (): void => {
    const journal = readJournal(dataDir);
    if (!isEmpty(journal)) store.absorb(journal, hash());
    runtime.write(KNOWN, true);
  };
  return () => {
    if (runtime.read(KNOWN, z.boolean()) === null) takeOver();
    const current = store.read();
    const text = JSON.stringify(current);
    if (text === written) return;
    if (written !== null || !isEmpty(current)) writeJournal(dataDir, current);
    written = text;
  };
}

function isEmpty({ forgets, suppressions }: Tombstones): boolean {
  return forgets.length === 0 && suppressions.length === 0;
}
