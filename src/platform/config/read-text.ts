import { readFileSync } from "node:fs";

/**
 * A text file as editors on any system leave it: UTF-8, or UTF-16 as Windows' PowerShell writes it, with or without a
 * byte order mark. Rejects as `readFileSync` does.
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
  return bytes.toString("utf8");
}
