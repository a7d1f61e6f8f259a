import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes `folder` and the ones above it that are missing, each for its owner only. Throws what the system says.
 *
 * Not `mkdirSync` with `recursive`: where a folder exists that nothing can be made in and that says ENOENT, as /proc
 * does, Node tries again for ever (seen with Node 20).
 */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    // Another process may have made it meanwhile.
    if (!isFolder(folder)) throw cause;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
