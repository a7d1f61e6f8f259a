import { expect, test } from "vitest";
import { builtProgram } from "../stand-ins/built-program.ts";
import { chaosRun } from "../stand-ins/chaos-run.ts";
import { openTown } from "../stand-ins/house.ts";
import { randomFrom } from "../stand-ins/random.ts";
import { launchIn } from "../stand-ins/town.ts";

/** One run of many: `npm run soak` takes another each time. */
const SEED = 11;
const main = builtProgram();

test(`twenty seconds of random faults lose nothing that was acknowledged (seed ${SEED})`, async () => {
  const town = await openTown({ isWorkingModel: true, scopes: ["user:write:chat", "clips:edit"] });
  const launch = launchIn(town, main, { memory: { compactionSeconds: 2, noteSeconds: 2 } });
  const result = await chaosRun(town, launch, { ms: 20_000, random: randomFrom(SEED) });
  expect(result).toMatchObject({
    wishesLost: [],
    notForgotten: [],
    lost: { episodes: [], decisions: [], notes: [] },
    answeredTwice: 0,
    unsettled: 0,
    coveredTwice: 0,
    integrity: "ok",
    exit: 0,
    answersAgain: true,
  });
  expect(result.wishes).toBeGreaterThan(0);
  expect(result.seen.decisions).toBeGreaterThan(0);
}, 300_000);
