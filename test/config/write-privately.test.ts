import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { platform } from "node:process";
import { expect, test } from "vitest";
import { writePrivately } from "../../src/config/private-file.ts";
import { temporaryFolder } from "../temporary-folder.ts";

test("what lies where the new file is prepared is taken away, be it a link to another place", () => {
  const folder = temporaryFolder();
  const file = join(folder, "secret.json");
  const elsewhere = join(folder, "elsewhere");
  writeFileSync(elsewhere, "mine");
  if (platform === "win32") writeFileSync(`${file}.part`, "left behind");
  else symlinkSync(elsewhere, `${file}.part`);
  writePrivately(file, "secret");
  expect(readFileSync(file, "utf8")).toBe("secret");
  expect(readFileSync(elsewhere, "utf8")).toBe("mine");
  expect(existsSync(`${file}.part`)).toBe(false);
  if (platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("where it cannot be put in place, nothing of it is left behind", () => {
  const folder = temporaryFolder();
  const file = join(folder, "secret.json");
  mkdirSync(join(file, "in-the-way"), { recursive: true });
  expect(() => writePrivately(file, "secret")).toThrow();
  expect(existsSync(`${file}.part`)).toBe(false);
});
