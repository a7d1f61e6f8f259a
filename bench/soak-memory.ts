/**
 * SIGKILL of a memory at work at random moments, then left to finish: two hundred times, ten to a database.
 * `npm run soak:memory -- [kills] [seed]`; ends with exit code 1 where anything was wrong.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { type KilledMemory, killMemory } from "../test/memory/kill-memory.ts";
import { randomFrom } from "../test/stand-ins/random.ts";

const KILLS = Number(process.argv[2] ?? 200);
const SEED = Number(process.argv[3] ?? Date.now() % 100_000);
const KILLS_PER_DATABASE = 10;
const WINDOWS = 60;

const random = randomFrom(SEED);
console.log(`${KILLS} kills, seed ${SEED}`);
let kills = 0;
let isFineSoFar = true;
while (kills < KILLS) {
  const result = await oneDatabase(Math.min(KILLS_PER_DATABASE, KILLS - kills));
  kills += Math.min(KILLS_PER_DATABASE, KILLS - kills);
  isFineSoFar = isFineSoFar && isFine(result);
  console.log(`${kills} kills: ${isFine(result) ? "fine" : "WRONG"}`, JSON.stringify(result));
}
process.exit(isFineSoFar ? 0 : 1);

async function oneDatabase(count: number): Promise<KilledMemory> {
  const folder = mkdtempSync(join(tmpdir(), "forgetmenot-soak-"));
  try {
    return await killMemory(folder, { kills: count, windows: WINDOWS, random });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function isFine(result: KilledMemory): boolean {
  const { integrity, uncovered, miscounted, paidTwice, paidBeyond, halfWritten } = result;
  return integrity === "ok" && uncovered + miscounted + paidTwice + paidBeyond + halfWritten === 0;
}
