import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { attempt, Fault, messageOf, writing } from "../errors.ts";
import type { KeyedHash } from "../language/people.ts";
import { writePrivately } from "../platform/config/private-file.ts";
import { newestBackup, restoreFrom, restoreWith } from "../platform/database/database-fault.ts";
import type { NoticeBoard } from "../platform/database/notices-store.ts";
import type { Db } from "../platform/database/open-database.ts";
import { runtimeStore } from "../platform/database/runtime-store.ts";
import { type Tombstones, tombstoneStore } from "./wishes-store.ts";

const JOURNAL_FILE = "forgets.json";
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

/** Writes the journal anew, whole or not at all. Throws a Fault of code `folder` where it cannot be written. */
function writeJournal(dataDir: string, { forgets, suppressions }: Tombstones): void {
  const file = join(dataDir, JOURNAL_FILE);
  const mend = `make \`${file}\` a file that can be written: free some space on its disk, or move away what stands there`;
  writing(file, { code: "folder", mend }, () =>
    writePrivately(file, `${JSON.stringify({ version: 1, forgets, suppressions })}\n`),
  );
}

export interface JournalParts {
  readonly db: Db;
  readonly dataDir: string;
  /** Asked only where somebody is in the journal whom the database does not know of. */
  readonly hash: () => KeyedHash;
  readonly now: () => number;
}

/** Its name among the runtime values: a database that has it knows all that the journal knew. */
const KNOWN = "journal";

/**
 * Gives a function that keeps the journal of tombstones what the database has. A database that never had to do with this
 * journal, because it is new, takes over what stands in it first.
 */
export function keepJournal({ db, dataDir, hash, now }: JournalParts): () => void {
  const store = tombstoneStore(db);
  const runtime = runtimeStore(db, now);
  let written: string | null = null;
  const takeOver = (): void => {
    const journal = readJournal(dataDir);
    if (!isEmpty(journal)) store.absorb(journal, hash());
    runtime.write(KNOWN, true);
  };
  return () => {
    if (runtime.read(KNOWN, z.boolean()) === null) takeOver();
    const current = store.read();
    const text = JSON.stringify(current);
    if (text === written && (isEmpty(current) || existsSync(join(dataDir, JOURNAL_FILE)))) return;
    if (written !== null || !isEmpty(current)) writeJournal(dataDir, current);
    written = text;
  };
}

/** The kind of its notice. */
const KIND = "forgets_journal";

/** Keeps it, by a function of `keepJournal`; where it cannot be written that is told. False: to be tried again. */
export function keptOrTold(
  keep: () => void,
  notices: Pick<NoticeBoard, "raise" | "clear">,
): boolean {
  const { fault } = attempt(keep);
  if (fault !== null && fault.code !== "folder") throw fault;
  if (fault === null) notices.clear(KIND);
  else {
    notices.raise(
      KIND,
      "error",
      `who asked to be forgotten stands in the database alone, and comes back where that is lost (${fault.message}); it is tried again: ${fault.mend}`,
    );
  }
  return fault === null;
}

function isEmpty({ forgets, suppressions }: Tombstones): boolean {
  return forgets.length === 0 && suppressions.length === 0;
}

/**
 * Throws a Fault where there is no database, or an empty file in its place, and what stands beside it shows that there
 * was one, such as what a run wrote down that was killed before it came into place: a start would begin with an empty memory, and nobody would notice.
 */
export function refuseLost({
  dataDir,
  databaseFile,
}: {
  readonly dataDir: string;
  readonly databaseFile: string;
}): void {
  // A folder that cannot be one is told of elsewhere.
  if (!(existsSync(dataDir) && statSync(dataDir).isDirectory())) return;
  if ((statSync(databaseFile, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  const rescued = existing(`${databaseFile}.rescued`);
  const witness = rescued ?? newestBackup(dataDir) ?? existing(join(dataDir, JOURNAL_FILE));
  if (witness === null) return;
  const way = rescued === null ? restoreWith(databaseFile) : restoreFrom(rescued);
  const state = existsSync(databaseFile) ? "is empty" : "is not there";
  throw new Fault(`database: ${databaseFile} ${state}, and ${witness} shows that there was one`, {
    code: "database",
    mend: `put it back, or ${way}; to begin with an empty memory on purpose, set dataDir to another folder`,
  });
}

function existing(file: string): string | null {
  return existsSync(file) ? file : null;
}
