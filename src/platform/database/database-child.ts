import process from "node:process";
import { isWhole, lookAt } from "./inspect-file.ts";
import { vacuumFile } from "./vacuum.ts";
import { copyWal } from "./wal-keeper.ts";

// A process of its own: each waits for the disk, and blocks whoever does it. Arguments: what to do, and the database; its
// one line is what came of it.
const TASKS: Readonly<Record<string, (file: string) => unknown>> = {
  vacuum: vacuumFile,
  check,
  "copy-wal": (path) => copyWal(path, false),
  "empty-wal": (path) => copyWal(path, true),
};
const [, , task = "", file = ""] = process.argv;
process.stdout.write(JSON.stringify(TASKS[task]?.(file) ?? null));

function check(path: string): boolean {
  try {
    return lookAt(path, isWhole);
  } catch {
    return false;
  }
}
