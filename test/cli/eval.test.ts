import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import { smallScenario } from "../evaluation/small-scenario.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Runs a command in this process; gives its exit code and what it wrote. */
async function run(...args: readonly string[]) {
  const output: string[] = [];
  const errors: string[] = [];
  const exit = await runProgram(args, {
    print: (text) => void output.push(text),
    complain: (text) => void errors.push(text),
    write: () => undefined,
    isTerminal: false,
    columns: () => 80,
    stop: new AbortController().signal,
  });
  return { exit, output: output.join("\n"), errors: errors.join("\n") };
}

function scenarioFile(): string {
  const file = join(temporaryFolder(), "small.json");
  writeFileSync(file, JSON.stringify(smallScenario({ asides: 0 })));
  return file;
}

test("a scenario's measures fit into eighty columns", async () => {
  const { exit, output } = await run("eval", "run", scenarioFile());
  expect(exit).toBe(0);
  expect(output).toMatch(/^1 scenario, 2 questions, model offline$/m);
  expect(output).toMatch(/^shipped .*100 % \(1\)/m);
  expect(output).toMatch(/^seed .*100 % \(1\)/m);
  expect(output).toContain("event 2 → episode 2 → note 2; → prompt 1 of 2 asked for");
  for (const line of output.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
  expect(existsSync("data")).toBe(false);
});

test("a scenario that an editor of Windows saved is read", async () => {
  const file = scenarioFile();
  const text = readFileSync(file, "utf8");
  for (const encoding of ["utf8", "utf16le"] as const) {
    writeFileSync(file, `\uFEFF${text}`, encoding);
    const { exit, errors } = await run("eval", "run", file, "--strategy", "shipped");
    expect({ exit, errors }, encoding).toEqual({ exit: 0, errors: "" });
  }
});

test("strategies and the model can be chosen, and scripts read JSON", async () => {
  const { exit, output } = await run(
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
  const scripted = await run("eval", "run", scenarioFile(), "--model", "scripted", "--json");
  expect(JSON.parse(scripted.output)).toMatchObject({ survival: { told: 2, episode: 0 } });
  const offline = join(temporaryFolder(), "config.json");
  writeFileSync(offline, JSON.stringify({ channel: "x", llm: { provider: "offline" } }));
  const configured = await run(
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
  expect(await run("eval", "run", "correction")).toMatchObject({
    exit: 2,
    errors: expect.stringContaining("did you mean corrections?"),
  });
  expect(await run("eval", "run", "--strategy", "magic")).toMatchObject({ exit: 2 });
  expect(await run("eval", "run", "./nowhere.json")).toMatchObject({ exit: 2 });
});

test("another policy is tried on what was offered, and nothing is written", async () => {
  const folder = temporaryFolder();
  const config = join(folder, "config.json");
  writeFileSync(config, JSON.stringify({ channel: "lanternroom", dataDir: "./data" }));
  expect(await run("memory", "policy", "try", "mode=shadow", "-c", config)).toMatchObject({
    exit: 2,
    errors: expect.stringContaining("no file at"),
  });
  const { openDatabase } = await import("../../src/database/open-database.ts");
  openDatabase(join(folder, "data", "forgetmenot.db")).close();
  const tried = await run("memory", "policy", "try", "mode=shadow", "-c", config);
  expect(tried).toMatchObject({ exit: 0, output: expect.stringContaining("0 candidates") });
  expect(await run("memory", "policy", "try", "mode=loud", "-c", config)).toMatchObject({
    exit: 2,
  });
  expect(await run("memory", "policy", "try", "colour=red", "-c", config)).toMatchObject({
    exit: 2,
  });
});
