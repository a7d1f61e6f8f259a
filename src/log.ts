import { hash, randomBytes } from "node:crypto";
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
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
};
/** A file is renamed after a day, if it is not full before. */
const FILE_MS_MAX = 24 * 3_600_000;
const OLD_MS_MAX = 6 * FILE_MS_MAX;
const OLD_NAME = /^forgetmenot-\d+\.log$/;
const RETRY_MS = 1_000;

/**
 * Writes the log of a data folder: `logs/forgetmenot.log`. Renames a file that is full or a day old to one with the time
 * in its name. Whenever it opens a file, it deletes old ones: those not written for six days, and those beyond the newest
 * five.
 */
export class LogFile {
  readonly #folder: string;
  readonly #path: string;
  readonly #now: () => number;
  readonly #limits: typeof LIMITS;
  #handle: number | null = null;
  #bytes = 0;
  #beganAtMs = 0;
  #retryAtMs = Number.NEGATIVE_INFINITY;

  constructor(dataDir: string, now: () => number, limits = LIMITS) {
    this.#folder = join(dataDir, "logs");
    this.#path = join(this.#folder, "forgetmenot.log");
    this.#now = now;
    this.#limits = limits;
  }

  /**
   * Writes a line, which has its line break. Never throws: a line that cannot be written is lost, and so are all lines
   * of the next second.
   */
  write(line: string): void {
    const nowMs = this.#now();
    if (nowMs < this.#retryAtMs) return;
    const isFull = this.#bytes > 0 && this.#bytes + line.length > this.#limits.bytesMax;
    try {
      if (this.#handle !== null && (isFull || nowMs - this.#beganAtMs > FILE_MS_MAX)) {
        this.close();
        renameSync(this.#path, join(this.#folder, `forgetmenot-${nowMs}.log`));
      }
      this.#handle ??= this.#open(nowMs);
      this.#bytes += writeSync(this.#handle, line);
    } catch {
      // A log that cannot be written stops nothing. It is opened again soon.
      this.close();
      this.#retryAtMs = nowMs + RETRY_MS;
    }
  }

  /** Closes the file; the next line opens it again. Never throws. */
  close(): void {
    const handle = this.#handle;
    this.#handle = null;
    try {
      if (handle !== null) closeSync(handle);
    } catch {
      // Its lines are written already.
    }
  }

  /** Opens the current file and returns its handle. Deletes files that are too old or too many. */
  #open(nowMs: number): number {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const oldestFirst = readdirSync(this.#folder)
      .filter((name) => OLD_NAME.test(name))
      .sort();
    for (const [at, name] of oldestFirst.entries()) {
      const file = join(this.#folder, name);
      const isOver = at < oldestFirst.length - this.#limits.filesMax;
      if (isOver || nowMs - statSync(file).mtimeMs > OLD_MS_MAX) rmSync(file, { force: true });
    }
    const opened = openSync(this.#path, "a", 0o600);
    const { size, birthtimeMs } = fstatSync(opened);
    this.#bytes = size;
    this.#beganAtMs = size === 0 ? nowMs : Math.min(nowMs, birthtimeMs);
    return opened;
  }
}
