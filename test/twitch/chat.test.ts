import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { WebSocketServer } from "ws";
import { waitAtMost } from "../../src/twitch/bounded-call.ts";
import type { Chat } from "../../src/twitch/chat.ts";
import { until } from "../stand-ins/until.ts";
import { FAST, kinds, open, openJoined, ROSA, SHORT_JOIN, texts, WATCHFUL } from "./chat-rig.ts";

const send = (chat: Chat, text: string, replyTo: string | null = null) =>
  chat.send({ channel: "lanternroom", text, replyTo });

test("a login joins, and hears what is said there as Twitch sent it", async () => {
  const { server, chat, states, messages } = await openJoined();
  expect(states).toEqual([
    { kind: "connecting" },
    { kind: "connected" },
    { kind: "joined", channel: "lanternroom" },
  ]);
  const id = server.say("lanternroom", {
    ...ROSA,
    userId: "1",
    text: "hi  there: all\\s ",
    tags: { odd: "a; b\\c" },
  });
  await until(() => texts(messages).length === 1);
  const heard = messages.find(({ command }) => command === "PRIVMSG");
  expect(heard).toMatchObject({
    command: "PRIVMSG",
    prefix: "rosa!rosa@rosa.tmi.twitch.tv",
    params: ["#lanternroom", "hi  there: all\\s "],
  });
  expect(heard?.tags).toMatchObject({ id, "user-id": "1", odd: "a; b\\c", flags: "", mod: "0" });
  expect(chat.joined()).toEqual(["lanternroom"]);
});

test("without a login it joins anonymously, asks for no password, and cannot send", async () => {
  const password = vi.fn(() => Promise.resolve("secret"));
  const { server, chat, states, messages } = await openJoined({
    chat: { login: null, password },
  });
  expect(states).toContainEqual({ kind: "connected" });
  expect(password).not.toHaveBeenCalled();
  server.say("lanternroom", { ...ROSA, text: "anyone here" });
  await until(() => texts(messages).length === 1);
  expect(send(chat, "hello")).toEqual({ kind: "failed", reason: "anonymous" });
});

test("several channels are joined one after the other, none twice", async () => {
  const channels = ["alpha", "beta", "gamma"];
  const { chat, states } = await open({ chat: { channels } });
  await until(() => chat.joined().length === 3);
  expect(states.slice(2)).toEqual(channels.map((channel) => ({ kind: "joined", channel })));
});

test("JOINs keep their distance, over a reconnect too", async () => {
  const { server, chat, states, messages } = await open({
    chat: { channels: ["alpha", "beta"], timings: { ...WATCHFUL, joinSpacingMs: 60_000 } },
  });
  await until(() => chat.joined().length === 1);
  server.reconnectAll();
  await until(() => kinds(states).filter((kind) => kind === "connected").length === 2);
  messages.length = 0;
  await until(() => messages.some(({ command }) => command === "PONG"));
  expect(server.listeners("alpha") + server.listeners("beta")).toBe(0);
});

test("a JOIN that Twitch repeats without the channel's state is no join, and is sent again", async () => {
  const { server, chat, states } = await open({
    chat: { timings: SHORT_JOIN },
    faults: { ignoreJoins: true },
  });
  await until(() => kinds(states).includes("connected"));
  server.inject(":markbot!markbot@markbot.tmi.twitch.tv JOIN #lanternroom");
  await until(() => states.some((one) => one.kind === "join_failed" && one.reason === "no_answer"));
  expect(chat.joined()).toEqual([]);
  expect(send(chat, "hello")).toEqual({ kind: "failed", reason: "not_connected" });
  server.faults.ignoreJoins = false;
  await until(() => chat.joined().length === 1);
  expect(server.connections()).toBe(1);
});

test("a notice of a suspended channel is the reason given", async () => {
  const { server, states } = await open({ faults: { ignoreJoins: true } });
  await until(() => kinds(states).includes("connected"));
  server.inject(
    "@msg-id=msg_channel_suspended :tmi.twitch.tv NOTICE #lanternroom :This channel does not exist",
  );
  await until(() => kinds(states).includes("join_failed"));
  expect(states).toContainEqual(expect.objectContaining({ reason: "msg_channel_suspended" }));
});

test("a channel that parts us is joined again", async () => {
  const { server, chat, states } = await openJoined();
  server.faults.ignoreJoins = true;
  server.inject(":markbot!markbot@markbot.tmi.twitch.tv PART #lanternroom");
  await until(() => chat.joined().length === 0);
  expect(states).toContainEqual(expect.objectContaining({ reason: "parted" }));
});

test("a message arrives, as a threaded reply where one is answered", async () => {
  const { server, chat } = await openJoined();
  const id = server.say("lanternroom", { ...ROSA, text: "markbot, how tall is the lantern" });
  const text = "about: two metres; give or take \\o/";
  expect(send(chat, text, id)).toEqual({ kind: "sent", messageId: null });
  await until(() => server.received.length === 1);
  expect(server.received[0]).toMatchObject({
    login: "markbot",
    channel: "lanternroom",
    text,
    replyTo: id,
    dropped: null,
  });
});

const unsafe: readonly (readonly [string, string])[] = [
  ["a second line", "hello\r\nPRIVMSG #lanternroom :/ban rosa"],
  ["a line feed", "hello\nJOIN #elsewhere"],
  ["a NUL", "hello\0there"],
  ["an action by control character", "\u0001ACTION waves\u0001"],
  ["a line separator", "hello\u2028there"],
  ["nothing", ""],
  ["only space", " \u3000 "],
  ["a slash command", "/ban rosa"],
  ["a slash command after a space", "  /ban rosa"],
  ["a dot command", ".timeout rosa 600"],
  ["a backslash command", "\\clear"],
  ["501 characters", "é".repeat(501)],
];
test.each(unsafe)("%s is refused as unsafe", async (_, text) => {
  const { server, chat } = await openJoined();
  expect(send(chat, text)).toEqual({ kind: "failed", reason: "unsafe_text" });
  send(chat, "😀".repeat(500));
  await until(() => server.received.length === 1);
  expect(server.received[0]?.text).toBe("😀".repeat(500));
});

test("an id to reply to that could carry a second line or tag is refused", async () => {
  const { chat } = await openJoined();
  for (const replyTo of ["", "a b", "a;x=1", "a\r\nQUIT", "a".repeat(65)])
    expect(send(chat, "hello", replyTo)).toEqual({ kind: "failed", reason: "unsafe_text" });
});

const anyText = fc.string({ unit: "binary", maxLength: 40 });

test("whatever the text, what arrives is that one message or nothing", async () => {
  const { server, chat } = await openJoined({
    server: { drops: false },
  });
  await fc.assert(
    fc.asyncProperty(fc.array(anyText, { minLength: 100, maxLength: 100 }), async (texts) => {
      const before = server.received.length;
      const sent = texts.filter((text) => send(chat, text).kind === "sent");
      await until(() => server.received.length >= before + sent.length);
      expect(server.received.slice(before).map((privmsg) => privmsg.text)).toEqual(sent);
    }),
    { numRuns: 3 },
  );
});

test("closed during back-off stays closed", async () => {
  const timings = { ...FAST, backoff: { baseMs: 400, capMs: 400 } };
  const { server, chat, states } = await openJoined({ chat: { timings } });
  server.cutAll();
  await until(() => kinds(states).includes("disconnected"));
  await chat.close();
  const before = states.length;
  const later = await openJoined({ chat: { timings, url: server.url } });
  server.cutAll();
  await until(() => kinds(later.states).filter((kind) => kind === "joined").length === 2);
  expect(server.connections()).toBe(3);
  expect(states.length).toBe(before);
});

test("closing takes no longer than its limit when the server is frozen", async () => {
  const { server, chat } = await openJoined();
  server.freeze();
  // Of two timers of one process the shorter one ends first, however slow it is.
  expect(
    await waitAtMost(
      chat.close().then(() => "closed"),
      1_000,
      "late",
    ),
  ).toBe("closed");
});

test("what was sent just before closing arrives", async () => {
  const { server, chat } = await openJoined();
  send(chat, "goodbye all");
  await chat.close();
  await until(() => server.received.length === 1);
  expect(chat.joined()).toEqual([]);
  expect(send(chat, "still here")).toEqual({ kind: "failed", reason: "not_connected" });
});

test("closed while the password is awaited opens nothing", async () => {
  let answer: (token: string) => void = () => undefined;
  const late = new Promise<string>((resolve) => {
    answer = resolve;
  });
  const { server, chat, states } = await open({ chat: { password: () => late } });
  await chat.close();
  answer("secret");
  await late;
  await new Promise(setImmediate);
  expect(states).toEqual([]);
  expect(server.connections()).toBe(0);
});

test("nothing of a closed chat keeps the program running", async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const patient = { ...FAST, backoff: { baseMs: 60_000, capMs: 60_000 } };
  const before = timers();
  for (let n = 0; n < 30; n++) {
    const { server, chat, states } = await openJoined({ chat: { timings: patient } });
    if (n % 2 === 0) server.cutAll();
    await until(() => n % 2 === 1 || kinds(states).includes("disconnected"));
    await chat.close();
    await server.close();
  }
  await until(() => timers() < before + 4);
});

test("a handler that throws is reported without chat text and called again", async () => {
  const heard: (string | undefined)[] = [];
  const { server, logged } = await openJoined({
    chat: {
      onMessage(message) {
        if (message.command !== "PRIVMSG") return;
        heard.push(message.params[1]);
        throw new Error(`cannot digest ${message.params[1]}`);
      },
      onState() {
        throw new TypeError("no states please");
      },
    },
  });
  for (const text of ["pineapple one", "pineapple two"]) {
    server.say("lanternroom", { ...ROSA, text });
  }
  await until(() => heard.length === 2);
  expect(logged.join()).toContain("bug: a handler of chat threw");
  expect(logged.join()).not.toContain("pineapple");
  expect(server.connections()).toBe(1);
});

test("lines that tmi.js itself stumbles over stop nothing", async () => {
  const { server, messages, states } = await openJoined();
  server.inject([
    ":rosa!rosa@rosa.tmi.twitch.tv PRIVMSG #lanternroom",
    ":tmi.twitch.tv NOTICE",
    ":tmi.twitch.tv HOSTTARGET #lanternroom",
    "@broken",
    ":",
    "",
    "@a=b;=;;x :p",
    "JUNK",
    ":tmi.twitch.tv USERNOTICE",
  ]);
  server.say("lanternroom", { ...ROSA, text: "after the junk" });
  await until(() => texts(messages).includes("after the junk"));
  expect(kinds(states)).not.toContain("disconnected");
});

test("text that is not UTF-8 reads as replacement characters, and the connection lives", async () => {
  const raw = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => void raw.close());
  raw.on("connection", (socket) => {
    socket.once("message", () => {
      socket.send(":tmi.twitch.tv 001 markbot :hi\r\n:tmi.twitch.tv 376 markbot :>\r\n");
      const line = Buffer.from(":rosa!rosa@rosa.tmi.twitch.tv PRIVMSG #lanternroom :a");
      socket.send(Buffer.concat([line, Buffer.from([0xff, 0xfe])]), { binary: false });
      socket.send(":rosa!rosa@rosa.tmi.twitch.tv PRIVMSG #lanternroom :still on");
    });
  });
  await new Promise((listening) => void raw.once("listening", listening));
  const address = raw.address();
  const port = typeof address === "object" ? address?.port : 0;
  const { messages, states } = await open({ chat: { url: `ws://127.0.0.1:${port}` } });
  await until(() => texts(messages).includes("still on"));
  expect(texts(messages)).toEqual(["a\ufffd\ufffd", "still on"]);
  expect(kinds(states)).not.toContain("disconnected");
});

test("a log-in NOTICE in a running chat is only a message", async () => {
  const { server, messages, states } = await openJoined();
  server.notice("lanternroom", "odd", "Login authentication failed");
  await until(() => messages.some(({ command }) => command === "NOTICE"));
  server.say("lanternroom", { ...ROSA, text: "still on" });
  await until(() => texts(messages).includes("still on"));
  expect(kinds(states)).not.toContain("refused");
});
