import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { localTime } from "../../src/platform/config/local-time.ts";
import { type Db, openDatabase } from "../../src/platform/database/open-database.ts";
import { builtProgram } from "../stand-ins/built-program.ts";
import { type Ended, runCommand } from "../stand-ins/command.ts";
import { openTown } from "../stand-ins/house.ts";
import { type Launch, startProgram } from "../stand-ins/program.ts";
import { CHANNEL, launchIn } from "../stand-ins/town.ts";

const main = builtProgram();

interface Desk {
  readonly launch: Launch;
  readonly db: Db;
  run(...args: string[]): Promise<Ended>;
}

async function openBotFolder(): Promise<Desk> {
  const town = await openTown();
  const launch = launchIn(town, main);
  const db = openDatabase(join(town.dataDir, "forgetmenot.db"));
  onTestFinished(() => void db.close());
  return { launch, db, run: (...args) => runCommand(launch, "memory", ...args) };
}

/** Two episodes: one that was made, about Rosa, and one that could not be. And a stream with a recap. */
function fill(db: Db): void {
  db.exec(`
    INSERT INTO viewers (user_id, login, display_name, first_seen_at, last_seen_at) VALUES ('501', 'rosa', 'Rosa', 1, 1);
    INSERT INTO stream_sessions (id, channel, started_at, ended_at, recap)
      VALUES (1, '${CHANNEL}', 0, 7200000, '{u:501} mended a lamp, {u:999} left.');
    INSERT INTO episodes (id, channel, kind, session_id, event_count, started_at, ended_at, topic, summary, stage, status, created_at)
      VALUES (1, '${CHANNEL}', 'window', 1, 40, 60000, 120000, 'lamps of {u:501}', '{u:501} talked of lamps.', 'summarised', 'done', 1),
             (2, '${CHANNEL}', 'gap', 1, 3, 180000, 240000, '', '', 'extracted', 'failed', 1);
    INSERT INTO episode_participants VALUES (1, '501'), (1, '999'), (2, '501');
    INSERT INTO episode_claims (episode_id, n, scope, subject_id, statement, event_ids_json, withdrawn_at) VALUES
      (1, 1, 'viewer', '501', '{u:501} mends lamps', '[4,7]', NULL),
      (1, 2, 'channel', NULL, 'The lamp contest is on Friday', '[]', 5);
    INSERT INTO events (id, channel, kind, user_id, text, memorable, created_at, expires_at, episode_id)
      VALUES (9, '${CHANNEL}', 'message', '501', 'still here', 1, 200000, 9000000000000, 2);
  `);
}

test("memory episodes lists them newest first, with names put in", async () => {
  const { db, run } = await openBotFolder();
  fill(db);
  const { exit, output } = await run("episodes");
  expect(exit).toBe(0);
  const lines = output.trimEnd().split("\n");
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(
    /^ +2 +.{23} {2}gap +3 events +.*a gap: this stretch could not be remembered/,
  );
  expect(lines[0]).toContain(` ${localTime(180_000)} `);
  expect(lines[1]).toMatch(/^ +1 +.{23} {2}window +40 events +lamps of Rosa$/);
  expect(lines[1]).toContain(` ${localTime(60_000)} `);
  expect(JSON.parse((await run("episodes", "--json", "--limit", "1")).output)).toMatchObject([
    { id: 2, kind: "gap" },
  ]);
  expect(
    JSON.parse((await run("episodes", "--json", "--channel", CHANNEL.toUpperCase())).output),
  ).toHaveLength(2);
  expect(JSON.parse((await run("episodes", "--json", "--channel", "elsewhere")).output)).toEqual(
    [],
  );
});

test("memory episode shows who took part, the claims and how many events stand behind each", async () => {
  const { db, run } = await openBotFolder();
  fill(db);
  const { exit, output } = await run("episode", "1");
  expect(exit).toBe(0);
  expect(output).toContain(`Episode 1 in #${CHANNEL}: lamps of Rosa`);
  expect(output).toContain("40 events");
  expect(output).toContain("With Rosa, someone");
  expect(output).toContain("Rosa talked of lamps.");
  expect(output).toContain("  1. Rosa mends lamps (Rosa, 2 events)");
  expect(output).toContain("  2. The lamp contest is on Friday (channel, 0 events, withdrawn)");
  expect(JSON.parse((await run("episode", "1", "--json")).output)).toMatchObject({
    id: 1,
    topic: "lamps of Rosa",
    participants: ["Rosa", "someone"],
    claims: [
      { n: 1, subject: "Rosa", statement: "Rosa mends lamps", support: 2, withdrawn: false },
      { n: 2, subject: null, withdrawn: true },
    ],
  });
});

test("after a rename the new name stands in topic, summary, claims and recap", async () => {
  const { db, run } = await openBotFolder();
  fill(db);
  db.exec("UPDATE viewers SET login = 'rosalind', display_name = 'Rosalind' WHERE user_id = '501'");
  const { output } = await run("episode", "1");
  expect(output.match(/Rosalind/g)?.length).toBeGreaterThanOrEqual(5);
  expect(output).not.toMatch(/Rosa\b|\{u:/);
  expect((await run("recap")).output).toBe(
    `#${CHANNEL}, ${localTime(0)} to ${localTime(7_200_000)}\nRosalind mended a lamp, someone left.\n`,
  );
});

test.for([
  ["episode", "77"],
  ["retry", "77"],
])("memory %s with an unknown number is wrong usage, and says where numbers are", async (args) => {
  const { db, run } = await openBotFolder();
  fill(db);
  const { exit, output, errors } = await run(...args);
  expect(exit).toBe(2);
  expect(output).toBe("");
  expect(errors).toMatch(/^there is no episode 77\n +→ see `forgetmenot memory episodes`/);
});

test.for([
  ["episode"],
  ["episode", "one"],
  ["episode", "-1"],
  ["retry", "1.5"],
  ["episodes", "--limit", "x"],
  ["nonsense"],
])("memory %s is wrong usage", async (args) => {
  const { run } = await openBotFolder();
  expect((await run(...args)).exit).toBe(2);
});

test("memory retry makes a gap whose chat is still there due at once, and refuses a finished one", async () => {
  const { db, run } = await openBotFolder();
  fill(db);
  expect((await run("retry", "2")).output).toMatch(/^episode 2 is tried again/);
  expect(
    db.prepare("SELECT kind, stage, status, attempts FROM episodes WHERE id = 2").get(),
  ).toEqual({
    kind: "window",
    stage: "claimed",
    status: "pending",
    attempts: 0,
  });
  const finished = await run("retry", "1");
  expect(finished).toMatchObject({
    exit: 0,
    output: expect.stringMatching(/^episode 1 is finished/),
  });
  db.exec(
    "UPDATE events SET text = NULL; UPDATE episodes SET status = 'failed', stage = 'extracted' WHERE id = 2",
  );
  expect((await run("retry", "2")).output).toMatch(/its chat is gone/);
});

test("on an empty database each says that there is nothing yet", async () => {
  const { run } = await openBotFolder();
  expect(await run("episodes")).toMatchObject({
    exit: 0,
    output: expect.stringMatching(/^No episodes yet/),
  });
  expect(await run("episodes", "--json")).toMatchObject({ exit: 0, output: "[]\n" });
  expect(await run("recap")).toMatchObject({
    exit: 0,
    output: `#${CHANNEL}: no stream with a recap yet\n`,
  });
});

test("before the first run, with no database at all, nothing crashes and nothing is created", async () => {
  const town = await openTown();
  const { exit, errors } = await runCommand(launchIn(town, main), "memory", "episodes");
  expect(exit).toBe(2);
  expect(errors).not.toContain("bug");
  expect(existsSync(town.dataDir)).toBe(false);
});

test("beside a running daemon all of them work", async () => {
  const { launch, db, run } = await openBotFolder();
  fill(db);
  const daemon = startProgram(launch, "run");
  onTestFinished(() => daemon.kill("SIGKILL"));
  await daemon.says("Joined");
  const own = startProgram(launch, "memory", "episodes");
  expect(await own.ended, own.errors()).toBe(0);
  expect(own.output()).toContain("lamps of Rosa");
  for (const args of [["episode", "1"], ["retry", "2"], ["recap"]]) {
    const { exit, errors } = await run(...args);
    expect(exit, errors).toBe(0);
  }
  daemon.kill("SIGTERM");
  expect(await daemon.ended).toBe(0);
});
