import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mergeJson } from "../../../src/platform/config/json-tree.ts";
import { loadConfig, toConfig } from "../../../src/platform/config/load.ts";
import { rewriteConfig } from "../../../src/platform/config/rewrite.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

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

test("a rewrite drops what only an earlier edition knew, and what was its default", () => {
  const file = join(temporaryFolder(), "config.json");
  const before = {
    channel: "hill",
    memory: { caps: { perChannelAndHour: 9 }, recall: { lexicalWeight: 2, topicWeight: 0.2 } },
  };
  writeFileSync(file, JSON.stringify(before));
  const { retiredKeys, memory } = loadConfig(file);
  const isRetired = !("perChannelAndHour" in memory.caps);
  expect(retiredKeys).toEqual(isRetired ? ["memory.caps.perChannelAndHour"] : []);
  const rewrite = rewriteConfig(file, (raw) => ({ ...raw, mode: "shadow" }));
  rewrite.write();
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    channel: "hill",
    memory: { caps: isRetired ? {} : { perChannelAndHour: 9 }, recall: { topicWeight: 0.2 } },
    mode: "shadow",
  });
});

test("a key that nobody ever knew is an error", () => {
  expect(() => toConfig({ channel: "hill", memory: { caps: { perMoon: 1 } } }, "/x")).toThrow(
    /perMoon is not a key/,
  );
});
