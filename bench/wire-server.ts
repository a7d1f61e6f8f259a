import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { type WebSocket, WebSocketServer } from "ws";
import { CHANNEL } from "./bench-names.ts";

const LINES_PER_FRAME = 50;
const PEOPLE = 400;

/** A chat server in its own process. It sends a number of lines as fast as it can. */
export interface WireServer {
  readonly url: string;
  /** Sends `lines` to the bot that connected as the `to`th, from 0; resolves when it begins to. */
  send(to: number, lines: number): Promise<void>;
  close(): void;
}

/** `roomId`: Twitch's id of the channel, as its API has it. */
export async function startWireServer(roomId: string): Promise<WireServer> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), ["serve", roomId]);
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  return {
    url: `ws://127.0.0.1:${port}`,
    send: async (to, lines) => {
      child.send({ to, lines });
      await once(child, "message");
    },
    close: () => child.disconnect(),
  };
}

function serve(roomId: string): void {
  const sockets: WebSocket[] = [];
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 }, () => {
    process.send?.({ port: (server.address() as AddressInfo).port });
  });
  server.on("connection", (opened) => {
    sockets.push(opened);
    opened.on("message", (data) => {
      for (const line of String(data).split("\r\n")) answer(opened, line, roomId);
    });
  });
  process.on("message", ({ to, lines }: { to: number; lines: number }) => {
    const frames = framesOf(Array.from({ length: lines }, (_, n) => chatLine(n, roomId)));
    process.send?.({ isSending: true });
    for (const frame of frames) sockets[to]?.send(frame);
  });
  process.on("disconnect", () => process.exit(0));
}

function framesOf(lines: readonly string[]): string[] {
  const frames: string[] = [];
  for (let n = 0; n < lines.length; n += LINES_PER_FRAME) {
    frames.push(`${lines.slice(n, n + LINES_PER_FRAME).join("\r\n")}\r\n`);
  }
  return frames;
}

function answer(socket: WebSocket, line: string, roomId: string): void {
  const host = ":tmi.twitch.tv";
  if (line.startsWith("NICK ")) {
    socket.send(`${host} 001 benchbot :Welcome, GLHF!\r\n${host} 376 benchbot :>\r\n`);
  }
  if (line.startsWith("JOIN ")) {
    socket.send(
      `:benchbot!benchbot@benchbot.tmi.twitch.tv JOIN #${CHANNEL}\r\n` +
        `@badges=;color=;display-name=benchbot;mod=0 ${host} USERSTATE #${CHANNEL}\r\n` +
        `@emote-only=0;followers-only=-1;r9k=0;room-id=${roomId};slow=0;subs-only=0 ${host} ROOMSTATE #${CHANNEL}\r\n`,
    );
  }
  if (line.startsWith("PING")) socket.send("PONG");
}

const WORDS = "the boss fight went well and this map is harder than it looks Kappa LUL gg wp".split(
  " ",
);

function chatLine(n: number, roomId: string): string {
  const person = (n * 7_919) % PEOPLE;
  const login = `viewer_${person}`;
  const text = Array.from(
    { length: 1 + (n % 14) },
    (_, k) => WORDS[(n * 31 + k * 17) % WORDS.length],
  );
  const tags = [
    `badge-info=${person % 3 === 0 ? "subscriber/12" : ""}`,
    `badges=${person % 3 === 0 ? "subscriber/12,premium/1" : ""}`,
    "client-nonce=5bdb0c9ad9b04a0f8a9a5d7a5a2f1a70",
    "color=#1E90FF",
    `display-name=Viewer_${person}`,
    `emotes=${n % 4 === 0 ? "25:0-4" : ""}`,
    "first-msg=0",
    "flags=",
    `id=${randomUUID()}`,
    "mod=0",
    "returning-chatter=0",
    `room-id=${roomId}`,
    `subscriber=${person % 3 === 0 ? 1 : 0}`,
    `tmi-sent-ts=${Date.now()}`,
    "turbo=0",
    `user-id=${10_000 + person}`,
    "user-type=",
  ];
  return `@${tags.join(";")} :${login}!${login}@${login}.tmi.twitch.tv PRIVMSG #${CHANNEL} :${text.join(" ")}`;
}

if (process.argv[2] === "serve") serve(process.argv[3] ?? "");
