import type Sqlite from "better-sqlite3";
import { Database } from "../src/database/sqlite.ts";
import { CHANNEL } from "./bench-names.ts";
import { getMedian, type Row } from "./figures.ts";
import { openLoopbackChannel, type PlainBot } from "./loopback-channel.ts";
import type { Programs } from "./programs.ts";
import { startWireServer, type WireServer } from "./wire-server.ts";

const LINES = 30_000;
/** The bot that commits each line gets fewer lines, because it is slower. */
const LINES_EACH = 300;
const LINES_FIRST = 10_000;
const ROUNDS = 5;
const LOOK_EVERY_MS = 4;
const MISSING_AFTER_MS = 60_000;
const RATIO_TO_BARE_MIN = 0.55;
const RATIO_TO_EACH_MIN = 10;

interface Contestant {
  readonly bot: PlainBot;
  /** Lines a second, from the first on the wire to the last in a committed row; one figure a round. */
  take(lines: number): Promise<number>;
  close(): void;
}

/**
 * Measures lines a second from the wire to a committed row: our whole daemon, then two bots that only store. All three
 * run all the time and take turns. Another connection counts the rows in the database.
 */
export async function measureIngest({ daemon, plainBot }: Programs): Promise<Row[]> {
  const channel = await openLoopbackChannel();
  const wire = await startWireServer(channel.irc.roomId(CHANNEL));
  const contestants: Contestant[] = [];
  try {
    const config = { twitch: { chatUrl: wire.url } };
    const ours = await enter(wire, 0, channel.startDaemon(daemon, { config }));
    contestants.push(ours);
    const batched = { kind: "batched", chatUrl: wire.url } as const;
    const bare = await enter(wire, 1, channel.startPlain(plainBot, batched));
    contestants.push(bare);
    const each = await enter(wire, 2, channel.startPlain(plainBot, { ...batched, kind: "each" }));
    contestants.push(each);
    await ours.take(LINES_FIRST);
    await bare.take(LINES_FIRST);
    await each.take(LINES_EACH);
    const speeds = { ours: [] as number[], bare: [] as number[], each: [] as number[] };
    for (let round = 0; round < ROUNDS; round += 1) {
      speeds.ours.push(await ours.take(LINES));
      speeds.bare.push(await bare.take(LINES));
      speeds.each.push(await each.take(LINES_EACH));
    }
    return makeRows(speeds);
  } finally {
    for (const { bot, close } of contestants) {
      close();
      await bot.stop();
    }
    await channel.close();
    wire.close();
  }
}

function makeRows(speeds: Readonly<Record<"ours" | "bare" | "each", readonly number[]>>): Row[] {
  const ours = getMedian(speeds.ours);
  const calculateRatio = (other: readonly number[]) =>
    getMedian(speeds.ours.map((it, n) => it / (other[n] ?? 1)));
  const row = (peer: string, theirs: readonly number[], atLeast: number): Row => ({
    what: "wire → row, whole daemon",
    unit: "lines/s",
    digits: 0,
    ours,
    peer,
    theirs: getMedian(theirs),
    ratio: calculateRatio(theirs),
    goal: { of: "ratio", atLeast },
  });
  return [
    row("bare tmi.js + batched insert", speeds.bare, RATIO_TO_BARE_MIN),
    row("one transaction a line, synchronous=FULL", speeds.each, RATIO_TO_EACH_MIN),
  ];
}

async function enter(wire: WireServer, to: number, bot: PlainBot): Promise<Contestant> {
  await bot.joined;
  const db = new Database(bot.databaseFile, { readonly: true, timeout: 0 });
  const last = db.prepare<[], number>("SELECT coalesce(max(id), 0) FROM events").pluck();
  const stored = db
    .prepare<[], number>("SELECT count(*) FROM events WHERE user_id IS NOT NULL")
    .pluck();
  return {
    bot,
    take: async (lines) => {
      const storedBefore = (await read(stored)) ?? 0;
      const lastBefore = (await read(last)) ?? 0;
      await wire.send(to, lines);
      const begunAtMs = performance.now();
      await until(() => (readNow(last) ?? 0) - lastBefore >= lines);
      const seconds = (performance.now() - begunAtMs) / 1_000;
      if (((await read(stored)) ?? 0) - storedBefore !== lines)
        throw new Error("lines are missing");
      return lines / seconds;
    },
    close: () => db.close(),
  };
}

type Count = Sqlite.Statement<[], number>;

/** Without a write-ahead log a bot that commits keeps readers out: null then. */
function readNow(count: Count): number | null {
  try {
    return count.get() ?? 0;
  } catch {
    return null;
  }
}

async function read(count: Count): Promise<number | null> {
  let value: number | null = null;
  await until(() => {
    value = readNow(count);
    return value !== null;
  });
  return value;
}

async function until(isSo: () => boolean): Promise<void> {
  const lateAtMs = performance.now() + MISSING_AFTER_MS;
  while (!isSo()) {
    if (performance.now() > lateAtMs) throw new Error("lines did not come to rows");
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
