import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { backupPath } from "../../src/database/database-fault.ts";
import { temporaryFolder } from "../temporary-folder.ts";

test("a backup of the same second gets a name of its own", () => {
  const folder = temporaryFolder();
  const first = backupPath(folder, "auto", 1_760_000_000_000);
  mkdirSync(dirname(first), { recursive: true });
  writeFileSync(first, "");
  const second = backupPath(folder, "auto", 1_760_000_000_000);
  expect(second).toBe(first.replace(/\.db$/, "-2.db"));
});
