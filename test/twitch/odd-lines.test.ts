import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { WebSocketServer } from "ws";
import { parseWireLine, type WireMessage } from "../../src/twitch/wire.ts";
import { until } from "../stand-ins/until.ts";
import { kinds, open, openJoined, ROSA, texts } from "./chat-rig.ts";

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

const dataFolder = new URL("../../../shared/data/", import.meta.url);
const dataFiles = existsSync(dataFolder)
  ? readdirSync(dataFolder).filter((name) => name.endsWith(".irc"))
  : [];

test.runIf(dataFiles.length > 0)("every line of real chat comes through unchanged", async () => {
  const { server, messages } = await openJoined();
  const lines = dataFiles
    .flatMap((name) => readFileSync(new URL(name, dataFolder), "utf8").split("\n"))
    .filter((line) => line !== "" && parseWireLine(line)?.command !== "RECONNECT");
  const before = messages.length;
  server.inject(lines);
  server.inject("LAST");
  await until(() => messages.at(-1)?.command === "LAST");
  const heard = messages.slice(before, -1);
  expect(heard).toEqual(lines.map(readLine));
  expect(heard.length).toBeGreaterThan(600);
});

/** The same line, read in another way than the program does. */
function readLine(line: string): WireMessage {
  const [, tags = "", prefix = "", command = "", rest = ""] =
    /^(?:@(\S+) +)?(?::(\S+) +)?(\S+) ?(.*)$/s.exec(line) ?? [];
  const [middle = "", ...trailing] = ` ${rest}`.split(" :");
  const params = middle.split(" ").filter((param) => param !== "");
  if (trailing.length > 0) params.push(trailing.join(" :"));
  const pairs = tags.split(";").filter((tag) => tag !== "");
  return { command, prefix, params, tags: Object.fromEntries(pairs.map(readTag)) };
}

function readTag(tag: string): [string, string] {
  const [key = "", ...value] = tag.split("=");
  const chars = value.join("=").split("\\\\");
  const plain = chars.map((part) =>
    part
      .replaceAll("\\:", ";")
      .replaceAll("\\s", " ")
      .replaceAll("\\r", "\r")
      .replaceAll("\\n", "\n"),
  );
  return [key, plain.join("\\")];
}
