import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writePrivately } from "../config/private-file.ts";
import { Fault, getMessage, writeOrFault } from "../errors.ts";

const hashedId = z.string().min(1).max(100);
const recordSchema = z.strictObject({
  version: z.literal(1),
  forgets: z.array(z.strictObject({ who: hashedId, atMs: z.int() })),
  suppressions: z.array(
    z.strictObject({ who: hashedId, topic: z.string().max(100).nullable(), atMs: z.int() }),
  ),
});

/**
 * The privacy requests that outlive the database: who was forgotten, who opted out (`topic` null) and which topics may
 * not be learned. Keyed hashes and times only; the key is in the secrets file.
 */
export interface PrivacyRecord {
  readonly forgets: readonly { readonly who: string; readonly atMs: number }[];
  readonly suppressions: readonly {
    readonly who: string;
    readonly topic: string | null;
    readonly atMs: number;
  }[];
}

const RECORD_FILE = "forgets.json";

/** Reads the record of a data folder; empty if there is none. Throws a Fault if the file is broken. */
export function readRecord(dataDir: string): PrivacyRecord {
  const file = join(dataDir, RECORD_FILE);
  if (!existsSync(file)) return { forgets: [], suppressions: [] };
  try {
    return recordSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (cause) {
    const why = cause instanceof z.ZodError ? "its content is not as expected" : getMessage(cause);
    throw new Fault(`${file} cannot be read (${why})`, {
      code: "database",
      fix: "it says who must stay forgotten: take it from a copy of the folder, or delete it and accept that",
      cause,
    });
  }
}

/** Replaces the record and syncs it to disk. Throws a Fault of code `folder` if it cannot be written. */
export function writeRecord(dataDir: string, { forgets, suppressions }: PrivacyRecord): void {
  const file = join(dataDir, RECORD_FILE);
  const fix = `make \`${file}\` writable: free some space on its disk, or move away what is in its place`;
  writeOrFault(file, { code: "folder", fix }, () =>
    writePrivately(file, `${JSON.stringify({ version: 1, forgets, suppressions })}\n`),
  );
}
