import {
  existsSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../../src/platform/database/open-database.ts";
import { backupSchedule } from "../../src/privacy/backup-schedule.ts";
import { removeLeftovers } from "../../src/privacy/file-keeper.ts";
import { until } from "../stand-ins/until.ts";
import { temporaryFolder } from "../temporary-folder.ts";

test("what a killed restore, backup or export left is removed, and nothing else", () => {
  const folder = temporaryFolder();
  const backups = join(folder, "backups");
  mkdirSync(backups);
  const names = [
    "forgetmenot.db",
    "forgetmenot.db.restored",
    "forgetmenot.db.aside-wal",
    "my.part",
  ];
  for (const name of names) writeFileSync(join(folder, name), "x");
  const nowMs = 1_760_000_000_000;
  for (const name of ["one.db", "two.db.part", "young.db.part"]) {
    writeFileSync(join(backups, name), "x");
    const ageSeconds = name.startsWith("young") ? 60 : 3_600;
    const at = nowMs / 1_000 - ageSeconds;
    utimesSync(join(backups, name), at, at);
  }
  removeLeftovers(join(folder, "forgetmenot.db"), nowMs);
  expect(readdirSync(folder).sort()).toEqual(["backups", "forgetmenot.db", "my.part"]);
  expect(readdirSync(backups).sort()).toEqual(["one.db", "young.db.part"]);
});

test("what goes while it is looked at stops no start", () => {
  const folder = temporaryFolder();
  const backups = join(folder, "backups");
  mkdirSync(backups);
  // A name that is listed, and of which the system then says that nothing is there.
  symlinkSync(join(folder, "gone"), join(backups, "one.db.part-shm"));
  expect(() => removeLeftovers(join(folder, "forgetmenot.db"), Date.now())).not.toThrow();
});

test("a backup that is cut off leaves no half of itself: whoever is forgotten later would stand in it", async () => {
  const folder = temporaryFolder();
  const databaseFile = join(folder, "forgetmenot.db");
  const db = openDatabase(databaseFile);
  onTestFinished(() => void db.close());
  db.exec(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
     INSERT INTO stream_sessions (channel, started_at, recap) SELECT 'c', i, printf('%.*c', 1000, 'x') FROM n`,
  );
  const clock = { nowMs: Date.now() };
  const schedule = backupSchedule({
    databaseFile,
    config: () => ({ everyHours: 24, keep: 2 }),
    notices: { raise: () => undefined, clear: () => undefined },
    isHeld: () => false,
    now: () => clock.nowMs,
  });
  clock.nowMs += 3_600_000;
  void schedule.look();
  const backups = join(folder, "backups");
  const made = () => (existsSync(backups) ? readdirSync(backups) : []);
  await until(() => made().some((name) => name.endsWith(".part")));
  await schedule.close();
  expect(made()).toEqual([]);
});
