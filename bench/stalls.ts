/**
 * How long the event loop of the running daemon stands still at the work that is heavy at 500 MB, measured in its own
 * process: `npm run bench:stalls [-- --mb 500] [--quick]`. About eight minutes, or four: a sweep comes every five, and so does a
 * second VACUUM.
 */
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openDatabase } from "../src/platform/database/open-database.ts";
import { scheduledBackups } from "../src/privacy/backups.ts";
import { exportOf } from "../test/stand-ins/large-export.ts";
import { type Stall, watchedLoop } from "../test/stand-ins/loop-watch.ts";
import { buildProgram, type Launch, startProgram } from "../test/stand-ins/program.ts";
import { BOT, buildTown, CHANNEL, launchIn, type Town } from "../test/stand-ins/town.ts";
import { type Figure, report } from "./figures.ts";
import { type Stored, storeChannel } from "./stored-channel.ts";

const STALL_MS_MAX = 50;
/** 400 a minute, one in twenty to the bot. */
const LINE_EVERY_MS = 150;
const ONE_IN_TO_BOT = 20;
const SWEEP_EVERY_MS = 5 * 60_000;

interface Scene {
  readonly town: Town;
  /** Of a command beside the daemon. */
  readonly beside: Launch;
  readonly folder: string;
  readonly stored: Stored;
}

/** What is done while the daemon is watched. Each ends when the daemon is through with it. */
const WORK: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  "nothing but chat and mentions": () => delay(20_000),
  "the day's backup, by itself a minute after the start": async ({ town }) => {
    const untilMs = Date.now() + SWEEP_EVERY_MS;
    while (scheduledBackups(town.dataDir).length === 0 && Date.now() < untilMs) await delay(250);
  },
  "a backup, by a command": async ({ beside }) => startProgram(beside, "backup").ended,
  "!forgetme of a heavy viewer, and VACUUM": async (scene) => {
    scene.town.irc.say(CHANNEL, { ...person(scene, 0), text: "!forgetme" });
    await settledFile(scene);
  },
  "viewer forget of another, by a command": async (scene) => {
    await startProgram(scene.beside, "viewer", "forget", `id:${person(scene, 1).userId}`, "--yes")
      .ended;
    // The next VACUUM comes minutes after the last.
    if (!values.quick) await settledFile(scene);
  },
  "an import of 3,000 notes, by a command": async ({ beside, folder }) => {
    const file = join(folder, "export.json");
    writeFileSync(file, exportOf(1_000, Date.now() - 60_000));
    return startProgram(beside, "memory", "import", file, "--yes").ended;
  },
};

const { values } = parseArgs({
  options: { mb: { type: "string", default: "500" }, quick: { type: "boolean", default: false } },
});
const folder = mkdtempSync(join(tmpdir(), "forgetmenot-stalls-"));
try {
  report(await measure(Number(values.mb)));
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
process.exit();

async function measure(mb: number): Promise<Figure[]> {
  const town = await buildTown(folder, { isWorkingModel: true });
  const stored = fill(town, mb);
  const beside = launchIn(town, buildProgram(folder));
  const watch = watchedLoop(beside, join(folder, "stalls.jsonl"));
  const daemon = startProgram(watch.launch, "run");
  await daemon.says("Joined");
  await delay(5_000);
  const startedAtMs = Date.now();
  const load = speak(town, stored);
  const figures: Figure[] = [];
  const watched = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    const fromMs = Date.now();
    await work();
    await delay(1_000);
    const found = watch.stalls().filter(({ atMs }) => atMs >= fromMs);
    figures.push(...figuresOf(name, found, Date.now() - fromMs));
  };
  for (const [name, work] of Object.entries(WORK)) {
    await watched(name, () => work({ town, beside, folder, stored }));
  }
  const sweepInMs = Math.max(0, startedAtMs + SWEEP_EVERY_MS - Date.now());
  if (!values.quick) {
    await watched("memory's passes, and the sweep of what ran out", () =>
      delay(sweepInMs + 20_000),
    );
  }
  clearInterval(load);
  daemon.kill("SIGTERM");
  await daemon.ended;
  await town.close();
  return figures;
}

/** Rows as a channel has them after years; some of its lines run out while the daemon runs. */
function fill(town: Town, mb: number): Stored {
  mkdirSync(town.dataDir, { recursive: true });
  const file = join(town.dataDir, "forgetmenot.db");
  const stored = storeChannel(
    file,
    { channel: CHANNEL, botName: BOT, nowMs: Date.now() },
    {
      events: 200_000,
      eventsOfFirst: 25_000,
      episodes: mb * 680,
      notes: mb * 900,
      replies: 2_000,
    },
  );
  const db = openDatabase(file);
  db.exec("UPDATE events SET expires_at = expires_at - 3300000");
  db.close();
  console.log(`database ${(statSync(file).size / 1e6).toFixed(0)} MB`);
  return stored;
}

function person({ stored }: Scene, at: number) {
  const found = stored.people[at];
  if (found === undefined) throw new Error("the channel has too few people");
  return found;
}

function speak(town: Town, { chat }: Stored): NodeJS.Timeout {
  let lines = 0;
  return setInterval(() => {
    lines += 1;
    const text = lines % ONE_IN_TO_BOT === 0 ? `@${BOT} ${chat.text()}` : chat.text();
    town.irc.say(CHANNEL, { ...chat.somebody(), text });
  }, LINE_EVERY_MS);
}

/** Resolves when nothing is being forgotten any more, and the file has been written anew. */
async function settledFile({ town }: Scene): Promise<void> {
  await delay(2_000);
  const db = openDatabase(join(town.dataDir, "forgetmenot.db"), { readOnly: true });
  const busy = db.prepare(
    `SELECT 1 FROM runtime WHERE name = 'forgetting' AND value_json ->> 'people' > 0 UNION ALL
     SELECT 1 FROM runtime, counters WHERE runtime.name = 'vacuum' AND counters.name = 'removed.people'
       AND runtime.value_json ->> 'people' < counters.value`,
  );
  const untilMs = Date.now() + SWEEP_EVERY_MS;
  while (busy.get() !== undefined && Date.now() < untilMs) await delay(250);
  db.close();
}

function figuresOf(name: string, stalls: readonly Stall[], tookMs: number): Figure[] {
  const longest = [...stalls].sort((a, b) => b.ms - a.ms)[0] ?? { ms: 0, ownMs: 0 };
  const waited = Math.max(0, ...stalls.map(({ waitedMs }) => waitedMs));
  const over = stalls.filter(({ ms }) => ms > STALL_MS_MAX).length;
  return [
    { name, value: longest.ms, unit: "ms", digits: 0, bar: { atMost: STALL_MS_MAX } },
    { name: "  of that it computed", value: longest.ownMs, unit: "ms", digits: 0, bar: null },
    { name: "  the longest wait for a processor", value: waited, unit: "ms", digits: 0, bar: null },
    { name: "  pauses over 50 ms", value: over, unit: "", digits: 0, bar: null },
    { name: "  it took", value: tookMs / 1_000, unit: "s", digits: 1, bar: null },
  ];
}
