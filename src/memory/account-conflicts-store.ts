import type { Db } from "../platform/database/open-database.ts";
import { isDenied, valueKey } from "./fact-key.ts";
import { ONE_AT_A_TIME } from "./property.ts";

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

interface ConflictRow extends AccountNote {
  readonly property: string;
  readonly value: string;
  readonly game: string;
}

/**
 * What the notes of a person's accounts contradict each other in: two values of what one has one of at a time. Nothing is decided about it: a note
 * stays with its account, so that taking the accounts apart again is exact; the streamer may let one go.
 */
export function accountConflicts(db: Db, accounts: readonly string[]): AccountConflict[] {
  const read = db.prepare<[string], ConflictRow>(
    `SELECT id, subject_id AS subjectId, channel, fact, property, property_value AS value,
       coalesce(property_game, '') AS game FROM semantic_notes
     WHERE subject_id = ? AND property IS NOT NULL AND status = 'active' ORDER BY id`,
  );
  const notes = accounts.flatMap((account) => read.all(account)).sort((a, b) => a.id - b.id);
  return notes.flatMap((newer, at) =>
    notes
      .slice(0, at)
      .filter((older) => isConflict(older, newer))
      .map((older) => ({ older, newer })),
  );
}

function isConflict(older: ConflictRow, newer: ConflictRow): boolean {
  return (
    older.subjectId !== newer.subjectId &&
    older.channel === newer.channel &&
    older.property === newer.property &&
    ONE_AT_A_TIME.has(older.property) &&
    valueKey(older.game) === valueKey(newer.game) &&
    valueKey(older.value) !== valueKey(newer.value) &&
    !isDenied(older.fact) &&
    !isDenied(newer.fact)
  );
}
