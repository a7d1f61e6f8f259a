import { renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { makeFolder } from "../config/make-folder.ts";

/** What lives for a day, in the tables of the first version; later ones have no other raw chat. */
const STRIP = `
DELETE FROM events;
UPDATE replies SET text = NULL WHERE text IS NOT NULL;
UPDATE action_log SET args_json = NULL WHERE args_json IS NOT NULL;
DELETE FROM note_candidates;
`;

/**
 * Copies a database of an earlier version as it is, without what lives for a day: the way back from an update. Blocks
 * until it is done. Throws what SQLite or the file system throws; then there is no copy.
 */
export function copyBeforeMigration(db: Database.Database, target: string): void {
  const part = `${target}.part`;
  rmSync(part, { force: true });
  makeFolder(dirname(part));
  writeFileSync(part, "", { mode: 0o600 });
  try {
    db.prepare("VACUUM INTO ?").run(part);
    const copy = new Database(part);
    try {
      copy.pragma("journal_mode = OFF");
      copy.pragma("secure_delete = ON");
      copy.transaction(() => copy.exec(STRIP))();
      copy.exec("VACUUM");
    } finally {
      copy.close();
    }
    renameSync(part, target);
  } finally {
    rmSync(part, { force: true });
  }
}
