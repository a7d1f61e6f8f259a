import { mkdirSync, rmdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openLog } from "../../src/log.ts";
import { newestBackup } from "../../src/platform/database/database-fault.ts";
import { lockFolder } from "../../src/platform/database/lock.ts";
import { noticeBoard } from "../../src/platform/database/notices-store.ts";
import { openDatabase } from "../../src/platform/database/open-database.ts";
import { switchStore } from "../../src/platform/database/runtime-store.ts";
import { openBackups, scheduledBackups } from "../../src/privacy/backups.ts";
import { builtProgram } from "../stand-ins/built-program.ts";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { enter, type House, leaveNotices, openHouse, openTown } from "../stand-ins/house.ts";
import { fill, hold, smallDisk, taken } from "../stand-ins/obstacles.ts";
import { startProgram } from "../stand-ins/program.ts";
import { CHANNEL, launchIn, type Town } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";
import { temporaryFolder } from "../temporary-folder.ts";

// Faults in whose way nothing stands, and of which nobody hears unless somebody tells.

const main = builtProgram();
const fileOf = ({ dataDir }: Town) => join(dataDir, "forgetmenot.db");
const ROSA = { userId: "501", login: "rosa", displayName: "Rosa" };

test("a pause that chat orders of a held database is in force at once, answered when it is kept, and ended by whoever resumes", async () => {
  const house = await openHouse();
  const letGo = hold(house);
  house.say({ text: "!bot pause", ...ROSA, badges: "moderator/1" });
  house.say({ text: "@automark awake?", ...ROSA });
  await taken(house);
  expect(house.said).toEqual([]);
  letGo();
  await until(() => house.said.length === 1);
  expect((await house.ended(1))[0]).toMatchObject({ state: "refused", reason: "paused" });
  expect(house.logged.filter((line) => line.includes("bug:"))).toEqual([]);
  switchStore(house.db, house.now).set("paused", false, "cli");
  house.model.enqueue(geminiSays({ text: "awake" }));
  house.say({ text: "@automark awake now?", userId: "77", login: "fern", displayName: "Fern" });
  expect((await house.ended(2))[1]).toMatchObject({ state: "sent", text: "awake" });
});

test("a channel that is joined again while the database is held is no bug, and its id is kept once it can be", async () => {
  const town = await openTown();
  const house = await enter(town);
  const idOf = house.db.prepare("SELECT twitch_id FROM channel_state").pluck();
  const id = idOf.get();
  house.db.exec("UPDATE channel_state SET twitch_id = 'of a name before'");
  const letGo = hold(house);
  town.irc.cutAll();
  await until(() => town.irc.listeners(CHANNEL) === 0);
  await until(() => town.irc.listeners(CHANNEL) > 0);
  house.say({ text: "!bot pause", ...ROSA, badges: "moderator/1" });
  await taken(house);
  letGo();
  await until(() => house.said.length === 1);
  await until(() => idOf.get() === id);
  expect(house.logged.filter((line) => line.includes("bug:"))).toEqual([]);
});

test("a command on a full disk says so, with what mends it", async ({ skip }) => {
  const disk = smallDisk();
  if (disk === null) return skip("no small disk can be made here");
  const town = { ...(await openTown()), dataDir: join(disk, "data") };
  const launch = launchIn(town, main);
  mkdirSync(town.dataDir);
  openDatabase(fileOf(town)).close();
  fill(disk);
  const program = startProgram(launch, "pause");
  expect(await program.ended).toBe(2);
  expect(program.errors()).toMatch(/the disk is full.*free some space on the disk of/s);
  expect(program.errors()).not.toContain("bug");
});

test("a configuration that is changed while the database is held is taken over, and its policy is a row afterwards", async () => {
  const house = await openHouse({ watched: true });
  const policies = () => count(house, "SELECT count(*) FROM policy_history");
  const before = policies();
  const letGo = hold(house);
  await house.reload({ memory: { mode: "manual" } });
  expect(policies()).toBe(before);
  letGo();
  await until(() => policies() === before + 1);
});

/** A schedule on the data folder of a house, whose clock is set by hand. */
function scheduleAt({ dataDir, db }: House, clock: { nowMs: number }, keep: number) {
  const schedule = openBackups({
    db,
    databaseFile: join(dataDir, "forgetmenot.db"),
    config: () => ({ everyHours: 24, keep }),
    notices: { raise: () => undefined, clear: () => undefined },
    now: () => clock.nowMs,
  });
  onTestFinished(schedule.close);
  clock.nowMs += 61_000;
  return schedule;
}

test("a wall clock that was set back makes no backup more than one a day", async () => {
  const house = await openHouse();
  const { dataDir } = house;
  // The time of the program goes on; that of the files is a day behind from then on.
  const clock = { nowMs: Date.now() + 25 * 3_600_000 };
  const schedule = scheduleAt(house, clock, 7);
  for (let looks = 0; looks < 3; looks += 1) {
    await schedule.look();
    clock.nowMs += 11 * 60_000;
  }
  expect(scheduledBackups(dataDir)).toHaveLength(1);
});

test("backups of a time when the clock was wrong neither keep others from being made, nor from staying, nor are restored", async () => {
  const house = await openHouse();
  const { dataDir } = house;
  const folder = join(dataDir, "backups");
  mkdirSync(folder, { recursive: true });
  const future = ["20990101-000000Z", "20990102-000000Z"].map((stamp) =>
    join(folder, `forgetmenot-auto-${stamp}.db`),
  );
  for (const file of future) {
    writeFileSync(file, "of another time");
    utimesSync(file, 4_070_908_800, 4_070_908_800);
  }
  await scheduleAt(house, { nowMs: Date.now() }, 2).look();
  const [made = "", ...others] = scheduledBackups(dataDir);
  expect(others).toEqual(future.slice(1));
  expect(newestBackup(dataDir)).toBe(made);
});

test("a folder in the place of the lock keeps nobody from anything, and no other bot starts", () => {
  const folder = temporaryFolder();
  const file = join(folder, "forgetmenot.lock");
  const lock = lockFolder(folder);
  onTestFinished(lock.release);
  rmSync(file);
  mkdirSync(file);
  expect([lock.isHeld(), lock.isHeld()]).toEqual([true, true]);
  expect(() => lockFolder(folder)).toThrow();
  rmdirSync(file);
  expect(lock.isHeld()).toBe(true);
  expect(() => lockFolder(folder)).toThrow("another ForgetMeNot is running");
});

test("what was told before a start, and is mended since, is over once the bot runs, and stays to be read", async () => {
  const town = await openTown();
  const kinds = [
    ...["chat_join_lanternrom", "chat_connection", "chat_refused", "database", "helix"],
    ...["llm_access", "llm_breaker", "llm_cap_reply", "llm_key", "llm_quota", "rights_waiting"],
    ...["twitch_token", "twitch_token_expiry", "twitch_token_unsaved", "backup_failed"],
    ...["twitch_streamer_token", "twitch_streamer_token_account", "twitch_streamer_token_expiry"],
    ...["twitch_streamer_token_unsaved", "action_timeout", "action_questions", "memory_gap"],
    ...["config_reload", "config_restart", "config_retired", "forgets_journal", "chat_lost"],
  ];
  await leaveNotices(town, kinds, 1);
  const house = await enter(town, { watched: true, config: { backup: { everyHours: false } } });
  house.say({ text: "@automark are you well?", ...ROSA });
  await house.ended(1);
  const left = () => house.daemon.status().notices.map(({ kind }) => kind);
  await until(() => left().length === 0).catch(() => expect(left()).toEqual([]));
  const past = house.daemon.status().pastNotices.map(({ kind }) => kind);
  expect(past.toSorted()).toEqual(kinds.toSorted());
});

test("what merely happened is over a day later, and told anew where it happens again", () => {
  const clock = { nowMs: 1_000_000 };
  const lines: string[] = [];
  const db = openDatabase(":memory:");
  const board = noticeBoard(
    db,
    () => clock.nowMs,
    openLog("info", (line) => lines.push(line)),
  );
  const tell = () => {
    board.raise("memory_gap", "warning", "a gap; nothing to do");
    board.raise("database", "warning", "lasts; nothing to do");
  };
  tell();
  clock.nowMs += 23 * 3_600_000;
  board.expire();
  tell();
  clock.nowMs += 23 * 3_600_000;
  board.expire();
  expect([board.list().length, lines.length]).toEqual([2, 2]);
  clock.nowMs += 2 * 3_600_000;
  board.expire();
  expect([board.list().length, board.past().length]).toEqual([1, 1]);
  tell();
  expect([board.list().length, lines.length]).toEqual([2, 3]);
  db.close();
});

function count({ db }: House, sql: string): number {
  return Number(db.prepare(sql).pluck().get());
}
