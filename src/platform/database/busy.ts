import Database from "better-sqlite3";

/** Whether a statement failed since another process has the database: later it may not. */
export function isBusy(thrown: unknown): boolean {
  return thrown instanceof Database.SqliteError && thrown.code.startsWith("SQLITE_BUSY");
}
