import { chmodSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "./make-folder.ts";

/** Writes a file that only its owner can read, whole or not at all; it is on disk before it returns. */
export function writePrivately(file: string, text: string): void {
  const fresh = `${file}.part`;
  makeFolder(dirname(file));
  // What a crash left behind, or somebody else's link to another place.
  rmSync(fresh, { force: true });
  try {
    writeFileSync(fresh, text, { mode: 0o600, flag: "wx", flush: true });
    chmodSync(fresh, 0o600);
    renameSync(fresh, file);
  } finally {
    rmSync(fresh, { force: true });
  }
}
