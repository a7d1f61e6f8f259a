import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { copyFinder } from "../../src/language/distinctive.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** What was found, and where: the file's name, the encoding, and the piece with what stands around it. */
export interface Trace {
  readonly file: string;
  readonly encoding: string;
  readonly piece: string;
}

interface Reading {
  readonly file: string;
  readonly encoding: string;
  readonly text: string;
}

/** A run of a message holds one of the blocks that the message is cut into. */
const BLOCK_CHARS = 12;
/** More than a message has. */
const AROUND_CHARS = 600;

/** Distinctive runs of messages that stand in any byte of any file below a folder, the first of each reading. */
export function runsIn(folder: string, messages: readonly string[]): Trace[] {
  const copies = copyFinder(messages);
  const blocks = new Set(messages.flatMap(blocksOf));
  return readings(folder).flatMap(({ file, encoding, text }) => {
    const piece = firstRun(text, blocks, copies);
    return piece === null ? [] : [{ file, encoding, piece }];
  });
}

function blocksOf(message: string): string[] {
  const count = Math.floor(message.length / BLOCK_CHARS);
  return Array.from({ length: count }, (_, n) =>
    message.slice(n * BLOCK_CHARS, (n + 1) * BLOCK_CHARS),
  );
}

function firstRun(
  text: string,
  blocks: ReadonlySet<string>,
  copies: (around: string) => boolean,
): string | null {
  for (let at = 0; at + BLOCK_CHARS <= text.length; at += 1) {
    if (!blocks.has(text.slice(at, at + BLOCK_CHARS))) continue;
    const around = text.slice(Math.max(0, at - AROUND_CHARS), at + AROUND_CHARS);
    if (copies(around)) return around;
    at += BLOCK_CHARS;
  }
  return null;
}

/** Every one of these words, in whatever case, in any byte of any file below a folder. */
export function wordsIn(folder: string, words: readonly string[]): Trace[] {
  const sought = words.map((word) => word.toLowerCase());
  return readings(folder).flatMap(({ file, encoding, text }) => {
    const lower = text.toLowerCase();
    return sought
      .filter((word) => lower.includes(word))
      .map((piece) => ({ file, encoding, piece }));
  });
}

/**
 * Copies a folder by another process: whoever closes a file lets go of every lock that its process has on it, and the
 * daemon's database is open in this one.
 */
export function copyFolder(from: string, to: string): void {
  const script = "require('node:fs').cpSync(process.argv[1], process.argv[2], { recursive: true })";
  execFileSync(process.execPath, ["-e", script, from, to]);
}

/** The bytes as they are, as UTF-8, and as UTF-16 from an even and from an odd place. */
function readings(folder: string): Reading[] {
  const copy = temporaryFolder();
  copyFolder(folder, copy);
  const entries = readdirSync(copy, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.flatMap((entry) => {
    const bytes = readFileSync(join(entry.parentPath, entry.name));
    const file = entry.name;
    // Whole characters: Node 24.21 writes past its memory at half a one that begins at an odd place.
    const odd = bytes.subarray(1, bytes.length - ((bytes.length + 1) % 2));
    return [
      { file, encoding: "utf8", text: bytes.toString("utf8") },
      { file, encoding: "utf16le", text: bytes.toString("utf16le") },
      { file, encoding: "utf16le+1", text: odd.toString("utf16le") },
    ];
  });
}
