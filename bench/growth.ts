import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { eventStore } from "../src/chat/event-store.ts";
import { recallStore } from "../src/memory/recall/recall-store.ts";
import { openDatabase, vacuum } from "../src/platform/database/open-database.ts";
import { makeBackup } from "../src/privacy/backup-copy-store.ts";
import { BOT, CHANNEL } from "./bench-names.ts";
import { growthRow, mean, median, type Row } from "./figures.ts";
import { generateChat } from "./generated-chat.ts";
import { HAND } from "./money.ts";
import { type Play, replay } from "./prompt-replay.ts";
import { type ReplyRoom, spoken } from "./reply-room.ts";
import { storeChannel } from "./stored-channel.ts";

const LINES = 6_000;
const LINES_A_BATCH = 64;
const STRIDE = 7_919;
const LINES_BEFORE = [1_000, 10_000, 100_000];
const PEOPLE = [100, 1_000, 10_000, 100_000];
const PEOPLE_USUAL = 300;
const NOTES = [1_000, 10_000, 100_000];
const QUESTIONS = 400;
/** One a week, with five lines a minute. */
const STREAMS_A_YEAR = 52;
const LINES_A_STREAM = 400;
const LINES_A_QUESTION = 200;
const STREAM_EVERY_MS = 7 * 86_400_000;
const LINE_MS = 12_000;
const BYTES_A_MB = 1024 * 1024;
const BYTES_A_KB = 1024;
const GROWTH_MAX = 1.3;
const DAY_MS = 86_400_000;

/**
 * How cost grows with what there is: processor time of the very functions that the daemon calls, and a year of streams
 * that its own memory makes of a chat, with what it takes to keep the file of that year in order.
 */
export async function measureGrowth(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "forgetmenot-growth-"));
  const atMost = (limit: number) => ({ of: "ratio", atMost: limit }) as const;
  const line = { what: "processor time of a stored line", unit: "µs", digits: 1 };
  const ask = { what: "processor time to rank a viewer's notes", unit: "ms", digits: 3 };
  try {
    storedLineUs(folder, LINES, PEOPLE_USUAL); // warms up, and is not counted
    const lines = LINES_BEFORE.map((n) => [n, storedLineUs(folder, n, PEOPLE_USUAL)] as const);
    const people = PEOPLE.map((n) => [n, storedLineUs(folder, n, n)] as const);
    const notes = NOTES.map((n) => [n, recallMs(folder, n)] as const);
    return [
      growthRow(line, "lines", lines, atMost(GROWTH_MAX)),
      growthRow(line, "viewers", people),
      growthRow(ask, "notes", notes),
      ...(await measureYear(folder)),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Of this process, ms. Other programs do not lengthen it. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Behind so many lines that were stored before, by so many people in turn. */
function storedLineUs(folder: string, linesBefore: number, people: number): number {
  const file = join(folder, "lines.db");
  const db = openDatabase(file);
  const now = () => Date.now();
  const store = eventStore(db, { now, expiryMs: DAY_MS, flushRows: LINES_A_BATCH });
  const chat = generateChat(1, people, BOT);
  const add = (n: number): void => {
    const person = chat.people[(n * STRIDE) % people] ?? chat.somebody();
    store.add(spoken(person, chat.text(), now()));
    if (n % LINES_A_BATCH === 0) store.flush();
  };
  for (let n = 0; n < linesBefore; n += 1) add(n);
  const beforeMs = processorMs();
  for (let n = 0; n < LINES; n += 1) add(linesBefore + n);
  store.flush();
  const tookMs = processorMs() - beforeMs;
  if (store.counts().events !== linesBefore + LINES) throw new Error("lines are missing");
  store.close();
  db.close();
  rmSync(file);
  return (1_000 * tookMs) / LINES;
}

/** Another viewer at the cap each time, among so many notes. */
function recallMs(folder: string, notes: number): number {
  const file = join(folder, `notes-${notes}.db`);
  const nowMs = Date.now();
  const size = { events: 100, eventsOfFirst: 10, episodes: 100, replies: 10, notes };
  const { people, chat } = storeChannel(file, { channel: CHANNEL, botName: BOT, nowMs }, size);
  const db = openDatabase(file);
  const recall = recallStore(db);
  const questions = Array.from({ length: 2 * QUESTIONS }, (_, n) => ({
    userId: people[(n * STRIDE) % people.length]?.userId ?? "",
    text: `${chat.words(6)} ${n}?`,
  }));
  const times = questions.map(({ userId, text }, n) => {
    const message = { id: n, text };
    const conversation = { message, recent: [], category: "", others: [] };
    const beforeMs = processorMs();
    const shown = recall.lore({ channel: CHANNEL, userId, nowMs, limit: 10, conversation });
    if (shown.length === 0) throw new Error("somebody has no notes");
    return processorMs() - beforeMs;
  });
  db.close();
  return median(times.slice(QUESTIONS));
}

interface Evening {
  readonly databaseBytes: number;
  readonly processorMs: number;
  readonly sweepMs: number;
}

async function measureYear(folder: string): Promise<Row[]> {
  const evenings: Evening[] = [];
  let kept = { backupMs: 0, backupBytes: 0, vacuumMs: 0 };
  const play: Play = async (channel, clock, desk) => {
    for (let stream = 0; stream < STREAMS_A_YEAR; stream += 1) {
      const beganAtMs = clock.atMs;
      const beforeMs = processorMs();
      channel.begin();
      for (let n = 1; n <= LINES_A_STREAM; n += 1) {
        await channel.line(LINE_MS);
        if (n % LINES_A_QUESTION === 0) await channel.question();
      }
      await channel.end();
      const endedMs = processorMs();
      clock.atMs = beganAtMs + STREAM_EVERY_MS;
      await channel.sweep();
      const sweepMs = processorMs() - endedMs;
      const databaseBytes = statSync(desk.stores.db.name).size;
      evenings.push({ databaseBytes, processorMs: endedMs - beforeMs, sweepMs });
    }
    kept = keep(desk, folder);
  };
  const chat = generateChat(7, PEOPLE_USUAL, BOT);
  const { sizes } = await replay(play, { chat, hand: HAND, replyWords: 14 });
  return yearRows(evenings, sizes, kept);
}

/** Copies the file of that year, and writes it anew. */
function keep({ stores: { db } }: ReplyRoom, folder: string) {
  const path = join(folder, "backup.db");
  const begunAtMs = performance.now();
  makeBackup(path, db.name);
  const backupMs = performance.now() - begunAtMs;
  const episodes = db.prepare("SELECT count(*) FROM episodes WHERE summary <> ''").pluck().get();
  if (Number(episodes) < STREAMS_A_YEAR) throw new Error("streams did not become memory");
  const vacuumedAtMs = performance.now();
  vacuum(db);
  const vacuumMs = performance.now() - vacuumedAtMs;
  return { backupMs, backupBytes: statSync(path).size, vacuumMs };
}

const AFTER_STREAMS = [1, 3, 10, 30, STREAMS_A_YEAR];

function yearRows(
  evenings: readonly Evening[],
  sizes: readonly { readonly tokens: number }[],
  kept: { readonly backupMs: number; readonly backupBytes: number; readonly vacuumMs: number },
): Row[] {
  const perStream = sizes.length / STREAMS_A_YEAR;
  const tokensAfter = (n: number) =>
    mean(sizes.slice((n - 1) * perStream, n * perStream).map(({ tokens }) => tokens));
  const bytesAfter = (n: number) => evenings[n - 1]?.databaseBytes ?? 0;
  const tenth = Math.floor(STREAMS_A_YEAR / 10);
  const half = STREAMS_A_YEAR / 2;
  const cost = (part: readonly Evening[]) => median(part.map((one) => one.processorMs));
  const year = `after a year, ${STREAMS_A_YEAR} streams`;
  const grown = (bytesAfter(STREAMS_A_YEAR) - bytesAfter(tenth)) / (STREAMS_A_YEAR - tenth);
  const plain = (what: string, ours: number, unit: string, digits = 0): Row => ({
    what,
    ours,
    unit,
    digits,
  });
  return [
    growthRow(
      { what: "prompt of a reply", unit: "tokens", digits: 0 },
      "streams",
      AFTER_STREAMS.map((n) => [n, tokensAfter(n)]),
    ),
    growthRow(
      { what: "database", unit: "MB", digits: 2 },
      "streams",
      AFTER_STREAMS.map((n) => [n, bytesAfter(n) / BYTES_A_MB]),
    ),
    plain(`a stream of ${LINES_A_STREAM} lines adds to it`, grown / BYTES_A_KB, "KB"),
    {
      ...plain(
        "processor time of a stream, last tenth of the year",
        cost(evenings.slice(-tenth)),
        "ms",
      ),
      // Notes that nobody confirms go after half a year: memory is full then.
      beside: "the middle of it",
      theirs: cost(evenings.slice(half - tenth, half + tenth)),
      goal: { of: "ratio", atMost: GROWTH_MAX },
    },
    plain(`sweep ${year}`, median(evenings.slice(-tenth).map(({ sweepMs }) => sweepMs)), "ms", 1),
    plain(`backup ${year} (${(kept.backupBytes / BYTES_A_MB).toFixed(1)} MB)`, kept.backupMs, "ms"),
    plain(`VACUUM ${year}`, kept.vacuumMs, "ms"),
  ];
}
