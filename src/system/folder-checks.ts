import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdtempSync,
  realpathSync,
  rmdirSync,
  statfsSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { platform } from "node:process";
import { quotePath } from "../config/private-file.ts";
import { isLocked } from "../database/lock.ts";
import { getMessage } from "../errors.ts";
import { type ExaminedBot, formatSize, ok, problem, type Seen, warning } from "./check.ts";

/** Checks that the bot can use its data folder, and that no other user or machine can read it. */
export function checkFolder({ config: { dataDir } }: ExaminedBot): Seen[] {
  const failure = findFolderFailure(dataDir);
  if (failure !== null) return [problem(`${dataDir} cannot be used: ${failure}`)];
  if (!existsSync(dataDir)) {
    const cloud = findCloudCopy(dataDir);
    return cloud.length > 0 ? cloud : [ok(`${dataDir} will be made at the first start`)];
  }
  const found = [...findUnusableParts(dataDir), ...findCloudCopy(dataDir)];
  if (platform !== "win32" && (statSync(dataDir).mode & 0o077) !== 0) {
    found.push(
      warning(
        `${dataDir} can be entered by other users of this machine`,
        `chmod 700 ${quotePath(dataDir)}; the bot does so at its next start`,
      ),
    );
  }
  return found.length > 0 ? found : [ok(dataDir)];
}

/** Checks that the database could be opened or made. */
export function isUsable(folder: string): boolean {
  return (
    findFolderFailure(folder) === null &&
    FILES.every((name) => findFileFailure(join(folder, name)) === null)
  );
}

function findFolderFailure(folder: string): string | null {
  if (isBrokenLink(folder)) return "it is a link that leads nowhere";
  try {
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (stats !== undefined && !stats.isDirectory()) return "it is a file";
  } catch {
    // The folder above is broken: writing there fails, and names the reason.
  }
  return tryWriting(findExisting(folder));
}

/** The folder, or the nearest one above that exists. */
function findExisting(folder: string): string {
  const parent = dirname(folder);
  return existsSync(folder) || parent === folder ? folder : findExisting(parent);
}

function isBrokenLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink() && !existsSync(path);
  } catch {
    return false; // It does not exist, or the folder above is broken: another check names that.
  }
}

/** Makes a folder in `folder` and removes it. Returns why that fails, or null. */
function tryWriting(folder: string): string | null {
  try {
    rmdirSync(mkdtempSync(join(folder, ".doctor-")));
    return null;
  } catch (thrown) {
    return getMessage(thrown).replace(/, mkdtemp .*$/, "");
  }
}

/** Files that another user owns after a start with sudo. */
const FILES = ["forgetmenot.db", "forgetmenot.db-wal", "forgetmenot.db-shm"];

/** Folders in the data folder, with the effect if one is missing. */
const FOLDERS = { logs: "no log is written", backups: "no backup is made" };

function findUnusableParts(dataDir: string): Seen[] {
  const owner =
    "make this user the owner of the data folder and its files: a start with sudo changes the owner";
  const files = FILES.flatMap((name) => {
    const path = join(dataDir, name);
    const failure = findFileFailure(path);
    return failure === null ? [] : [problem(`${path} cannot be used: ${failure}`, owner)];
  });
  const fix = "make it a folder that this user can write, or delete it: the bot makes it again";
  const folders = Object.entries(FOLDERS).flatMap(([name, lost]) => {
    const path = join(dataDir, name);
    if (!existsSync(path)) return [];
    const failure = statSync(path).isDirectory() ? tryWriting(path) : "it is a file";
    return failure === null ? [] : [warning(`${path} cannot be used: ${failure}, so ${lost}`, fix)];
  });
  return [...files, ...folders];
}

/** Returns null for a file that the bot can use, or that does not exist yet. */
function findFileFailure(file: string): string | null {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return isBrokenLink(file) ? "it is a link that leads nowhere" : null;
    if (!stats.isFile()) return "it is not a file";
    accessSync(file, constants.R_OK | constants.W_OK);
    return null;
  } catch (thrown) {
    return getMessage(thrown).replace(/, \w+ '.*$/, "");
  }
}

/** Checks whether a daemon runs on the data folder. */
export function checkDaemon({ config }: ExaminedBot): Seen {
  const file = join(config.dataDir, "forgetmenot.lock");
  const failure = findFileFailure(file);
  try {
    const isRunning = isLocked(config.dataDir);
    if (failure === null) return ok(isRunning ? "is running on this folder" : "is not running");
    return problem(`${file} cannot be used: ${failure}`);
  } catch (thrown) {
    return problem(`${file} cannot be used: ${failure ?? getMessage(thrown)}`);
  }
}

const SYNCED =
  /[\\/](OneDrive|Dropbox|iCloud ?Drive|Mobile Documents|CloudStorage|Google ?Drive|My Drive|Nextcloud|ownCloud|pCloud ?Drive|MEGA|Box Sync|Syncthing|Sync)(?=[\\/]|\b[ (-])/i;

/** Checks by its path whether a cloud copies the folder. */
function findCloudCopy(folder: string): Seen[] {
  const path = realpathSync(findExisting(folder));
  const cloud = SYNCED.exec(`${path}/`)?.[1];
  if (cloud === undefined) return [];
  return [
    warning(
      `${path} seems to be copied elsewhere by ${cloud}: chat would leave this machine, and the database can break`,
      "stop the bot, move the folder out of there, and set dataDir to its new place",
    ),
  ];
}

const FREE_BYTES_LOW = 1_000_000_000;
const FREE_BYTES_MIN = 200_000_000;

/** Checks the free space on the disk of the data folder. */
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
