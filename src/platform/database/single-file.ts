import { openDatabase } from "./open-database.ts";

/** Makes a database one file, that can be copied and moved: it has no write-ahead log beside it from then on. */
export function toSingleFile(file: string): void {
  const db = openDatabase(file);
  try {
    db.pragma("journal_mode = DELETE");
  } finally {
    db.close();
  }
}
