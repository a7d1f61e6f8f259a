import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { platform } from "node:process";
import { expect, test } from "vitest";
import { runLine } from "../stand-ins/command.ts";
import { BROKEN_HERE } from "./broken-here.ts";
import { BROKEN_OUTSIDE } from "./broken-outside.ts";
import { examine, openPatient } from "./examined.ts";

const BROKEN = [...BROKEN_HERE, ...BROKEN_OUTSIDE];

test("forty broken set-ups and more are in the table, each once", () => {
  expect(new Set(BROKEN.map(([name]) => name)).size).toBe(BROKEN.length);
  expect(BROKEN.length).toBeGreaterThanOrEqual(40);
});

test.skipIf(platform === "win32").for(BROKEN)(
  "%s is named, with its mend",
  async ([, breaks, check, found, mend]) => {
    const patient = await openPatient();
    mkdirSync(patient.folder, { recursive: true });
    const { config, environment } = await breaks(patient);
    const { of } = await examine(patient, config, environment);
    const trouble = of(check).filter(({ state }) => state === "problem" || state === "warning");
    const told = trouble.find((one) => found.test(one.found));
    expect(told, JSON.stringify(of(check))).toBeDefined();
    expect(told?.mend).toMatch(mend);
  },
);

test.for([
  [
    "no configuration",
    null,
    /config\.json: cannot be read \(there is no such file/,
    /forgetmenot setup/,
  ],
  ["half a configuration", '{ "channel": ', /not valid JSON/, /comma, quote or bracket/],
  ["nothing in it", "{}", /channel/, /config/],
] as const)("%s is named, with its mend", async ([, text, found, mend]) => {
  const patient = await openPatient();
  mkdirSync(patient.folder, { recursive: true });
  const file = join(patient.folder, "config.json");
  if (text === null) rmSync(file, { force: true });
  else writeFileSync(file, text);
  const { exit, output } = await runLine(["doctor", "--config", file]);
  expect(exit).toBe(2);
  expect(output).toMatch(found);
  expect(output).toMatch(mend);
});
