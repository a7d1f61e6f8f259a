import { expect, onTestFinished, test, vi } from "vitest";
import { useHelixStandIn } from "../../src/config/environment.ts";
import { toConfig } from "../../src/config/load.ts";
import { startDaemon } from "../../src/daemon/daemon.ts";
import { NoticeBoard } from "../../src/database/notices-store.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { Fault } from "../../src/errors.ts";
import { openLog } from "../../src/log.ts";
import { callBounded, wait as realWait, TooLarge } from "../../src/twitch/bounded-call.ts";
import { TwitchSession } from "../../src/twitch/session.ts";
import { startHelixServer } from "../stand-ins/helix-server.ts";
import { enter, type House, openHouse, openTown } from "../stand-ins/house.ts";
import { openModelServer } from "../stand-ins/model-server.ts";
import { NO_ENVIRONMENT } from "../stand-ins/no-environment.ts";
import { scriptedLlm } from "../stand-ins/scripted-llm.ts";
import { BOT, BOT_ID, configFileOf, type Town, TWITCH_TOKEN } from "../stand-ins/town.ts";
import { startTwitchServer } from "../stand-ins/twitch-server.ts";
import { until } from "../stand-ins/until.ts";
import { FAST, openJoined, ROSA, SHORT_JOIN } from "../twitch/chat-rig.ts";

const SCOPES = ["chat:read", "chat:edit", "user:write:chat"];
/** Twitch's chat refuses the log-in this often, whatever the token is. */
function refuseLogIns(town: Town, times: number, words = "Login unsuccessful"): { left: number } {
  const refusals = { left: times };
  town.irc.faults.refuseLogIn = () => {
    refusals.left -= 1;
    return refusals.left >= 0 && words;
  };
  return refusals;
}

/** What Twitch says to some good tokens, now and then. */
const REFUSALS = ["Login unsuccessful", "Improperly formatted auth"];

test.each(REFUSALS)(
  "a good token that chat refuses once at the start (%s) is tried again, and the bot answers",
  async (words) => {
    const town = await openTown();
    const refusals = refuseLogIns(town, 1, words);
    const house = await enter(town);
    expect(refusals.left).toBeLessThan(0);
    house.think("still here");
    house.say({ text: "@automark there?" });
    expect((await house.ended(1))[0]).toMatchObject({ state: "sent", text: "still here" });
    expect(house.daemon.status().notices).toEqual([]);
  },
);

test.each(REFUSALS.slice(0, 1))(
  "a good token that chat refuses again and again (%s) is tried until it is taken; the notice says what is true",
  async (words) => {
    const house = await openHouse();
    refuseLogIns(house, 2, words);
    house.irc.cutAll();
    await until(() => house.logged.some((line) => line.includes("although the token is good")));
    house.think("back");
    await until(() => house.irc.listeners("lanternroom") === 1);
    house.say({ text: "@automark back?" });
    expect((await house.ended(1))[0]).toMatchObject({ state: "sent", text: "back" });
    await until(() => house.daemon.status().notices.length === 0);
    const past = house.daemon.status().pastNotices.map(({ kind }) => kind);
    expect(past).toContain("chat");
  },
);

test("a token that Twitch's validation refuses, too, ends the start with what to do", async () => {
  const town = await openTown();
  refuseLogIns(town, 1_000);
  town.helix.revokeToken(TWITCH_TOKEN);
  useHelixStandIn(town.helix.port);
  const daemon = await startDaemon({
    offlineModel: scriptedLlm(),
    config: toConfig(configFileOf(town), town.dataDir),
    environment: {
      ...NO_ENVIRONMENT,
      twitchAccessToken: TWITCH_TOKEN,
      geminiApiKey: "k3y",
      hasHelixStandIn: true,
    },
    now: Date.now,
    random: () => 0.5,
    log: openLog("silent"),
  });
  onTestFinished(async () => void (await daemon.close()));
  const fault = await daemon.ready.catch((thrown: unknown) => thrown);
  expect(fault).toBeInstanceOf(Fault);
  expect(fault).toMatchObject({ code: "secret" });
});

test("while Twitch cannot be asked about a token, a refused log-in is tried again", async () => {
  const house = await openHouse();
  house.helix.failNext("/auth/validate", { kind: "status", status: 503 }, 3);
  refuseLogIns(house, 1);
  house.irc.cutAll();
  await until(() => house.irc.listeners("lanternroom") === 1);
});

async function expectAnswersByChat(house: House): Promise<void> {
  for (let n = 1; n <= 3; n += 1) {
    house.think(`answer ${n}`);
    house.say({ userId: `60${n}`, login: `v${n}`, displayName: `V${n}`, text: `@automark ${n}?` });
    await house.ended(n);
  }
  expect(house.said.map(({ text, via }) => `${text} by ${via}`)).toEqual(
    [1, 2, 3].map((n) => `answer ${n} by irc`),
  );
}

test("where Helix says 401 to a good token again and again, answers go by chat, and no renewal is wasted", async () => {
  const town = await openTown();
  const grant = { accessToken: "an0ther", refreshToken: "refresh-2" };
  const token = { userId: BOT_ID, login: BOT, clientId: "client", scopes: SCOPES };
  town.helix.setToken(TWITCH_TOKEN, { ...token, expiresInSeconds: 14_400 });
  town.helix.setRefreshToken("refresh-1", { ...grant, token: { ...token, expiresInSeconds: 9 } });
  const house = await enter(town, { environment: { twitchRefreshToken: "refresh-1" } });
  for (const path of ["/mock/chat/messages", "/mock/users", "/mock/streams"]) {
    house.helix.failNext(path, { kind: "status", status: 401 }, 100);
  }
  await expectAnswersByChat(house);
  expect(house.helix.requests.filter(({ path }) => path === "/auth/token")).toEqual([]);
  expect(house.daemon.status().notices).toEqual([]);
});

test("where Helix cannot be reached at all, answers go by chat", async () => {
  const house = await openHouse();
  await house.helix.close();
  await expectAnswersByChat(house);
});

test("a request to Twitch that hangs ends by its time limit", async () => {
  const helix = await startHelixServer({ now: Date.now });
  onTestFinished(helix.close);
  useHelixStandIn(helix.port);
  helix.failNext("/auth/token", { kind: "hang" });
  const request = { type: "auth", url: "token", method: "POST" } as const;
  await expect(callBounded(request, {}, { timeoutMs: 50 })).rejects.toBe("timeout");
});

test("an answer of Twitch's that does not end is not read to its end", async () => {
  const server = await openModelServer({ kind: "endless" });
  onTestFinished(server.close);
  useHelixStandIn(Number(new URL(server.url).port));
  const request = { type: "helix", url: "users" } as const;
  const before = process.memoryUsage().arrayBuffers;
  const answer = callBounded(request, { accessToken: "t", clientId: "c" }, { timeoutMs: 20_000 });
  await expect(answer).rejects.toBeInstanceOf(TooLarge);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50_000_000);
});

test("a channel that Twitch removed the bot from is joined again, without a notice", async () => {
  const { server, chat, states } = await openJoined({
    chat: { timings: { ...FAST, channelIdleMs: 50 } },
  });
  server.dropFrom("lanternroom");
  await until(() => server.listeners("lanternroom") === 1);
  expect(chat.joined()).toEqual(["lanternroom"]);
  expect(states.map(({ kind }) => kind)).toEqual(["connecting", "connected", "joined"]);
});

test("a silent channel that cannot be joined again counts as not joined, and is retried", async () => {
  const { server, chat, states } = await openJoined({
    chat: { timings: { ...SHORT_JOIN, channelIdleMs: 50 } },
  });
  server.faults.ignoreJoins = true;
  await until(() => states.some((one) => one.kind === "join_failed" && one.reason === "no_answer"));
  expect(chat.joined()).toEqual([]);
  server.faults.ignoreJoins = false;
  await until(() => chat.joined().length === 1);
});

test("a channel with messages is not joined again", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { server, chat, messages } = await openJoined({
    chat: { timings: { ...FAST, idleMs: 100_000, channelIdleMs: 400 } },
  });
  const count = (name: string) => messages.filter(({ command }) => command === name).length;
  for (let n = 1; n <= 12; n += 1) {
    server.say("lanternroom", { ...ROSA, text: `lamp ${n}` });
    await until(() => count("PRIVMSG") === n);
    vi.advanceTimersByTime(300);
  }
  expect(count("PART")).toBe(0);
  vi.advanceTimersByTime(100);
  await until(() => count("PART") === 1);
  expect(chat.joined()).toEqual(["lanternroom"]);
});

test("a line that comes twice, by an old connection and by its successor, is one event and one answer", async () => {
  const house = await openHouse();
  house.think("once", "twice");
  const text = "@automark how often?";
  house.say({ text, id: "same-line" });
  house.say({ text, id: "same-line" });
  await house.ended(1);
  house.think("the next");
  house.say({ text: "@automark and now?", userId: "77", login: "fern", displayName: "Fern" });
  await house.ended(2);
  expect(house.said.filter(({ replyTo }) => replyTo === "same-line")).toHaveLength(1);
  const rows = house.db.prepare("SELECT count(*) FROM events WHERE message_id = 'same-line'");
  expect(rows.pluck().get()).toBe(1);
});

test.each([
  ["the state of the channel", "USERSTATE #lanternroom"],
  ["the bot's own line", "PRIVMSG #lanternroom :hum"],
])("a role that %s names changes the limit of sending at once", async (_, line) => {
  const { twitch, server } = await openSession();
  const tell = (badges: string): void =>
    server.inject(`@badges=${badges};mod=0;user-id=${BOT_ID} :automark!a@b ${line}`);
  /** How many messages before the account has to wait, as the outbox counts them. */
  const isFree = (leaves: number) => twitch.outbox.delayMs("lanternroom", leaves) === 0;
  expect((await twitch.outbox.offer(offerOf("first"))).kind).toBe("sent");
  expect([isFree(18), isFree(19), isFree(80)]).toEqual([true, false, false]);
  tell("moderator/1");
  await until(() => isFree(80));
  tell("");
  await until(() => !isFree(80));
  expect(isFree(18)).toBe(true);
});

function offerOf(text: string) {
  return {
    ...{ channel: "lanternroom", text, replyTo: null },
    expiresAtMs: Date.now() + 30_000,
    onSending: () => true,
  };
}

async function openSession() {
  const server = await startTwitchServer({
    now: Date.now,
    users: { automark: { userId: BOT_ID, displayName: "automark" } },
  });
  const twitch = new TwitchSession({
    ...{ chatUrl: server.url, channels: ["lanternroom"], botLogin: "automark" },
    tokens: { accessToken: TWITCH_TOKEN, refreshToken: null, clientId: "" },
    ...{ useHelix: false, saveTokens: () => undefined, broadcasterId: () => null },
    notices: new NoticeBoard(openDatabase(":memory:"), Date.now, openLog("silent")),
    ...{ now: Date.now, wait: realWait, random: () => 0.5, log: openLog("silent") },
  });
  onTestFinished(async () => {
    await twitch.close();
    await server.close();
  });
  twitch.connect({ onMessage: () => undefined, onInfo: () => undefined });
  await twitch.ready;
  return { twitch, server };
}
