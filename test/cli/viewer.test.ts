import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Db, openDatabase } from "../../src/database/open-database.ts";
import { runCommand } from "../stand-ins/command.ts";
import { openTown } from "../stand-ins/house.ts";
import { CHANNEL, launchIn } from "../stand-ins/town.ts";

/** A folder in which something is known of Rosa and of Lio. */
async function openBotFolder() {
  const town = await openTown();
  const launch = launchIn(town, "");
  const file = join(town.dataDir, "forgetmenot.db");
  const db = openDatabase(file);
  onTestFinished(() => void db.close());
  fill(db);
  const run = (...args: string[]) => runCommand(launch, "viewer", ...args);
  return { dataDir: town.dataDir, file, db, run };
}

function fill(db: Db): void {
  db.exec(`
    INSERT INTO viewers (user_id, login, display_name, first_seen_at, last_seen_at) VALUES
      ('501', 'rosa_reed', 'RosaReed', 1, 2), ('502', 'lio', 'Lio', 1, 2), ('503', 'twin', 'Twin', 1, 2), ('504', 'twin', 'Twin', 1, 2);
    INSERT INTO viewer_channels (channel, user_id, is_moderator, first_seen_at, last_seen_at, message_count)
      VALUES ('${CHANNEL}', '501', 1, 1, 2, 40);
    INSERT INTO episodes (id, channel, kind, event_count, started_at, ended_at, topic, summary, stage, status, created_at)
      VALUES (1, '${CHANNEL}', 'window', 40, 60000, 120000, 'lamps', '{u:501} talked of lamps.', 'extracted', 'done', 1);
    INSERT INTO episode_participants VALUES (1, '501');
    INSERT INTO episode_claims (episode_id, n, scope, subject_id, statement, event_ids_json)
      VALUES (1, 1, 'viewer', '501', '{u:501} mends lamps', '[4]');
    INSERT INTO semantic_notes (id, channel, scope, subject_id, kind, fact, confidence, status, source_kind, created_at, last_confirmed_at)
      VALUES (1, '${CHANNEL}', 'viewer', '501', 'profile', '{u:501} mends lamps', .8, 'rejected', 'extracted', 1, 1);
    INSERT INTO note_evidence (note_id, episode_id, claim_n, method, confidence, created_at) VALUES (1, 1, 1, 'extracted', .8, 1);
    INSERT INTO events (channel, kind, user_id, text, memorable, created_at, expires_at)
      VALUES ('${CHANNEL}', 'message', '501', 'the wick is crooked again', 1, 200000, 9000000000000);
  `);
}

test("viewer show prints all that is kept, but no line of chat", async () => {
  const { run } = await openBotFolder();
  const { exit, output } = await run("show", "@Rosa_Reed");
  expect(exit).toBe(0);
  for (const part of [
    "user id 501, login rosa_reed, display name RosaReed",
    "is moderator 1",
    "kind profile, fact RosaReed mends lamps",
    "statement RosaReed mends lamps",
    "RosaReed talked of lamps.",
    "\nlines 1\n",
  ]) {
    expect(output).toContain(part);
  }
  expect(output).not.toContain("wick");
  const json = JSON.parse((await run("show", "id:501", "--json")).output);
  expect(json).toMatchObject({
    lines: 1,
    notes: [{ id: 1, episodes: [1] }],
    optedOut: false,
  });
});

test("a login of two accounts, and of none, is told with the fix", async () => {
  const { run } = await openBotFolder();
  const two = await run("show", "twin");
  expect(two.exit).toBe(2);
  expect(two.errors).toMatch(/2 accounts[\s\S]*id:503/);
  expect((await run("show", "nobody")).errors).toContain("nobody called nobody was seen");
});

test("viewer forget takes every byte of a person from the folder, exports and all; again changes nothing", async () => {
  const { run, dataDir, db } = await openBotFolder();
  expect((await run("export", "rosa_reed")).exit).toBe(0);
  const exports = () => readdirSync(join(dataDir, "exports"));
  expect(exports()).toHaveLength(1);
  expect(readFileSync(join(dataDir, "exports", exports()[0] ?? ""), "utf8")).toContain(
    "mends lamps",
  );
  db.close();
  const { exit, output } = await run("forget", "rosa_reed", "--yes");
  expect(exit).toBe(0);
  expect(output).toContain("everything about rosa_reed is forgotten: 1 note and 1 message");
  expect(exports()).toEqual([]);
  for (const name of readdirSync(dataDir).filter((one) => existsSync(join(dataDir, one)))) {
    if (name === "exports" || name === "backups") continue;
    const bytes = readFileSync(join(dataDir, name), "latin1").toLowerCase();
    for (const trace of ["rosa_reed", "rosareed", "wick", "mends lamps"]) {
      expect(`${name}: ${bytes.includes(trace)}`).toBe(`${name}: false`);
    }
  }
  expect((await run("forget", "id:501", "--yes")).output).toContain("0 notes");
  expect((await run("forget", "id:999", "--yes")).exit).toBe(0);
  expect((await run("show", "id:501")).output).toMatch(/^ {2}user id 501$/m);
});
