/**
 * Faults of all kinds at random moments under 400 lines a minute: what is lost of what was acknowledged, what is said
 * twice, and whether memory grows. `npm run soak -- --minutes 60 [--seed 7]`; ends with exit code 1 where anything was wrong.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { wrongIn } from "../test/stand-ins/chaos-result.ts";
import { chaosRun } from "../test/stand-ins/chaos-run.ts";
import { buildProgram } from "../test/stand-ins/program.ts";
import { randomFrom } from "../test/stand-ins/random.ts";
import { buildTown, launchIn } from "../test/stand-ins/town.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    seed: { type: "string", default: String(Date.now() % 100_000) },
  },
});
const folder = mkdtempSync(join(tmpdir(), "forgetmenot-soak-"));
const isGood = await soak(buildProgram(folder));
if (isGood) rmSync(folder, { recursive: true, force: true });
else console.log(`its log and database are in ${folder}`);
process.exit(isGood ? 0 : 1);

async function soak(main: string): Promise<boolean> {
  const town = await buildTown(join(folder, "town"), {
    isWorkingModel: true,
    scopes: ["user:write:chat", "clips:edit"],
  });
  const caps = { callsPerHour: 100_000, callsPerDay: 100_000, tokensPerDay: 1_000_000_000 };
  const launch = launchIn(town, main, {
    llm: { baseUrl: town.model.url, caps },
    memory: { compactionSeconds: 3, noteSeconds: 5 },
  });
  console.log(`${values.minutes} minutes of faults, seed ${values.seed}`);
  const ms = Number(values.minutes) * 60_000;
  const result = await chaosRun(town, launch, { ms, random: randomFrom(Number(values.seed)) });
  await town.close();
  console.log(JSON.stringify(result, null, 2));
  const wrong = wrongIn(result, ms);
  console.log(wrong.length === 0 ? "nothing acknowledged was lost" : wrong.join("\n"));
  return wrong.length === 0;
}
