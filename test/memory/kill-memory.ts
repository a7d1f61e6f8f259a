import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { type Db, openDatabase } from "../../src/database/open-database.ts";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { type ModelServer, openModelServer } from "../stand-ins/model-server.ts";
import { buildFile } from "../stand-ins/program.ts";
import type { Random } from "../stand-ins/random.ts";

/** What a memory that was killed again and again, and then drained, left behind. From `uncovered` on all is 0 where all is well. */
export interface KilledMemory {
  readonly integrity: string;
  readonly kills: number;
  readonly episodes: number;
  /** Windows that were summarised before the last start. */
  readonly summarisedBefore: number;
  /** Events with text in no episode, or in one that does not exist. */
  readonly uncovered: number;
  /** Events that the episodes count beyond those they have, or fewer. */
  readonly miscounted: number;
  /** Questions about a window that was summarised already. */
  readonly paidTwice: number;
  /** Questions of either sort beyond one for each window and one for each kill. */
  readonly paidBeyond: number;
  /** Episodes that have not exactly the claims of the answer, or whose stage and status do not agree. */
  readonly halfWritten: number;
}

const CHILD = fileURLToPath(new URL("kill-child.ts", import.meta.url));
const CHANNELS = ["quayside", "orchard", "belfry"];
const CLAIMS = ["P1 repairs lamps", "P1 collects sea charts"].map((statement) => ({
  ...{ subject: "P1", quotes: ["I repair lamps and collect sea charts"], how: "plainly" },
  statement,
}));

/** Answers every question of memory's: of an episode it makes no notes. */
const ANSWER = geminiSays({
  text: JSON.stringify({
    topic: "lamps",
    summary: "The crew traded stories about boats and lamps.",
    claims: CLAIMS,
    notes: [],
    recap: "",
  }),
});

/** Fills a database with `windows` windows, kills the memory `kills` times at random moments, and lets it finish. */
export async function killMemory(
  folder: string,
  {
    kills,
    windows,
    random,
  }: { readonly kills: number; readonly windows: number; readonly random: Random },
): Promise<KilledMemory> {
  const file = join(folder, "forgetmenot.db");
  const db = openDatabase(file);
  const model = await openModelServer(ANSWER);
  try {
    const child = buildFile(mkdtempSync(join(folder, "child-")), CHILD);
    fill(db, windows * 300);
    let paidTwice = 0;
    let killed = 0;
    let summarisedBefore = 0;
    for (let n = 0; n <= kills; n += 1) {
      const done = summarisedWindows(db);
      summarisedBefore = done.size;
      const asked = model.requests.length;
      const kill = {
        questions: random.int(QUESTIONS_MIN, QUESTIONS_MAX),
        ms: random.int(0, KILL_MS_MAX),
      };
      if (await runChild([child, file], model, n < kills ? kill : null)) killed += 1;
      paidTwice += askedAbout(model)
        .slice(asked)
        .filter((window) => done.has(window)).length;
    }
    return { ...judge(db, model, killed), paidTwice, summarisedBefore };
  } finally {
    db.close();
    await model.close();
  }
}

/**
 * A child is killed after so many questions, and so long after the last of them: at any moment of a window. Of two
 * questions the first was answered; and however fast the machine is, it gets only so many more answers until then.
 */
const QUESTIONS_MIN = 2;
const QUESTIONS_MAX = 8;
const KILL_MS_MAX = 25;
const MORE_ANSWERS_MAX = 3;

interface Kill {
  readonly questions: number;
  readonly ms: number;
}

/** Lets a memory work, and kills it at the moment given. Says whether that hit it at work. */
async function runChild(
  command: readonly string[],
  model: ModelServer,
  kill: Kill | null,
): Promise<boolean> {
  if (kill !== null) {
    const answers = Array.from({ length: kill.questions + MORE_ANSWERS_MAX }, () => ANSWER);
    model.enqueue(...answers, { kind: "hang" });
  }
  const child = spawn(process.execPath, [...command, model.url, ...CHANNELS], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  if (kill !== null) {
    await Promise.race([model.received(model.requests.length + kill.questions), ended]);
    await delay(kill.ms);
    child.kill("SIGKILL");
  }
  await ended;
  model.drain();
  return child.signalCode === "SIGKILL";
}

function fill(db: Db, count: number): void {
  const startedMs = Date.now() - count;
  db.transaction(() => {
    for (let person = 1; person <= 7; person += 1) {
      db.prepare("INSERT INTO viewers VALUES (?, ?, ?, 1, 1, 0)").run(
        String(person),
        `sailor_${person}`,
        `Sailor_${person}`,
      );
    }
    const add = db.prepare(
      `INSERT INTO events (channel, kind, user_id, text, memorable, created_at, expires_at)
       VALUES (?, 'message', ?, ?, 1, ?, ?)`,
    );
    for (let n = 0; n < count; n += 1) {
      const channel = CHANNELS[n % CHANNELS.length];
      add.run(
        channel,
        String(1 + (n % 7)),
        `line ${n}: I repair lamps and collect sea charts`,
        startedMs + n,
        startedMs + 86_000_000,
      );
    }
  })();
}

const requestBody = z.object({
  contents: z.array(z.object({ parts: z.array(z.object({ text: z.string() })) })),
});

/** Of a question that shows no chat. */
const NO_WINDOW = -1;

/** The number of the first line of the window that each question was about. */
function askedAbout({ requests }: ModelServer): number[] {
  return requests.map(({ body }) => {
    const text = requestBody
      .parse(body)
      .contents.flatMap(({ parts }) => parts.map((part) => part.text))
      .join("");
    return Number(/line (\d+): I/.exec(text)?.[1] ?? NO_WINDOW);
  });
}

function summarisedWindows(db: Db): Set<number> {
  const firsts = db
    .prepare<[], number>(
      `SELECT min(e.id) FROM events e JOIN episodes p ON p.id = e.episode_id
       WHERE p.stage <> 'claimed' GROUP BY p.id`,
    )
    .pluck();
  return new Set(firsts.all().map((id) => id - 1)); // line 0 is event 1
}

function judge(
  db: Db,
  model: ModelServer,
  kills: number,
): Omit<KilledMemory, "paidTwice" | "summarisedBefore"> {
  const count = (sql: string): number => Number(db.prepare(sql).pluck().get());
  const episodes = count("SELECT count(*) FROM episodes");
  const summaries = askedAbout(model).filter((window) => window !== NO_WINDOW).length;
  return {
    integrity: String(db.pragma("integrity_check", { simple: true })),
    kills,
    episodes,
    uncovered: count(
      `SELECT count(*) FROM events WHERE text IS NOT NULL
         AND (episode_id IS NULL OR episode_id NOT IN (SELECT id FROM episodes))`,
    ),
    miscounted: count(
      `SELECT count(*) FROM episodes p
       WHERE event_count <> (SELECT count(*) FROM events e WHERE e.episode_id = p.id)`,
    ),
    paidBeyond:
      Math.max(0, summaries - episodes - kills) +
      Math.max(0, model.requests.length - summaries - episodes - kills),
    halfWritten: count(
      `SELECT count(*) FROM episodes p WHERE stage = 'claimed' OR status <> 'done' OR summary || unproven = ''
         OR (SELECT count(*) FROM episode_claims c WHERE c.episode_id = p.id) <> ${CLAIMS.length}`,
    ),
  };
}
