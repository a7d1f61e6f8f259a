/**
 * SIGKILL at a random moment under load, then start again, a hundred times: what is lost and what is said twice.
 * `npm run soak -- [runs] [seed]`; ends with exit code 1 where anything was wrong.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { randomFrom } from "../src/lab/rehearsal/random.ts";
import { type KillResult, killRun, LOSS_MS_MAX } from "../test/stand-ins/kill-run.ts";
import { buildProgram } from "../test/stand-ins/program.ts";
import { buildTown, launchIn } from "../test/stand-ins/town.ts";

const RUNS = Number(process.argv[2] ?? 100);
const SEED = Number(process.argv[3] ?? Date.now() % 100_000);
const LOAD_MS_MAX = 1_500;

const folder = mkdtempSync(join(tmpdir(), "forgetmenot-soak-"));
try {
  process.exitCode = (await soak(buildProgram(folder))) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit();

async function soak(main: string): Promise<boolean> {
  const town = await buildTown(join(folder, "town"));
  // A hundred runs ask more in an hour than a streamer's cap allows.
  const caps = { callsPerHour: 100_000, callsPerDay: 100_000, tokensPerDay: 1_000_000_000 };
  const launch = launchIn(town, main, { llm: { baseUrl: town.model.url, caps } });
  const random = randomFrom(SEED);
  const results: KillResult[] = [];
  console.log(`${RUNS} kills under load, seed ${SEED}`);
  for (let run = 1; run <= RUNS; run += 1) {
    const afterMs = random.int(20, LOAD_MS_MAX);
    const result = await killRun(town, launch, afterMs);
    results.push(result);
    if (!isFine(result)) console.log(`run ${run}, killed after ${afterMs} ms:`, result);
    if (run % 10 === 0) console.log(`${run} done`);
  }
  await town.close();
  report(results);
  return results.every(isFine);
}

function isFine(result: KillResult): boolean {
  const { integrity, missingTooOld, answeredTwice, unsettled, exit } = result;
  return integrity === "ok" && missingTooOld + answeredTwice + unsettled === 0 && exit === 0;
}

function report(results: readonly KillResult[]): void {
  const lost = results.map(({ oldestMissingMs }) => oldestMissingMs).sort((a, b) => a - b);
  const lines = results.reduce((sum, { sentBeforeKill }) => sum + sentBeforeKill, 0);
  console.log(
    `${results.filter(isFine).length} of ${results.length} fine; ${lines} lines under load`,
  );
  const unread = Math.max(...results.map(({ oldestUnreadMs }) => oldestUnreadMs));
  console.log(
    `chat lost since it was read: median ${lost[lost.length >> 1]} ms, at most ${lost.at(-1)} ms (allowed: ${LOSS_MS_MAX} ms and how late a timer is); since it was sent: at most ${unread} ms`,
  );
  console.log(
    `${results.at(-1)?.answers} answers, ${results.at(-1)?.answeredTwice} messages answered twice`,
  );
}
