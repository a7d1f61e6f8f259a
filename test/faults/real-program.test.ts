import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../../src/platform/database/open-database.ts";
import { wishSpool } from "../../src/privacy/wish-spool.ts";
import { builtProgram } from "../stand-ins/built-program.ts";
import { openTown } from "../stand-ins/house.ts";
import { type Launch, type Running, startProgram } from "../stand-ins/program.ts";
import { CHANNEL, launchIn, type Town } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

const main = builtProgram();
const ROSA = { userId: "501", login: "rosa", displayName: "Rosa" };
const IRIS = { userId: "502", login: "iris", displayName: "Iris" };
/** "within seconds" */
const TOLD_MS_MAX = 10_000;
const fileOf = ({ dataDir }: Town) => join(dataDir, "forgetmenot.db");

async function running(launch: Launch): Promise<Running> {
  const program = startProgram(launch, "run");
  onTestFinished(() => program.kill("SIGKILL"));
  await program.says("Joined");
  return program;
}

/** Whom something is known about. */
function known(town: Town): readonly string[] {
  const db = openDatabase(fileOf(town), { readOnly: true });
  try {
    return db
      .prepare<[], string>("SELECT subject_id FROM semantic_notes ORDER BY id")
      .pluck()
      .all();
  } finally {
    db.close();
  }
}

/** What the streamer is told at the moment, by kind. */
function told(town: Town): readonly string[] {
  const db = openDatabase(fileOf(town), { readOnly: true });
  try {
    return db
      .prepare<[], string>("SELECT kind FROM notices WHERE cleared_at IS NULL")
      .pluck()
      .all();
  } finally {
    db.close();
  }
}

/** A bot that runs, knows something of Rosa, and has a backup of it. */
async function knowing() {
  const town = await openTown();
  const launch = launchIn(town, main);
  const program = await running(launch);
  town.irc.say(CHANNEL, { ...ROSA, text: "!remember I keep bees" });
  await until(() => town.said.length === 1);
  expect(await startProgram(launch, "backup").ended).toBe(0);
  return { town, launch, program };
}

/** How long after `harm` the program ended, and with what. */
async function endAfter(program: Running, harm: () => void) {
  const fromMs = performance.now();
  harm();
  const code = await program.ended;
  return { code, isSoon: performance.now() - fromMs < TOLD_MS_MAX };
}

/** Types the command that a program told, as it stands there, and a yes. */
function typeWhat(told: string, { folder, environment }: Launch): number | null {
  const command = /`([^`]+ restore [^`]+)`/.exec(told)?.[1];
  if (command === undefined) throw new Error(`no command in: ${told}`);
  const env = { ...environment, PATH: process.env["PATH"], SystemRoot: process.env["SystemRoot"] };
  return spawnSync(`${command} --yes`, { cwd: folder, env, shell: true, stdio: "ignore" }).status;
}

function deleteAll(town: Town): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(`${fileOf(town)}${end}`, { force: true });
}

async function startsKnowing(town: Town, launch: Launch, whom: readonly string[]): Promise<void> {
  const next = await running(launch);
  expect(known(town)).toEqual(whom);
  next.kill("SIGTERM");
  expect(await next.ended).toBe(0);
}

test("a program whose database is deleted ends within seconds with 1, and knows all at its next start", async () => {
  const { town, launch, program } = await knowing();
  expect(await endAfter(program, () => deleteAll(town))).toEqual({ code: 1, isSoon: true });
  expect(program.errors()).toMatch(/deleted or moved while the bot ran.*start it again/s);
  await startsKnowing(town, launch, [ROSA.userId]);
  deleteAll(town);
  expect(typeWhat(program.errors(), launch)).toBe(0);
  await startsKnowing(town, launch, [ROSA.userId]);
}, 60_000);

test("a program whose database is emptied ends within seconds with 1, and the restore that it tells, typed, brings memory back", async () => {
  const { town, launch, program } = await knowing();
  const empty = () => truncateSync(fileOf(town), 0);
  expect(await endAfter(program, empty)).toEqual({ code: 1, isSoon: true });
  expect(typeWhat(program.errors(), launch)).toBe(0);
  await startsKnowing(town, launch, [ROSA.userId]);
}, 60_000);

test.each(["no database", "a database of its own"])(
  "a program whose database is replaced by %s leaves that as it is, ends with 1, and the restore that it tells, typed, brings memory back",
  async (what) => {
    const { town, launch, program } = await knowing();
    const other = join(town.dataDir, "other");
    if (what === "no database") writeFileSync(other, "something else");
    else openDatabase(other).close();
    const before = readFileSync(other);
    const harm = () => renameSync(other, fileOf(town));
    expect(await endAfter(program, harm)).toEqual({ code: 1, isSoon: true });
    expect(readFileSync(fileOf(town)).equals(before)).toBe(true);
    expect(typeWhat(program.errors(), launch)).toBe(0);
    await startsKnowing(town, launch, [ROSA.userId]);
  },
  60_000,
);

test("a program over whose database its backup is copied ends with 1, and the restore that it tells, typed, brings memory back", async () => {
  const { town, launch, program } = await knowing();
  const [backup = ""] = readdirSync(join(town.dataDir, "backups"));
  town.irc.say(CHANNEL, { ...IRIS, text: "hello there" });
  const harm = () => copyFileSync(join(town.dataDir, "backups", backup), fileOf(town));
  expect(await endAfter(program, harm)).toEqual({ code: 1, isSoon: true });
  expect(program.errors()).toContain("another file was copied over it");
  expect(typeWhat(program.errors(), launch)).toBe(0);
  await startsKnowing(town, launch, [ROSA.userId]);
}, 60_000);

test("the restore that a start without its database tells, typed, brings memory back", async () => {
  const { town, launch, program } = await knowing();
  program.kill("SIGTERM");
  expect(await program.ended).toBe(0);
  deleteAll(town);
  const refused = startProgram(launch, "run");
  expect(await refused.ended).toBe(2);
  expect(typeWhat(refused.errors(), launch)).toBe(0);
  await startsKnowing(town, launch, [ROSA.userId]);
}, 60_000);

test.each(["-wal", "-shm"])(
  "a program whose file %s is deleted ends within seconds with 1, and what it acknowledged is there at its next start",
  async (end) => {
    const { town, launch, program } = await knowing();
    const harm = () => rmSync(`${fileOf(town)}${end}`);
    expect(await endAfter(program, harm)).toEqual({ code: 1, isSoon: true });
    expect(program.errors()).toMatch(/-wal or -shm was deleted while the bot ran.*start it again/s);
    await startsKnowing(town, launch, [ROSA.userId]);
  },
  60_000,
);

test("a program whose data folder is deleted writes it anew, ends within seconds with 1, and knows all at its next start", async () => {
  const { town, launch, program } = await knowing();
  town.irc.say(CHANNEL, { ...IRIS, text: "!optout" });
  await until(() => town.said.length === 2);
  const keyOf = () => JSON.parse(readFileSync(join(town.dataDir, "secrets.json"), "utf8")).hashKey;
  const key = keyOf();
  const harm = () => rmSync(town.dataDir, { recursive: true, maxRetries: 10 });
  expect(await endAfter(program, harm)).toEqual({ code: 1, isSoon: true });
  // Whom it may keep nothing of is told by this key.
  expect(keyOf()).toBe(key);
  await startsKnowing(town, launch, [ROSA.userId]);
}, 60_000);

test("a program that was killed before what it rescued was in place is not started without it, and the restore that is told, typed, brings it back", async () => {
  const { town, launch, program } = await knowing();
  program.kill("SIGTERM");
  expect(await program.ended).toBe(0);
  rmSync(join(town.dataDir, "backups"), { recursive: true });
  renameSync(fileOf(town), `${fileOf(town)}.rescued`);
  const refused = startProgram(launch, "run");
  expect(await refused.ended).toBe(2);
  expect(typeWhat(refused.errors(), launch)).toBe(0);
  await startsKnowing(town, launch, [ROSA.userId]);
  expect(existsSync(`${fileOf(town)}.rescued`)).toBe(false);
}, 60_000);

test("a program whose lock is deleted takes it again: no second one starts beside it, and nothing is said twice", async () => {
  const { town, launch, program } = await knowing();
  const lock = join(town.dataDir, "forgetmenot.lock");
  rmSync(lock);
  await until(() => existsSync(lock));
  const second = startProgram(launch, "run");
  onTestFinished(() => second.kill("SIGKILL"));
  expect(await second.ended).toBe(2);
  expect(second.errors()).toContain("another ForgetMeNot is running");
  town.irc.say(CHANNEL, { ...IRIS, text: "!remember I have a red boat" });
  await until(() => known(town).length === 2 && town.said.length === 2);
  program.kill("SIGTERM");
  expect(await program.ended).toBe(0);
  expect(town.said).toHaveLength(2);
}, 60_000);

test("a program that is ended while another one has its database keeps the wishes, says so with 1, and grants them at its next start", async () => {
  const { town, launch, program } = await knowing();
  const other = openDatabase(fileOf(town), { busyTimeoutMs: 5_000 });
  onTestFinished(() => void (other.open && other.close()));
  other.exec("BEGIN IMMEDIATE");
  town.irc.say(CHANNEL, { ...ROSA, text: "!forgetme" });
  town.irc.say(CHANNEL, { ...IRIS, text: "!remember I have a red boat" });
  const spooled = () => wishSpool(town.dataDir).read();
  await until(() => spooled().length >= 2);
  program.kill("SIGTERM");
  expect(await program.ended).toBe(1);
  expect(program.errors()).toMatch(
    /lines? of chat could not be written.*what people asked for was kept/s,
  );
  expect(spooled()).toContainEqual(expect.objectContaining({ kind: "forget", userId: "501" }));
  expect(spooled()).toContainEqual(expect.objectContaining({ kind: "remember", userId: "502" }));
  expect(town.said).toHaveLength(1);
  other.close();
  const next = await running(launch);
  expect(told(town)).toEqual(["chat_lost"]);
  await until(() => known(town).join() === IRIS.userId);
  await until(() => spooled().length === 0);
  next.kill("SIGTERM");
  expect(await next.ended).toBe(0);
}, 60_000);

test("a program whose end another one's lock kept from being written was not cut off, whether or not chat was lost", async () => {
  const { town, launch, program } = await knowing();
  const other = openDatabase(fileOf(town));
  onTestFinished(() => void (other.open && other.close()));
  other.exec("BEGIN IMMEDIATE");
  program.kill("SIGTERM");
  await program.ended;
  other.close();
  const next = await running(launch);
  expect(told(town)).not.toContain("cut_off");
  next.kill("SIGKILL");
  await next.ended;
  await running(launch);
  expect(told(town)).toContain("cut_off");
}, 60_000);

test("a program whose data folder is a file says so and what to do, with 2, and leaves it as it is", async () => {
  const town = await openTown();
  const launch = launchIn(town, main);
  writeFileSync(town.dataDir, "somebody's own");
  const program = startProgram(launch, "run");
  expect(await program.ended).toBe(2);
  expect(program.errors()).toMatch(/dataDir: .* cannot be written .*set dataDir to another one/s);
  expect(program.errors()).not.toContain("bug");
  expect(readFileSync(town.dataDir, "utf8")).toBe("somebody's own");
}, 60_000);

test("a program whose database is a link to a disk that is not there says so, with 2, and begins no memory anew", async () => {
  const { town, launch, program } = await knowing();
  program.kill("SIGTERM");
  expect(await program.ended).toBe(0);
  rmSync(join(town.dataDir, "backups"), { recursive: true });
  const disk = join(launch.folder, "disk");
  mkdirSync(disk);
  renameSync(fileOf(town), join(disk, "forgetmenot.db"));
  symlinkSync(join(disk, "forgetmenot.db"), fileOf(town));
  renameSync(disk, `${disk} unplugged`);
  const next = startProgram(launch, "run");
  expect(await next.ended).toBe(2);
  expect(next.errors()).toMatch(/leads to .*, which is not there.*plug in the disk/s);
  renameSync(`${disk} unplugged`, disk);
  await startsKnowing(town, launch, [ROSA.userId]);
}, 60_000);

test("a program that can write down nothing of what people asked for says so with 1, and claims no more", async () => {
  const { town, program } = await knowing();
  const other = openDatabase(fileOf(town));
  onTestFinished(() => void (other.open && other.close()));
  other.exec("BEGIN IMMEDIATE");
  const spool = join(town.dataDir, "wishes.spool");
  rmSync(spool);
  mkdirSync(spool);
  town.irc.say(CHANNEL, { ...IRIS, text: "!remember I have a red boat" });
  await until(() => program.errors().includes("could not be written down anywhere"));
  program.kill("SIGTERM");
  expect(await program.ended).toBe(1);
  expect(program.errors()).toMatch(/1 wish or removal could not be written.*has to ask again/s);
  expect(program.errors()).not.toContain("was kept");
}, 60_000);

test("a program that may not enter its data folder any more ends with 1, says no word of deletion, and knows all at its next start", async () => {
  const { town, launch, program } = await knowing();
  // What is refused to everybody, whoever runs the tests: a way that leads in a circle.
  const bar = () => {
    renameSync(town.dataDir, `${town.dataDir} barred`);
    symlinkSync(town.dataDir, town.dataDir);
  };
  expect(await endAfter(program, bar)).toEqual({ code: 1, isSoon: true });
  expect(program.errors()).toMatch(
    /could not be reached any more.*what the bot knew is in that file/s,
  );
  expect(program.errors()).not.toMatch(/deleted|anew/);
  rmSync(town.dataDir);
  renameSync(`${town.dataDir} barred`, town.dataDir);
  await startsKnowing(town, launch, [ROSA.userId]);
}, 60_000);
