import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { execPath, platform } from "node:process";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { backupPath, makeUnusableFault } from "../../src/database/database-fault.ts";
import { isLocked, lockFolder } from "../../src/database/lock.ts";
import { EARLIER_VERSION, SCHEMA_VERSION } from "../../src/database/migrations.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { Database } from "../../src/database/sqlite.ts";
import { Fault } from "../../src/errors.ts";
import { buildFile } from "../stand-ins/program.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const onPosix = platform !== "win32";

test("the database deletes for good, keeps its promises between tables, and nothing temporary on disk", () => {
  const db = openDatabase(join(temporaryFolder(), "forgetmenot.db"));
  const pragma = (name: string) => db.pragma(name, { simple: true });
  expect({
    journal_mode: pragma("journal_mode"),
    synchronous: pragma("synchronous"),
    secure_delete: pragma("secure_delete"),
    foreign_keys: pragma("foreign_keys"),
    temp_store: pragma("temp_store"),
    busy_timeout: pragma("busy_timeout"),
  }).toEqual({
    journal_mode: "wal",
    synchronous: 1,
    secure_delete: 1,
    foreign_keys: 1,
    temp_store: 2,
    busy_timeout: 5_000,
  });
  expect(Number(pragma("mmap_size"))).toBe(0);
  db.close();
});

test.runIf(onPosix)(
  "only its owner can enter the folder and read the files, the log beside the database too",
  () => {
    const folder = join(temporaryFolder(), "data");
    mkdirSync(folder, { mode: 0o755 });
    const db = openDatabase(join(folder, "forgetmenot.db"));
    db.exec("INSERT INTO counters (name, value) VALUES ('a', 1)");
    const modes = readdirSync(folder).map((name) => [
      name,
      (statSync(join(folder, name)).mode & 0o777).toString(8),
    ]);
    db.close();
    expect((statSync(folder).mode & 0o777).toString(8)).toBe("700");
    expect(modes).toEqual([
      ["forgetmenot.db", "600"],
      ["forgetmenot.db-shm", "600"],
      ["forgetmenot.db-wal", "600"],
    ]);
  },
);

test.runIf(onPosix)("a database that others could read becomes its owner's alone", () => {
  const file = existing();
  chmodSync(file, 0o644);
  openDatabase(file).close();
  expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
});

test.each([
  [
    "newer than the program",
    SCHEMA_VERSION + 1,
    `this program knows up to ${SCHEMA_VERSION}`,
    "update ForgetMeNot",
  ],
  [
    "of an older release",
    EARLIER_VERSION - 1,
    `this program reads versions ${EARLIER_VERSION} and ${SCHEMA_VERSION}`,
    "release before this one",
  ],
])("a database %s is refused with its fix, and not a byte changes", (_, version, what, fix) => {
  const file = existing();
  const other = new Database(file);
  other.pragma(`user_version = ${version}`);
  other.pragma("journal_mode = DELETE");
  other.close();
  for (const readOnly of [false, true]) {
    expectUntouched(file, () => {
      const fault = faultOf(() => openDatabase(file, { readOnly }));
      expect(fault.code).toBe("database");
      expect(fault.message).toContain(`has version ${version}, ${what}`);
      expect(fault.fix).toContain(fix);
    });
  }
});

test.each([
  ["text", "these are not the bytes of a database, whatever they are called"],
  ["a picture", "\x89PNG\r\n\x1a\n".repeat(400)],
])("a file that holds %s is refused unchanged", (_, content) => {
  const file = join(temporaryFolder(), "forgetmenot.db");
  writeFileSync(file, content, { mode: 0o644 });
  expectUntouched(file, () => {
    const fault = faultOf(() => openDatabase(file));
    expect(fault.code).toBe("database");
    expect(fault.message).toContain(`${file} cannot be used`);
  });
});

test.each([0, SCHEMA_VERSION])(
  "another program's database, of version %d, is refused unchanged",
  (version) => {
    const file = join(temporaryFolder(), "forgetmenot.db");
    const foreign = new Database(file);
    foreign.exec("CREATE TABLE recipes (title TEXT)");
    foreign.pragma(`user_version = ${version}`);
    foreign.close();
    chmodSync(file, 0o644);
    expectUntouched(file, () => {
      const fault = faultOf(() => openDatabase(file));
      expect(fault).toMatchObject({ code: "database" });
      expect(fault.message).toContain("belongs to another program");
    });
  },
);

test.each([
  ["a file stands where the folder should be", ["in-the-way", "forgetmenot.db"]],
  ["a file stands where a folder above should be", ["in-the-way", "data", "forgetmenot.db"]],
])("%s: the fault names dataDir and its fix", (_, path) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "in-the-way"), "");
  const fault = faultOf(() => openDatabase(join(folder, ...path)));
  expect(fault.code).toBe("folder");
  expect(fault.message).toMatch(/^dataDir: .*: cannot be written/);
  expect(fault.fix).toContain("dataDir");
});

test("who only looks creates nothing", () => {
  const folder = temporaryFolder();
  const file = join(folder, "data", "forgetmenot.db");
  expect(faultOf(() => openDatabase(file, { readOnly: true })).fix).toContain("start the bot once");
  expect(readdirSync(folder)).toEqual([]);
});

test("who only looks sees what another connection wrote, and cannot write", () => {
  const file = existing();
  const writer = openDatabase(file);
  const reader = openDatabase(file, { readOnly: true });
  writer.exec("INSERT INTO counters (name, value) VALUES ('a', 1)");
  expect(reader.prepare("SELECT value FROM counters").pluck().all()).toEqual([1]);
  expect(() => reader.exec("DELETE FROM counters")).toThrow(/readonly/);
  reader.close();
  writer.close();
});

function existing(): string {
  const file = join(temporaryFolder(), "forgetmenot.db");
  openDatabase(file).close();
  return file;
}

function expectUntouched(file: string, work: () => void): void {
  const [bytes, mode, beside] = [
    readFileSync(file),
    statSync(file).mode,
    readdirSync(join(file, "..")),
  ];
  work();
  expect(readFileSync(file).equals(bytes)).toBe(true);
  expect(statSync(file).mode).toBe(mode);
  expect(readdirSync(join(file, ".."))).toEqual(beside);
}

function faultOf(work: () => unknown): Fault {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown;
    throw thrown;
  }
  throw new Error("nothing was thrown");
}

const compiled =
  "The module was compiled against a different Node.js version using NODE_MODULE_VERSION 115.";

test.each([
  Object.assign(new Error(compiled), { code: "ERR_DLOPEN_FAILED" }),
  new Error("Could not locate the bindings file. Tried: build/better_sqlite3.node"),
])("a native part that does not load is no damage: %s", (cause) => {
  const { message, fix } = makeUnusableFault("some.db", cause);
  expect(message).toContain("SQLite cannot be loaded");
  expect(message).not.toContain("damaged");
  expect(fix).toContain("npm ci");
});

test("a backup of the same second gets a name of its own", () => {
  const folder = temporaryFolder();
  const first = backupPath(folder, "auto", 1_760_000_000_000);
  mkdirSync(dirname(first), { recursive: true });
  writeFileSync(first, "");
  const second = backupPath(folder, "auto", 1_760_000_000_000);
  expect(second).toBe(first.replace(/\.db$/, "-2.db"));
});

const CHILD = fileURLToPath(new URL("lock-child.ts", import.meta.url));

test("a folder that is not there, or has never run, is not locked, and asking leaves no trace", () => {
  const folder = temporaryFolder();
  expect(isLocked(join(folder, "none"))).toBe(false);
  expect(isLocked(folder)).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
});

test("one holder at a time: the second is refused, and may have it once it was released", () => {
  const folder = temporaryFolder();
  const lock = lockFolder(folder);
  expect(isLocked(folder)).toBe(true);
  expect(faultOf(() => lockFolder(folder))).toMatchObject({
    code: "locked",
    message: `dataDir: another ForgetMeNot is running on ${folder}`,
    fix: expect.stringContaining("end that one first"),
  });
  lock.release();
  expect(isLocked(folder)).toBe(false);
  lockFolder(folder).release();
});

test("the folder is made for the lock, and an empty file is all that stays of it", () => {
  const folder = join(temporaryFolder(), "a", "b");
  const lock = lockFolder(folder);
  lock.release();
  expect(readdirSync(folder)).toEqual(["forgetmenot.lock"]);
  expect(statSync(join(folder, "forgetmenot.lock")).size).toBe(0);
});

test("another process sees the lock, also after a second try in this one was refused", async () => {
  const folder = temporaryFolder();
  const lock = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(Fault);
  expect(await firstLine(child("ask", folder))).toBe("locked");
  lock.release();
});

test("a holder that is killed holds nothing any more", async () => {
  const folder = temporaryFolder();
  const holder = child("hold", folder);
  expect(await firstLine(holder)).toBe("held");
  expect(isLocked(folder)).toBe(true);
  expect(() => lockFolder(folder)).toThrow(/another ForgetMeNot/);
  holder.kill("SIGKILL");
  await once(holder, "exit");
  expect(isLocked(folder)).toBe(false);
  lockFolder(folder).release();
});

function child(task: string, folder: string): ChildProcess {
  const main = buildFile(temporaryFolder(), CHILD);
  const process = spawn(execPath, [main, task, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => {
    process.kill("SIGKILL");
  });
  return process;
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("no output to read");
  const [chunk] = await once(stdout, "data");
  return String(chunk).trim();
}
