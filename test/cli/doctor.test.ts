import { expect, test } from "vitest";
import { formatFindings } from "../../src/cli/doctor.ts";
import { checkNode } from "../../src/system/machine-checks.ts";
import { runCommand } from "../stand-ins/command.ts";
import { launchIn } from "../stand-ins/town.ts";
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

test("colours are for the signs only, and a mend that holds for several is said once", () => {
  const style = { colour: true, columns: null };
  const one = { check: "config", state: "problem", found: "a", mend: "look" } as const;
  const two = { ...one, found: "b" };
  expect(formatFindings([one, two], style)).toEqual([
    "\u001b[31m✗\u001b[0m configuration  a",
    `\u001b[31m✗\u001b[0m ${" ".repeat(15)}b\n${" ".repeat(17)}→ look`,
  ]);
});

test("a Node that is too old is a problem", () => {
  expect(checkNode("v20.18.3")).toMatchObject({
    state: "problem",
    found: expect.stringContaining("20.18.3; the oldest that works is 20.19"),
  });
  for (const version of ["v22.0.0", "v24.21.0", "v26.10.0"])
    expect(checkNode(version)).toMatchObject({ state: "ok" });
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
