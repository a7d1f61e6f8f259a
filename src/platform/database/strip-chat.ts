import { openDatabase } from "./open-database.ts";
import { vacuumFile } from "./vacuum-file.ts";

/** Every text that lives for a day, and the episodes that say nothing without it. */
const STRIP = `
DELETE FROM events;
UPDATE replies SET text = NULL WHERE text IS NOT NULL;
UPDATE action_log SET args_json = NULL WHERE args_json IS NOT NULL;
DELETE FROM episodes WHERE stage = 'claimed';
DELETE FROM note_candidates;
DELETE FROM runtime;
DELETE FROM notices;
`;

/**
 * Brings a database up to date and takes all of chat out of it, to the last byte: a copy that somebody made of a data
 * folder may hold lines that are older than a day by now, or that a moderator removed since.
 */
export function stripChat(file: string): void {
  const db = openDatabase(file);
  try {
    db.transaction(() => db.exec(STRIP))();
  } finally {
    db.close();
  }
  const end = vacuumFile(file);
  if (end.kind === "failed") throw new Error(`the copy could not be cleaned (${end.code})`);
}
