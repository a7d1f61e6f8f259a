import type { NoteOperator } from "../memory/note-operator-store.ts";
import { type Config, loadConfig } from "../platform/config/load.ts";
import type { Db } from "../platform/database/open-database.ts";
import { openNoteOperator } from "../privacy/operator.ts";
import { existingDatabase } from "./existing-database.ts";

export interface ChangeOptions {
  readonly config: string;
  readonly json?: true;
}

/** What a command that changes notes works with. */
export interface Desk {
  readonly config: Config;
  readonly db: Db;
  readonly operator: NoteOperator;
}

/** Opens the database that a configuration names for the streamer's changes, and closes it behind `work`. */
export function withOperator({ config: file }: ChangeOptions, work: (desk: Desk) => void): void {
  const config = loadConfig(file);
  const db = existingDatabase(config.databaseFile);
  try {
    work({ config, db, operator: openNoteOperator({ config, db, now: Date.now }) });
  } finally {
    db.close();
  }
}
