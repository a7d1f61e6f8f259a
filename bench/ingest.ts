import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import tmi from "tmi.js";
import { eventStore } from "../src/chat/event-store.ts";
import { type ChatContext, type ChatEvent, normalise } from "../src/chat/normalise.ts";
import { openLog } from "../src/log.ts";
import { openDatabase } from "../src/platform/database/open-database.ts";
import { type Chat, openChat } from "../src/twitch/chat.ts";
import { startWireServer, WIRE_CHANNEL, WIRE_LINES, type WireServer } from "./wire-server.ts";

const LINES = WIRE_LINES;
const LINES_EACH_COMMITTED = 500;
const ROUNDS = 7;
const FLUSH_ROWS = 64;
const FLUSH_MS = 100;
const EXPIRY_MS = 86_400_000;
const RATIO_TO_BARE_MIN = 0.6;
const RATIO_TO_EACH_COMMITTED_MIN = 10;
const CHANNEL = WIRE_CHANNEL;

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
async function measure(bot: Bot, server: WireServer, lines: number): Promise<Speed> {
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

async function main(): Promise<boolean> {
  const server = await startWireServer();
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

process.exitCode = (await main()) ? 0 : 1;
