import { hash, randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { pino } from "pino";

/**
 * The program's log. It takes ids, counts and codes; never chat text, a login, a user id, a key or a token.
 * People are named by `person(userId)`: the same pseudonym all through one process, another one in the next.
 */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** A short pseudonym for a Twitch user id, stable until the process ends. */
  person(userId: string): string;
}

type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** Opens a log that gives JSON lines of `level` and above to `write`. */
export function openLog(level: LogLevel, write: (line: string) => void = () => undefined): Log {
  const logger = pino({ level, base: null }, { write });
  const pseudonymKey = randomBytes(16).toString("hex");
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    // The key is never kept and a digest never shown whole: this is as good as an HMAC, and a reply waits for it.
    person: (userId) => `person-${hash("sha256", `${pseudonymKey} ${userId}`).slice(0, 8)}`,
  };
}

const LIMITS = {
  bytesMax: 2_000_000,
  /** Without the current file. */
  filesMax: 5,
  ageMsMax: 7 * 24 * 3_600_000,
  /** The least free space on the disk for logging, bytes. */
  freeBytesMin: 50_000_000,
};
const OLD_NAME = /^forgetmenot-\d+\.log$/;
const CHECK_EVERY_MS = 10_000;
const RETRY_MS = 1_000;

/**
 * The log in a data folder: `logs/forgetmenot.log`. Renames a full or old file by its time. Deletes old files, and files
 * over the limit.
 */
export class LogFile {
  readonly #dataDir: string;
  readonly #folder: string;
  readonly #path: string;
  readonly #now: () => number;
  readonly #limits: typeof LIMITS;
  #handle: number | null = null;
  #bytes = 0;
  #beganAtMs = 0;
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #hasRoom = false;

  constructor(dataDir: string, now: () => number, limits = LIMITS) {
    this.#dataDir = dataDir;
    this.#folder = join(dataDir, "logs");
    this.#path = join(this.#folder, "forgetmenot.log");
    this.#now = now;
    this.#limits = limits;
  }

  /** Never throws. */
  write(line: string): void {
    try {
      this.#check();
      if (!this.#hasRoom) return;
      this.#handle ??= this.#open();
      if (this.#bytes > 0 && this.#bytes + line.length > this.#limits.bytesMax) {
        this.#putAside();
        this.#removeOld();
        this.#handle = this.#open();
      }
      this.#bytes += writeSync(this.#handle, line);
    } catch {
      // A log that cannot be written stops nothing. It is tried again soon.
      this.#hasRoom = false;
      this.#checkedAtMs = this.#now() - CHECK_EVERY_MS + RETRY_MS;
    }
  }

  /** Never throws. */
  close(): void {
    const handle = this.#handle;
    this.#handle = null;
    try {
      if (handle !== null) closeSync(handle);
    } catch {
      // The program ends, and the system closes the file.
    }
  }

  #open(): number {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const opened = openSync(this.#path, "a", 0o600);
    const { size, birthtimeMs } = fstatSync(opened);
    this.#bytes = size;
    this.#beganAtMs = size === 0 ? this.#now() : Math.min(this.#now(), birthtimeMs);
    return opened;
  }

  #putAside(): void {
    this.close();
    renameSync(this.#path, join(this.#folder, `forgetmenot-${Math.round(this.#now())}.log`));
  }

  /** Checks the free space and the age of files, at most every ten seconds. */
  #check(): void {
    const nowMs = this.#now();
    if (Math.abs(nowMs - this.#checkedAtMs) < CHECK_EVERY_MS) return;
    const disk = statfsSync(this.#dataDir);
    this.#checkedAtMs = nowMs;
    // The folder may have been cleaned up: a file without a name would be written in vain.
    const { ino } = statSync(this.#path, { throwIfNoEntry: false }) ?? {};
    if (this.#handle !== null && ino !== fstatSync(this.#handle).ino) this.close();
    this.#hasRoom = disk.bavail * disk.bsize >= this.#limits.freeBytesMin;
    if (this.#handle !== null && nowMs - this.#beganAtMs > this.#limits.ageMsMax) this.#putAside();
    this.#removeOld();
  }

  #removeOld(): void {
    const { filesMax, ageMsMax } = this.#limits;
    if (!existsSync(this.#folder)) return;
    const oldestFirst = readdirSync(this.#folder)
      .filter((name) => OLD_NAME.test(name))
      .sort();
    for (const [at, name] of oldestFirst.entries()) {
      const file = join(this.#folder, name);
      const isOver = at < oldestFirst.length - filesMax;
      const { mtimeMs = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {};
      if (isOver || this.#now() - mtimeMs > ageMsMax) rmSync(file, { force: true });
    }
  }
}
