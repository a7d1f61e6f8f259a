import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mergeJson } from "../../src/config/json-tree.ts";
import { loadConfig, toConfig } from "../../src/config/load.ts";
import { rewriteConfig } from "../../src/config/rewrite.ts";
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

test("a key that nobody ever knew is an error", () => {
  expect(() => toConfig({ channel: "hill", memory: { caps: { perMoon: 1 } } }, "/x")).toThrow(
    /perMoon is not a key/,
  );
});
