/**
 * Ingest: wire line → committed row, against a bare tmi.js client with a bare batched insert behind it, and against a
 * bot that writes each message in a transaction of its own at synchronous=FULL. All read the same wire, in one run,
 * from a server in a process of its own. `npx tsx bench/ingest.ts`; exit code 1 below the bar.
 */
import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import tmi from "tmi.js";
import { type WebSocket, WebSocketServer } from "ws";
import { openDatabase } from "../src/db/open.ts";
import { type ChatContext, type ChatEvent, normalise } from "../src/events/normalise.ts";
import { eventStore } from "../src/events/store.ts";
import { openLog } from "../src/log.ts";
import { type Chat, openChat } from "../src/twitch/chat.ts";

const LINES = 30_000;
const LINES_EACH_COMMITTED = 500;
const LINES_PER_FRAME = 50;
const ROUNDS = 7;
const PEOPLE = 400;
const FLUSH_ROWS = 64;
const FLUSH_MS = 100;
const EXPIRY_MS = 86_400_000;
const RATIO_TO_BARE_MIN = 0.6;
const RATIO_TO_EACH_COMMITTED_MIN = 10;
const CHANNEL = "benchroom";

interface Bot {
  readonly name: string;
  /** Connects, calls `ready` when it has joined, and `done` when all `lines` are committed. */
  readonly run: (
    options: { url: string; folder: string; lines: number },
    on: { ready: () => void; done: () => void },
  ) => () => void | Promise<void>;
}

const bare: Bot = {
  name: "bare tmi.js, batched insert",
  run: ({ url, folder, lines }, on) => {
    const db = new Database(join(folder, "bare.db"));
    db.pragma("journal_mode = WAL");
    db.pragma("synchronous = NORMAL");
    const insert = bareInsert(db);
    let rows: BareRow[] = [];
    let total = 0;
    const write = db.transaction((batch: readonly BareRow[]) => {
      for (const row of batch) insert.run(...row);
    });
    const flush = (): void => {
      if (rows.length === 0) return;
      total += rows.length;
      write(rows);
      rows = [];
      if (total >= lines) on.done();
    };
    const timer = setInterval(flush, FLUSH_MS);
    const client = bareClient(url, on.ready, (row) => {
      rows.push(row);
      if (rows.length >= FLUSH_ROWS) flush();
    });
    return async () => {
      clearInterval(timer);
      await client.disconnect();
      db.close();
    };
  },
};

/** The same rows as ForgetMeNot's, one message at a time. */
const eachCommitted: Bot = {
  name: "one transaction a message, synchronous=FULL",
  run: ({ url, folder, lines }, on) => {
    const db = openDatabase(join(folder, "each.db"));
    db.pragma("synchronous = FULL");
    const store = eventStore(db, { now: Date.now, expiryMs: EXPIRY_MS });
    let total = 0;
    const chat = chatInto(url, on.ready, (event) => {
      store.add(event);
      store.flush();
      if ("person" in event) total += 1;
      if (total >= lines) on.done();
    });
    return async () => {
      await chat.close();
      store.close();
      db.close();
    };
  },
};

const forgetMeNot: Bot = {
  name: "ForgetMeNot",
  run: ({ url, folder, lines }, on) => {
    const db = openDatabase(join(folder, "forgetmenot.db"));
    let total = 0;
    const store = eventStore(db, {
      now: Date.now,
      expiryMs: EXPIRY_MS,
      onFlushed: (events) => {
        for (const { event } of events) {
          if (event !== null && "person" in event) total += 1;
        }
        if (total >= lines) on.done();
      },
      onError: (cause) => {
        throw cause;
      },
    });
    const chat = chatInto(url, on.ready, (event) => store.add(event));
    return async () => {
      await chat.close();
      store.close();
      db.close();
    };
  },
};

function chatInto(url: string, ready: () => void, onEvent: (event: ChatEvent) => void): Chat {
  const context: ChatContext = {
    channels: new Set([CHANNEL]),
    botUserId: "1",
    botLogin: "benchbot",
    knownBots: new Set(["nightbot", "streamelements"]),
  };
  return openChat({
    url,
    login: "benchbot",
    password: async () => "oauth:bench",
    channels: [CHANNEL],
    onMessage: (message) => {
      const event = normalise(message, context);
      if (event.kind !== "ignored") onEvent(event);
    },
    onState: ({ kind }) => {
      if (kind === "joined") ready();
    },
    log: openLog("silent"),
    now: Date.now,
    random: Math.random,
  });
}

type BareRow = [channel: string, userId: string, name: string, text: string, sentAt: number];

function bareInsert(db: Database.Database): Database.Statement<BareRow> {
  db.exec(
    "CREATE TABLE messages (id INTEGER PRIMARY KEY, channel TEXT, user_id TEXT, name TEXT, text TEXT, sent_at INTEGER)",
  );
  return db.prepare(
    "INSERT INTO messages (channel, user_id, name, text, sent_at) VALUES (?, ?, ?, ?, ?)",
  );
}

function bareClient(url: string, ready: () => void, onRow: (row: BareRow) => void): tmi.Client {
  const { hostname, port } = new URL(url);
  const client = new tmi.Client({
    options: { skipMembership: true, skipUpdatingEmotesets: true },
    connection: { server: hostname, port: Number(port), secure: false, reconnect: false },
    identity: { username: "benchbot", password: "oauth:bench" },
    channels: [CHANNEL],
  });
  client.on("roomstate", ready);
  client.on("message", (channel, tags, text) => {
    const { "user-id": userId, "display-name": name, "tmi-sent-ts": sentAt } = tags;
    onRow([channel, String(userId), String(name), text, Number(sentAt)]);
  });
  void client.connect();
  return client;
}

/** Runs one bot once, and gives its lines a second by the wall clock and by its own processor time. */
async function measure(bot: Bot, server: Server, lines: number): Promise<Speed> {
  const folder = mkdtempSync(join(tmpdir(), "forgetmenot-bench-"));
  let begun = 0;
  let cpu = process.cpuUsage();
  const speed = await new Promise<Speed & { stop: () => void | Promise<void> }>((resolve) => {
    let isStarted = false;
    const stop = bot.run(
      { url: server.url, folder, lines },
      {
        ready: () => {
          if (isStarted) return;
          isStarted = true;
          globalThis.gc?.();
          begun = performance.now();
          cpu = process.cpuUsage();
          server.child.send({ lines });
        },
        done: () => {
          const seconds = (performance.now() - begun) / 1_000;
          const { user, system } = process.cpuUsage(cpu);
          resolve({ wall: lines / seconds, cpu: lines / ((user + system) / 1e6), stop });
        },
      },
    );
  });
  await speed.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  return speed;
}

interface Speed {
  readonly wall: number;
  readonly cpu: number;
}

interface Server {
  readonly child: ChildProcess;
  readonly url: string;
}

async function startServer(): Promise<Server> {
  const child = fork(fileURLToPath(import.meta.url), ["serve"]);
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  return { child, url: `ws://127.0.0.1:${port}` };
}

/** The server's process: enough of Twitch to log in and join, then as many lines as it is told, as fast as they go. */
function serve(): void {
  const lines = Array.from({ length: LINES }, (_, n) => chatLine(n));
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
      `:benchbot!benchbot@benchbot.tmi.twitch.tv JOIN #${CHANNEL}\r\n` +
        `@badges=;color=;display-name=benchbot;mod=0 ${host} USERSTATE #${CHANNEL}\r\n` +
        `@emote-only=0;followers-only=-1;r9k=0;room-id=77;slow=0;subs-only=0 ${host} ROOMSTATE #${CHANNEL}\r\n`,
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
  return `@${tags.join(";")} :${login}!${login}@${login}.tmi.twitch.tv PRIVMSG #${CHANNEL} :${text.join(" ")}`;
}

async function main(): Promise<boolean> {
  const server = await startServer();
  await measure(bare, server, LINES);
  await measure(forgetMeNot, server, LINES);
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const isOursFirst = round % 2 === 0;
    const first = await measure(isOursFirst ? forgetMeNot : bare, server, LINES);
    const second = await measure(isOursFirst ? bare : forgetMeNot, server, LINES);
    const each = await measure(eachCommitted, server, LINES_EACH_COMMITTED);
    rounds.push(
      isOursFirst ? { ours: first, bare: second, each } : { ours: second, bare: first, each },
    );
  }
  server.child.disconnect();
  return report(rounds);
}

interface Round {
  readonly bare: Speed;
  readonly ours: Speed;
  readonly each: Speed;
}

function report(rounds: readonly Round[]): boolean {
  const ratio = median(rounds.map(({ ours, bare }) => ours.wall / bare.wall));
  const cpuRatio = median(rounds.map(({ ours, bare }) => ours.cpu / bare.cpu));
  const toEach = median(rounds.map(({ ours, each }) => ours.wall / each.wall));
  const line = (name: string, perSecond: number) =>
    `${name.padEnd(46)} ${Math.round(perSecond).toLocaleString("en").padStart(8)} lines/s`;
  const verdict = (isReached: boolean) => (isReached ? "reached" : "MISSED");
  const isFast = ratio >= RATIO_TO_BARE_MIN;
  const isBatched = toEach >= RATIO_TO_EACH_COMMITTED_MIN;
  process.stdout.write(
    `${[
      line(bare.name, median(rounds.map((round) => round.bare.wall))),
      line(forgetMeNot.name, median(rounds.map((round) => round.ours.wall))),
      line(eachCommitted.name, median(rounds.map((round) => round.each.wall))),
      `to bare: ${(ratio * 100).toFixed(0)} % (processor time ${(cpuRatio * 100).toFixed(0)} %; bar ${RATIO_TO_BARE_MIN * 100} %) ${verdict(isFast)}`,
      `to one transaction each: ${toEach.toFixed(1)} × (bar ${RATIO_TO_EACH_COMMITTED_MIN} ×) ${verdict(isBatched)}`,
    ].join("\n")}\n`,
  );
  return isFast && isBatched;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

if (process.argv[2] === "serve") serve();
else process.exitCode = (await main()) ? 0 : 1;
