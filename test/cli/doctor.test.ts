import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { formatFindings } from "../../src/cli/doctor.ts";
import { runProgram } from "../../src/cli/program.ts";
import { checkNode } from "../../src/system/machine-checks.ts";
import { runCommand, runLine } from "../stand-ins/command.ts";
import { launchIn, TWITCH_TOKEN } from "../stand-ins/town.ts";
import { examine, openPatient } from "./examined.ts";

test("a bot that is well is told so, line by line, in a fixed order", async () => {
  const { town } = await openPatient();
  const { exit, output, errors } = await runCommand(launchIn(town, ""), "doctor");
  expect(errors).toBe("");
  const lines = output.trimEnd().split("\n");
  expect(lines.at(-1)).toBe("0 problems, 0 warnings");
  expect(lines.slice(0, -2).map((line) => line.slice(0, 15).trimEnd())).toEqual([
    "✓ Node",
    "✓ configuration",
    "✓ data folder",
    "✓ disk space",
    "✓ the bot",
    "✓ secrets",
    "✓ bot's log-in",
    "✓ your log-in",
    "✓ channel",
    "✓ chat server",
    "✓ model",
    "✓ database",
    "✓ page",
  ]);
  expect(exit).toBe(0);
});

test("a problem stands with its mend below it, and ends in exit code 1", async () => {
  const { town } = await openPatient();
  const launch = launchIn(town, "");
  const environment = { ...launch.environment, GEMINI_API_KEY: "" };
  const { exit, output } = await runCommand({ ...launch, environment }, "doctor");
  expect(output).toContain(
    "✗ model          there is no key for Google Gemini (GEMINI_API_KEY)\n                 → ",
  );
  expect(output).toMatch(/\n1 problem, 0 warnings\n$/);
  expect(exit).toBe(1);
});

test("on a terminal lines are broken so that they stay in their column", async () => {
  const { town } = await openPatient();
  const { folder, environment } = launchIn(town, "", { mode: "shadow" });
  for (const [name, value] of Object.entries(environment ?? {})) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const printed: string[] = [];
  await runProgram(["doctor", "--config", join(folder, "config.json")], {
    print: (text) => void printed.push(text),
    complain: () => undefined,
    write: () => undefined,
    isTerminal: true,
    columns: () => 60,
    stop: new AbortController().signal,
  });
  const lines = printed.join("\n").split("\n");
  const wordy = lines.filter((line) => !line.includes(folder) && line.trim().includes(" "));
  expect(wordy.filter((line) => line.length > 60)).toEqual([]);
  expect(lines.filter((line) => /^ {17}\S/.test(line)).length).toBeGreaterThan(1);
});

test("colours are for the signs only, and a mend that holds for several is said once", () => {
  const style = { colour: true, columns: null };
  const one = { check: "config", state: "problem", found: "a", mend: "look" } as const;
  const two = { ...one, found: "b" };
  expect(formatFindings([one, two], undefined, style)).toEqual([
    "\u001b[31m✗\u001b[0m configuration  a",
    `\u001b[31m✗\u001b[0m ${" ".repeat(15)}b\n${" ".repeat(17)}→ look`,
  ]);
});

test("a Node that is too old is a problem; a system that nobody tried is a warning", () => {
  expect(checkNode({ node: "v20.18.3", platform: "linux" })).toMatchObject({
    state: "problem",
    found: expect.stringContaining("20.18.3 on Linux; the oldest that works is 20.19"),
  });
  for (const node of ["v22.0.0", "v24.21.0", "v26.10.0"])
    expect(checkNode({ node, platform: "win32" })).toMatchObject({ state: "ok" });
  expect(checkNode({ node: "v22.0.0", platform: "sunos" })).toMatchObject({ state: "warning" });
});

test("everything that is wrong with a configuration is told at once", async () => {
  const patient = await openPatient();
  const { exit, of } = await examine(patient, {
    mode: "loud",
    chanel: "a",
    backup: { keep: 0 },
  });
  expect(of("config").map(({ state, found }) => [state, found.replace(/^.*json: /, "")])).toEqual([
    ["problem", expect.stringContaining("mode is")],
    ["problem", "backup.keep is 0, should be at least 1"],
    ["problem", "chanel is not a key; did you mean channel?"],
  ]);
  expect(exit).toBe(2);
  writeFileSync(join(patient.folder, "config.json"), '{"channel": ');
  const broken = await runLine(["doctor", "--config", join(patient.folder, "config.json")]);
  expect(broken.output).toContain("is not valid JSON");
  expect(broken.exit).toBe(2);
});

test("settings that are valid and surprise are told in one line", async () => {
  const { of, exit } = await examine(await openPatient(), {
    mode: "shadow",
    replies: { whenOffline: true },
    actions: { safeMode: true },
    memory: { mode: "manual" },
  });
  expect(of("config")[1]).toEqual({
    state: "ok",
    found:
      "worth knowing: in mode shadow it never writes in chat; it answers while you are offline, too; actions.safeMode refuses every action; in memory.mode manual every fact waits for you",
    mend: null,
  });
  expect(exit).toBe(0);
});

test("a bot that only listens needs no log-in", async () => {
  const over = { bot: { login: null }, mode: "shadow", llm: { provider: "offline" } };
  const none = { TWITCH_ACCESS_TOKEN: "", GEMINI_API_KEY: "" };
  const { of, exit } = await examine(await openPatient(), over, none);
  expect(of("bot_token")[0]?.found).toBe("none needed: the bot listens without an account");
  expect(of("model")[0]?.found).toBe("none is asked: recorded answers");
  expect(of("channel")[0]?.state).toBe("not_checked");
  expect(exit).toBe(0);
});

test("Ctrl-C ends it: what was not looked at is told as such", async () => {
  const { town } = await openPatient();
  town.model.enqueue({ kind: "hang" });
  const { folder, environment } = launchIn(town, "");
  for (const [name, value] of Object.entries(environment ?? {})) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const stop = new AbortController();
  const printed: string[] = [];
  const run = runProgram(["doctor", "--json", "--config", join(folder, "config.json")], {
    print: (text) => void printed.push(text),
    complain: (text) => void printed.push(text),
    write: () => undefined,
    isTerminal: false,
    columns: () => 100,
    stop: stop.signal,
  });
  await town.model.received(1);
  stop.abort();
  expect(await run).toBe(1);
  const findings = JSON.parse(printed.join("\n"));
  expect(findings).toContainEqual({
    check: "model",
    state: "not_checked",
    found: "stopped",
    mend: null,
  });
  expect(findings.at(-1)).toMatchObject({ check: "page", state: "not_checked" });
  expect(printed.join("\n")).not.toContain(TWITCH_TOKEN);
});
