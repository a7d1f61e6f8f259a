import { createHash } from "node:crypto";
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toConfig } from "../../src/config/load.ts";
import { openDatabase, readUnmigrated } from "../../src/database/open-database.ts";
import { RuntimeStore } from "../../src/database/runtime-store.ts";
import { type CheckName, examineBot, type Finding, runChecks } from "../../src/system/checks.ts";
import { judgeFreeBytes } from "../../src/system/machine-checks.ts";
import { enter } from "../stand-ins/house.ts";
import { CHANNEL, MODEL_KEY, STREAMER_ID, TWITCH_TOKEN } from "../stand-ins/town.ts";
import {
  examine,
  makeDatabase,
  openPatient,
  type Patient,
  REFRESH_TOKEN,
  setBotToken,
} from "./examined.ts";

const HOUR_MS = 3_600_000;

/** What these checks find if the bot runs. */
async function lookBeside({ dataDir }: Patient, ...names: CheckName[]): Promise<Finding[]> {
  const config = toConfig({ channel: CHANNEL, dataDir }, ".");
  const bot = { ...examineBot(config, new AbortController().signal), running: true };
  const findings: Finding[] = [];
  for await (const found of runChecks(bot, names)) findings.push(...found);
  return findings;
}

test("a database with a broken page is a problem", async () => {
  const patient = await openPatient();
  makeDatabase(patient, `INSERT INTO channel_state (channel) VALUES ('${CHANNEL}')`);
  const [page, bytes] = readUnmigrated(patient.databaseFile, (db) => [
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

/** Every file in a folder, with what is in it. */
function contents(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => {
      const stats = statSync(join(folder, name));
      const bytes = stats.isFile() ? readFileSync(join(folder, name)) : "";
      const hash = createHash("sha256").update(bytes).digest("hex");
      return [name, `${stats.mode.toString(8)} ${hash}`];
    }),
  );
}

test("nothing is made where there is nothing yet", async () => {
  const patient = await openPatient();
  const { of } = await examine(patient);
  expect(readdirSync(patient.folder)).toEqual(["config.json"]);
  expect(of("folder")[0]?.found).toBe(`${patient.dataDir} will be made at the first start`);
  expect(of("database")[0]?.found).toBe("none yet: the bot makes it at its first start");
});

test("nothing is changed in a folder that a bot has used", async () => {
  const patient = await openPatient();
  const house = await enter(patient.town);
  house.say({ text: "@automark hello" });
  await house.ended(1);
  await house.close();
  const before = contents(patient.dataDir);
  const { exit, of } = await examine(patient);
  expect(of("database")[0]?.found).toMatch(/forgetmenot\.db: undamaged, version \d+, /);
  expect(exit).toBe(0);
  expect(contents(patient.dataDir)).toEqual(before);
});

test.each([
  [5e9, "ok", "5.0 GB free"],
  [9e8, "warning", "900 MB free"],
  [1e8, "problem", "100 MB free"],
])("%d free bytes", (bytes, state, found) => {
  expect(judgeFreeBytes(bytes)).toMatchObject({ state, found: expect.stringContaining(found) });
});

test("beside a running bot its page and its database are its own", async () => {
  const patient = await openPatient();
  const { daemon, db } = await enter(patient.town, { config: { dashboard: { port: 0 } } });
  db.exec(
    "INSERT INTO notices (kind, severity, message, first_at, last_at, count) VALUES ('llm', 'error', 'the model is down', 1, 1, 1), ('hint', 'info', 'well', 1, 1, 1)",
  );
  const port = Number(new URL(daemon.pageUrl ?? "").port);
  const { of, exit } = await examine(patient, { dashboard: { port } });
  expect(of("daemon")).toEqual([{ state: "ok", found: "is running on this folder", mend: null }]);
  expect(of("page")).toEqual([
    { state: "ok", found: `the bot serves it at http://127.0.0.1:${port}/`, mend: null },
  ]);
  expect(of("database")[0]?.state).toBe("ok");
  expect(of("notice")).toMatchObject([
    { state: "warning", found: expect.stringMatching(/: the model is down$/) },
  ]);
  expect(exit).toBe(0);
});

test("whoever looks at a running bot from another window has not got its variables", async () => {
  const patient = await openPatient();
  await enter(patient.town);
  const none = { TWITCH_ACCESS_TOKEN: "", GEMINI_API_KEY: "" };
  const { of, exit } = await examine(patient, {}, none);
  for (const check of ["bot_token", "model"] as const)
    expect(of(check)).toMatchObject([
      { state: "not_checked", found: expect.stringContaining("where the bot was started") },
    ]);
  expect(exit).toBe(0);
});

test("secrets are told by name, with where they come from", async () => {
  const patient = await openPatient();
  mkdirSync(patient.dataDir, { mode: 0o700 });
  const own = { twitchStreamerAccessToken: "own" };
  const saved = { geminiApiKey: MODEL_KEY, twitchAccessToken: "other", ...own };
  writeFileSync(join(patient.dataDir, "secrets.json"), JSON.stringify(saved), { mode: 0o600 });
  const pasted = { TWITCH_ACCESS_TOKEN: `oauth:${TWITCH_TOKEN}`, GEMINI_API_KEY: "" };
  const { of } = await examine(patient, {}, pasted);
  expect(of("secrets")).toEqual([
    {
      state: "ok",
      found:
        "from the environment: TWITCH_ACCESS_TOKEN; from secrets.json: TWITCH_STREAMER_ACCESS_TOKEN, GEMINI_API_KEY",
      mend: null,
    },
  ]);
});

const AGAIN = "log the bot in again with `forgetmenot setup`, or set a fresh TWITCH_ACCESS_TOKEN";
const WITH_SCOPES = AGAIN.replace("a fresh", "one that has them as");

test("a token that ran out is renewed at the next start, with a refresh token and a client id", async () => {
  const patient = await openPatient();
  const { helix, irc } = patient.town;
  helix.revokeToken(TWITCH_TOKEN);
  const refresh = { TWITCH_REFRESH_TOKEN: REFRESH_TOKEN };
  const twitch = { chatUrl: irc.url, clientId: "client" };
  const { of } = await examine(patient, { twitch }, refresh);
  expect(of("bot_token")).toEqual([
    {
      state: "ok",
      found: "the access token has expired; the bot renews it at its next start",
      mend: null,
    },
  ]);
  const without = await examine(patient, {}, refresh);
  expect(without.of("bot_token")).toEqual([
    {
      state: "problem",
      found: expect.stringContaining("without twitch.clientId it cannot be renewed"),
      mend: expect.stringContaining("set twitch.clientId to"),
    },
  ]);
  expect(helix.requests.filter(({ path }) => path === "/auth/token")).toEqual([]);
});

test("a token of an application is none of an account", async () => {
  const patient = await openPatient();
  setBotToken(patient, { login: "" });
  const { of } = await examine(patient);
  expect(of("bot_token")).toEqual([
    { state: "problem", found: expect.stringContaining("belongs to an application"), mend: AGAIN },
  ]);
});

test.each([
  [["chat:edit", "user:write:chat"], "problem", "it lacks chat:read: the bot cannot read chat"],
  [
    ["chat:read"],
    "problem",
    "it lacks chat:edit and user:write:chat: the bot cannot write in chat",
  ],
  [
    ["chat:read", "chat:edit"],
    "warning",
    "it lacks user:write:chat: the bot cannot see when Twitch drops what it writes",
  ],
  [
    ["chat:read", "user:write:chat"],
    "warning",
    "it lacks chat:edit: the bot can write by Twitch's API only",
  ],
])("a token with only %j", async (scopes, state, found) => {
  const patient = await openPatient();
  setBotToken(patient, { scopes });
  const { of } = await examine(patient);
  expect(of("bot_token").slice(1)).toEqual([{ state, found, mend: WITH_SCOPES }]);
});

test("in mode shadow a token need not write", async () => {
  const patient = await openPatient();
  setBotToken(patient, { scopes: ["chat:read"] });
  const { of } = await examine(patient, { mode: "shadow" });
  expect(of("bot_token").map(({ state }) => state)).toEqual(["ok"]);
});

test("scopes that allowed actions need are named, with what does not work without them", async () => {
  const actions = {
    classes: { stream: "approve", moderation: "live" },
    denylist: { actions: ["warn"] },
  };
  const { of, exit } = await examine(await openPatient(), { actions });
  expect(of("bot_token")[1]).toEqual({
    state: "warning",
    found:
      "it lacks clips:edit (clips), moderator:manage:chat_messages (deletions), moderator:manage:banned_users (time-outs): the bot does not offer these",
    mend: `${WITH_SCOPES}; or set their actions.classes to off`,
  });
  expect(of("streamer_token")).toEqual([
    {
      state: "warning",
      found: "none: there are no markers and no polls, which Twitch lets only you make",
      mend: expect.stringContaining("actions.classes.stream"),
    },
  ]);
  expect(exit).toBe(0);
});

test.each([
  [CHANNEL, ["channel:manage:polls"], /^it lacks channel:manage:broadcast \(markers\)/],
  ["othername", ["channel:manage:polls"], /belongs to othername, which is not one of the channels/],
])("a streamer's log-in of %s with %j", async (login, scopes, found) => {
  const patient = await openPatient({ scopes: ["user:write:chat", "clips:edit"] });
  const own = "t0kenofthestreamer";
  const token = { userId: STREAMER_ID, login, clientId: "client", scopes, expiresInSeconds: null };
  patient.town.helix.setToken(own, token);
  const actions = { classes: { stream: "live" } };
  const { of, exit, findings } = await examine(
    patient,
    { actions },
    { TWITCH_STREAMER_ACCESS_TOKEN: own },
  );
  expect(of("streamer_token").at(-1)).toMatchObject({
    state: "warning",
    found: expect.stringMatching(found),
    mend: expect.stringContaining("log yourself in again"),
  });
  expect(JSON.stringify(findings)).not.toContain(own);
  expect(exit).toBe(0);
  const alone = { TWITCH_ACCESS_TOKEN: "", TWITCH_STREAMER_ACCESS_TOKEN: own };
  const without = await examine(patient, { actions }, alone);
  expect(without.of("channel")).toMatchObject([{ state: "ok" }]);
});
