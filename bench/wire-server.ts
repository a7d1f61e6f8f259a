import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { type WebSocket, WebSocketServer } from "ws";

/** As many lines as the server has ready. */
export const WIRE_LINES = 30_000;
export const WIRE_CHANNEL = "benchroom";
const LINES_PER_FRAME = 50;
const PEOPLE = 400;

export interface WireServer {
  readonly child: ChildProcess;
  readonly url: string;
}

/** Starts the server in a process of its own, so that what it costs is not measured. */
export async function startWireServer(): Promise<WireServer> {
  const child = fork(fileURLToPath(import.meta.url), ["serve"]);
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  return { child, url: `ws://127.0.0.1:${port}` };
}

/** The server's process: enough of Twitch to log in and join, then as many lines as it is told, as fast as they go. */
function serve(): void {
  const lines = Array.from({ length: WIRE_LINES }, (_, n) => chatLine(n));
  let frames: string[] = [];
  let socket: WebSocket | null = null;
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 }, () => {
    process.send?.({ port: (server.address() as AddressInfo).port });
  });
  server.on("connection", (opened) => {
    socket = opened;
    opened.on("message", (data) => {
      for (const line of String(data).split("\r\n")) answer(opened, line);
    });
  });
  process.on("message", ({ lines: count }: { lines: number }) => {
    frames = [];
    for (let n = 0; n < count; n += LINES_PER_FRAME) {
      frames.push(`${lines.slice(n, Math.min(count, n + LINES_PER_FRAME)).join("\r\n")}\r\n`);
    }
    for (const frame of frames) socket?.send(frame);
  });
  process.on("disconnect", () => process.exit(0));
}

function answer(socket: WebSocket, line: string): void {
  const host = ":tmi.twitch.tv";
  if (line.startsWith("NICK ")) {
    socket.send(`${host} 001 benchbot :Welcome, GLHF!\r\n${host} 376 benchbot :>\r\n`);
  }
  if (line.startsWith("JOIN ")) {
    socket.send(
      `:benchbot!benchbot@benchbot.tmi.twitch.tv JOIN #${WIRE_CHANNEL}\r\n` +
        `@badges=;color=;display-name=benchbot;mod=0 ${host} USERSTATE #${WIRE_CHANNEL}\r\n` +
        `@emote-only=0;followers-only=-1;r9k=0;room-id=77;slow=0;subs-only=0 ${host} ROOMSTATE #${WIRE_CHANNEL}\r\n`,
    );
  }
  if (line.startsWith("PING")) socket.send("PONG");
}

const WORDS = "the boss fight went well and this map is harder than it looks Kappa LUL gg wp".split(
  " ",
);

function chatLine(n: number): string {
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
    "room-id=77",
    `subscriber=${person % 3 === 0 ? 1 : 0}`,
    `tmi-sent-ts=${1_760_000_000_000 + n}`,
    "turbo=0",
    `user-id=${10_000 + person}`,
    "user-type=",
  ];
  return `@${tags.join(";")} :${login}!${login}@${login}.tmi.twitch.tv PRIVMSG #${WIRE_CHANNEL} :${text.join(" ")}`;
}

if (process.argv[2] === "serve") serve();
