import { existsSync, mkdtempSync, realpathSync, rmdirSync, statfsSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import process from "node:process";
import { isNodeTooOld, NODE_OLDEST, REINSTALL } from "../config/environment.ts";
import { isLocked } from "../database/lock.ts";
import { findSqliteFailure, readUnmigrated } from "../database/open-database.ts";
import { attempt, getMessage } from "../errors.ts";
import { readPageUrl } from "../telemetry/status.ts";
import {
  type ExaminedBot,
  formatSize,
  notChecked,
  ok,
  problem,
  type Seen,
  warning,
} from "./check.ts";

/** Checks that Node is new enough, and that the packages were installed for it. */
export function checkNode(version: string = process.version): Seen {
  if (isNodeTooOld(version)) return problem(`${version}; the oldest that works is ${NODE_OLDEST}`);
  const failure = findSqliteFailure();
  if (failure === null) return ok(version);
  return problem(`${version}; the database package cannot be loaded (${failure})`, REINSTALL);
}

/** Checks that the bot can use its data folder, and that no cloud copies it. */
export function checkFolder({ config: { dataDir } }: ExaminedBot): Seen {
  const failure = findFolderFailure(dataDir);
  if (failure !== null) return problem(`${dataDir} cannot be used: ${failure}`);
  const cloud = findCloud(dataDir);
  if (cloud !== null) {
    const found = `${dataDir} seems to be copied elsewhere by ${cloud}: chat would leave this machine, and the database can break`;
    const fix = "stop the bot, move the folder out of there, and set dataDir to its new place";
    return warning(found, fix);
  }
  return ok(existsSync(dataDir) ? dataDir : `${dataDir} will be made at the first start`);
}

/**
 * Returns why the folder cannot be made or written; null if it can be. Makes and removes a temporary folder in it, or in
 * the nearest folder above it that exists.
 */
function findFolderFailure(folder: string): string | null {
  if (existsSync(folder) && !statSync(folder).isDirectory()) return "it is a file";
  try {
    rmdirSync(mkdtempSync(join(findExisting(folder), ".doctor-")));
    return null;
  } catch (thrown) {
    return getMessage(thrown).replace(/, mkdtemp .*$/, "");
  }
}

/** Returns the folder, or the nearest one above it that exists. */
function findExisting(folder: string): string {
  const parent = dirname(folder);
  return existsSync(folder) || parent === folder ? folder : findExisting(parent);
}

const SYNCED =
  /[\\/](OneDrive|Dropbox|iCloud ?Drive|Mobile Documents|CloudStorage|Google ?Drive|My Drive|Nextcloud|ownCloud|pCloud ?Drive|MEGA|Box Sync|Syncthing|Sync)(?=[\\/]|\b[ (-])/i;

/** Returns the name of the cloud that copies a folder, by its path; null if none seems to. */
function findCloud(folder: string): string | null {
  const path = realpathSync(findExisting(folder));
  return SYNCED.exec(`${path}/`)?.[1] ?? null;
}

const FREE_BYTES_LOW = 1_000_000_000;
const FREE_BYTES_MIN = 200_000_000;

export function checkDisk({ config: { dataDir } }: ExaminedBot): Seen {
  const { bavail, bsize } = statfsSync(findExisting(dataDir));
  return judgeFreeBytes(bavail * bsize);
}

export function judgeFreeBytes(bytes: number): Seen {
  const found = `${formatSize(bytes)} free`;
  if (bytes >= FREE_BYTES_LOW) return ok(found);
  const full = `${found}: with a full disk the bot can remember nothing, and cannot remove chat for good`;
  return bytes < FREE_BYTES_MIN ? problem(full) : warning(full);
}

/** Says whether a daemon runs on the data folder. It is a problem only if the lock cannot be used. */
export function checkDaemon({ config }: ExaminedBot): Seen {
  try {
    return ok(isLocked(config.dataDir) ? "is running on this folder" : "is not running");
  } catch (thrown) {
    const file = join(config.dataDir, "forgetmenot.lock");
    return problem(`${file} cannot be used: ${getMessage(thrown)}`);
  }
}

/** Says where a running bot serves its page. Else checks that the port is free; a taken one is only a warning. */
export async function checkPage({ config, now, running }: ExaminedBot): Promise<Seen> {
  const { port } = config.dashboard;
  if (port === false) return ok("none (dashboard.port is false)");
  if (running) {
    // If the database cannot be read, its own check names the reason.
    const read = () => readUnmigrated(config.databaseFile, (db) => readPageUrl(db, now));
    const { value: url } = attempt(read);
    return url === null
      ? notChecked("the bot runs, but the address of its page cannot be read")
      : ok(`the bot serves it at ${url}`);
  }
  if (port === 0) return ok("takes any free port");
  const failure = await tryListening(port);
  if (failure === null) return ok(`port ${port} is free`);
  const why =
    failure === "EADDRINUSE" ? "is taken by another program" : `cannot be used (${failure})`;
  return warning(`port ${port} ${why}: the page takes another one, and the bot prints which`);
}

/** Takes the port for a moment. Returns the system's code if that fails, else null. */
function tryListening(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve("code" in error ? String(error.code) : error.name));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () =>
      server.close(() => resolve(null)),
    );
  });
}
