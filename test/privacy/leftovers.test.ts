import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeLeftovers } from "../../src/privacy/file-keeper.ts";
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
