import { readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { builtProgram } from "../stand-ins/built-program.ts";
import { runLine } from "../stand-ins/command.ts";
import { startProgram } from "../stand-ins/program.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { openBotFolder } from "./bot-folder.ts";

const main = builtProgram();

/** In a process of its own. */
async function call(...args: string[]) {
  const folder = temporaryFolder();
  const program = startProgram({ main, folder }, ...args);
  const exit = await program.ended;
  return { exit, output: program.output(), errors: program.errors(), left: readdirSync(folder) };
}

const COMMANDS = [
  ...["start", "run", "demo", "setup", "doctor", "status", "report", "replies", "explain"],
  ...["pause", "resume", "safe", "actions", "memory", "viewer", "backup", "restore"],
  ...["page", "service", "eval"],
];
const SCREEN_ROWS = 50;

test("--help names every command on one screen and shows examples", async () => {
  const { exit, output, errors } = await call("--help");
  expect(exit).toBe(0);
  expect(errors).toBe("");
  for (const command of COMMANDS) expect(output).toMatch(new RegExp(`^ {2}${command}\\b`, "m"));
  expect(output.split("\n").length).toBeLessThanOrEqual(SCREEN_ROWS);
  expect(output).toContain("forgetmenot demo --speed 20");
  expect(output).toContain("Exit codes: 0 done, 1 failed, 2 wrong usage or configuration.");
});

test("--version prints the package's version", async () => {
  const manifest: { version: string } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  );
  expect(await call("--version")).toMatchObject({ exit: 0, output: `${manifest.version}\n` });
});

test.for([
  [["bogus"], "unknown command 'bogus'\nRun"],
  [["rehears"], "unknown command 'rehears'\n(Did you mean rehearse?)\n"],
  [["memory", "recall"], "unknown command 'recall'\nRun"],
  [["page", "tokn"], "unknown command 'tokn'\n(There are token and overlay)\nRun"],
  [["stop"], "unknown command 'stop'\n(Did you mean pause?)\n"],
  [["memory", "lst"], "unknown command 'lst'\n(Did you mean list?)\n"],
  [["doctor", "--jsn"], "unknown option '--jsn'\n(Did you mean --json?)\n"],
  [["stauts", "--json"], "unknown command 'stauts'\n(Did you mean status?)\n"],
  [["constructor"], "unknown command 'constructor'\nRun"],
  [["--spede"], "unknown option '--spede'\n"],
  [["run", "--confg", "x.json"], "unknown option '--confg'\n"],
  [["status", "surplus"], "too many arguments for 'status'."],
  [["demo", "--seed", "1"], "unknown option '--seed'\n"],
  [["rehearse", "--speed", "fast"], "option '--speed <factor>' argument 'fast' is invalid. It has"],
  [["rehearse", "--speed", "0"], "option '--speed <factor>' argument '0' is invalid. It has"],
  [["rehearse", "--port", "70000"], "option '--port <number>' argument '70000' is invalid. It has"],
  [["memory", "list", "--limit", "0"], "option '--limit <number>' argument '0' is invalid. It has"],
  [["memory", "reject", "abc"], "command-argument value 'abc' is invalid for argument 'ids'. It"],
] as const)(
  "%j is wrong usage: exit code 2, one line that says so, and where help stands",
  async ([args, line]) => {
    const { exit, output, errors } = await runLine(args);
    expect(exit).toBe(2);
    expect(output).toBe("");
    expect(errors.slice(0, line.length + 7)).toBe(`error: ${line}`);
    expect(errors).toContain("--help` for");
    const [, path = ""] = /`forgetmenot (?:(.+) )?--help` for/.exec(errors) ?? [];
    const help = await runLine([...path.split(" ").filter((word) => word !== ""), "--help"]);
    expect([help.exit, help.output.split("\n")[0]]).toEqual([
      0,
      expect.stringContaining(`Usage: ${["forgetmenot", path].join(" ").trim()}`),
    ]);
  },
);

test.for([
  [{}, /`node \S*main\.js setup`/],
  [{ npm_lifecycle_event: "start", npm_command: "start" }, /`npm start -- setup`/],
  [{ npm_lifecycle_event: "setup", npm_command: "run-script" }, /`npm start -- setup`/],
] as const)(
  "a fix stands as it can be typed by who started the program so: %j",
  async ([environment, fix]) => {
    const program = startProgram({ main, folder: temporaryFolder(), environment }, "run");
    expect(await program.ended).toBe(2);
    expect(program.errors()).toMatch(fix);
  },
);

test("a fix of what was called on another configuration names it, also in JSON", async () => {
  const { folder, file } = openBotFolder();
  renameSync(file, join(folder, "other $one.json"));
  const told = async (...args: string[]) => {
    const program = startProgram({ main, folder }, ...args, "-c", "other $one.json");
    await program.ended;
    return program.output() + program.errors();
  };
  const named = process.platform === "win32" ? `"other $one.json"` : "'other $one.json'";
  const report = await told("report");
  expect(report).toMatch(/`node \S+main\.js report /);
  expect(report).toContain(`report --details --config ${named}\` has the numbers`);
  expect(report).toContain(`main.js replies --config ${named}\``);
  expect(await told("memory", "approve", "7")).toContain(` --config ${named}\``);
  const doctor = JSON.parse(await told("doctor", "--json")) as object;
  expect(JSON.stringify(doctor)).toContain(JSON.stringify(`setup --config ${named}`).slice(1, -1));
});

test("in an unzipped folder no fix names npm or a file of the source", async () => {
  const environment = { FORGETMENOT_COMMAND: "./ForgetMeNot" };
  const program = startProgram({ main, folder: temporaryFolder(), environment }, "run");
  expect(await program.ended).toBe(2);
  expect(program.errors()).toContain("→ run `./ForgetMeNot setup`\n");
  expect(program.errors()).not.toMatch(/npm|main\.js|config\.example|bin[\\/]/);
});

test("in an unzipped folder a new folder fixes Node and packages", async () => {
  // The module reads the variable once, and later test files of this worker share it.
  onTestFinished(() => void vi.unstubAllEnvs().resetModules());
  vi.stubEnv("FORGETMENOT_COMMAND", "./ForgetMeNot").resetModules();
  const { NODE_FIX, REINSTALL } = await import("../../src/config/environment.ts");
  for (const fix of [NODE_FIX, REINSTALL]) {
    expect(fix).toContain("download the folder again");
    expect(fix).not.toContain("npm");
  }
});
