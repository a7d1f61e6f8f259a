import { randomInt } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { Fault, messageOf } from "../../errors.ts";
import { startChild } from "./child.ts";
import {
  backupPath,
  type DatabaseTrouble,
  mendOf,
  restoreFrom,
  restoreWith,
  troubleOf,
} from "./database-fault.ts";
import type { NoticeBoard } from "./notices-store.ts";
import {
  type Db,
  keepWithoutChat,
  makePrivateFolder,
  removeBeside,
  truncateWal,
} from "./open-database.ts";

/** Whether the database is there and takes what is written, and what to do where it is not. */
export interface DatabaseHealth {
  /** Takes what a read or a write threw; tells it, with what mends it. False where it was not the database's. */
  heard(thrown: unknown): boolean;
  /** A write went through: what was in the way is over. */
  works(): void;
  /** Looks at the file. Cheap. Never throws. */
  look(): void;
  /** Resolves with a Fault where it is pointless to go on: the file is gone, or damaged. */
  readonly broken: Promise<Fault>;
  /** It is pointless to go on for another reason. */
  breakWith(fault: Fault): void;
  /** Where the file is gone, writes what is known beside where it was. To be called before the database is closed. */
  rescue(): void;
  /** Puts that in its place. To be called after the database was closed. */
  place(): void;
}

interface HealthParts {
  readonly db: Db;
  readonly file: string;
  readonly notices: Pick<NoticeBoard, "raise" | "clear">;
  /** Whether another process writes the file anew right now. */
  readonly isHeld: () => boolean;
}

/** The kind of its notice. */
const KIND = "database";
/** A look may fall between two steps of somebody's. */
const STRIKES = 2;
const CHECK_MS_MAX = 5 * 60_000;
/** A command beside the bot has the database for some ms at a time: nothing to tell, unless it goes on for so long. */
const BUSY_TOLD_AFTER_MS = 1_000;
const BUSY_AGAIN_WITHIN_MS = 5_000;

export function databaseHealth(parts: HealthParts): DatabaseHealth {
  const { db, file, notices } = parts;
  let isTold = true;
  let breakWith: (fault: Fault) => void = () => undefined;
  const broken = new Promise<Fault>((resolve) => {
    breakWith = resolve;
  });
  const damaged = (why: string): void => {
    const { what, mend } = mendOf("damaged", file);
    const message = `database: ${file} was damaged while the bot ran (${why})`;
    notices.raise(KIND, "error", `${what} (${why}); the bot ends: ${mend}`);
    breakWith(new Fault(message, { code: "broken", mend }));
  };
  const rescuer = openRescuer(db, file);
  const mark = openMark(db, file);
  const gone = (): void => {
    const { message, mend } = rescuer.prepare();
    notices.raise(KIND, "error", `${message}; the bot ends: ${mend}`);
    breakWith(new Fault(`database: ${message}`, { code: "broken", mend }));
  };
  const cutOff = (): void => {
    const what = `${file}-wal or -shm was deleted while the bot ran`;
    const mend = "start it again with `forgetmenot run`: what it knew is in the database";
    notices.raise(KIND, "error", `${what}; the bot ends: ${mend}`);
    breakWith(new Fault(`database: ${what}`, { code: "broken", mend }));
  };
  const tell = (trouble: Exclude<DatabaseTrouble, "damaged">): void => {
    const { what, mend } = mendOf(trouble, file);
    isTold = true;
    notices.raise(KIND, "warning", `the database takes nothing (${what}): ${mend}; ${WAITS}`);
  };
  const busy = { sinceMs: Number.NEGATIVE_INFINITY, lastMs: Number.NEGATIVE_INFINITY };
  const isPassing = (): boolean => {
    const nowMs = performance.now();
    if (nowMs - busy.lastMs > BUSY_AGAIN_WITHIN_MS) busy.sinceMs = nowMs;
    busy.lastMs = nowMs;
    return nowMs - busy.sinceMs < BUSY_TOLD_AFTER_MS;
  };
  return {
    broken,
    breakWith: (fault) => breakWith(fault),
    heard: (thrown) => {
      const trouble = troubleOf(thrown);
      if (trouble === "damaged") damaged(codeOf(thrown));
      else if (trouble !== null && !(trouble === "busy" && isPassing())) tell(trouble);
      return trouble !== null;
    },
    works: () => {
      busy.lastMs = Number.NEGATIVE_INFINITY;
      if (!isTold || rescuer.isNeeded()) return;
      isTold = false;
      notices.clear(KIND);
    },
    look: fileLook(parts, mark.isLost, { damaged, gone, cutOff }),
    rescue: rescuer.rescue,
    place: () => {
      mark.close();
      rescuer.place();
    },
  };
}

const WAITS = "until then replies go on, chat and wishes wait to be written";

/** What SQLite keeps beside a database that is open. */
const BESIDE = ["-wal", "-shm"];

/** Looks whether the file, and what SQLite keeps beside it, are still those that were opened, and the file as large as it was. */
function fileLook(
  { db, file, isHeld }: HealthParts,
  hasLostMark: () => boolean,
  tell: {
    readonly damaged: (why: string) => void;
    readonly gone: () => void;
    readonly cutOff: () => void;
  },
): () => void {
  const first = found(file);
  const beside = BESIDE.map((end) => ({ path: `${file}${end}`, first: found(`${file}${end}`) }));
  let lastBytes = first?.size ?? 0;
  let strikes = 0;
  let isChecking = false;
  /** A file that became smaller is looked through, in a process of its own. */
  const check = async (): Promise<void> => {
    isChecking = true;
    const job = startChild("database-child", ["check", file], {
      folder: import.meta.url,
      temporaryFolder: dirname(file),
      timeMsMax: CHECK_MS_MAX,
    });
    if ((await job.ended) === false) tell.damaged("a part of the file is missing");
    isChecking = false;
  };
  const follow = (bytes: number): void => {
    if (bytes < lastBytes && !isChecking) void check();
    lastBytes = bytes;
  };
  const hasLog = (): boolean =>
    beside.every((one) => one.first === null || !isOther(found(one.path), one.first));
  const wrongWith = (now: Found | null, before: Found): (() => void) | null => {
    if (isOther(now, before)) return tell.gone;
    if (now?.size === 0) return () => tell.damaged("the file is empty");
    if (hasLostMark()) return () => tell.damaged("another file was copied over it");
    if (hasLog()) return null;
    // Nobody else finds what stands in a log without a name, nor would the next start.
    truncateWal(db);
    return tell.cutOff;
  };
  return () => {
    if (first === null || isHeld()) return;
    const now = found(file);
    const wrong = wrongWith(now, first);
    if (wrong !== null) {
      strikes += 1;
      if (strikes === STRIKES) wrong();
      return;
    }
    strikes = 0;
    follow(now?.size ?? 0);
  };
}

/** Where a database says whose it is: https://www.sqlite.org/fileformat.html#the_application_id */
const MARK_AT = 68;
const MARK_BYTES = 4;

/**
 * Marks a database by a number of its own, which no backup has: a file that is copied over it, and stays the same file for
 * the system, is known by that. The file is held open until the end: closing it would drop SQLite's locks.
 */
function openMark(db: Db, file: string) {
  const read = (): number => Number(db.pragma("application_id", { simple: true }));
  const bytes = Buffer.alloc(MARK_BYTES);
  let handle: number | null = null;
  let mark = 0;
  const isThere = (): boolean =>
    handle !== null &&
    readSync(handle, bytes, 0, MARK_BYTES, MARK_AT) === MARK_BYTES &&
    bytes.readInt32BE() === mark;
  let wasThere = false;
  try {
    if (read() === 0) {
      db.pragma(`application_id = ${randomInt(1, 2 ** 31 - 1)}`);
      truncateWal(db);
    }
    mark = read();
    handle = openSync(file, "r");
    wasThere = isThere();
  } catch {
    // A database that takes nothing now is marked at the next start.
  }
  return {
    isLost: (): boolean => {
      const isThereNow = isThere();
      wasThere ||= isThereNow;
      return wasThere && !isThereNow;
    },
    close: (): void => {
      if (handle !== null) closeSync(handle);
      handle = null;
    },
  };
}

/** Saves what is known where the file is gone: in its place, or where another one stands there, as a backup. */
function openRescuer(db: Db, file: string) {
  const rescued = `${file}.rescued`;
  const asBackup = backupPath(dirname(file), "rescued", Date.now());
  let way: "in_place" | "as_backup" | null = null;
  let isRescued = false;
  return {
    isNeeded: (): boolean => way !== null,
    /** Tells what it will do, before anybody knows whether it can. */
    prepare: (): { readonly message: string; readonly mend: string } => {
      const why = whyUnreachable(file);
      if (why !== null) {
        return {
          message: `${file} could not be reached any more while the bot ran (${why})`,
          mend: `make ${dirname(file)} a folder that this user can enter and write, then start it again with \`forgetmenot run\`: what the bot knew is in that file`,
        };
      }
      way = existsSync(file) ? "as_backup" : "in_place";
      const what =
        way === "as_backup"
          ? `${file} is another file than the bot had opened`
          : `${file} was deleted or moved`;
      const mend =
        way === "as_backup"
          ? `what the bot knew was written to ${asBackup}: ${restoreFrom(asBackup)} to have it back (a folder in the database's place has to be moved away first), and \`forgetmenot run\` goes on with what stands there now`
          : `what the bot knew was written to ${file} anew: start it again with \`forgetmenot run\`. Where that file is not there, ${restoreWith(file)}`;
      return { message: `${what} while the bot ran`, mend };
    },
    rescue: (): void => {
      if (way === "in_place") isRescued = writeAnew(db, rescued);
      if (way === "as_backup") isRescued = keepWithoutChat(db, asBackup);
    },
    place: (): void => {
      if (way !== "in_place" || !isRescued || existsSync(file)) return;
      removeBeside(file);
      renameSync(rescued, file);
    },
  };
}

/** The open connection still reaches every page of a file that nobody finds by its name any more. */
function writeAnew(db: Db, target: string): boolean {
  try {
    makePrivateFolder(dirname(target));
    rmSync(target, { force: true });
    writeFileSync(target, "", { mode: 0o600 });
    chmodSync(target, 0o600);
    db.prepare("VACUUM INTO ?").run(target);
    return true;
  } catch {
    return false;
  }
}

function isOther(now: Found | null, before: Found): boolean {
  return now === null || now.ino !== before.ino || now.dev !== before.dev;
}

interface Found {
  readonly ino: number;
  readonly dev: number;
  readonly size: number;
}

function found(file: string): Found | null {
  try {
    return statSync(file);
  } catch {
    return null;
  }
}

/** What keeps this user from a file that may be there all the same; null where it is there, or is not. */
function whyUnreachable(file: string): string | null {
  try {
    statSync(file, { throwIfNoEntry: false });
    return null;
  } catch (cause) {
    return codeOf(cause) === "ENOTDIR" ? null : messageOf(cause);
  }
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
}
