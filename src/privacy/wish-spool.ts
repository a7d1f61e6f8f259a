import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { Fault, messageOf } from "../errors.ts";

/** What somebody was promised, or a moderator took away, and the database did not take in yet. */
const entrySchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.enum(["forget", "opt_out", "opt_in"]),
    userId: z.string(),
    login: z.string(),
    displayName: z.string(),
  }),
  z.strictObject({
    kind: z.enum(["remember", "forget_topic"]),
    channel: z.string(),
    userId: z.string(),
    /** In their own words: they asked for it to be kept, or to be kept from coming back. */
    what: z.string(),
  }),
  z.strictObject({
    kind: z.literal("removal"),
    removal: z.discriminatedUnion("by", [
      z.strictObject({ by: z.literal("message"), messageId: z.string() }),
      z.strictObject({
        by: z.literal("person"),
        channel: z.string(),
        userId: z.string().nullable(),
        login: z.string(),
      }),
      z.strictObject({ by: z.literal("channel"), channel: z.string() }),
    ]),
  }),
  /** So many lines of chat were never written before an end; where none, only the end itself was not. */
  z.strictObject({ kind: z.literal("lost"), lines: z.int() }),
]);

export type SpoolEntry = z.output<typeof entrySchema>;

/**
 * A file beside the database, in place of it while it takes nothing. Its room is taken on the disk before there is need,
 * so that a disk that is full keeps nobody's wish from it. One JSON value a line; the rest is blank.
 */
export interface WishSpool {
  /** What the file holds. What is not whole is left out. */
  read(): readonly SpoolEntry[];
  /** Has the file hold just these. False where it could not be written. */
  write(entries: readonly SpoolEntry[]): boolean;
}

export const SPOOL_FILE = "wishes.spool";
const ROOM_BYTES = 65_536;

export function wishSpool(dataDir: string): WishSpool {
  const file = join(dataDir, SPOOL_FILE);
  let written = "";
  const put = (text: string): boolean => {
    try {
      const bytes = Buffer.from(text.padEnd(ROOM_BYTES, " "));
      const handle = openSync(file, existsSync(file) ? "r+" : "w", 0o600);
      try {
        writeFileSync(handle, bytes); // all of it, or it throws: the disk may have room for a part
        ftruncateSync(handle, bytes.length);
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
      written = text;
      return true;
    } catch {
      return false;
    }
  };
  return {
    read: () => {
      const text = existsSync(file) ? textOf(file) : "";
      written = text.trim();
      return text.split("\n").flatMap((line) => parsed(line) ?? []);
    },
    write: (entries) => {
      const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
      if (text === written && existsSync(file)) return true;
      return put(text);
    },
  };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new Fault(`${file}: cannot be read (${messageOf(cause)})`, {
      code: "folder",
      mend: "what people asked for may stand in it: make it a file that this user can read, or move it away",
      cause,
    });
  }
}

function parsed(line: string): SpoolEntry | null {
  try {
    return entrySchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
