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
import { attempt, messageOf } from "../../errors.ts";
import { refuseRehearsalFolder } from "../../lab/rehearsal/data-folder.ts";
import { shellPath } from "../../platform/config/private-file.ts";
import { isLocked } from "../../platform/database/lock.ts";
import { when } from "../terminal.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/**
 * The data folder: whether the bot can use it, and whether others or other machines see into it. `running`: whether a
 * daemon runs on it; `usable`: whether the bot could write there.
 */
export function checkFolder(folder: string) {
  const { running, finding: daemon } = lookForDaemon(folder);
  const stats = orNull(() => statSync(folder, { throwIfNoEntry: false })) ?? null;
  const existing = stats === null ? nearestExisting(folder) : folder;
  const failure =
    brokenLink(folder) ??
    (stats === null || stats.isDirectory() ? writeFailure(existing) : "it is a file");
  if (failure !== null) {
    const mend = "make the folder writable for this user, or set dataDir to another one";
    const finding = problem("folder", `${folder} cannot be used: ${failure}`, mend);
    return { findings: [finding], running, usable: false };
  }
  const unusable = unusableFiles(folder);
  const { fault: rehearsed } = attempt(() => refuseRehearsalFolder(folder));
  const isOpen = platform !== "win32" && stats !== null && (stats.mode & 0o077) !== 0;
  const troubles = [
    ...unusable,
    ...unusableFolders(folder),
    ...(rehearsed === null ? [] : [problem("folder", rehearsed.message, rehearsed.mend)]),
    ...when(
      isOpen,
      warning(
        "folder",
        `${folder} can be entered by other users of this machine`,
        `chmod 700 ${shellPath(folder)}; the bot does so at its next start`,
      ),
    ),
    ...elsewhere(existing),
  ];
  const fine = stats === null ? `${folder} will be made at the first start` : folder;
  const findings = troubles.length > 0 ? troubles : [ok("folder", fine)];
  const { bavail, bsize } = statfsSync(existing);
  return {
    findings: [...findings, diskFinding(bavail * bsize), daemon],
    running,
    usable: unusable.length === 0,
  };
}

/** What is in the way of a look is told by another one. */
function orNull<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}

function brokenLink(path: string): string | null {
  const isLink = orNull(() => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink());
  return isLink && !existsSync(path) ? "it is a link that leads nowhere" : null;
}

/** Another user who ran the bot once leaves them so. */
const FILES = ["forgetmenot.db", "forgetmenot.db-wal", "forgetmenot.db-shm"];

function unusableFiles(folder: string): Finding[] {
  const mend =
    "make this user the owner of the data folder and of what is in it: a start with sudo takes them away";
  return FILES.flatMap((name) => {
    const failure = fileFailure(join(folder, name));
    if (failure === null) return [];
    return [problem("folder", `${join(folder, name)} cannot be used: ${failure}`, mend)];
  });
}

/** In the data folder, and what does not come about without them. */
const FOLDERS = { logs: "no log is written", backups: "no backup is made" };

function unusableFolders(folder: string): Finding[] {
  return Object.entries(FOLDERS).flatMap(([name, lost]) => {
    const path = join(folder, name);
    if (!existsSync(path)) return [];
    const failure = statSync(path).isDirectory() ? writeFailure(path) : "it is a file";
    if (failure === null) return [];
    const mend =
      "make it a folder that this user can write, or take it away: the bot makes it anew";
    return [warning("folder", `${path} cannot be used: ${failure}, so ${lost}`, mend)];
  });
}

/** Null for one that the bot can use, or that is not there yet. */
function fileFailure(file: string): string | null {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return brokenLink(file);
    if (!stats.isFile()) return "it is no file";
    accessSync(file, constants.R_OK | constants.W_OK);
    return null;
  } catch (thrown) {
    return messageOf(thrown).replace(/, \w+ '.*$/, "");
  }
}

function lookForDaemon(folder: string): { readonly running: boolean; readonly finding: Finding } {
  const file = join(folder, "forgetmenot.lock");
  const mend = "stop the bot and remove the file: it holds nothing, and is made anew";
  const bad = (failure: string) => problem("daemon", `${file} cannot be used: ${failure}`, mend);
  const failure = fileFailure(file);
  try {
    const running = isLocked(folder);
    const finding = ok("daemon", running ? "is running on this folder" : "is not running");
    return { running, finding: failure === null ? finding : bad(failure) };
  } catch (thrown) {
    return { running: false, finding: bad(failure ?? messageOf(thrown)) };
  }
}

function nearestExisting(folder: string): string {
  const parent = dirname(folder);
  return existsSync(parent) || parent === folder ? parent : nearestExisting(parent);
}

/** Why nothing can be made in `folder`, which it finds out by making something, and taking it away. */
function writeFailure(folder: string): string | null {
  try {
    rmdirSync(mkdtempSync(join(folder, ".doctor-")));
    return null;
  } catch (thrown) {
    return messageOf(thrown).replace(/, mkdtemp .*$/, "");
  }
}

const SYNCED =
  /[\\/](OneDrive|Dropbox|iCloud ?Drive|Mobile Documents|CloudStorage|Google ?Drive|My Drive|Nextcloud|ownCloud|pCloud ?Drive|MEGA|Box Sync|Syncthing|Sync)(?=[\\/]|\b[ (-])/i;
const NETWORK_PATH = /^\\\\(?!\?\\[a-z]:)/i;
/** Types of Linux's statfs: NFS, SMB (three of them), AFS, Ceph, and 9p, by which WSL sees the disks of Windows. */
const NETWORK_TYPES = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x00c36400, 0x01021997,
]);

/** Whether other machines may get at it, as far as its path and its kind tell. */
function elsewhere(folder: string): readonly Finding[] {
  const path = realpathSync(folder);
  const cloud = SYNCED.exec(`${path}/`)?.[1];
  if (cloud !== undefined) {
    return [
      warning(
        "folder",
        `${path} seems to be copied elsewhere by ${cloud}: chat would leave this machine, and the database can break`,
        "stop the bot, move the folder out of there, and set dataDir to its new place",
      ),
    ];
  }
  const isMounted = platform === "linux" && NETWORK_TYPES.has(statfsSync(path).type >>> 0);
  const found = `${path} is on a network drive: the database can break there`;
  const mend = "set dataDir to a folder on a disk of this machine";
  return when(isMounted || NETWORK_PATH.test(path), warning("folder", found, mend));
}

const MB = 1_000_000;
const FREE_BYTES_LOW = 1_000 * MB;
const FREE_BYTES_MIN = 200 * MB;

/** What so much free space on the disk of the data folder means. */
export function diskFinding(bytes: number): Finding {
  const found = `${sizeText(bytes)} free`;
  if (bytes >= FREE_BYTES_LOW) return ok("disk", found);
  const full = `${found}: a full disk stops the bot from remembering anything, and from removing chat for good`;
  const mend = "make room on the disk, or set dataDir to a folder on another one";
  return bytes < FREE_BYTES_MIN ? problem("disk", full, mend) : warning("disk", full, mend);
}

/** `12 MB`, `3.4 GB`. */
export function sizeText(bytes: number): string {
  if (bytes < MB) return "less than 1 MB";
  const isLarge = bytes >= 1_000 * MB;
  return isLarge ? `${(bytes / 1_000 / MB).toFixed(1)} GB` : `${Math.round(bytes / MB)} MB`;
}
