import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { openDatabase } from "../../src/database/open-database.ts";
import { makeRememberAnswer } from "../../src/privacy/command-answers.ts";
import { type ChaosResult, coveredTwice, KEPT_NAMES, type Kept } from "./chaos-result.ts";
import { growthIn, watched } from "./heap-watch.ts";
import { exportOf } from "./large-export.ts";
import { type Launch, type Running, startProgram } from "./program.ts";
import type { Random } from "./random.ts";
import { CHANNEL, type Town } from "./town.ts";

const LINE_EVERY_MS = 150;
const WISH_EVERY = 7;
const MENTION_EVERY = 11;
const FORGET_EVERY = 41;
const LINES_OF_SELF = 5;
/** An answer takes its wordings in turn. */
const KEPT = makeRememberAnswer({ kind: "done", as: "kept" });
/** A model that failed again and again is asked every five minutes. */
const PATIENCE_MS = 330_000;

/** Between faults that follow each other so fast that the bot hears a line in forty: one pause of so many is a rest. */
const REST_EVERY = 8;
/** The longest rest, as a part of the run: half a minute in an hour, in which the bot is busy rather than cut off. */
const RESTS_IN_RUN = 120;

/** With kills and orderly ends; what comes after it is one run. */
const UNWATCHED_MS_MAX = 15 * 60_000;
/**
 * The watched run's memory works through once before its model fails: what is used for the first time, lists of words and
 * patterns that V8 compiles, takes a megabyte and more, and would count as growth where it came after a quarter of an hour.
 */
const MODEL_WORKS_MS_MAX = 5 * 60_000;

type Fault = (world: World) => Promise<void> | void;

interface World {
  readonly town: Town;
  /** Of a command beside the bot. */
  readonly launch: Launch;
  readonly run: () => Running;
  readonly random: Random;
  program: Running;
}

const later = (ms: number, work: () => void): void => void setTimeout(work, ms).unref();

const FAULTS: Readonly<Record<string, Fault>> = {
  cut: ({ town }) => town.irc.cutAll(),
  freeze: ({ town }) => town.irc.freeze(),
  reconnect: ({ town }) => town.irc.reconnectAll(),
  "log-in refused": ({ town, random }) => {
    const refusals = { left: random.int(1, 3) };
    town.irc.faults.refuseLogIn = () => refusals.left-- > 0;
    town.irc.cutAll();
  },
  "joins ignored": ({ town }) => {
    town.irc.faults.ignoreJoins = true;
    later(2_000, () => {
      town.irc.faults.ignoreJoins = false;
    });
    town.irc.cutAll();
  },
  "send forbidden": ({ town, random }) =>
    town.helix.failNext("/mock/chat/messages", { kind: "status", status: 403 }, random.int(1, 4)),
  "send fails": ({ town, random }) =>
    town.helix.failNext(
      "/mock/chat/messages",
      { kind: "status", status: 503, acted: random.int(0, 1) === 1 },
      random.int(1, 3),
    ),
  "validation fails": ({ town }) =>
    town.helix.failNext("/auth/validate", { kind: "status", status: 500 }, 2),
  "users hang": ({ town }) => town.helix.failNext("/mock/users", { kind: "hang" }),
  "model fails": ({ town, random }) => {
    const kinds = [
      { kind: "drop" },
      { kind: "hang" },
      { kind: "stall" },
      { kind: "endless" },
      { kind: "answer", status: 500, body: "{}" },
      { kind: "answer", status: 429, body: "{}" },
      { kind: "answer", status: 200, body: "not json" },
    ] as const;
    const script = kinds[random.int(0, kinds.length - 1)];
    if (script === undefined) return;
    // A bot that leaves a failing model alone asks seldom: what waits for it may not pile up.
    town.model.drain();
    town.model.enqueue(script);
  },
  "database held": async ({ town, random }) => {
    const other = openDatabase(join(town.dataDir, "forgetmenot.db"));
    try {
      other.exec("BEGIN IMMEDIATE");
      await delay(random.int(300, 2_500));
    } catch {
      // the bot itself was writing
    } finally {
      other.close();
    }
  },
  "reader stays": async ({ town, random }) => {
    const other = openDatabase(join(town.dataDir, "forgetmenot.db"), { readOnly: true });
    other.exec("BEGIN; SELECT count(*) FROM events");
    await delay(random.int(300, 3_000));
    other.close();
  },
  asleep: async ({ program, random }) => {
    if (process.platform === "win32") return;
    program.kill("SIGSTOP");
    await delay(random.int(500, 8_000));
    program.kill("SIGCONT");
  },
  "a clip hangs": ({ town }) => town.helix.failNext("/mock/clips", { kind: "hang" }),
  "a backup beside it": (world) => beside(world, "backup"),
  "an import beside it": (world) => {
    const file = join(world.launch.folder, "import.json");
    writeFileSync(file, exportOf(20, Date.now() - 60_000));
    return beside(world, "memory", "import", file, "--yes");
  },
};

/** A command in another terminal; it may be refused, as where the program writes the file anew. */
async function beside({ launch }: World, ...command: readonly string[]): Promise<void> {
  await startProgram(launch, ...command).ended;
}

/** Not once one run is watched, to its end: long enough to tell whether its memory grows. */
const ENDINGS: Readonly<Record<string, Fault>> = {
  killed: (world) => again(world, "SIGKILL"),
  ended: (world) => again(world, "SIGTERM"),
  "terminal closed": (world) => again(world, "SIGHUP"),
};

async function again(world: World, signal: NodeJS.Signals): Promise<void> {
  world.program.kill(signal);
  await world.program.ended;
  world.program = world.run();
  await world.program.says("Joined");
}

/** Runs the program under 400 lines a minute and faults at random moments, and judges what is left of what it promised. */
export async function chaosRun(
  town: Town,
  launch: Launch,
  { ms, random, note = () => undefined }: ChaosOptions,
): Promise<ChaosResult> {
  const samples = join(launch.folder, "heap");
  let watchedSinceMs = Number.POSITIVE_INFINITY;
  const isWatched = (): boolean => watchedSinceMs <= Date.now();
  const isModelToWork = (): boolean =>
    isWatched() && Date.now() < watchedSinceMs + Math.min(ms / 12, MODEL_WORKS_MS_MAX);
  const run = (): Running => startProgram(isWatched() ? watched(launch, samples) : launch, "run");
  const world: World = { town, launch, random, run, program: run() };
  await world.program.says("Joined");
  const faults: Record<string, number> = {};
  const load = startLoad(town);
  const rows = rowWatch(town);
  const beganAtMs = Date.now();
  while (Date.now() < beganAtMs + ms) {
    await delay(pauseIn(ms, random));
    if (!isWatched() && Date.now() >= beganAtMs + Math.min(ms / 2, UNWATCHED_MS_MAX)) {
      watchedSinceMs = Date.now();
      town.model.drain();
      await again(world, "SIGTERM");
    }
    const able = Object.entries(isWatched() ? FAULTS : { ...FAULTS, ...ENDINGS }).filter(
      ([name]) => name !== "model fails" || !isModelToWork(),
    );
    const [name, drive] = able[random.int(0, able.length - 1)] ?? ["cut", FAULTS["cut"]];
    faults[name] = (faults[name] ?? 0) + 1;
    note(name);
    await drive?.(world);
    rows.look();
  }
  load.stop();
  town.model.drain();
  town.irc.faults.ignoreJoins = false;
  town.irc.faults.refuseLogIn = () => false;
  const answersAgain = await isAnswering(town);
  world.program.kill("SIGTERM");
  const exit = await world.program.ended;
  // A row that no write reached while the database was held is ended by the next start.
  world.program = startProgram(launch, "run");
  await world.program.says("Joined");
  world.program.kill("SIGTERM");
  await world.program.ended;
  const found = { ...judge(town, load.sent), ...rows.judge(load.sent) };
  return { faults, ...found, answersAgain, exit, growth: growthIn(samples) };
}

function pauseIn(ms: number, random: Random): number {
  const isRest = random.int(1, REST_EVERY) === 1;
  return random.int(200, isRest ? Math.max(2_000, Math.floor(ms / RESTS_IN_RUN)) : 2_000);
}

interface ChaosOptions {
  readonly ms: number;
  readonly random: Random;
  readonly note?: (fault: string) => void;
}

interface Sent {
  readonly id: string;
  readonly userId: string;
  readonly kind: "line" | "wish" | "forget" | "mention";
}

function startLoad(town: Town): { readonly sent: readonly Sent[]; stop(): void } {
  const sent: Sent[] = [];
  const wishers: string[] = [];
  const speak = (): void => {
    const n = sent.length;
    const kind = kindOf(n, wishers.length);
    const userId = kind === "forget" ? (wishers.shift() ?? "") : String(20_000 + n);
    if (kind === "wish") wishers.push(userId);
    const login = `v${userId}`;
    const text = textOf(kind, n);
    const id = town.irc.say(CHANNEL, { userId, login, displayName: login, text, id: `chaos-${n}` });
    sent.push({ id, userId, kind });
  };
  const timer = setInterval(speak, LINE_EVERY_MS);
  return { sent, stop: () => clearInterval(timer) };
}

function kindOf(n: number, wishers: number): Sent["kind"] {
  if (n % FORGET_EVERY === FORGET_EVERY - 1 && wishers > 1) return "forget";
  if (n % WISH_EVERY === 0) return "wish";
  return n % MENTION_EVERY === 0 ? "mention" : "line";
}

function textOf(kind: Sent["kind"], n: number): string {
  switch (kind) {
    case "forget":
      return "!forgetme";
    case "wish":
      return `!remember I collect lantern number ${n}`;
    case "mention":
      return `@automark what about ${n}?`;
    case "line":
      return n % LINES_OF_SELF === 0 ? "I live in Norway" : `the lamp number ${n} is lit`;
  }
}

async function isAnswering(town: Town): Promise<boolean> {
  const untilMs = Date.now() + PATIENCE_MS;
  for (let n = 0; Date.now() < untilMs; n += 1) {
    const before = town.said.length;
    const person = { userId: `9${n}`, login: `last${n}`, displayName: `Last${n}` };
    town.irc.say(CHANNEL, { ...person, text: "@automark still there?" });
    await delay(2_000);
    if (town.said.length > before) return true;
  }
  return false;
}

type Judged = Omit<ChaosResult, "faults" | "exit" | "answersAgain" | "growth" | "seen" | "lost">;

function judge(town: Town, sent: readonly Sent[]): Judged {
  const db = openDatabase(join(town.dataDir, "forgetmenot.db"));
  const number = (sql: string): number => Number(db.prepare(sql).pluck().get());
  try {
    const told = new Map(town.said.map(({ replyTo, text }) => [replyTo ?? "", text]));
    const answered = (kind: Sent["kind"], wordings: readonly string[]) =>
      sent.filter(
        (one) => one.kind === kind && wordings.some((it) => told.get(one.id)?.includes(it)),
      );
    const forgotten = answered("forget", ["I forgot everything", "is gone"]).map(
      ({ userId }) => userId,
    );
    // Whoever wished to be forgotten may have been, also where the answer got lost.
    const leavers = new Set(sent.flatMap(({ kind, userId }) => (kind === "forget" ? userId : [])));
    const wishes = answered("wish", KEPT).map(({ userId }) => userId);
    const subjects = new Set(
      db.prepare<[], string>("SELECT subject_id FROM semantic_notes").pluck().all(),
    );
    const answers = town.said.flatMap(({ replyTo }) => replyTo ?? []);
    return {
      lines: sent.length,
      wishes: wishes.length,
      wishesLost: wishes.filter((userId) => !leavers.has(userId) && !subjects.has(userId)),
      forgotten: forgotten.length,
      notForgotten: forgotten.filter((userId) => subjects.has(userId)),
      answers: answers.length,
      answeredTwice: answers.length - new Set(answers).size,
      unsettled: number("SELECT count(*) FROM replies WHERE state IN ('thinking', 'sending')"),
      coveredTwice: coveredTwice(db),
      integrity: String(db.pragma("integrity_check", { simple: true })),
      logBytes: bytesIn(join(town.dataDir, "logs")),
    };
  } finally {
    db.close();
  }
}

interface KeptRow {
  readonly id: number;
  /** Whose wish to be forgotten takes it away; null where nobody's does. */
  readonly userId: string | null;
}

const KEPT_ROWS: Readonly<Record<Kept, string>> = {
  episodes: "SELECT id, NULL AS userId FROM episodes WHERE kind = 'window' AND stage <> 'claimed'",
  decisions: "SELECT id, NULL AS userId FROM action_log",
  notes: "SELECT id, subject_id AS userId FROM semantic_notes",
};
/** Remembers each row that was committed at any look, and says in the end which of them are gone. */
function rowWatch({ dataDir }: Town) {
  const seen = { episodes: new Map(), decisions: new Map(), notes: new Map() } satisfies Record<
    Kept,
    Map<number, string | null>
  >;
  const rowsNow = (kept: Kept): KeptRow[] => {
    const db = openDatabase(join(dataDir, "forgetmenot.db"), { readOnly: true });
    try {
      return db.prepare<[], KeptRow>(KEPT_ROWS[kept]).all();
    } finally {
      db.close();
    }
  };
  return {
    look: () => {
      for (const kept of KEPT_NAMES) {
        for (const { id, userId } of rowsNow(kept)) seen[kept].set(id, userId);
      }
    },
    judge: (sent: readonly Sent[]) => {
      const leavers = new Set(
        sent.flatMap(({ kind, userId }) => (kind === "forget" ? userId : [])),
      );
      const missing = (kept: Kept): number[] => {
        const left = new Set(rowsNow(kept).map(({ id }) => id));
        return [...seen[kept]].flatMap(([id, userId]) =>
          left.has(id) || leavers.has(userId ?? "") ? [] : [id],
        );
      };
      const each = <T>(of: (kept: Kept) => T) => ({
        episodes: of("episodes"),
        decisions: of("decisions"),
        notes: of("notes"),
      });
      return { seen: each((kept) => seen[kept].size), lost: each(missing) };
    },
  };
}

function bytesIn(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
