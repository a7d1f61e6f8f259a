import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { CATALOGUE } from "../../src/actions/catalogue.ts";
import { localTime } from "../../src/platform/config/local-time.ts";
import { nextPacificMidnight } from "../../src/platform/models/gemini.ts";
import { builtProgram } from "../stand-ins/built-program.ts";
import { geminiFails, geminiSays, quotaFailure } from "../stand-ins/gemini-server.ts";
import {
  enter,
  type House,
  handTime,
  leaveNotices,
  openHouse,
  openTown,
} from "../stand-ins/house.ts";
import { CHANNEL, launchIn, TWITCH_TOKEN } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

const main = builtProgram();
const ROSA = { userId: "501", login: "rosa", displayName: "Rosa" };
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const ANONYMOUS = {
  environment: { twitchAccessToken: null },
  config: { bot: {}, mode: "shadow" },
};

const notice = (house: House, kind: string) =>
  house.daemon.statusNow().notices.find((one) => one.kind === kind);

/** What this machine's clock shows at a time: `23:00`. */
const clockAt = (atMs: number) => /\d\d:\d\d/.exec(localTime(atMs))?.[0];

/** A machine whose clock is fast by `aheadMs(now)` when the bot starts, and is put right then. */
async function fastClock(
  aheadMs: (nowMs: number) => number,
  config: (fastMs: number) => Record<string, unknown> = () => ({}),
) {
  const { now, pass, wait } = handTime();
  const ahead = { ms: aheadMs(now()) };
  const town = await openTown({ now: () => now() + ahead.ms, wait });
  const house = await enter(town, { config: config(town.now()), monotonicNow: now });
  const putRight = (): void => {
    ahead.ms = 0;
    pass(5_000);
  };
  return { house, pass, now, putRight };
}

const NOWHERE = "/dev/full";

test.runIf(existsSync(NOWHERE))(
  "a standard error whose disk is full costs lines of the log, and ends nothing",
  async () => {
    const town = await openTown();
    const launch = launchIn(town, main);
    const full = openSync(NOWHERE, "w");
    const program = spawn(process.execPath, [main, "run"], {
      cwd: launch.folder,
      env: { PATH: process.env["PATH"] ?? "", HOME: launch.folder, ...launch.environment },
      stdio: ["ignore", "ignore", full],
    });
    closeSync(full);
    onTestFinished(() => void program.kill("SIGKILL"));
    const ended = new Promise((resolve) => program.on("close", resolve));
    await until(() => town.irc.listeners(CHANNEL) === 1 || program.exitCode !== null, 30_000);
    town.irc.say(CHANNEL, { ...ROSA, text: "@automark there?" });
    await until(() => town.said.length === 1 || program.exitCode !== null, 10_000);
    program.kill("SIGTERM");
    expect(await ended).toBe(0);
    const logged = readFileSync(join(town.dataDir, "logs", "forgetmenot.log"), "utf8");
    expect(logged).toContain("turn ended");
  },
);

test("quiet hours go by the machine's clock, also after that was put right", async () => {
  const { house, putRight } = await fastClock(
    () => 6 * HOUR_MS,
    (fastMs) => {
      const quietHours = [`${clockAt(fastMs - HOUR_MS)}-${clockAt(fastMs + HOUR_MS)}`];
      return { replies: { viewerCooldownSeconds: 0, quietHours } };
    },
  );
  house.say({ text: "@automark there?" });
  expect((await house.ended(1))[0]).toMatchObject({ reason: "quiet_hours" });
  putRight();
  house.say({ text: "@automark and now?" });
  expect((await house.ended(2))[1]).toMatchObject({ state: "sent" });
});

test("a day's quota ends at midnight in California, also where the machine's clock was put right before", async () => {
  const { house, pass, now, putRight } = await fastClock(
    (nowMs) => nextPacificMidnight(nowMs) - nowMs + HOUR_MS,
  );
  putRight();
  const midnightMs = nextPacificMidnight(now());
  house.model.enqueue(
    geminiFails(429, "RESOURCE_EXHAUSTED", [quotaFailure("GenerateRequestsPerDay-FreeTier")]),
  );
  house.say({ text: "@automark there?" });
  expect((await house.ended(1))[0]).toMatchObject({ reason: "model_quota" });
  expect(notice(house, "llm_quota")?.message).toContain(localTime(midnightMs));
  pass(midnightMs - now() + MINUTE_MS);
  house.say({ text: "@automark and now?" });
  expect((await house.ended(2))[1]).toMatchObject({ state: "sent" });
});

test("a log-in that Twitch takes no more is told as such as long as it is so, and not as a lost connection", async () => {
  const house = await openHouse();
  house.irc.faults.refuseLogIn = () => "Login authentication failed";
  house.helix.revokeToken(TWITCH_TOKEN);
  house.irc.cutAll();
  await until(() => (notice(house, "chat_connection")?.count ?? 0) >= 4, 30_000);
  const told = notice(house, "chat_connection");
  expect(told).toMatchObject({ severity: "error" });
  expect(told?.message).toContain("`forgetmenot setup`");
  expect(told?.message).not.toContain("nothing to do");
}, 60_000);

test("who was offline when Twitch's API went away is answered: nobody knows whether the stream began", async () => {
  const time = handTime();
  const house = await openHouse({ live: false, ...time });
  house.say({ text: "@automark there?" });
  expect((await house.ended(1))[0]).toMatchObject({ reason: "offline" });
  const path = "/mock/users";
  house.helix.failNext(path, { kind: "status", status: 503 }, 1_000);
  const polls = () => house.helix.requests.filter((request) => request.path === path).length;
  for (let minute = 0; minute < 5; minute += 1) {
    const before = polls();
    time.pass(MINUTE_MS);
    await until(() => polls() > before);
  }
  house.say({ text: "@automark and now?" });
  expect((await house.ended(2))[1]).toMatchObject({ state: "sent" });
});

test("what is told of a model is over once another one is set in its place, and answers", async () => {
  const house = await openHouse({ watched: true });
  house.model.enqueue({ kind: "answer", status: 404, body: "{}" });
  house.say({ text: "@automark hm?" });
  await house.ended(1);
  expect(notice(house, "llm_access")).toBeDefined();
  await house.reload({ llm: { model: "gemini-3.5-flash" } });
  house.say({ text: "@automark and now?" });
  expect((await house.ended(2))[1]).toMatchObject({ state: "sent" });
  expect(notice(house, "llm_access")).toBeUndefined();
});

test("a cap that was reached is over once it is raised", async () => {
  const caps = { callsPerHour: 2, memoryShare: 0.5 };
  const house = await openHouse({ watched: true, llm: { caps } });
  for (const [n, text] of ["@automark one?", "@automark two?"].entries()) {
    house.model.enqueue(geminiSays({ text: `answer ${n}` }));
    house.say({ text, userId: String(600 + n), login: `v${n}` });
    await house.ended(n + 1);
  }
  expect(notice(house, "llm_cap_reply")).toBeDefined();
  await house.reload({ llm: { caps: { callsPerHour: 100 } } });
  house.say({ text: "@automark three?", userId: "609", login: "v9" });
  expect((await house.ended(3))[2]).toMatchObject({ state: "sent" });
  expect(notice(house, "llm_cap_reply")).toBeUndefined();
});

test("an order that waited in the network while the machine slept is not carried out hours later", async () => {
  const { now, wait, pass } = handTime();
  const slept = { ms: 0 };
  const scopes = ["user:write:chat", ...[CATALOGUE.timeout.scope ?? []].flat()];
  const town = await openTown({ now: () => now() + slept.ms, wait, scopes });
  const classes = { moderation: "live" };
  const config = { actions: { classes }, replies: { viewerCooldownSeconds: 0 } };
  const house = await enter(town, {
    config,
    monotonicNow: now,
    sinceBootMs: () => now() + slept.ms,
  });
  const timeouts = () => house.helix.requests.filter(({ path }) => path.endsWith("/bans")).length;
  const moss = { userId: "20", login: "moss", displayName: "Moss", badges: "moderator/1" };
  house.say({ ...ROSA, text: "the ending is that the lamp did it" });
  const heard = house.db.prepare("SELECT 1 FROM events WHERE kind = 'message'");
  await until(() => house.daemon.status() && heard.get() !== undefined);
  const sentAtMs = String(town.now() + 1_000);
  slept.ms = 10 * HOUR_MS;
  house.say({
    ...moss,
    text: "@automark timeout rosa 60",
    tags: { "tmi-sent-ts": sentAtMs },
  });
  house.say({ userId: "30", login: "wren", displayName: "Wren", text: "@automark good morning" });
  await until(() => house.said.length === 1);
  expect(timeouts()).toBe(0);
  pass(2_000);
  house.say({ ...moss, text: "@automark timeout rosa 90" });
  await until(() => timeouts() === 1);
});

test("twenty messages right before a restart count for Twitch's limit after it", async () => {
  const { now, wait, pass } = handTime();
  const town = await openTown({ now, wait });
  const before = await enter(town);
  before.say({ text: "@automark there?" });
  await before.ended(1);
  const again = before.db.prepare<[number, number]>(
    `INSERT INTO replies (channel, user_id, trigger, state, created_at, sent_at)
     SELECT channel, user_id, trigger, state, ?, ? FROM replies WHERE id = 1`,
  );
  for (let n = 1; n < 20; n += 1) again.run(now(), now());
  await before.close();
  pass(20_000);
  const after = await enter(town);
  const startedAtMs = now();
  after.model.enqueue(geminiSays({ text: "back again" }));
  after.say({ text: "@automark and now?", userId: "30", login: "wren", displayName: "Wren" });
  await until(() => {
    pass(20);
    return after.said.length === 2;
  });
  expect(now() - startedAtMs).toBeGreaterThan(9_000);
});

const OF_MODELS = [
  ...["llm_access", "llm_breaker", "llm_cap_memory", "llm_cap_reply", "llm_context", "llm_key"],
  ...["llm_prompt_cut", "llm_quota"],
];
const OF_LOG_IN = ["helix", "twitch_token", "twitch_token_expiry", "twitch_token_unsaved"];

test.each([
  ["another server answers than Google's", ["llm_key"], { llm: { provider: "openai-compatible" } }],
  ["Google's model answers again", ["llm_context"], {}],
  ["no model is asked any more", OF_MODELS, { llm: { provider: "offline", baseUrl: null } }],
  ["the bot has no account any more", [...OF_LOG_IN, "chat_refused"], ANONYMOUS],
  ["the bot only listens", ["chat_refused"], { config: { mode: "shadow" } }],
] as const)(
  "what was told of what is not used any more is over with the start after which %s",
  async (_, kinds, given) => {
    const town = await openTown();
    await leaveNotices(town, kinds);
    const house = await enter(town, given);
    expect(house.daemon.statusNow().notices).toEqual([]);
  },
);
