import { truncateWal } from "../platform/database/checkpoint.ts";
import type { NoticeBoard } from "../platform/database/notices-store.ts";
import type { Db } from "../platform/database/open-database.ts";
import { startVacuum } from "../platform/database/vacuum.ts";
import { vacuumDueAtMs } from "../platform/database/vacuum-due.ts";
import type { VacuumQueue } from "../platform/database/vacuum-queue.ts";
import type { WriteGate } from "../platform/database/write-gate.ts";

export interface FileKeeperParts {
  readonly db: Db;
  readonly databaseFile: string;
  readonly queue: VacuumQueue;
  readonly gate: WriteGate;
  readonly notices: NoticeBoard;
  readonly now: () => number;
}

export interface FileKeeper {
  /** Runs the VACUUM that is due, if one is; joins one under way. Never rejects. */
  look(): Promise<void>;
  /** Ends what is under way. It stays due. */
  close(): Promise<void>;
}

/** The kind of its notice. */
const VACUUM_FAILED = "vacuum_failed";
const WAL_TRY_MS = 250;

/**
 * Takes the bytes of removed texts out of the database file: a VACUUM in a process of its own, while the daemon's writes
 * wait outside SQLite. It is done when the write-ahead log is empty too.
 */
export function fileKeeper(parts: FileKeeperParts): FileKeeper {
  const closing = new AbortController();
  let underWay: Promise<void> | null = null;
  return {
    look: () => {
      const dueAtMs = vacuumDueAtMs(parts.queue.note());
      if (closing.signal.aborted || dueAtMs === null || dueAtMs > parts.now()) {
        return underWay ?? Promise.resolve();
      }
      underWay ??= clean(parts, closing.signal).finally(() => {
        underWay = null;
      });
      return underWay;
    },
    close: async () => {
      closing.abort();
      // Whoever holds the gate, as long as a model takes, is ended after this.
      if (!parts.gate.isClosed()) parts.gate.open();
      await underWay;
    },
  };
}

async function clean(parts: FileKeeperParts, signal: AbortSignal): Promise<void> {
  const { queue, gate, notices } = parts;
  await gate.close();
  if (signal.aborted) return gate.open();
  const { removals } = queue.state();
  const end = await run(parts.databaseFile, signal);
  gate.open();
  if (end.kind === "failed") {
    if (signal.aborted) return;
    queue.failed(end.code);
    notices.raise(VACUUM_FAILED, "error", failedMessage(end.code));
    return;
  }
  if (end.kind === "wal_busy" && !(await emptied(parts.db, signal))) return;
  queue.done(removals, end.tookMs);
  notices.clear(VACUUM_FAILED);
}

async function run(file: string, signal: AbortSignal) {
  const job = startVacuum(file);
  if (signal.aborted) job.kill();
  signal.addEventListener("abort", job.kill, { once: true });
  const end = await job.ended;
  signal.removeEventListener("abort", job.kill);
  return end;
}

/** Waits until no reader holds the write-ahead log any more. */
async function emptied(db: Db, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if (truncateWal(db)) return true;
    await new Promise((resolve) => setTimeout(resolve, WAL_TRY_MS));
  }
  return false;
}

function failedMessage(code: string): string {
  const why = code === "SQLITE_FULL" ? "the disk is full" : code;
  return `deleted words may still stand in unused parts of the database file: cleaning it failed (${why}); it is tried again`;
}
