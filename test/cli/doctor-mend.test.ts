import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { platform } from "node:process";
import { expect, test } from "vitest";
import { checkConfig } from "../../src/cli/doctor/config.ts";
import { mend } from "../../src/cli/doctor/doctor.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const OLD = `{
  // where it talks
  "channel": "lanternroom",
  "memory": { "caps": { "perChannelAndHour": 5 }, "mode": "auto" },
}
`;

function oldFile(): string {
  const file = join(temporaryFolder(), "config.json");
  writeFileSync(file, OLD);
  return file;
}

test("the doctor names keys of an earlier edition, and --fix takes them out and keeps the comments", () => {
  const file = oldFile();
  const told = checkConfig(file).findings.filter(({ state }) => state === "warning");
  expect(told.map(({ found }) => found)).toEqual([
    expect.stringMatching(/memory\.caps\.perChannelAndHour$/),
  ]);
  expect(mend(file)).toEqual([
    `mended: ${file} no longer has memory.caps.perChannelAndHour; its comments stay`,
  ]);
  const text = readFileSync(file, "utf8");
  expect(text).toContain("// where it talks");
  expect(text).not.toContain("perChannelAndHour");
  expect(checkConfig(file).findings.some(({ state }) => state === "warning")).toBe(false);
  expect(mend(file)).toEqual([]);
});

test.skipIf(platform === "win32")("--fix closes the data folder and the secrets to others", () => {
  const file = oldFile();
  const data = join(file, "..", "data");
  const secrets = join(data, "secrets.json");
  mkdirSync(data);
  writeFileSync(secrets, "{}");
  chmodSync(data, 0o755);
  chmodSync(secrets, 0o644);
  expect(mend(file)).toHaveLength(3);
  expect(statSync(data).mode & 0o777).toBe(0o700);
  expect(statSync(secrets).mode & 0o777).toBe(0o600);
});

test("--fix leaves alone what is no configuration", () => {
  const file = join(temporaryFolder(), "config.json");
  expect(mend(file)).toEqual([]);
  writeFileSync(file, "{ broken");
  expect(mend(file)).toEqual([]);
  expect(readFileSync(file, "utf8")).toBe("{ broken");
});
