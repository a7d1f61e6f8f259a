/**
 * One turn without the model: from a line that speaks to the bot to the recorded reply (read, assemble, guard,
 * record), in a channel that has run for years, and the same viewer's turn in a small one. Turns alternate between
 * the two, so that both see the same machine. Turns that the system interrupted for another process are counted and
 * left out, where it tells. `npm run bench:turn -- --notes 1000000`; exit code 1 over the bar.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BOT, CHANNEL, type DeskRoom, openDeskRoom, spoken } from "./desk-room.ts";
import { type Figure, median, percentile, report } from "./figures.ts";
import type { Chatter } from "./generated-chat.ts";
import { type Stored, type StoredSize, storeChannel } from "./stored-channel.ts";

const P50_MS_MAX = 0.5;
const P99_MS_MAX = 2;
const RATIO_MAX = 1.3;
const NOTES_SMALL = 1_000;
const TURNS = 2_000;
const TURNS_BEFORE = 200;
const LINES_BETWEEN = 5;
/** Longer than a viewer's cooldown. */
const BETWEEN_MS = 11_000;

const LARGE: Omit<StoredSize, "notes"> = {
  events: 200_000,
  eventsOfFirst: 25_000,
  episodes: 100_000,
  replies: 10_000,
};
const SMALL: Omit<StoredSize, "notes"> = {
  events: 1_000,
  eventsOfFirst: 100,
  episodes: 100,
  replies: 100,
};

interface Clock {
  atMs: number;
}

interface Room extends Stored {
  readonly desk: DeskRoom;
  readonly clock: Clock;
  readonly folder: string;
}

function openRoom(size: StoredSize): Room {
  const folder = mkdtempSync(join(tmpdir(), "forgetmenot-turn-"));
  const clock = { atMs: Date.now() };
  const names = { channel: CHANNEL, botName: BOT, nowMs: clock.atMs };
  const stored = storeChannel(join(folder, "forgetmenot.db"), names, size);
  const desk = openDeskRoom({
    folder,
    now: () => clock.atMs,
    answer: () => `ha, ${stored.chat.words(14)}`,
  });
  return { ...stored, desk, clock, folder };
}

interface Turn {
  readonly ms: number;
  /** The system gave the processor to somebody else meanwhile. Windows does not tell. */
  readonly isInterrupted: boolean;
}

/** Chat between two turns, and then one turn by `speaker`. */
async function takeTurn({ desk, clock, chat }: Room, speaker: Chatter): Promise<Turn> {
  for (let n = 0; n < LINES_BETWEEN; n += 1) {
    clock.atMs += BETWEEN_MS / LINES_BETWEEN;
    await desk.hear(spoken(chat.somebody(), chat.text(), clock.atMs));
  }
  desk.stores.events.flush();
  const line = spoken(speaker, chat.question(), clock.atMs);
  const interruptionsBefore = interruptions();
  const begunAtMs = performance.now();
  await desk.hear(line);
  const ms = performance.now() - begunAtMs;
  const isInterrupted = interruptions() > interruptionsBefore;
  await desk.idle();
  return { ms, isInterrupted };
}

function interruptions(): number {
  return process.resourceUsage().involuntaryContextSwitches;
}

interface Times {
  readonly large: Turn[];
  readonly largeOthers: Turn[];
  readonly small: Turn[];
}

async function takeTurns(large: Room, small: Room, count: number): Promise<Times> {
  const times: Times = { large: [], largeOthers: [], small: [] };
  for (let n = 0; n < count; n += 1) {
    times.large.push(await takeTurn(large, first(large)));
    times.small.push(await takeTurn(small, first(small)));
    times.largeOthers.push(await takeTurn(large, large.chat.somebody()));
  }
  return times;
}

function first({ people }: Room): Chatter {
  const [person] = people;
  if (person === undefined) throw new Error("nobody is stored");
  return person;
}

function figuresOf(times: Times): Figure[] {
  const [large, largeOthers, small] = [times.large, times.largeOthers, times.small].map((turns) =>
    turns.filter(({ isInterrupted }) => !isInterrupted).map(({ ms }) => ms),
  ) as [number[], number[], number[]];
  const interrupted = Object.values(times)
    .flat()
    .filter(({ isInterrupted }) => isInterrupted).length;
  const ms = (name: string, value: number, bar: Figure["bar"]): Figure => ({
    name,
    value,
    unit: "ms",
    digits: 3,
    bar,
  });
  const ofFirst = "viewer with 25,000 messages";
  return [
    ms(`${ofFirst}, p50`, median(large), { atMost: P50_MS_MAX }),
    ms(`${ofFirst}, p99`, percentile(large, 0.99), { atMost: P99_MS_MAX }),
    ms("any viewer, pages not read before, p50", median(largeOthers), { atMost: P50_MS_MAX }),
    ms("any viewer, pages not read before, p99", percentile(largeOthers, 0.99), {
      atMost: P99_MS_MAX,
    }),
    ms(`${ofFirst}, in a small database, p50`, median(small), null),
    ms(`${ofFirst}, in a small database, p99`, percentile(small, 0.99), null),
    {
      name: "turns left out, interrupted",
      value: (100 * interrupted) / (3 * TURNS),
      unit: "%",
      digits: 1,
      bar: null,
    },
    {
      name: "large to small, p50",
      value: median(large) / median(small),
      unit: "×",
      bar: { atMost: RATIO_MAX },
    },
  ];
}

const { values } = parseArgs({ options: { notes: { type: "string", default: "100000" } } });
const rooms: Room[] = [];
try {
  const large = openRoom({ ...LARGE, notes: Number(values.notes) });
  rooms.push(large);
  const small = openRoom({ ...SMALL, notes: NOTES_SMALL });
  rooms.push(small);
  await takeTurns(large, small, TURNS_BEFORE);
  const times = await takeTurns(large, small, TURNS);
  for (const { desk } of rooms) {
    if (desk.turns.refused > 0) throw new Error(`${desk.turns.refused} turns were refused`);
  }
  report(figuresOf(times));
} finally {
  for (const { desk, folder } of rooms) {
    await desk.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
