import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { expect, test } from "vitest";
import { toConfig } from "../../src/config/load.ts";
import { lookAt, openDatabase } from "../../src/database/open-database.ts";
import { RuntimeStore } from "../../src/database/runtime-store.ts";
import { Database } from "../../src/database/sqlite.ts";
import { type CheckName, type Finding, prepareBot, runChecks } from "../../src/system/checks.ts";
import { CHANNEL } from "../stand-ins/town.ts";
import { examine, makeDatabase, openPatient, type Patient } from "./examined.ts";

const HOUR_MS = 3_600_000;

/** What these checks find if the bot runs. */
async function lookBeside({ dataDir }: Patient, ...names: CheckName[]): Promise<Finding[]> {
  const config = toConfig({ channel: CHANNEL, dataDir }, ".");
  const bot = { ...prepareBot(config, new AbortController().signal), running: true };
  const findings: Finding[] = [];
  for await (const found of runChecks(bot, names)) findings.push(...found);
  return findings;
}

test("a database of an older program is brought up to date at the next start, not now", async () => {
  const patient = await openPatient();
  mkdirSync(patient.dataDir, { mode: 0o700 });
  const old = new Database(patient.databaseFile);
  old.exec(readFileSync("test/database/schema-v6.sql", "utf8"));
  old.pragma("user_version = 6");
  old.close();
  const { of, exit } = await examine(patient);
  expect(of("database")).toMatchObject([
    {
      state: "ok",
      found: expect.stringMatching(/undamaged, version 6, which the next start brings/),
    },
  ]);
  expect(exit).toBe(0);
  expect(lookAt(patient.databaseFile, (db) => db.pragma("user_version", { simple: true }))).toBe(6);
});

test("a database with a broken page is a problem", async () => {
  const patient = await openPatient();
  makeDatabase(patient, `INSERT INTO channel_state (channel) VALUES ('${CHANNEL}')`);
  const [page, bytes] = lookAt(patient.databaseFile, (db) => [
    Number(db.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'viewers'").pluck().get()),
    Number(db.pragma("page_size", { simple: true })),
  ]);
  const file = openSync(patient.databaseFile, "r+");
  writeSync(file, Buffer.alloc(bytes, 0xff), 0, bytes, (page - 1) * bytes);
  closeSync(file);
  const { of, exit } = await examine(patient);
  expect(of("database")).toMatchObject([
    { state: "problem", mend: expect.stringContaining("forgetmenot restore") },
  ]);
  expect(exit).toBe(1);
});

test("chat that is older than it may be is a problem, and goes at the next start", async () => {
  const patient = await openPatient();
  const atMs = Date.now() - 30 * HOUR_MS;
  const add = (id: number, writtenAtMs: number) =>
    `INSERT INTO events (channel, kind, user_id, message_id, text, created_at, expires_at)
       VALUES ('${CHANNEL}', 'message', '501', 'm${id}', 'hello', ${writtenAtMs}, ${writtenAtMs + 24 * HOUR_MS});`;
  const others = `INSERT INTO replies (channel, user_id, "trigger", state, created_at, text)
      VALUES ('${CHANNEL}', '501', 'mention', 'sent', ${atMs}, 'hello');
    INSERT INTO action_log
        (channel, action, class, decision, reason, created_at, args_json, idempotency_key)
      VALUES ('${CHANNEL}', 'poll', 'stream', 'refuse', 'off', ${atMs}, '{}', 'a')`;
  makeDatabase(patient, add(1, atMs) + add(2, Date.now() - HOUR_MS) + others);
  const { of, exit } = await examine(patient);
  expect(of("kept_chat")).toEqual([
    {
      state: "warning",
      found:
        "3 texts from chat and answers should be gone by now: the bot was off when they expired",
      mend: "start the bot: it removes them before anything else",
    },
  ]);
  expect(exit).toBe(0);
  expect(await lookBeside(patient, "kept_chat")).toMatchObject([
    { state: "problem", mend: expect.stringContaining("restart") },
  ]);
});

test("notices that a terminal would obey", async () => {
  const patient = await openPatient();
  makeDatabase(
    patient,
    `INSERT INTO notices (kind, severity, message, first_at, last_at, count) VALUES
       ('llm', 'error', 'down' || char(27) || '[31m' || char(10) || 'ok', 1, 1, 1)`,
  );
  const { of } = await examine(patient);
  expect(of("notice")[0]?.found).toMatch(
    /^since 1970-01-01 00:00 \+00:00: down\ufffd\[31m\ufffdok \(/,
  );
});

test("what one check cannot make sense of ends no other, and is not quoted", async () => {
  const patient = await openPatient();
  const row =
    "INSERT INTO runtime (name, value_json, updated_at) VALUES ('cleanup', 'gibberish', 1)";
  makeDatabase(patient, row);
  const { of, exit, findings } = await examine(patient);
  expect(of("removed_chat")).toEqual([
    {
      state: "problem",
      found: expect.stringMatching(/^the check failed \(SyntaxError/),
      mend: expect.stringContaining("report it"),
    },
  ]);
  expect(JSON.stringify(findings)).not.toContain("gibberish");
  expect(of("page")).toMatchObject([{ state: "ok" }]);
  expect(exit).toBe(1);
});

test("bytes of removed chat that a running bot could not clean are told", async () => {
  const patient = await openPatient();
  makeDatabase(
    patient,
    `UPDATE counters SET value = value + 1 WHERE name = 'removed.texts';
     INSERT INTO counters (name, value) VALUES ('removed.texts', 5) ON CONFLICT (name) DO NOTHING;`,
  );
  expect((await examine(patient)).of("removed_chat")).toMatchObject([
    { state: "ok", found: expect.stringContaining("the next start cleans it") },
  ]);
  const db = openDatabase(patient.databaseFile);
  const pending = { texts: 0, people: 0, endedAtMs: null, failure: null };
  const runtime = new RuntimeStore(db, Date.now);
  runtime.write("cleanup", { ...pending, dueSinceMs: Date.now() - 2 * HOUR_MS });
  expect(await lookBeside(patient, "removed_chat")).toMatchObject([
    { state: "warning", found: expect.stringContaining("for more than an hour") },
  ]);
  runtime.write("cleanup", { ...pending, dueSinceMs: Date.now(), failure: "SQLITE_FULL" });
  db.close();
  expect((await examine(patient)).of("removed_chat")).toMatchObject([
    { state: "warning", found: expect.stringContaining("SQLITE_FULL") },
  ]);
});
