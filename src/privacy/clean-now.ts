import type { KeyedHash } from "../language/keyed-hash.ts";
import type { NoticeBoard } from "../platform/database/notices-store.ts";
import type { Db } from "../platform/database/open-database.ts";
import { vacuumFile } from "../platform/database/vacuum-file.ts";
import { vacuumQueue } from "../platform/database/vacuum-queue.ts";
import { settleRewriting } from "./files-in-line.ts";
import { keepJournal } from "./keep-journal.ts";
import { madeFilesStore } from "./made-files-store.ts";
import { rewriteFiles } from "./rewrite-files.ts";
import { wishesIn } from "./wishes-store.ts";

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
    const end = rewriteFiles(madeFiles.list(), wishesIn(db, hash));
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
