import { isUtf8 } from "node:buffer";
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";

/** A virus scanner or an editor may hold a file for a moment: Windows then refuses to replace it. */
const REPLACE_TRIES = 20;
const REPLACE_PAUSE_MS = 50;

/**
 * Writes a file, whole or not at all, and makes its missing folders. It is on disk before this returns. By default only
 * its owner can read it. Throws the system's errors.
 */
export function writePrivately(file: string, text: string, mode = 0o600): void {
  const part = `${file}.part`;
  makeFolder(dirname(file));
  // Remains of a crash, or a link that points elsewhere.
  rmSync(part, { force: true });
  try {
    writeFileSync(part, text, { mode, flag: "wx", flush: true });
    chmodSync(part, mode);
    renameWithRetries(part, file);
  } finally {
    rmSync(part, { force: true });
  }
}

/** Renames a file. While another program holds it, tries again for about a second, and blocks meanwhile. */
function renameWithRetries(from: string, to: string): void {
  for (let left = REPLACE_TRIES; ; left -= 1) {
    try {
      renameSync(from, to);
      return;
    } catch (cause) {
      const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
      if (left === 0 || !["EPERM", "EACCES", "EBUSY"].includes(code)) throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, REPLACE_PAUSE_MS);
    }
  }
}

/**
 * Reads a text file as editors on any system write it: UTF-8, or UTF-16 with a byte order mark (Windows PowerShell).
 * Anything else is read as Notepad's "ANSI", in the western code page. Throws like `readFileSync`.
 */
export function readText(file: string): string {
  const bytes = readFileSync(file);
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return bytes.subarray(2).toString("utf16le");
  return isUtf8(bytes) ? bytes.toString("utf8") : new TextDecoder("windows-1252").decode(bytes);
}

/** Makes a folder and its missing parents, each for its owner only. Throws the system's errors. */
export function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** Quotes a path, if it needs quotes, as one word of a command line. */
export function quotePath(path: string): string {
  if (process.platform === "win32") return /^[\w./:\\-]+$/.test(path) ? path : `"${path}"`;
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
