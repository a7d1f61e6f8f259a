import { dirname } from "node:path";
import { z } from "zod";
import { type ChildJob, startChild } from "../platform/database/child.ts";
import type { NoticeBoard } from "../platform/database/notices-store.ts";
import type { VacuumQueue } from "../platform/database/vacuum-queue.ts";
import type { MadeFilesStore } from "./made-files-store.ts";
import type { Rewritten } from "./rewrite-files.ts";

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
  const job = startChild("rewrite-child", [databaseFile], {
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
    `somebody who asked to be forgotten may still stand in ${which}: it could not be rewritten, and is tried again; delete it if it is of no use`,
  );
}
