import {
  closeSync,
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

export interface LogFile {
  /** Never throws. */
  write(line: string): void;
  close(): void;
}

export interface LogFileLimits {
  readonly bytesMax: number;
  /** Without the current file. */
  readonly filesMax: number;
  readonly ageMsMax: number;
  /** The least free space on the disk for logging, bytes. */
  readonly freeBytesMin: number;
}

const LIMITS: LogFileLimits = {
  bytesMax: 2_000_000,
  filesMax: 5,
  ageMsMax: 7 * 24 * 3_600_000,
  freeBytesMin: 50_000_000,
};
const LOG_FOLDER = "logs";
const NAME = "forgetmenot.log";
const OLD = /^forgetmenot-\d+\.log$/;
const LOOK_EVERY_MS = 10_000;
const RETRY_MS = 1_000;

/**
 * Opens the log in a data folder: `logs/forgetmenot.log`. A full or old file is renamed by its time. Old files, and
 * files over the limit, are deleted.
 */
export function openLogFile(
  dataDir: string,
  now: () => number,
  limits: LogFileLimits = LIMITS,
): LogFile {
  const folder = join(dataDir, LOG_FOLDER);
  const path = join(folder, NAME);
  let handle: number | null = null;
  let bytes = 0;
  let beganAtMs = 0;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let hasRoom = false;

  const close = (): void => {
    if (handle !== null) closeSync(handle);
    handle = null;
  };
  const open = (): number => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const opened = openSync(path, "a", 0o600);
    const { size, birthtimeMs } = fstatSync(opened);
    bytes = size;
    beganAtMs = size === 0 ? now() : Math.min(now(), birthtimeMs);
    return opened;
  };
  const putAside = (): void => {
    close();
    renameSync(path, join(folder, `forgetmenot-${Math.round(now())}.log`));
  };
  /** Checks the free space and the age of files, at most every ten seconds. */
  const look = (): void => {
    if (Math.abs(now() - lookedAtMs) < LOOK_EVERY_MS) return;
    const disk = statfsSync(dataDir);
    lookedAtMs = now();
    // The folder may have been cleaned up: a file without a name would be written in vain.
    if (handle !== null && statSync(path, { throwIfNoEntry: false })?.ino !== fstatSync(handle).ino)
      close();
    hasRoom = disk.bavail * disk.bsize >= limits.freeBytesMin;
    if (handle !== null && now() - beganAtMs > limits.ageMsMax) putAside();
    removeOld(folder, now(), limits);
  };
  return {
    write: (line) => {
      try {
        look();
        if (!hasRoom) return;
        handle ??= open();
        if (bytes > 0 && bytes + line.length > limits.bytesMax) {
          putAside();
          removeOld(folder, now(), limits);
          handle = open();
        }
        bytes += writeSync(handle, line);
      } catch {
        hasRoom = false;
        lookedAtMs = now() - LOOK_EVERY_MS + RETRY_MS;
      }
    },
    close: () => {
      try {
        close();
      } catch {
        handle = null;
      }
    },
  };
}

function removeOld(folder: string, nowMs: number, { filesMax, ageMsMax }: LogFileLimits): void {
  const files = old(folder);
  const tooMany = files.slice(0, Math.max(0, files.length - filesMax));
  for (const file of files) {
    const ageMs = nowMs - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (tooMany.includes(file) || ageMs > ageMsMax) rmSync(file, { force: true });
  }
}

/** The oldest first. */
function old(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => OLD.test(name));
    return names.sort().map((name) => join(folder, name));
  } catch {
    return [];
  }
}
