import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import WebSocket from "ws";
import { parseWireLine, type WireMessage } from "../../src/twitch/wire.ts";
import { startTwitchServer, type TwitchServer, type TwitchServerOptions } from "./twitch-server.ts";
import { until } from "./until.ts";

const ROSA = { userId: "501", login: "rosa", displayName: "Rosa" };
const PETE = { userId: "502", login: "pete", displayName: "Pete", badges: "moderator/1,vip/1" };

const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Client {
  readonly socket: WebSocket;
  readonly lines: string[];
  readonly frames: string[];
  send(line: string): void;
}

async function start(options: Partial<TwitchServerOptions> = {}): Promise<TwitchServer> {
  const server = await startTwitchServer({ now: () => 1_700_000_000_000, ...options });
  cleanups.push(() => server.close());
  return server;
}

async function client(server: TwitchServer, ...lines: string[]): Promise<Client> {
  const socket = new WebSocket(server.url, "irc");
  const heard: string[] = [];
  const frames: string[] = [];
  socket.on("message", (data) => {
    frames.push(String(data));
    heard.push(...String(data).trimEnd().split("\r\n"));
  });
  socket.on("error", () => undefined);
  cleanups.push(() => socket.terminate());
  await new Promise((resolve) => socket.once("open", resolve));
  for (const line of lines) socket.send(line);
  return { socket, lines: heard, frames, send: (line) => socket.send(line) };
}

async function member(server: TwitchServer, login: string): Promise<Client> {
  const joined = await client(server, "PASS oauth:x", `NICK ${login}`, "JOIN #lanternroom");
  await until(() => joined.lines.some((line) => line.includes("ROOMSTATE")));
  joined.lines.length = 0;
  joined.frames.length = 0;
  return joined;
}

async function heardBy(who: Client, count: number): Promise<WireMessage[]> {
  await until(() => who.lines.length >= count);
  return who.lines.map((line) => parseWireLine(line)).filter((message) => message !== null);
}

test("a log-in and a JOIN get the lines that Twitch sends", async () => {
  const server = await start({
    users: {
      markbot: { userId: "900", displayName: "MarkBot", badgesIn: { lanternroom: "moderator/1" } },
    },
    roomIds: { lanternroom: "77" },
  });
  const bot = await client(
    server,
    "CAP REQ :twitch.tv/tags twitch.tv/commands",
    "PASS oauth:x",
    "NICK MarkBot",
    "JOIN #lanternroom",
  );
  const messages = await heardBy(bot, 14);
  expect(messages.map(({ command }) => command)).toEqual(
    "CAP 001 002 003 004 375 372 376 GLOBALUSERSTATE JOIN 353 366 USERSTATE ROOMSTATE".split(" "),
  );
  const [globalState, , , , userState, roomState] = messages.slice(8);
  expect(globalState?.tags).toMatchObject({
    "user-id": "900",
    "display-name": "MarkBot",
    mod: "0",
  });
  expect(userState?.tags).toMatchObject({ badges: "moderator/1", mod: "1", "user-type": "mod" });
  expect(roomState).toMatchObject({ params: ["#lanternroom"], tags: { "room-id": "77" } });
});

test("an anonymous client needs no password and cannot speak", async () => {
  const server = await start({ acceptPassword: () => false });
  const reader = await client(server, "NICK justinfan123", "JOIN #lanternroom");
  await until(() => server.listeners("lanternroom") === 1);
  reader.send("PRIVMSG #lanternroom :hello");
  reader.send("PING");
  await until(() => reader.lines.includes("PONG"));
  expect(server.received).toEqual([]);
  expect(reader.lines.join()).not.toContain("USERSTATE");
});

test.each([
  ["PASS oauth:wrong", "Login authentication failed"],
  ["PASS wrong", "Improperly formatted auth"],
])("%s is refused, and the connection closed", async (pass, notice) => {
  const server = await start({ acceptPassword: (password) => password === "oauth:right" });
  const bot = await client(server, pass, "NICK markbot", "JOIN #lanternroom");
  await until(() => bot.socket.readyState === WebSocket.CLOSED);
  expect(bot.lines).toEqual([`:tmi.twitch.tv NOTICE * :${notice}`]);
});

test("what one client says reaches the others with all tags, and itself only as a USERSTATE", async () => {
  const heard: string[] = [];
  const server = await start({ onPrivmsg: ({ text }) => void heard.push(text) });
  const bot = await member(server, "markbot");
  const other = await member(server, "rosa");
  const parent = server.say("lanternroom", { ...ROSA, text: "what is; a \\ lantern" });
  await until(() => other.lines.length === 1);
  bot.send(`@reply-parent-msg-id=${parent} PRIVMSG #lanternroom :a light in a case`);
  const [, message] = await heardBy(other, 2);
  expect(message).toMatchObject({
    command: "PRIVMSG",
    prefix: "markbot!markbot@markbot.tmi.twitch.tv",
    params: ["#lanternroom", "@Rosa a light in a case"],
    tags: {
      id: server.received[0]?.id,
      "room-id": server.roomId("lanternroom"),
      "tmi-sent-ts": "1700000000000",
      "reply-parent-msg-id": parent,
      "reply-parent-msg-body": "what is; a \\ lantern",
      "reply-parent-user-id": "501",
    },
  });
  expect((await heardBy(bot, 2)).map(({ command }) => command)).toEqual(["PRIVMSG", "USERSTATE"]);
  expect(heard).toEqual(["a light in a case"]);
});

test("every kind of event is on the wire as Twitch puts it", async () => {
  const server = await start();
  const bot = await member(server, "markbot");
  const id = server.say("lanternroom", { ...PETE, text: "waves", action: true, bits: 100 });
  server.timeout("lanternroom", ROSA, 600);
  server.ban("lanternroom", ROSA);
  server.clear("lanternroom");
  server.deleteMessage("lanternroom", { id, login: "pete", text: "waves" });
  server.raid("lanternroom", ROSA, 42);
  server.sub("lanternroom", ROSA, { months: 7, text: "seven!" });
  server.giftSub("lanternroom", ROSA, PETE);
  server.announce("lanternroom", PETE, "tea at five");
  server.notice("lanternroom", "slow_on", "This room is now in slow mode.");
  server.say("elsewhere", { ...ROSA, text: "not for you" });
  const messages = await heardBy(bot, 10);
  expect(bot.frames).toHaveLength(1);
  expect(messages).toMatchObject([
    {
      params: ["#lanternroom", "\u0001ACTION waves\u0001"],
      tags: { id, bits: "100", mod: "1", vip: "1", badges: PETE.badges, "first-msg": "0" },
    },
    { command: "CLEARCHAT", params: ["#lanternroom", "rosa"], tags: { "ban-duration": "600" } },
    { command: "CLEARCHAT", tags: { "target-user-id": "501" } },
    { command: "CLEARCHAT", params: ["#lanternroom"] },
    { command: "CLEARMSG", tags: { "target-msg-id": id, login: "pete" } },
    {
      tags: {
        "msg-id": "raid",
        "msg-param-viewerCount": "42",
        "system-msg": "42 raiders from Rosa have joined!",
      },
    },
    { params: ["#lanternroom", "seven!"], tags: { "msg-id": "resub", login: "rosa" } },
    { tags: { "msg-id": "subgift", "msg-param-recipient-id": "502" } },
    { params: ["#lanternroom", "tea at five"], tags: { "msg-id": "announcement" } },
    { command: "NOTICE", tags: { "msg-id": "slow_on" } },
  ]);
  expect(messages[2]?.tags).not.toHaveProperty("ban-duration");
});

test("what an account says by the API stands in chat with the badges it wears there", async () => {
  const server = await start({
    users: { markbot: { userId: "9", displayName: "M", badgesIn: { lanternroom: "moderator/1" } } },
  });
  const bot = await member(server, "markbot");
  const parent = server.say("lanternroom", { ...ROSA, text: "a question" });
  server.sayAs("markbot", "lanternroom", "an answer", parent);
  const [, said] = await heardBy(bot, 2);
  expect(said).toMatchObject({
    params: ["#lanternroom", "@Rosa an answer"],
    tags: { "user-id": "9", badges: "moderator/1", mod: "1", "reply-parent-msg-id": parent },
  });
});

test("duplicates, floods and commands are dropped with a notice", async () => {
  let nowMs = 0;
  const server = await start({ now: () => nowMs });
  const bot = await member(server, "markbot");
  const say = async (text: string) => {
    const before = server.received.length;
    bot.send(`PRIVMSG #lanternroom :${text}`);
    await until(() => server.received.length > before);
    return server.received.at(-1)?.dropped;
  };
  expect(await say("hello")).toBe(null);
  expect(await say("hello")).toBe("msg_duplicate");
  expect(await say("/ban rosa")).toBe("unrecognized_cmd");
  for (let n = 2; n <= 20; n++) expect(await say(`line ${n}`)).toBe(null);
  expect(await say("one too many")).toBe("msg_ratelimit");
  nowMs = 30_000;
  expect(await say("hello")).toBe(null);
  await until(() =>
    bot.lines.some((line) =>
      line.includes("@msg-id=msg_ratelimit :tmi.twitch.tv NOTICE #lanternroom :"),
    ),
  );
});

test("a moderator may say a hundred lines in 30 s", async () => {
  const server = await start({
    users: { markbot: { userId: "9", displayName: "M", badgesIn: { lanternroom: "moderator/1" } } },
  });
  const bot = await member(server, "markbot");
  for (let n = 1; n <= 101; n++) bot.send(`PRIVMSG #lanternroom :line ${n}`);
  await until(() => server.received.length === 101);
  expect(server.received.filter(({ dropped }) => dropped !== null)).toMatchObject([
    { text: "line 101", dropped: "msg_ratelimit" },
  ]);
});

test("a frozen connection stays open and gets nothing, and a new one works", async () => {
  const server = await start();
  const frozen = await member(server, "markbot");
  server.freeze();
  frozen.send("PING");
  server.say("lanternroom", { ...ROSA, text: "hello" });
  const fresh = await member(server, "markbot");
  server.say("lanternroom", { ...ROSA, text: "hello again" });
  await until(() => fresh.lines.length === 1);
  expect(frozen.lines).toEqual([]);
  expect(frozen.socket.readyState).toBe(WebSocket.OPEN);
});

test("TCP without an upgrade is accepted, and closed with the server", async () => {
  const server = await start();
  server.faults.hangUpgrade = true;
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  socket.on("error", () => undefined);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(
    "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  );
  await until(() => server.connections() === 1);
  expect(socket.bytesRead).toBe(0);
  await server.close();
  await closed;
});

test("a taken port is an error", async () => {
  const server = await start();
  const port = Number(new URL(server.url).port);
  await expect(start({ port })).rejects.toMatchObject({ code: "EADDRINUSE" });
});

test("many injected lines arrive in order, in few frames", async () => {
  const server = await start();
  const bot = await member(server, "markbot");
  const lines = Array.from({ length: 20_000 }, (_, n) => `:a!a@a PRIVMSG #lanternroom :line ${n}`);
  server.inject(lines);
  await until(() => bot.lines.length === lines.length);
  expect(bot.lines).toEqual(lines);
  expect(bot.frames.length).toBeLessThan(20);
});
