import { readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

const FOLDERS = ["backups", "exports"];
/** A command may be at work on a younger one. */
const PART_MS_MIN = 10 * 60_000;

/**
 * Removes what a restore, a backup or an export left behind that was killed: copies of memory that no forget would reach.
 * For a daemon that holds the lock of the folder: no restore is at work then.
 */
export function removeLeftovers(databaseFile: string, nowMs: number): void {
  for (const name of [".restored", ".aside"]) {
    for (const end of ["", "-wal", "-shm"]) rmSync(`${databaseFile}${name}${end}`, { force: true });
  }
  for (const folder of FOLDERS.map((name) => join(dirname(databaseFile), name))) {
    for (const name of partsIn(folder)) {
      const file = join(folder, name);
      if (nowMs - statSync(file).mtimeMs > PART_MS_MIN) rmSync(file, { force: true });
    }
  }
}

function partsIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /\.part(?:-wal|-shm)?$/.test(name));
  } catch {
    return []; // there is none
  }
}
