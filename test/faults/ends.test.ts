import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../../src/database/open-database.ts";
import { LogFile, openLog } from "../../src/log.ts";
import { BackupKeeper, listDailyBackups } from "../../src/system/backup-schedule.ts";
import { builtProgram } from "../stand-ins/built-program.ts";
import { enter, openHouse, openTown } from "../stand-ins/house.ts";
import { type Running, startProgram } from "../stand-ins/program.ts";
import { CHANNEL, launchIn, type Town } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const main = builtProgram();
const ROSA = { userId: "501", login: "rosa", displayName: "Rosa" };
const LINE = "a green umbrella stands in the hall";

/** The variables with which a program does this at SIGUSR2. */
function atUsr2(code: string): Record<string, string> {
  const file = join(temporaryFolder(), "at-usr2.mjs");
  writeFileSync(file, `process.on("SIGUSR2", () => ${code});`);
  return { NODE_OPTIONS: `--import=${file}` };
}

async function running(town: Town, environment: Record<string, string> = {}): Promise<Running> {
  const launch = launchIn(town, main);
  const program = startProgram(
    { ...launch, environment: { ...launch.environment, ...environment } },
    "run",
  );
  onTestFinished(() => program.kill("SIGKILL"));
  await program.says("Joined");
  return program;
}

async function heard({ irc }: Town): Promise<void> {
  const before = irc.pongs();
  irc.say(CHANNEL, { ...ROSA, text: LINE });
  irc.ping();
  await until(() => irc.pongs() > before);
}

function rows<T>({ dataDir }: Town, sql: string): T[] {
  const db = openDatabase(join(dataDir, "forgetmenot.db"));
  try {
    return db.prepare<[], T>(sql).all();
  } finally {
    db.close();
  }
}

/** What a closed window is on Windows: another system has no such signal to send, so the program is told of it inside. */
const BREAK = 'process.emit("SIGBREAK", "SIGBREAK")';

test.each([
  ["SIGINT", "SIGINT"],
  ["SIGHUP", "SIGHUP"],
  ["SIGBREAK", "SIGUSR2"],
] as const)(
  "%s ends the bot in order: within two seconds, and with the last line written",
  async (_, sent) => {
    const town = await openTown();
    const program = await running(town, atUsr2(BREAK));
    await heard(town);
    const startedAtMs = performance.now();
    program.kill(sent);
    expect(await program.ended).toBe(0);
    expect(performance.now() - startedAtMs).toBeLessThan(2_000);
    expect(rows(town, "SELECT text FROM events WHERE kind = 'message'")).toEqual([{ text: LINE }]);
  },
);

const PRESS = 'process.emit("SIGINT", "SIGINT")';

test("one Ctrl-C that comes twice, from the terminal and from npm, ends the bot in order", async () => {
  const town = await openTown();
  const program = await running(town, atUsr2(`{ ${PRESS}; setTimeout(() => ${PRESS}, 1); }`));
  await heard(town);
  program.kill("SIGUSR2");
  expect(await program.ended).toBe(0);
  expect(rows(town, "SELECT text FROM events WHERE kind = 'message'")).toEqual([{ text: LINE }]);
});

test("a second Ctrl-C ends the bot at once", async () => {
  const takesLong = "const fromMs = performance.now(); while (performance.now() - fromMs < 600);";
  const program = await running(await openTown(), atUsr2(`{ ${PRESS}; ${takesLong} ${PRESS}; }`));
  program.kill("SIGUSR2");
  expect(await program.ended).toBe(130);
});

test("an uncaught error exits with 1, logs no text, and the next start raises a notice", async () => {
  const town = await openTown();
  const thrown = `setTimeout(() => { throw new TypeError("${LINE}"); })`;
  const program = await running(town, atUsr2(thrown));
  await heard(town);
  program.kill("SIGUSR2");
  expect(await program.ended).toBe(1);
  expect(program.errors()).toContain("This is a bug in ForgetMeNot");
  const logged = readFileSync(join(town.dataDir, "logs", "forgetmenot.log"), "utf8");
  expect(logged).toContain("an error that nobody caught");
  expect(logged).toContain("TypeError");
  expect(logged + program.errors() + program.output()).not.toContain("umbrella");
  expect(rows(town, "SELECT text FROM events WHERE kind = 'message'")).toHaveLength(1);
  const next = await running(town);
  expect(
    rows<{ message: string }>(town, "SELECT message FROM notices WHERE kind = 'crashed'")[0]
      ?.message,
  ).toContain("Start it again");
  next.kill("SIGTERM");
  expect(await next.ended).toBe(0);
  expect(rows(town, "SELECT kind FROM notices WHERE cleared_at IS NULL")).toEqual([]);
});

test("a bot that was killed says at its next start that it was cut off, until it ends in order", async () => {
  const town = await openTown();
  const program = await running(town);
  program.kill("SIGKILL");
  await program.ended;
  const next = await enter(town);
  expect(next.daemon.status().notices.map(({ kind }) => kind)).toEqual(["crashed"]);
  await next.close();
  const last = await enter(town);
  expect(last.daemon.status().notices).toEqual([]);
  expect(last.daemon.status().pastNotices.map(({ kind }) => kind)).toEqual(["crashed"]);
});

test("log files are in the data folder, with limits of size and number", () => {
  const folder = temporaryFolder();
  const clock = { nowMs: 1_700_000_000_000 };
  const limits = { bytesMax: 1_000, filesMax: 3 };
  const file = new LogFile(folder, () => clock.nowMs, limits);
  const log = openLog("info", (line) => file.write(line));
  for (let n = 0; n < 200; n += 1) {
    clock.nowMs += 1_000;
    log.info({ n }, "a line of the log");
  }
  file.close();
  const names = readdirSync(join(folder, "logs"));
  expect(names).toHaveLength(4);
  for (const name of names)
    expect(readFileSync(join(folder, "logs", name)).length).toBeLessThanOrEqual(1_000);
  expect(readFileSync(join(folder, "logs", "forgetmenot.log"), "utf8")).toContain('"n":199');
});

test("a backup is made daily, the limit is kept, and a failure names the fix", async () => {
  const house = await openHouse();
  const clock = { nowMs: Date.now() };
  const told: string[] = [];
  const folder = join(house.dataDir, "backups");
  const schedule = (databaseFile: string) =>
    new BackupKeeper({
      db: house.db,
      databaseFile,
      config: () => ({ everyHours: 24, keep: 2 }),
      notices: {
        raise: (_kind, _severity, message) => void told.push(message),
        clear: () => undefined,
      },
      now: () => clock.nowMs,
    });
  const daily = schedule(join(house.dataDir, "forgetmenot.db"));
  onTestFinished(() => daily.close());
  await daily.runIfDue();
  expect(listDailyBackups(house.dataDir)).toEqual([]);
  for (let day = 0; day < 3; day += 1) {
    clock.nowMs += 25 * 3_600_000;
    await daily.runIfDue();
    await daily.runIfDue();
  }
  expect(told).toEqual([]);
  expect(listDailyBackups(house.dataDir)).toHaveLength(2);
  expect(readdirSync(folder).filter((name) => name.endsWith(".part"))).toEqual([]);
  const broken = schedule(join(temporaryFolder(), "nothing.db"));
  clock.nowMs += 3_600_000;
  await broken.runIfDue();
  expect(told.join()).toContain("forgetmenot backup");
});
