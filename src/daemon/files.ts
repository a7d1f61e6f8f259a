import { rowTeller } from "../platform/database/watch-changes.ts";
import { backupSchedule } from "../privacy/backup-schedule.ts";
import {
  fileKeeper,
  removeLeftovers,
  settleRewriting,
  startRewriting,
} from "../privacy/file-keeper.ts";
import { keepJournal, keptOrTold } from "../privacy/forget-journal.ts";
import { adoptBackups, madeFilesStore } from "../privacy/made-files-store.ts";
import { type DaemonOptions, every, type Lifetime } from "./lifetime.ts";
import type { Stores } from "./stores.ts";

const LOOK_EVERY_MS = 500;
const LOOK_FOR_BACKUP_EVERY_MS = 5_000;
const FILES_RETRY_MS = 5 * 60_000;
/** Wishes in a row may not have every backup written anew all the time. */
const REST_PER_WORK = 10;

/**
 * Sees to it, until the end, that what was removed is gone from every file: the database, its journal of tombstones, and
 * the backups and exports that the program made. Nobody has to ask for it: it looks what was removed.
 */
export function keepFiles(
  { config, now, log }: DaemonOptions,
  stores: Stores,
  { life, isForgetting }: { readonly life: Lifetime; readonly isForgetting: () => boolean },
) {
  const { db, vacuums: queue, gate, notices, wal } = stores;
  const { dataDir, databaseFile } = config;
  const keeper = fileKeeper({
    databaseFile,
    queue,
    gate,
    notices,
    now,
    wal,
    isForgetting,
  });
  const journal = keepJournal({ db, dataDir, hash: () => stores.hash, now });
  const writeJournal = () => keptOrTold(journal, notices);
  const madeFiles = madeFilesStore(db, now);
  const rewrite = rewriter({ queue, notices, madeFiles }, databaseFile, { gate, now });
  const backups = backupSchedule({
    databaseFile,
    config: () => config.backup,
    notices,
    isHeld: gate.isClosed,
    now,
  });
  removeLeftovers(databaseFile, now());
  adoptBackups(dataDir, madeFiles, queue);
  writeJournal();
  const isNews = rowTeller(db);
  let isDue = true;
  const look = async (): Promise<void> => {
    // Nothing comes to be due but by a row.
    if (!isNews() && !isDue) return;
    isDue = true;
    const isKept = !gate.isClosed() && writeJournal();
    const { due, filesDue } = queue.state();
    isDue = !isKept || due !== null || filesDue;
    await Promise.all([keeper.look(), rewrite.look()]);
  };
  every(LOOK_EVERY_MS, look, { life, log });
  every(LOOK_FOR_BACKUP_EVERY_MS, backups.look, { life, log, atOnce: true });
  life.closers.push(
    () => keeper.close(),
    () => backups.close(),
    () => rewrite.close(),
  );
}

type FilesParts = Parameters<typeof settleRewriting>[0];

function rewriter(
  parts: FilesParts,
  databaseFile: string,
  { gate, now }: { readonly gate: Stores["gate"]; readonly now: () => number },
) {
  let job: ReturnType<typeof startRewriting> | null = null;
  let nextAtMs = Number.NEGATIVE_INFINITY;
  let isOver = false;
  return {
    look: async (): Promise<void> => {
      const { filesDue, removals } = parts.queue.state();
      if (job !== null || !filesDue || isOver || now() < nextAtMs) return;
      const startedAtMs = now();
      job = startRewriting(databaseFile);
      const end = await job.ended;
      job = null;
      // Cut off, not failed: the next start goes on with it.
      if (isOver) return;
      const isDone = end !== null && end.failed.length === 0;
      const restMs = isDone ? (now() - startedAtMs) * REST_PER_WORK : FILES_RETRY_MS;
      nextAtMs = now() + restMs;
      gate.whenOpen(() => settleRewriting(parts, end, removals));
    },
    close: async (): Promise<void> => {
      isOver = true;
      job?.kill();
      await job?.ended;
    },
  };
}
