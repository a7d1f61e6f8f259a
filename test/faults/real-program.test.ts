import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
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

test("a program whose database is emptied ends within seconds with 1, and the restore that it tells, typed, brings memory back", async () => {
  const { town, launch, program } = await knowing();
  const empty = () => truncateSync(fileOf(town), 0);
  expect(await endAfter(program, empty)).toEqual({ code: 1, isSoon: true });
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
