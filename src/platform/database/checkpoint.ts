import type { Db } from "./open-database.ts";

/**
 * Copies the write-ahead log into the database, as far as no reader holds it up, so that it begins anew with the next
 * write. A few ms: for a moment when nobody waits.
 */
export function copyWal(db: Db): void {
  db.pragma("wal_checkpoint(PASSIVE)");
}

/**
 * Empties the write-ahead log, so that what was deleted is gone from it too.
 * False where another connection still reads from it: try again later. Does not wait for it.
 */
export function truncateWal(db: Db): boolean {
  const patienceMs = Number(db.pragma("busy_timeout", { simple: true }));
  db.pragma("busy_timeout = 0");
  try {
    // The first column says whether it was busy.
    return db.pragma("wal_checkpoint(TRUNCATE)", { simple: true }) === 0;
  } finally {
    db.pragma(`busy_timeout = ${patienceMs}`);
  }
}
