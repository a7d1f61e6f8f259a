import process from "node:process";
import { isWhole, lookAt } from "./inspect-file.ts";
import { vacuumFile } from "./vacuum.ts";
import { copyWal } from "./wal-keeper.ts";

// A process of its own: each waits for the disk, and blocks whoever does it. Arguments: what to do, the database, and for its
// log which files they are; its one line is what came of it.
const TASKS: Readonly<Record<string, (file: string, opened: string) => unknown>> = {
  // No answer waits, with the bot's writes, for somebody who reads: the log is emptied later.
  vacuum: (path) => vacuumFile(path, 0),
  check,
  "copy-wal": (path, opened) => copyWal(path, opened, false),
  "empty-wal": (path, opened) => copyWal(path, opened, true),
};
const [, , task = "", file = "", opened = ""] = process.argv;
process.stdout.write(JSON.stringify(TASKS[task]?.(file, opened) ?? null));

function check(path: string): boolean {
  try {
    return lookAt(path, isWhole);
  } catch {
    return false;
  }
}
