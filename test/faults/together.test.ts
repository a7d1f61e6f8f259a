import { join } from "node:path";
import process from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { keyedHash } from "../../src/language/people.ts";
import { hashKey } from "../../src/platform/config/secrets.ts";
import { openDatabase } from "../../src/platform/database/open-database.ts";
import { Database } from "../../src/platform/database/sqlite.ts";
import { makeBackup } from "../../src/privacy/made-files-store.ts";
import { builtProgram } from "../stand-ins/built-program.ts";
import { enter, openTown } from "../stand-ins/house.ts";
import { isThere, KNOWS_PROCESSES, processesOf } from "../stand-ins/own-processes.ts";
import { startProgram } from "../stand-ins/program.ts";
import { launchIn } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

const main = builtProgram();

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
    // It keeps one of them at work, and the other is stopped before it begins.
    const other = new Database(join(town.dataDir, "files.lock"));
    other.exec("BEGIN EXCLUSIVE");
    db.exec("INSERT INTO forgets (who, forgotten_at) VALUES ('h:somebody', 1)");
    await until(() => processesOf(program.pid).length === 2);
    const own = processesOf(program.pid).map(({ pid }) => pid);
    for (const signal of ["SIGSTOP", "SIGTERM", "SIGCONT"])
      for (const pid of own) process.kill(pid, signal);
    await until(() => !own.some(isThere));
    program.kill("SIGTERM");
    expect(await program.ended).toBe(0);
    other.close();
    expect(db.prepare("SELECT kind FROM notices").all()).toEqual([]);
    db.close();
    const next = await enter(town);
    await until(() => next.daemon.status().cleaning.pendingSinceMs === null);
    await until(() => !next.daemon.status().cleaning.filesPending);
    expect(next.daemon.status().notices).toEqual([]);
  },
);
