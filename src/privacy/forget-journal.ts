import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { Fault, messageOf } from "../errors.ts";
import { writePrivately } from "../platform/config/write-privately.ts";
import type { Tombstones } from "./tombstone-store.ts";

export const JOURNAL_FILE = "forgets.json";
const who = z.string().min(1).max(100);
const journalSchema = z.strictObject({
  version: z.literal(1),
  forgets: z.array(z.strictObject({ who, atMs: z.int() })),
  suppressions: z.array(
    z.strictObject({ who, topic: z.string().max(100).nullable(), atMs: z.int() }),
  ),
});

/**
 * A copy of the tombstones beside the database: who asked to be forgotten stays so where the database is lost, and a
 * backup takes its place. Keyed hashes and times alone. Empty where there is none; throws a Fault where it is broken.
 */
export function readJournal(dataDir: string): Tombstones {
  const file = join(dataDir, JOURNAL_FILE);
  if (!existsSync(file)) return { forgets: [], suppressions: [] };
  try {
    return journalSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (cause) {
    const why =
      cause instanceof z.ZodError ? "its content is not as it should be" : messageOf(cause);
    throw new Fault(`${file}: cannot be read (${why})`, {
      code: "database",
      mend: "it says who must stay forgotten: take it from a copy of the folder, or remove it and accept that",
      cause,
    });
  }
}

/** Writes the journal anew, whole or not at all. */
export function writeJournal(dataDir: string, { forgets, suppressions }: Tombstones): void {
  writePrivately(
    join(dataDir, JOURNAL_FILE),
    `${JSON.stringify({ version: 1, forgets, suppressions })}\n`,
  );
}
