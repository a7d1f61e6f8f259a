import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { platform } from "node:process";
import { expect, test } from "vitest";
import { mergeJson } from "../../src/config/json-tree.ts";
import { loadConfig, rewriteConfig } from "../../src/config/load.ts";
import { writePrivately } from "../../src/config/private-file.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const COMMENTED = `{
  // whose chat it joins
  "channel": "hill",
  "memory": {
    "mode": "auto", // at once
    "caps": { "viewerNotes": 40 },
  },
}
`;

test("a change keeps comments, order and what it does not touch", () => {
  const file = join(temporaryFolder(), "config.json");
  writeFileSync(file, COMMENTED);
  const rewrite = rewriteConfig(file, (raw) => {
    const changed = mergeJson(raw, { memory: { mode: "manual", caps: { viewerNotes: 30 } } });
    return changed as typeof raw;
  });
  rewrite.write();
  expect(readFileSync(file, "utf8")).toBe(
    COMMENTED.replace('"auto"', '"manual"').replace("40", "30"),
  );
  expect(loadConfig(file).memory.caps.viewerNotes).toBe(30);
});

test("a rewrite drops removed keys and keeps the others", () => {
  const file = join(temporaryFolder(), "config.json");
  const memory = { kindDays: { event: 3 }, recall: { lexicalWeight: 2, loreTokens: 500 } };
  writeFileSync(file, JSON.stringify({ channel: "hill", memory }));
  expect(loadConfig(file).removedKeys).toEqual(["memory.kindDays", "memory.recall.lexicalWeight"]);
  rewriteConfig(file, (raw) => ({ ...raw, mode: "shadow" })).write();
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    channel: "hill",
    memory: { recall: { loreTokens: 500 } },
    mode: "shadow",
  });
});

test("a rewrite refuses a file that was changed since it was read", () => {
  const file = join(temporaryFolder(), "config.json");
  writeFileSync(file, COMMENTED);
  const rewrite = rewriteConfig(file, (raw) => ({ ...raw, mode: "shadow" }));
  const other = COMMENTED.replace("40", "41");
  writeFileSync(file, other);
  expect(() => rewrite.write()).toThrow(/another program changed it/);
  expect(readFileSync(file, "utf8")).toBe(other);
});

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
