import { dirname } from "node:path";
import { performance } from "node:perf_hooks";
import { z } from "zod";
import { type ChildJob, startChild } from "./child.ts";
import { type Db, waitAtMost } from "./open-database.ts";
import { Database } from "./sqlite.ts";

const endSchema = z.union([
  z.strictObject({ kind: z.enum(["done", "wal_busy"]), tookMs: z.number() }),
  z.strictObject({ kind: z.literal("failed"), code: z.string() }),
]);
/** Past it the disk is stuck: the daemon must write again before its buffer is full. */
const TIME_MS_MAX = 3 * 60_000;

/** Runs `VACUUM` on a database in a process of its own. Never rejects; `kill` ends it without harm to the file. */
export function startVacuum(file: string): ChildJob<VacuumEnd> {
  const job = startChild("database-child", ["vacuum", file], {
    // A temporary file in the folder of the database is as private as that.
    temporaryFolder: dirname(file),
    timeMsMax: TIME_MS_MAX,
    folder: import.meta.url,
  });
  return {
    kill: job.kill,
    ended: job.ended.then((output) => {
      const parsed = endSchema.safeParse(output);
      return parsed.success ? parsed.data : { kind: "failed", code: "NO_ANSWER" };
    }),
  };
}

/** How a VACUUM ended. `wal_busy`: the file is clean, and a reader still holds the write-ahead log with the old pages. */
export type VacuumEnd =
  | { readonly kind: "done" | "wal_busy"; readonly tookMs: number }
  | { readonly kind: "failed"; readonly code: string };

const BUSY_MS_MAX = 10_000;
/** Its copy of the database is a file in the temporary folder, or the process would grow with the database. */
const CACHE_KIB = 8_000;

/**
 * Writes a database anew, so that no byte of what was deleted is left in it, and empties its write-ahead log. Blocks
 * until then, and waits so long for those who read: for a process of its own. Never throws for what SQLite says.
 */
export function vacuumFile(file: string, readersMsMax = BUSY_MS_MAX): VacuumEnd {
  const startedAtMs = performance.now();
  let db: Db | undefined;
  try {
    db = new Database(file, { fileMustExist: true, timeout: BUSY_MS_MAX });
    db.pragma("secure_delete = ON");
    db.pragma("temp_store = FILE");
    db.pragma(`cache_size = -${CACHE_KIB}`);
    db.exec("VACUUM");
    db.pragma("wal_checkpoint(PASSIVE)");
    waitAtMost(db, readersMsMax);
    const isBusy = db.pragma("wal_checkpoint(TRUNCATE)", { simple: true }) !== 0;
    return { kind: isBusy ? "wal_busy" : "done", tookMs: performance.now() - startedAtMs };
  } catch (thrown) {
    const code = thrown instanceof Database.SqliteError ? thrown.code : "ERROR";
    return { kind: "failed", code };
  } finally {
    db?.close();
  }
}
