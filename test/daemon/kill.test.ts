import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../../src/database/open-database.ts";
import { builtProgram } from "../stand-ins/built-program.ts";
import { openTown } from "../stand-ins/house.ts";
import { killRun } from "../stand-ins/kill-run.ts";
import { startProgram } from "../stand-ins/program.ts";
import { randomFrom } from "../stand-ins/random.ts";
import { CHANNEL, launchIn } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

const RUNS = 2;
/** The batch of chat that waits to be written. */
const MISSING_MAX = 64;
/** In the name of the test, so that a failure can be repeated. */
const SEED = Date.now() % 100_000;
const main = builtProgram();

test(`a program that is killed under load loses only its last moment of chat and says nothing twice (seed ${SEED})`, async () => {
  const town = await openTown();
  const launch = launchIn(town, main);
  const random = randomFrom(SEED);
  let answers = 0;
  for (let run = 1; run <= RUNS; run += 1) {
    const result = await killRun(town, launch, random.int(1_500, 2_000));
    expect(result, `run ${run}`).toMatchObject({
      integrity: "ok",
      answeredTwice: 0,
      unsettled: 0,
      exit: 0,
    });
    expect(result.missingRead, `run ${run}`).toBeLessThanOrEqual(MISSING_MAX);
    expect(result.sentBeforeKill).toBeGreaterThan(0);
    answers = result.answers;
  }
  expect(answers).toBeGreaterThanOrEqual(RUNS);
}, 180_000);

test("an answer that was on its way when the program died is not said again", async () => {
  const town = await openTown();
  const launch = launchIn(town, main);
  const first = startProgram(launch, "run");
  onTestFinished(() => first.kill("SIGKILL"));
  await first.says("Joined");
  town.helix.failNext("/mock/chat/messages", { kind: "hang", acted: true });
  town.irc.say(CHANNEL, {
    userId: "501",
    login: "rosa",
    displayName: "Rosa",
    text: "@automark hello",
  });
  await until(() => town.said.length === 1);
  first.kill("SIGKILL");
  await first.ended;
  const again = startProgram(launch, "run");
  onTestFinished(() => again.kill("SIGKILL"));
  await again.says("Joined");
  again.kill("SIGTERM");
  expect(await again.ended).toBe(0);
  const db = openDatabase(join(town.dataDir, "forgetmenot.db"));
  onTestFinished(() => void db.close());
  expect(db.prepare("SELECT state, reason FROM replies").all()).toEqual([
    { state: "unknown", reason: "crashed" },
  ]);
  expect(town.said).toHaveLength(1);
});
