import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { smallScenario } from "../evaluation/small-scenario.ts";
import { runHere } from "../stand-ins/command.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { makeBotFolder } from "./bot-folder.ts";

function scenarioFile(): string {
  const file = join(temporaryFolder(), "small.json");
  writeFileSync(file, JSON.stringify(smallScenario({ asides: 0 })));
  return file;
}

test("a scenario's measures fit into eighty columns", async () => {
  const { exit, output } = await runHere("eval", "run", scenarioFile());
  expect(exit).toBe(0);
  expect(output).toMatch(/^1 scenario, 2 questions, model offline$/m);
  expect(output).toMatch(/^shipped .*100 % \(1\)/m);
  expect(output).toMatch(/^seed .*100 % \(1\)/m);
  expect(output).toContain("event 2 → episode 2 → note 2; → prompt 1 of 2 asked for");
  for (const line of output.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
  expect(existsSync("data")).toBe(false);
});

test("strategies and the model can be chosen, and scripts read JSON", async () => {
  const shipped = ["--strategy", "shipped", "--json"];
  const { exit, output } = await runHere("eval", "run", scenarioFile(), ...shipped);
  expect(exit).toBe(0);
  expect(JSON.parse(output)).toMatchObject({
    strategies: ["shipped"],
    recall: [{ strategy: "shipped", ranking: { hits: 1, of: 1, share: 1 } }],
  });
  const scripted = await runHere("eval", "run", scenarioFile(), "--model", "scripted", "--json");
  expect(JSON.parse(scripted.output)).toMatchObject({ survival: { told: 2, episode: 0 } });
  const { run } = makeBotFolder({ channel: "x", llm: { provider: "offline" } });
  const configured = await run("eval", "run", scenarioFile(), "--model", "config", "--json");
  expect(JSON.parse(configured.output)).toMatchObject({ model: "offline", survival: { note: 2 } });
});

test("what cannot be meant is told, with exit code 2", async () => {
  expect(await runHere("eval", "run", "correction")).toMatchObject({
    exit: 2,
    errors: expect.stringContaining("did you mean corrections?"),
  });
  expect(await runHere("eval", "run", "--strategy", "magic")).toMatchObject({ exit: 2 });
  expect(await runHere("eval", "run", "./nowhere.json")).toMatchObject({ exit: 2 });
});

test("another policy is tried on what was offered, and nothing is written", async () => {
  const { openDb, run } = makeBotFolder({ channel: "lanternroom" });
  expect(await run("memory", "policy", "try", "mode=shadow")).toMatchObject({
    exit: 2,
    errors: expect.stringContaining("no file at"),
  });
  openDb();
  const tried = await run("memory", "policy", "try", "mode=shadow");
  expect(tried).toMatchObject({ exit: 0, output: expect.stringContaining("0 candidates") });
  expect(await run("memory", "policy", "try", "mode=loud")).toMatchObject({ exit: 2 });
});
