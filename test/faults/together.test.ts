import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { keyedHash } from "../../src/language/people.ts";
import { hashKey } from "../../src/platform/config/secrets.ts";
import { type Db, openDatabase } from "../../src/platform/database/open-database.ts";
import { Database } from "../../src/platform/database/sqlite.ts";
import { makeBackup } from "../../src/privacy/made-files-store.ts";
import { builtProgram } from "../stand-ins/built-program.ts";
import { enter, openTown } from "../stand-ins/house.ts";
import { startProgram } from "../stand-ins/program.ts";
import { launchIn } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

const main = builtProgram();

/** Where Linux says which processes a process has started. */
const startedBy = (pid: number | undefined) => `/proc/${pid}/task/${pid}/children`;
const KNOWS_PROCESSES = existsSync(startedBy(process.pid));

function processesOf(pid: number | undefined): number[] {
  return readFileSync(startedBy(pid), "utf8").trim().split(" ").map(Number);
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function isHeld(db: Db): boolean {
  try {
    db.exec("BEGIN IMMEDIATE; ROLLBACK");
    return false;
  } catch {
    return true;
  }
}

// Ctrl-C reaches whatever a terminal runs, and a service's end all of its processes, in any order.
test.runIf(KNOWS_PROCESSES)(
  "a bot whose own processes are ended just before it tells of no failure, and its next start goes on",
  async () => {
    const town = await openTown();
    const program = startProgram(launchIn(town, main), "run");
    onTestFinished(() => program.kill("SIGKILL"));
    await program.says("Joined");
    const file = join(town.dataDir, "forgetmenot.db");
    const db = openDatabase(file, { busyTimeoutMs: 0 });
    const hash = keyedHash(hashKey(town.dataDir));
    const path = join(town.dataDir, "backups", "one.db");
    makeBackup(path, { db, databaseFile: file, hash, now: Date.now });
    // Each keeps one of them at work: whoever reads, and whoever is at the files.
    const reader = openDatabase(file, { readOnly: true });
    reader.exec("BEGIN; SELECT count(*) FROM episodes");
    const other = new Database(join(town.dataDir, "files.lock"));
    other.exec("BEGIN EXCLUSIVE");
    db.exec("INSERT INTO forgets (who, forgotten_at) VALUES ('h:somebody', 1)");
    await until(() => isHeld(db) && processesOf(program.pid).length === 2);
    const own = processesOf(program.pid);
    for (const pid of own) process.kill(pid, "SIGTERM");
    await until(() => !own.some(isThere));
    program.kill("SIGTERM");
    expect(await program.ended).toBe(0);
    for (const one of [reader, other]) one.close();
    expect(db.prepare("SELECT kind FROM notices").all()).toEqual([]);
    db.close();
    const next = await enter(town);
    await until(() => next.daemon.status().cleaning.pendingSinceMs === null);
    await until(() => !next.daemon.status().cleaning.filesPending);
    expect(next.daemon.status().notices).toEqual([]);
  },
);
