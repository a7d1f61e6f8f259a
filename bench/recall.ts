/**
 * Recall alone: what is known about a viewer at the cap of 50 notes, ranked for a message, and the channel's notes, in
 * a database of 1,000,000 notes and in one of 1,000. Another viewer each time, drawn by chance: their notes lie
 * scattered over the file and were not read before. One word of a question was never said before, as in a chat. Questions alternate between the two databases, so
 * that both see the same machine; questions that the system interrupted for another process are left out, where it
 * tells. `npm run bench:recall -- --notes 1000000`; exit code 1 over the bar.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { SpokenText } from "../src/memory/recall/query-terms.ts";
import { type RecallStore, recallStore } from "../src/memory/recall/recall-store.ts";
import { CHANNEL_NOTES, depthOf } from "../src/memory/recall/weigh.ts";
import { type Db, openDatabase } from "../src/platform/database/open-database.ts";
import { type Random, randomFrom } from "../test/stand-ins/random.ts";
import { type Figure, median, percentile, report } from "./figures.ts";
import { type Stored, storeChannel } from "./stored-channel.ts";

const CHANNEL = "recallroom";
const P99_MS_MAX = 2;
const NOTES_SMALL = 1_000;
const QUESTIONS = 6_000;
const QUESTIONS_BEFORE = 1_000;
const RUNNERS_UP = 5;
const DRAWS = 1_000_000;

interface Room extends Stored {
  readonly db: Db;
  readonly recall: RecallStore;
  readonly folder: string;
}

function openRoom(notes: number, nowMs: number): Room {
  const folder = mkdtempSync(join(tmpdir(), "forgetmenot-recall-"));
  const file = join(folder, "forgetmenot.db");
  const rest = { events: 100, eventsOfFirst: 10, episodes: 100, replies: 10 };
  const stored = storeChannel(
    file,
    { channel: CHANNEL, botName: "bot", nowMs },
    { ...rest, notes },
  );
  const db = openDatabase(file);
  return { ...stored, db, recall: recallStore(db), folder };
}

interface Times {
  readonly lore: number[];
  readonly channelNotes: number[];
}

/** Ends of compounds are looked for, too. */
const GERMAN = "weißt du noch, wie mein Hund heißt und was in meinem Garten steht";

function interruptions(): number {
  return process.resourceUsage().involuntaryContextSwitches;
}

/** Each question has a message of its own and, as a chat has it, lines before it that were read for an earlier one. */
function ask({ recall, people }: Room, question: Question): Times {
  const { nowMs, draw, message, recent } = question;
  const person = people[Math.floor(draw * people.length)];
  const { lore } = depthOf("normal");
  const before = interruptions();
  const begunAtMs = performance.now();
  recall.lore({
    channel: CHANNEL,
    userId: person?.userId ?? "",
    nowMs,
    limit: lore + RUNNERS_UP,
    conversation: { message, recent, category: "Chess", others: [] },
  });
  const loreAtMs = performance.now();
  for (const scope of ["channel", "bit"] as const)
    recall.channelNotes({ channel: CHANNEL, scope, nowMs, limit: CHANNEL_NOTES });
  const endedAtMs = performance.now();
  if (interruptions() > before) return emptyTimes();
  return { lore: [loreAtMs - begunAtMs], channelNotes: [endedAtMs - loreAtMs] };
}

interface Question {
  readonly nowMs: number;
  /** Which viewer: 0 to 1. */
  readonly draw: number;
  readonly message: SpokenText;
  readonly recent: readonly SpokenText[];
}

function askAll(
  large: Room,
  small: Room,
  nowMs: number,
): Record<"large" | "small" | "german", Times> {
  const random = randomFrom("recall");
  const times = { large: emptyTimes(), small: emptyTimes(), german: emptyTimes() };
  const { chat } = large;
  let recent: readonly SpokenText[] = [];
  for (let n = 0; n < QUESTIONS_BEFORE + QUESTIONS; n += 1) {
    const question = {
      nowMs,
      draw: random.int(0, DRAWS - 1) / DRAWS,
      message: { id: n, text: `${chat.question()} ${neverSaid(random)}` },
      recent,
    };
    recent = [...recent, question.message].slice(-depthOf("normal").own);
    const german = {
      ...question,
      draw: random.int(0, DRAWS - 1) / DRAWS,
      message: { id: null, text: `${GERMAN} ${neverSaid(random)}` },
    };
    const asked = {
      large: ask(large, question),
      small: ask(small, question),
      german: ask(large, german),
    };
    if (n < QUESTIONS_BEFORE) continue;
    for (const room of ["large", "small", "german"] as const) {
      times[room].lore.push(...asked[room].lore);
      times[room].channelNotes.push(...asked[room].channelNotes);
    }
  }
  return times;
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const LETTERS_NEW = 8;

function neverSaid(random: Random): string {
  return Array.from({ length: LETTERS_NEW }, () => LETTERS[random.int(0, LETTERS.length - 1)]).join(
    "",
  );
}

function emptyTimes(): Times {
  return { lore: [], channelNotes: [] };
}

function figures(times: ReturnType<typeof askAll>, notes: number): Figure[] {
  const ms = (name: string, value: number, atMost: number | null): Figure => ({
    name,
    value,
    unit: "ms",
    digits: 3,
    bar: atMost === null ? null : { atMost },
  });
  const of = (what: keyof Times, title: string, p50Max: number | null): Figure[] => [
    ms(`${title}, p50`, median(times.large[what]), p50Max),
    ms(`${title}, p99`, percentile(times.large[what], 0.99), P99_MS_MAX),
    ms(`${title}, among ${NOTES_SMALL} notes, p50`, median(times.small[what]), null),
    ms(`${title}, among ${NOTES_SMALL} notes, p99`, percentile(times.small[what], 0.99), null),
    {
      name: `${title}, ${notes} to ${NOTES_SMALL} notes, p50`,
      value: median(times.large[what]) / median(times.small[what]),
      unit: "×",
      bar: null,
    },
  ];
  return [
    ...of("lore", "lore", null),
    ms("lore, asked in German, p50", median(times.german.lore), null),
    ms("lore, asked in German, p99", percentile(times.german.lore, 0.99), null),
    ...of("channelNotes", "channel notes", null),
  ];
}

const { values } = parseArgs({ options: { notes: { type: "string", default: "1000000" } } });
const notes = Number(values.notes);
const nowMs = Date.now();
const rooms: Room[] = [];
try {
  const large = openRoom(notes, nowMs);
  rooms.push(large);
  const small = openRoom(NOTES_SMALL, nowMs);
  rooms.push(small);
  report(figures(askAll(large, small, nowMs), notes));
} finally {
  for (const { db, folder } of rooms) {
    db.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
