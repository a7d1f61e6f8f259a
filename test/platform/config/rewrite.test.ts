import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mergeJson } from "../../../src/platform/config/json-tree.ts";
import { loadConfig, toConfig } from "../../../src/platform/config/load.ts";
import { withoutRetired } from "../../../src/platform/config/retired-keys.ts";
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

test("a value that equals where a default once stood counts as unset, and is gone after a rewrite", () => {
  const given = { channel: "hill", memory: { recall: { lexicalWeight: 2, topicWeight: 0.2 } } };
  const now = toConfig({ channel: "hill" }, "/x").memory.recall.lexicalWeight;
  expect(toConfig(given, "/x").memory.recall.lexicalWeight).toBe(now);
  const { raw } = withoutRetired(given);
  expect(raw).toEqual(
    now === 2 ? given : { channel: "hill", memory: { recall: { topicWeight: 0.2 } } },
  );
});

test("a key that an earlier edition knew is named and does nothing; one that nobody knew is an error", () => {
  const given = {
    channel: "hill",
    memory: { caps: { perViewerAndStream: 3, perChannelAndHour: 9 } },
  };
  const { retiredKeys } = toConfig(given, "/x");
  const known = toConfig({ channel: "hill" }, "/x").memory.caps;
  const gone = ["memory.caps.perChannelAndHour", "memory.caps.perViewerAndStream"].filter(
    (path) => !((path.split(".").at(-1) ?? "") in known),
  );
  expect(retiredKeys).toEqual(gone);
  expect(() => toConfig({ channel: "hill", memory: { caps: { perMoon: 1 } } }, "/x")).toThrow(
    /perMoon is not a key/,
  );
});
