import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { startChild } from "../platform/database/child.ts";
import { BACKUP_FOLDER, backupPath } from "../platform/database/database-fault.ts";
import type { NoticeBoard } from "../platform/database/notices-store.ts";
import { removeDatabase } from "../platform/database/open-database.ts";

export interface BackupSchedule {
  /** Makes the backup that is due, if one is; joins one under way. Never rejects. */
  look(): Promise<void>;
  /** Ends what is under way; nothing half done stays. */
  close(): Promise<void>;
}

interface ScheduleParts {
  readonly databaseFile: string;
  readonly config: () => { readonly everyHours: number | false; readonly keep: number };
  readonly notices: Pick<NoticeBoard, "raise" | "clear">;
  /** Whether another process has the database to itself. */
  readonly isHeld: () => boolean;
  readonly now: () => number;
}

const NAME = /^forgetmenot-auto-\d{8}-\d{6}Z\.db$/;
const HOUR_MS = 3_600_000;
/** A start is busy enough, and a start that fails soon needs no backup. */
const AFTER_START_MS = 60_000;
const RETRY_MS = 10 * 60_000;
const TIME_MS_MAX = 15 * 60_000;
/** The kind of its notice. */
const KIND = "backup_failed";
const endSchema = z.strictObject({ failure: z.string().nullable() });

/** The backups of a data folder that were made by the schedule, the oldest first. */
export function scheduledBackups(dataDir: string): readonly string[] {
  const folder = join(dataDir, BACKUP_FOLDER);
  try {
    const names = readdirSync(folder).filter((name) => NAME.test(name));
    return names.sort().map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** Backups that nobody has to think of: each in a process of its own, so that chat never waits for one. */
export function backupSchedule(parts: ScheduleParts): BackupSchedule {
  const { databaseFile, config, notices, isHeld, now } = parts;
  const dataDir = dirname(databaseFile);
  let notBeforeMs = now() + AFTER_START_MS;
  /** When this run made one, by its own clock: files have their times by the wall's, which may be set. */
  let madeMs = Number.NEGATIVE_INFINITY;
  let job: ReturnType<typeof startChild> | null = null;
  let underWay: Promise<void> | null = null;
  const isDue = (): boolean => {
    const { everyHours } = config();
    if (everyHours === false) notices.clear(KIND);
    if (everyHours === false || isHeld() || now() < notBeforeMs) return false;
    const files = scheduledBackups(dataDir);
    const agesMs = [madeMs, ...files.map(writtenAtMs)].map((ms) => now() - ms);
    // What is of the future was made while the clock was wrong, and says nothing.
    const leastMs = Math.min(...agesMs.filter((ms) => ms > -HOUR_MS));
    return files.length === 0 || leastMs >= everyHours * HOUR_MS;
  };
  const make = async (): Promise<void> => {
    const path = backupPath(dataDir, "auto", now());
    job = startChild("files-child", ["backup", databaseFile, path, String(config().keep)], {
      folder: import.meta.url,
      temporaryFolder: dataDir,
      timeMsMax: TIME_MS_MAX,
    });
    const end = endSchema.safeParse(await job.ended);
    removeHalf(path);
    const failure = end.success ? end.data.failure : "it did not come to its end";
    if (notBeforeMs === Number.POSITIVE_INFINITY) return;
    notBeforeMs = now() + RETRY_MS;
    if (failure === null) {
      madeMs = now();
      return notices.clear(KIND);
    }
    notices.raise(
      KIND,
      "warning",
      `the daily backup could not be made (${failure}); it is tried again: see to what keeps it, such as a full disk, then \`forgetmenot backup\``,
    );
  };
  return {
    look: async () => {
      if (underWay === null && isDue()) {
        underWay = make().finally(() => {
          underWay = null;
        });
      }
      await underWay;
    },
    close: async () => {
      notBeforeMs = Number.POSITIVE_INFINITY;
      job?.kill();
      await underWay;
    },
  };
}

/** What a process that was killed left: whoever is forgotten later would stay in it. */
function removeHalf(path: string): void {
  try {
    removeDatabase(`${path}.part`);
  } catch {
    // A later start removes it.
  }
}

function writtenAtMs(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
