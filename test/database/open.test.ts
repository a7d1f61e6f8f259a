import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { platform } from "node:process";
import { expect, test } from "vitest";
import { EARLIER_VERSION, SCHEMA_VERSION } from "../../src/database/migrations.ts";
import { openDatabase, truncateWal } from "../../src/database/open-database.ts";
import { Database } from "../../src/database/sqlite.ts";
import { Fault } from "../../src/errors.ts";
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

test("a statement is prepared when it is first used, and keeps its form", () => {
  const db = openDatabase(":memory:");
  const wrong = db.prepare("SELECT one FROM nowhere");
  expect(() => wrong.get()).toThrow("no such table: nowhere");
  expect(db.prepare("SELECT 1 AS one").get()).toEqual({ one: 1 });
  expect(db.prepare("SELECT 1 AS one").pluck().all()).toEqual([1]);
  expect([...db.prepare("SELECT 1 AS one").raw().iterate()]).toEqual([[1]]);
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

test("a database newer than the program is refused with its fix, and not a byte changes", () => {
  const file = existing();
  const newer = new Database(file);
  newer.pragma(`user_version = ${SCHEMA_VERSION + 1}`);
  newer.pragma("journal_mode = DELETE");
  newer.close();
  for (const readOnly of [false, true]) {
    expectUntouched(file, () => {
      const fault = faultOf(() => openDatabase(file, { readOnly }));
      expect(fault.code).toBe("database");
      expect(fault.message).toContain(
        `has version ${SCHEMA_VERSION + 1}, this program knows up to ${SCHEMA_VERSION}`,
      );
      expect(fault.fix).toContain("update ForgetMeNot");
    });
  }
});

test("a database of an older release is refused with both ways on, and not a byte changes", () => {
  const file = existing();
  const older = new Database(file);
  older.pragma(`user_version = ${EARLIER_VERSION - 1}`);
  older.pragma("journal_mode = DELETE");
  older.close();
  for (const readOnly of [false, true]) {
    expectUntouched(file, () => {
      const fault = faultOf(() => openDatabase(file, { readOnly }));
      expect(fault.code).toBe("database");
      expect(fault.message).toContain(
        `has version ${EARLIER_VERSION - 1}, this program reads versions ${EARLIER_VERSION} and ${SCHEMA_VERSION}`,
      );
      expect(fault.fix).toContain("release before this one");
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
  expect(fault.message).toMatch(/^dataDir: .* cannot be written/);
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

test("the write-ahead log is emptied, and a deleted text is in no file any more", () => {
  const file = existing();
  const db = openDatabase(file);
  const secret = "the parrot sings at midnight on tuesdays";
  db.prepare("INSERT INTO stream_sessions (channel, started_at, recap) VALUES ('c', 1, ?)").run(
    secret,
  );
  db.exec("UPDATE stream_sessions SET recap = NULL");
  expect(filesHolding(file, secret)).toContain("forgetmenot.db-wal");
  expect(truncateWal(db)).toBe(true);
  expect(statSync(`${file}-wal`).size).toBe(0);
  expect(filesHolding(file, secret)).toEqual([]);
  db.close();
});

test("while a reader holds a snapshot the log cannot be emptied: it says so at once, and works afterwards", () => {
  const file = existing();
  const busyTimeoutMs = 60_000;
  const db = openDatabase(file, { busyTimeoutMs });
  const reader = openDatabase(file, { readOnly: true });
  db.exec("INSERT INTO counters (name, value) VALUES ('a', 1)");
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM counters").get();
  db.exec("INSERT INTO counters (name, value) VALUES ('b', 1)");
  const startedAt = performance.now();
  expect(truncateWal(db)).toBe(false);
  expect(performance.now() - startedAt).toBeLessThan(busyTimeoutMs);
  expect(db.pragma("busy_timeout", { simple: true })).toBe(busyTimeoutMs);
  reader.exec("COMMIT");
  expect(truncateWal(db)).toBe(true);
  reader.close();
  db.close();
});

function existing(): string {
  const file = join(temporaryFolder(), "forgetmenot.db");
  openDatabase(file).close();
  return file;
}

function filesHolding(file: string, text: string): string[] {
  const folder = join(file, "..");
  return readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(text));
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
