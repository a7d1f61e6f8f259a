import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { smallScenario } from "../evaluation/small-scenario.ts";
import { runHere } from "../stand-ins/command.ts";
import { temporaryFolder } from "../temporary-folder.ts";

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
  const { exit, output } = await runHere(
    "eval",
    "run",
    scenarioFile(),
    "--strategy",
    "shipped",
    "--json",
  );
  expect(exit).toBe(0);
  expect(JSON.parse(output)).toMatchObject({
    strategies: ["shipped"],
    recall: [{ strategy: "shipped", ranking: { hits: 1, of: 1, share: 1 } }],
  });
  const scripted = await runHere("eval", "run", scenarioFile(), "--model", "scripted", "--json");
  expect(JSON.parse(scripted.output)).toMatchObject({ survival: { told: 2, episode: 0 } });
  const offline = join(temporaryFolder(), "config.json");
  writeFileSync(offline, JSON.stringify({ channel: "x", llm: { provider: "offline" } }));
  const configured = await runHere(
    "eval",
    "run",
    scenarioFile(),
    "--model",
    "config",
    "-c",
    offline,
    "--json",
  );
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
  const folder = temporaryFolder();
  const config = join(folder, "config.json");
  writeFileSync(config, JSON.stringify({ channel: "lanternroom", dataDir: "./data" }));
  expect(await runHere("memory", "policy", "try", "mode=shadow", "-c", config)).toMatchObject({
    exit: 2,
    errors: expect.stringContaining("no file at"),
  });
  const { openDatabase } = await import("../../src/database/open-database.ts");
  openDatabase(join(folder, "data", "forgetmenot.db")).close();
  const tried = await runHere("memory", "policy", "try", "mode=shadow", "-c", config);
  expect(tried).toMatchObject({ exit: 0, output: expect.stringContaining("0 candidates") });
  expect(await runHere("memory", "policy", "try", "mode=loud", "-c", config)).toMatchObject({
    exit: 2,
  });
  expect(await runHere("memory", "policy", "try", "colour=red", "-c", config)).toMatchObject({
    exit: 2,
  });
});
