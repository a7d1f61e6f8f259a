import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../../src/platform/database/open-database.ts";
import { Database } from "../../src/platform/database/sqlite.ts";
import { builtProgram } from "../stand-ins/built-program.ts";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { enter, type House, openHouse, openTown } from "../stand-ins/house.ts";
import { fill, smallDisk } from "../stand-ins/obstacles.ts";
import { startProgram } from "../stand-ins/program.ts";
import { launchIn, type Town } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const main = builtProgram();
const fileOf = ({ dataDir }: Town) => join(dataDir, "forgetmenot.db");
const ROSA = { userId: "501", login: "rosa", displayName: "Rosa" };

function backUp({ dataDir }: Town): string {
  const folder = join(dataDir, "backups");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "forgetmenot-auto-20260101-000000Z.db");
  writeFileSync(file, "a backup");
  return file;
}

test("a database that is emptied while the bot runs is noticed, with the restore to type", async () => {
  const town = await openTown();
  const house = await enter(town);
  const backup = backUp(town);
  truncateSync(fileOf(town), 0);
  const fault = await house.daemon.broken;
  expect(fault).toMatchObject({ code: "broken" });
  expect(fault.mend).toContain(`restore ${backup}`);
});

test("a page of the notes that somebody wrote over while the bot runs is met by a turn, told, and ends the bot", async () => {
  const town = await openTown();
  const house = await enter(town);
  const backup = backUp(town);
  const pages = house.db.prepare<[], number>(
    "SELECT rootpage FROM sqlite_master WHERE tbl_name = 'semantic_notes' AND rootpage > 0",
  );
  const pageBytes = Number(house.db.pragma("page_size", { simple: true }));
  const roots = pages.pluck().all();
  house.db.pragma("wal_checkpoint(TRUNCATE)");
  const file = openSync(fileOf(town), "r+");
  onTestFinished(() => closeSync(file));
  for (const page of roots)
    writeSync(file, Buffer.alloc(pageBytes, 0x5a), 0, pageBytes, (page - 1) * pageBytes);
  // What another one wrote makes the bot read its pages anew.
  house.db.exec("UPDATE channel_state SET title = 'anew'");
  house.say({ ...ROSA, text: "@automark what do you know?" });
  const fault = await house.daemon.broken;
  expect(fault).toMatchObject({ code: "broken" });
  expect(fault.message).toContain("damaged");
  expect(fault.mend).toContain(`restore ${backup}`);
  expect(JSON.stringify(house.daemon.statusNow().notices)).toContain("restore");
  await house.close();
});

test.each(["gone", "empty"])(
  "a start without its database is refused where a backup shows that there was one (%s)",
  async (how) => {
    const town = await openTown();
    const first = await enter(town);
    await first.close();
    const backup = backUp(town);
    const file = fileOf(town);
    if (how === "gone") rmSync(file);
    else truncateSync(file, 0);
    for (const end of ["-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
    const program = startProgram(launchIn(town, main), "run");
    expect(await program.ended).toBe(2);
    expect(program.errors()).toContain(`main.js restore ${backup}`);
    expect(existsSync(file) ? statSync(file).size : 0).toBe(0);
  },
);

test("a file that is no database is refused with a restore, and never with advice that loses memory", async () => {
  const town = await openTown();
  mkdirSync(town.dataDir, { recursive: true });
  writeFileSync(fileOf(town), "this is no database, and long enough to look like one ".repeat(40));
  const program = startProgram(launchIn(town, main), "run");
  expect(await program.ended).toBe(2);
  expect(program.errors()).toContain("main.js restore FILE");
  expect(program.errors()).not.toMatch(/begin anew|move the file away/);
});

test("on a full disk chat waits and is told, and is written when there is room again", async ({
  skip,
}) => {
  const disk = smallDisk();
  if (disk === null) return skip("no small disk can be made here");
  const house = await openHouse({ config: { dataDir: join(disk, "data") } });
  const letGo = fill(disk);
  const lines = Array.from({ length: 400 }, (_, n) => `line ${n} ${"x".repeat(200)}`);
  for (const text of lines) house.say({ text, ...ROSA });
  await until(() => house.logged.some((line) => line.includes("the disk is full")));
  expect(house.logged.join("\n")).toContain("free some space on the disk");
  letGo();
  await until(() => count(house, "SELECT count(*) FROM events WHERE text LIKE 'line %'") === 400);
  await until(() => house.daemon.status().notices.length === 0);
});

test("an end of life that a wrong clock set is brought forward to a day from now", async () => {
  const town = await openTown();
  const first = await enter(town);
  first.say({ text: "kept for too long", ...ROSA });
  await until(() => count(first, "SELECT count(*) FROM events WHERE text IS NOT NULL") >= 1);
  first.db.exec("UPDATE events SET expires_at = expires_at + 9 * 86400000");
  await first.close();
  const next = await enter(town);
  const latest = next.db
    .prepare("SELECT max(expires_at) FROM events WHERE text IS NOT NULL")
    .pluck();
  expect(Number(latest.get())).toBeLessThanOrEqual(Date.now() + 86_400_000);
});

test("an update for which the disk has no room is refused with the mend, and leaves all as it was", async ({
  skip,
}) => {
  const disk = smallDisk();
  if (disk === null) return skip("no small disk can be made here");
  const town = { ...(await openTown()), dataDir: join(disk, "data") };
  const launch = launchIn(town, main);
  mkdirSync(town.dataDir);
  const file = fileOf(town);
  const old = new Database(file);
  old.exec(readFileSync("test/platform/database/schema-v6.sql", "utf8"));
  old.exec("PRAGMA user_version = 6; INSERT INTO channel_state (channel) VALUES ('den')");
  old.close();
  const before = readFileSync(file);
  const letGo = fill(disk);
  const refused = startProgram(launch, "run");
  expect(await refused.ended).toBe(2);
  expect(refused.errors()).toMatch(/the disk is full.*free some space/s);
  expect(readFileSync(file).equals(before)).toBe(true);
  letGo();
  const next = startProgram(launch, "run");
  onTestFinished(() => next.kill("SIGKILL"));
  await next.says("Joined");
  next.kill("SIGTERM");
  expect(await next.ended).toBe(0);
  expect(readdirSync(join(town.dataDir, "backups"))[0]).toContain("before-v");
});

test("a database of an earlier version is copied before it is brought up to date, without chat", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "forgetmenot.db");
  const old = new Database(file);
  old.exec(readFileSync("test/platform/database/schema-v6.sql", "utf8"));
  old.pragma("user_version = 6");
  old.exec(`INSERT INTO channel_state (channel, title) VALUES ('den', 'a title');
    INSERT INTO events (channel, kind, text, created_at, expires_at) VALUES ('den', 'message', 'a purple lantern swings', 1, 2)`);
  old.close();
  openDatabase(file).close();
  const [name = ""] = readdirSync(join(folder, "backups"));
  expect(name).toMatch(/^forgetmenot-before-v\d+-/);
  const copy = new Database(join(folder, "backups", name), { readonly: true });
  expect(copy.pragma("user_version", { simple: true })).toBe(6);
  expect(copy.prepare("SELECT title FROM channel_state").pluck().get()).toBe("a title");
  copy.close();
  expect(readFileSync(join(folder, "backups", name)).includes("purple lantern")).toBe(false);
});

test("the answer comes although the file is looked at all the time, and nothing is said of a database that is well", async () => {
  const house = await openHouse();
  house.model.enqueue(geminiSays({ text: "all is well" }));
  house.say({ text: "@automark how are you?", ...ROSA });
  expect((await house.ended(1))[0]).toMatchObject({ state: "sent" });
  expect(house.daemon.status().notices).toEqual([]);
  expect(existsSync(dirname(fileOf(house)))).toBe(true);
});

function count({ db }: House, sql: string): number {
  return Number(db.prepare(sql).pluck().get());
}
