import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
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
import { SPOOL_FILE, wishSpool } from "../../src/privacy/wish-spool.ts";
import { builtProgram } from "../stand-ins/built-program.ts";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { enter, type House, openHouse, openTown } from "../stand-ins/house.ts";
import { fill, hold, smallDisk, taken } from "../stand-ins/obstacles.ts";
import { startProgram } from "../stand-ins/program.ts";
import { CHANNEL, launchIn, type Town } from "../stand-ins/town.ts";
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

test("a wish and a removal that the database did not take before the end are done at the next start", async () => {
  const town = await openTown();
  const first = await enter(town);
  const id = first.say({ text: "the kettle is on the blue shelf", ...ROSA });
  first.say({ text: "I live by the old mill", userId: "77", login: "fern", displayName: "Fern" });
  await until(() => count(first, "SELECT count(*) FROM events WHERE text IS NOT NULL") >= 2);
  const letGo = hold(town);
  town.irc.inject(
    `@login=rosa;target-msg-id=${id} :tmi.twitch.tv CLEARMSG #${CHANNEL} :the kettle is on the blue shelf`,
  );
  first.say({ text: "!forgetme", userId: "77", login: "fern", displayName: "Fern" });
  first.say({ text: "never written down", ...ROSA });
  await taken(town);
  expect(town.said).toEqual([]);
  first.db.close();
  const { linesLost } = await first.daemon.close();
  expect(linesLost).toBeGreaterThan(0);
  letGo();
  const next = await enter(town);
  const texts = () =>
    next.db.prepare("SELECT text FROM events WHERE text IS NOT NULL").pluck().all();
  await until(() => !JSON.stringify(texts()).includes("mill"));
  expect(JSON.stringify(texts())).not.toContain("kettle");
  expect(count(next, "SELECT count(*) FROM forgets")).toBe(1);
  expect(next.daemon.status().notices.map(({ kind }) => kind)).toContain("chat_lost");
  await until(() => wishSpool(town.dataDir).read().length === 0);
});

test("a wish to keep something waits for the database, and is answered when it is kept", async () => {
  const house = await openHouse();
  const letGo = hold(house);
  house.say({ text: "!remember I play the bass", ...ROSA });
  await taken(house);
  expect(house.said).toEqual([]);
  letGo();
  await until(() => house.said.length === 1);
  expect(house.said[0]?.text).toBe("I will remember that.");
});

test("what waits for the database stands in the spool while it waits", async () => {
  const house = await openHouse();
  const letGo = hold(house);
  house.say({ text: "!forgetme", ...ROSA });
  await taken(house);
  await until(() => wishSpool(house.dataDir).read().length > 0);
  expect(wishSpool(house.dataDir).read()).toContainEqual(
    expect.objectContaining({ kind: "forget", userId: "501" }),
  );
  letGo();
  await until(() => wishSpool(house.dataDir).read().length === 0);
  expect(readFileSync(join(house.dataDir, SPOOL_FILE), "utf8").trim()).toBe("");
});

test("a line of the spool that is not whole is left out, and the others are taken", () => {
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, SPOOL_FILE),
    '{"kind":"lost","lines":3}\n{"kind":"forg\n{"kind":"x"}\n',
  );
  expect(wishSpool(folder).read()).toEqual([{ kind: "lost", lines: 3 }]);
});

test("the spool's room is taken before there is need, and is blank again afterwards", () => {
  const folder = temporaryFolder();
  const spool = wishSpool(folder);
  spool.write([]);
  const bytes = statSync(join(folder, SPOOL_FILE)).size;
  spool.write([{ kind: "lost", lines: 1 }]);
  expect(statSync(join(folder, SPOOL_FILE)).size).toBe(bytes);
  spool.write([]);
  expect(wishSpool(folder).read()).toEqual([]);
});

test.each(["deleted", "moved away"])(
  "a database that is %s while the bot runs is noticed, and there again after the end",
  async (how) => {
    const town = await openTown();
    const house = await enter(town);
    house.say({ text: "!remember I keep bees", ...ROSA });
    await until(() => town.said.length === 1);
    const file = fileOf(town);
    if (how === "deleted") for (const end of ["", "-wal", "-shm"]) rmSync(`${file}${end}`);
    else renameSync(file, `${file}.elsewhere`);
    const fault = await house.daemon.broken;
    expect(fault).toMatchObject({ code: "broken" });
    expect(fault.mend).toContain("start it again");
    house.say({ text: "!remember I have a red boat", ...ROSA, userId: "502", login: "iris" });
    await until(() => town.said.length === 2);
    house.db.close();
    expect(await house.daemon.close()).toEqual({ linesLost: 0, wishesLost: 0 });
    const next = await enter(town);
    const facts = next.db.prepare("SELECT fact FROM semantic_notes ORDER BY id").pluck().all();
    expect(facts).toEqual(["{u:501} keeps bees", "{u:502} has a red boat"]);
    expect(next.db.pragma("integrity_check", { simple: true })).toBe("ok");
  },
);

test("a database that is emptied while the bot runs is noticed, with the restore to type", async () => {
  const town = await openTown();
  const house = await enter(town);
  const backup = backUp(town);
  truncateSync(fileOf(town), 0);
  const fault = await house.daemon.broken;
  expect(fault).toMatchObject({ code: "broken" });
  expect(fault.mend).toContain(`restore ${backup}`);
});

test("a database that loses its second half while the bot runs is noticed", async () => {
  const town = await openTown();
  const house = await enter(town);
  house.db.pragma("wal_checkpoint(TRUNCATE)");
  const file = fileOf(town);
  await until(() => statSync(file).size > 100_000);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  truncateSync(file, 32_768);
  expect((await house.daemon.broken).message).toContain("damaged");
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

test("a start is refused where only the journal of the forgotten is left", async () => {
  const town = await openTown();
  mkdirSync(town.dataDir, { recursive: true });
  writeFileSync(join(town.dataDir, "forgets.json"), '{"version":1,"forgets":[],"suppressions":[]}');
  const program = startProgram(launchIn(town, main), "run");
  expect(await program.ended).toBe(2);
  expect(program.errors()).toContain("forgets.json shows that there was one");
  expect(program.errors()).not.toMatch(/begin anew|move the file away/);
});

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

test("on a full disk a wish outlives the end of the program", async ({ skip }) => {
  const disk = smallDisk();
  if (disk === null) return skip("no small disk can be made here");
  const town = { ...(await openTown()), dataDir: join(disk, "data") };
  const launch = launchIn({ ...town, dataDir: join(disk, "data") }, main);
  const program = startProgram(launch, "run");
  onTestFinished(() => program.kill("SIGKILL"));
  await program.says("Joined");
  await until(() => existsSync(join(town.dataDir, SPOOL_FILE)));
  const letGo = fill(disk);
  for (let n = 0; n < 400; n += 1)
    town.irc.say(CHANNEL, { ...ROSA, text: `line ${n} ${"y".repeat(200)}` });
  town.irc.say(CHANNEL, { userId: "77", login: "fern", displayName: "Fern", text: "!forgetme" });
  await taken(town);
  program.kill("SIGTERM");
  expect(await program.ended).toBe(1);
  expect(program.errors()).toMatch(/\d+ lines of chat could not be written/);
  expect(JSON.stringify(wishSpool(town.dataDir).read())).toContain('"userId":"77"');
  letGo();
  const next = startProgram(launch, "run");
  onTestFinished(() => next.kill("SIGKILL"));
  await next.says("Joined");
  await until(() => wishSpool(town.dataDir).read().length === 0);
  next.kill("SIGTERM");
  expect(await next.ended).toBe(0);
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
