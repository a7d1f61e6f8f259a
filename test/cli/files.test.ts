import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { lockFolder } from "../../src/database/lock.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { CHAT_LINE, ROSA, remembered, THAD } from "../privacy/remembered.ts";
import { runHere } from "../stand-ins/command.ts";

/** The program beside a data folder that remembers two people. */
function openBot() {
  const house = remembered();
  const folder = join(house.dataDir, "..");
  const config = join(folder, "config.json");
  writeFileSync(config, JSON.stringify({ channel: "lanternroom", bot: { login: "automark" } }));
  const run = (...args: string[]) => runHere(...args, "-c", config);
  return { ...house, folder, run };
}

test("backup, and restore over what happened since; never while a bot runs", async () => {
  const { dataDir, file, db, run } = openBot();
  const made = await run("backup");
  expect(made).toMatchObject({ exit: 0, errors: "" });
  const [name = ""] = readdirSync(join(dataDir, "backups"));
  expect(name).toMatch(/^forgetmenot-\d{8}-\d{6}Z\.db$/);
  expect(made.output).toContain(name);
  const backup = join(dataDir, "backups", name);
  db.exec("DELETE FROM semantic_notes");
  db.close();
  const lock = lockFolder(dataDir);
  const refused = await run("restore", backup, "--yes");
  expect(refused.exit).toBe(2);
  expect(refused.errors).toContain("another ForgetMeNot is running");
  lock.release();
  expect(await run("restore", backup, "--yes")).toMatchObject({ exit: 0, errors: "" });
  const restored = openDatabase(file);
  expect(restored.prepare("SELECT count(*) FROM semantic_notes").pluck().get()).toBe(2);
  restored.close();
  expect((await run("restore", join(dataDir, "nothing.db"), "--yes")).errors).toContain(
    "no such file",
  );
});

test("export, dry run and import, with a broken file refused where it is wrong and nothing changed", async () => {
  const { dataDir, folder, file, db, run } = openBot();
  const path = join(folder, "notes.json");
  expect((await run("memory", "export", path)).output).toContain("2 notes about 2 viewers");
  expect(readFileSync(path, "utf8")).not.toContain(CHAT_LINE);
  expect((await run("memory", "export", path)).errors).toContain("a file already");
  const one = join(folder, "one.json");
  expect((await run("memory", "export", one, "--viewer", ROSA.login)).exit).toBe(0);
  expect(readFileSync(one, "utf8")).not.toContain(THAD.userId);
  db.exec("DELETE FROM semantic_notes; PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  const before = readFileSync(file);
  writeFileSync(one, readFileSync(path, "utf8").replace(/"confidence": ?0\.8/, '"confidence":7'));
  const broken = await run("memory", "import", one, "--yes");
  expect(broken.exit).toBe(2);
  expect(broken.errors).toContain("content.notes[0].confidence");
  expect(readFileSync(file).equals(before)).toBe(true);
  const dry = await run("memory", "import", path, "--dry-run");
  expect(dry.output).toContain("It would be: of 2 notes 2 new");
  expect(readFileSync(file).equals(before)).toBe(true);
  const done = JSON.parse((await run("memory", "import", path, "--json", "--yes")).output);
  expect(done).toMatchObject({ notes: 2, written: 2, dropped: 0 });
  expect(existsSync(join(dataDir, "exports"))).toBe(false);
});

test("from an unzipped folder, paths begin where the user typed the command", async () => {
  const { folder, db, run } = openBot();
  vi.stubEnv("FORGETMENOT_FOLDER", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const lines = [
    ["backup", "mine.db"],
    ["memory", "export", "out.json"],
    ["viewer", "export", ROSA.login, "rosa.json"],
  ];
  for (const line of lines) {
    expect(await run(...line)).toMatchObject({ exit: 0, errors: "" });
    expect(existsSync(join(folder, line.at(-1) ?? "")), line.join(" ")).toBe(true);
  }
  writeFileSync(join(folder, "facts.txt"), "The stream starts at seven");
  expect(await run("memory", "import", "out.json", "--dry-run")).toMatchObject({ exit: 0 });
  expect(await run("memory", "add", "--file", "facts.txt")).toMatchObject({ exit: 0 });
  db.close();
  expect(await run("restore", "mine.db", "--yes")).toMatchObject({ exit: 0, errors: "" });
});
