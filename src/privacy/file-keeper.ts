import { readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { KeyedHash } from "../language/people.ts";
import { type ChildJob, startChild } from "../platform/database/child.ts";
import { troubleOf } from "../platform/database/database-fault.ts";
import type { NoticeBoard } from "../platform/database/notices-store.ts";
import { type Db, removeDatabase } from "../platform/database/open-database.ts";
import { startVacuum, vacuumFile } from "../platform/database/vacuum.ts";
import { type VacuumQueue, vacuumDueAtMs, vacuumQueue } from "../platform/database/vacuum-queue.ts";
import type { WalKeeper } from "../platform/database/wal-keeper.ts";
import type { WriteGate } from "../platform/database/write-gate.ts";
import { keepJournal } from "./forget-journal.ts";
import {
  type MadeFilesStore,
  madeFilesStore,
  type Rewritten,
  rewriteFiles,
} from "./made-files-store.ts";

export interface FileKeeperParts {
  readonly databaseFile: string;
  readonly queue: VacuumQueue;
  readonly gate: WriteGate;
  readonly notices: NoticeBoard;
  readonly now: () => number;
  readonly wal: Pick<WalKeeper, "markDirty" | "emptyIfDirty">;
  /** Whether more of somebody is about to go: a VACUUM before that would have to be done again. */
  readonly isForgetting: () => boolean;
}

export interface FileKeeper {
  /** Runs the VACUUM that is due, if one is; joins one under way. Never rejects. */
  look(): Promise<void>;
  /** Ends what is under way. It stays due. Then what waited for it is done. */
  close(): Promise<void>;
}

/** The kind of its notice. */
const VACUUM_FAILED = "vacuum_failed";
const LOOK_AGAIN_MS = 250;

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
      const isDue = dueAtMs !== null && dueAtMs <= parts.now();
      if (closing.signal.aborted || !isDue || parts.isForgetting()) {
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
      await parts.gate.opened();
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
    const { code } = end;
    await written(() => queue.failed(code), signal);
    if (!signal.aborted) notices.raise(VACUUM_FAILED, "error", failedMessage(code));
    return;
  }
  if (end.kind === "wal_busy" && !(await emptied(parts, signal))) return;
  await written(() => queue.done(removals, end.tookMs), signal);
  notices.clear(VACUUM_FAILED);
}

/** Writes down how it ended, as soon as the database takes that: until then none is begun again. */
async function written(write: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      return write();
    } catch (thrown) {
      if (troubleOf(thrown) === null) throw thrown;
      await pause(LOOK_AGAIN_MS, signal);
    }
  }
}

/** Ends with the signal, too. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return delay(ms, undefined, { ref: false, signal }).catch(() => undefined);
}

async function run(file: string, signal: AbortSignal) {
  const job = startVacuum(file);
  if (signal.aborted) job.kill();
  signal.addEventListener("abort", job.kill, { once: true });
  const end = await job.ended;
  signal.removeEventListener("abort", job.kill);
  return end;
}

/** Waits until no reader holds the write-ahead log any more, and it is empty. */
async function emptied({ wal }: FileKeeperParts, signal: AbortSignal): Promise<boolean> {
  const ended = new Promise<boolean>((resolve) => {
    signal.addEventListener("abort", () => resolve(false), { once: true });
  });
  wal.markDirty();
  while (!signal.aborted) {
    if (await Promise.race([wal.emptyIfDirty(), ended])) return true;
    await pause(LOOK_AGAIN_MS, signal);
  }
  return false;
}

function failedMessage(code: string): string {
  const why = code === "SQLITE_FULL" ? "the disk is full" : code;
  return `deleted words may still stand in unused parts of the database file: cleaning it failed (${why}); it is tried again: look whether the disk is full, then \`forgetmenot doctor\``;
}

export interface FilesInLineParts {
  readonly queue: VacuumQueue;
  readonly madeFiles: MadeFilesStore;
  readonly notices: NoticeBoard;
}

const TIME_MS_MAX = 30 * 60_000;
/** The kind of its notice. */
const FILES_FAILED = "made_files";
const endSchema = z.strictObject({
  rewritten: z.array(z.string()),
  gone: z.array(z.string()),
  failed: z.array(z.string()),
});

/** Brings the backups and exports of a database in line, in a process of its own. null: it did not get to its end. */
export function startRewriting(databaseFile: string): ChildJob<Rewritten | null> {
  const job = startChild("files-child", ["rewrite", databaseFile], {
    folder: import.meta.url,
    temporaryFolder: dirname(databaseFile),
    timeMsMax: TIME_MS_MAX,
  });
  return {
    kill: job.kill,
    ended: job.ended.then((output) => endSchema.safeParse(output).data ?? null),
  };
}

/** Writes down how rewriting ended, that of files and of what was removed before it began. */
export function settleRewriting(
  { queue, madeFiles, notices }: FilesInLineParts,
  end: Rewritten | null,
  removals: Parameters<VacuumQueue["filesDone"]>[0],
): void {
  for (const path of end?.gone ?? []) madeFiles.remove(path);
  if (end !== null && end.failed.length === 0) {
    queue.filesDone(removals);
    notices.clear(FILES_FAILED);
    return;
  }
  const which = end === null ? "backups and exports" : end.failed.join(", ");
  notices.raise(
    FILES_FAILED,
    "error",
    `somebody who asked to be forgotten may still stand in ${which}: it could not be rewritten, and is tried again; make it writable, or delete it if it is of no use: \`forgetmenot status\` names it`,
  );
}

export interface CleanParts {
  readonly db: Db;
  readonly dataDir: string;
  readonly databaseFile: string;
  readonly hash: KeyedHash;
  readonly notices: NoticeBoard;
  readonly now: () => number;
}

/**
 * Does what the daemon does by itself, for a command while none runs: takes what was removed out of the database file,
 * and whoever was forgotten out of the backups and exports. Blocks. What could not be done stays due and is told as a
 * notice; true where nothing is left to do.
 */
export function cleanNow({ db, dataDir, databaseFile, hash, notices, now }: CleanParts): boolean {
  const queue = vacuumQueue(db, now);
  const madeFiles = madeFilesStore(db, now);
  keepJournal({ db, dataDir, hash: () => hash, now })();
  const { due, removals, filesDue } = queue.note();
  if (filesDue) {
    const end = rewriteFiles(madeFiles.list(), { db, databaseFile, hash });
    settleRewriting({ queue, madeFiles, notices }, end, removals);
  }
  if (due !== null) {
    const end = vacuumFile(databaseFile);
    if (end.kind === "done") queue.done(removals, end.tookMs);
    if (end.kind === "failed") queue.failed(end.code);
  }
  const left = queue.state();
  return left.due === null && !left.filesDue;
}

const FOLDERS = ["backups", "exports"];
/** A command may be at work on a younger one. */
const PART_MS_MIN = 10 * 60_000;

/**
 * Removes what a restore, a rescue, a backup or an export left behind that was killed: copies that no forget would reach.
 * For a daemon that holds the lock of the folder: no restore is at work then.
 */
export function removeLeftovers(databaseFile: string, nowMs: number): void {
  for (const name of [".restored", ".aside", ".rescued"]) removeDatabase(`${databaseFile}${name}`);
  for (const folder of FOLDERS.map((name) => join(dirname(databaseFile), name))) {
    for (const name of partsIn(folder)) {
      const file = join(folder, name);
      // A child that outlived its daemon may take its own away meanwhile.
      const writtenMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? nowMs;
      if (nowMs - writtenMs > PART_MS_MIN) rmSync(file, { force: true });
    }
  }
}

function partsIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /\.part(?:-wal|-shm|-journal)?$/.test(name));
  } catch {
    return []; // there is none
  }
}
