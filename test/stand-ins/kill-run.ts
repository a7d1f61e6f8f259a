import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openDatabase } from "../../src/database/open-database.ts";
import { geminiSays } from "./gemini-server.ts";
import { type Launch, type Running, startProgram } from "./program.ts";
import { CHANNEL, type Town } from "./town.ts";
import { until } from "./until.ts";

/** What one kill under load, and the start after it, left behind. */
export interface KillResult {
  /** SQLite's verdict: `ok`. */
  readonly integrity: string;
  readonly sentBeforeKill: number;
  /** Messages that the program had read, and that no row has. */
  readonly missingRead: number;
  /** Messages that were answered more than once, over both runs. */
  readonly answeredTwice: number;
  readonly answers: number;
  /** Rows of `replies` that no run ended. */
  readonly unsettled: number;
  /** Of the second run, which was asked to end. */
  readonly exit: number | NodeJS.Signals;
}

const LINE_EVERY_MS = 5;
const MENTION_EVERY = 400;
const PATIENCE_MS = 30_000;

interface Sent {
  readonly id: string;
  /** True once the answer to the PING behind it came. */
  isRead: boolean;
}

/** Kills a loaded program `afterMs` after it joined, starts it again, asks it some more, and ends it. */
export async function killRun(town: Town, launch: Launch, afterMs: number): Promise<KillResult> {
  town.model.drain();
  const run = town.said.length;
  town.model.enqueue(
    ...Array.from({ length: 60 }, (_, n) => geminiSays({ text: `answer ${run}.${n}` })),
  );
  const first = await joined(launch);
  const load = startLoad(town, `${Date.now()}`);
  await delay(afterMs);
  first.kill("SIGKILL");
  const sent = load.stop();
  await first.ended;
  const second = await joined(launch);
  const before = town.said.length;
  town.irc.say(CHANNEL, {
    userId: "77",
    login: "patience",
    displayName: "Patience",
    text: "@automark still there?",
  });
  await until(() => town.said.length > before, PATIENCE_MS);
  second.kill("SIGTERM");
  const exit = await second.ended;
  return { ...judge(town, sent), exit };
}

async function joined(launch: Launch): Promise<Running> {
  const program = startProgram(launch, "run");
  try {
    await program.says("Joined");
    return program;
  } catch (cause) {
    program.kill("SIGKILL");
    throw cause;
  }
}

/** About two hundred lines a second, few of them to the bot, since before an answer all is written; a PING behind each. */
function startLoad(town: Town, run: string): { stop(): readonly Sent[] } {
  const sent: Sent[] = [];
  const pongsBefore = town.irc.pongs();
  const noteRead = (): void => {
    const read = sent.slice(0, town.irc.pongs() - pongsBefore);
    for (const line of read) line.isRead = true;
  };
  const beganAtMs = Date.now();
  const speak = (): void => {
    const n = sent.length;
    const text = n % MENTION_EVERY === 5 ? `@automark question ${n}` : `line ${n}`;
    const person = { userId: String(1_000 + n), login: `v${n}`, displayName: `V${n}` };
    const id = town.irc.say(CHANNEL, { ...person, text, id: `${run}-${n}` });
    town.irc.ping();
    sent.push({ id, isRead: false });
  };
  const timer = setInterval(() => {
    noteRead();
    while (sent.length * LINE_EVERY_MS <= Date.now() - beganAtMs) speak();
  }, LINE_EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return sent;
    },
  };
}

function judge(town: Town, sent: readonly Sent[]): Omit<KillResult, "exit"> {
  const db = openDatabase(join(town.dataDir, "forgetmenot.db"));
  try {
    const stored = new Set(
      db
        .prepare<[], string>("SELECT message_id FROM events WHERE message_id IS NOT NULL")
        .pluck()
        .all(),
    );
    const parents = town.said.flatMap(({ replyTo }) => replyTo ?? []);
    return {
      integrity: String(db.pragma("integrity_check", { simple: true })),
      sentBeforeKill: sent.length,
      missingRead: sent.filter(({ id, isRead }) => isRead && !stored.has(id)).length,
      answeredTwice: parents.length - new Set(parents).size,
      answers: parents.length,
      unsettled: Number(
        db
          .prepare("SELECT count(*) FROM replies WHERE state IN ('thinking', 'sending')")
          .pluck()
          .get(),
      ),
    };
  } finally {
    db.close();
  }
}
