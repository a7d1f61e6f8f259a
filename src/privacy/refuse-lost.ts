import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../errors.ts";
import { newestBackup, restoreWith } from "../platform/database/database-fault.ts";
import { JOURNAL_FILE } from "./forget-journal.ts";

/**
 * Throws a Fault where there is no database, or an empty file in its place, and what stands beside it shows that there
 * was one: a start would begin with an empty memory, and nobody would notice.
 */
export function refuseLost({
  dataDir,
  databaseFile,
}: {
  readonly dataDir: string;
  readonly databaseFile: string;
}): void {
  // A folder that cannot be one is told of elsewhere.
  if (!existsSync(dataDir)) return;
  if ((statSync(databaseFile, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  const witness = newestBackup(dataDir) ?? journalIn(dataDir);
  if (witness === null) return;
  const state = existsSync(databaseFile) ? "is empty" : "is not there";
  throw new Fault(`database: ${databaseFile} ${state}, and ${witness} shows that there was one`, {
    code: "database",
    mend: `put it back, or ${restoreWith(databaseFile)}; to begin with an empty memory on purpose, set dataDir to another folder`,
  });
}

function journalIn(dataDir: string): string | null {
  const file = join(dataDir, JOURNAL_FILE);
  return existsSync(file) ? file : null;
}
