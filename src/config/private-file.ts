import { isUtf8 } from "node:buffer";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import process from "node:process";

/** A virus scanner or an editor may hold a file for a moment: Windows then refuses to replace it. */
const REPLACE_TRIES = 20;
const REPLACE_PAUSE_MS = 50;

/** Writes a file that only its owner can read, whole or not at all; it is on disk before it returns. */
export function writePrivately(file: string, text: string, mode = 0o600): void {
  const fresh = `${file}.part`;
  makeFolder(dirname(file));
  // What a crash left behind, or somebody else's link to another place.
  rmSync(fresh, { force: true });
  try {
    writeFileSync(fresh, text, { mode, flag: "wx", flush: true });
    chmodSync(fresh, mode);
    renameWithRetries(fresh, file);
  } finally {
    rmSync(fresh, { force: true });
  }
}

function renameWithRetries(from: string, to: string): void {
  for (let left = REPLACE_TRIES; ; left -= 1) {
    try {
      renameSync(from, to);
      return;
    } catch (cause) {
      if (left === 0 || !isHeld(cause)) throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, REPLACE_PAUSE_MS);
    }
  }
}

function isHeld(cause: unknown): boolean {
  const code = cause instanceof Error && "code" in cause ? cause.code : null;
  return code === "EPERM" || code === "EACCES" || code === "EBUSY";
}

/**
 * A text file as editors on any system leave it: UTF-8, or UTF-16 behind its byte order mark, as Windows' PowerShell
 * writes it. What is neither is read as Notepad's "ANSI", in the code page of the west. Throws as `readFileSync` does.
 */
export function readText(file: string): string {
  const bytes = readFileSync(file);
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return bytes.subarray(2).toString("utf16le");
  if (first === 0xfe && second === 0xff) {
    return Buffer.from(bytes.subarray(2, bytes.length - (bytes.length % 2)))
      .swap16()
      .toString("utf16le");
  }
  return isUtf8(bytes) ? bytes.toString("utf8") : new TextDecoder("windows-1252").decode(bytes);
}

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

/** A path as one word of a command line: a shell reads nothing of it as its own. */
export function shellPath(path: string, platform: NodeJS.Platform = process.platform): string {
  if (platform === "win32") return /^[\w./:\\-]+$/.test(path) ? path : `"${path}"`;
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
