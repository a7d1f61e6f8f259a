import { z } from "zod";
import type { Tombstones } from "./tombstone-store.ts";
import type { ViewerRecord } from "./viewer-record-store.ts";

interface ViewerExport {
  /** Keyed hashes of the accounts: by them a later forget knows the file. */
  readonly whos: readonly string[];
  readonly exportedAtMs: number;
  readonly record: ViewerRecord;
}

const headSchema = z.object({ whos: z.array(z.string()), exportedAtMs: z.number() });

/** The file for one person: all that is kept about them, without a line of chat. */
export function sealViewerExport(made: ViewerExport): string {
  return `${JSON.stringify(made, null, 2)}\n`;
}

/**
 * Whether the person whom a file is about had themselves, or anything about them, forgotten since it was made: then there
 * can be a new one. Throws for a file that is none of these.
 */
export function isOutOfDate(text: string, { forgets, suppressions }: Tombstones): boolean {
  const { whos, exportedAtMs } = headSchema.parse(JSON.parse(text));
  return [...forgets, ...suppressions].some(
    ({ who, atMs }) => whos.includes(who) && atMs >= exportedAtMs,
  );
}
