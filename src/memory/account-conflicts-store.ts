import type { Db } from "../platform/database/open-database.ts";
import { compareFacts } from "./similarity.ts";

/** Two notes from different accounts of one person that cannot both be true. */
export interface AccountConflict {
  readonly older: AccountNote;
  readonly newer: AccountNote;
}

interface AccountNote {
  readonly id: number;
  readonly subjectId: string;
  readonly channel: string;
  /** With person tokens. */
  readonly fact: string;
}

/**
 * What the notes of a person's accounts contradict each other in, by their words. Nothing is decided about it: a note
 * stays with its account, so that taking the accounts apart again is exact; the streamer may let one go.
 */
export function accountConflicts(db: Db, accounts: readonly string[]): AccountConflict[] {
  const read = db.prepare<[string], AccountNote>(
    `SELECT id, subject_id AS subjectId, channel, fact FROM semantic_notes
     WHERE subject_id = ? AND status = 'active' ORDER BY id`,
  );
  const notes = accounts.flatMap((account) => read.all(account)).sort((a, b) => a.id - b.id);
  return notes.flatMap((newer, at) =>
    notes
      .slice(0, at)
      .filter((older) => isConflict(older, newer))
      .map((older) => ({ older, newer })),
  );
}

function isConflict(older: AccountNote, newer: AccountNote): boolean {
  return (
    older.subjectId !== newer.subjectId &&
    older.channel === newer.channel &&
    compareFacts(older.fact, newer.fact).kind === "conflict"
  );
}
