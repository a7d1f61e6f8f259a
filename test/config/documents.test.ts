import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadConfig, parseConfigJson, toConfig } from "../../src/config/load.ts";
import { makeConfigJsonSchema, schemaKeys, withKeyTables } from "./config-docs.ts";

const page = readFileSync("docs/configuration.md", "utf8").replaceAll("\r\n", "\n");
const exampleText = readFileSync("config.example.json", "utf8");
const example: unknown = parseConfigJson(exampleText, "config.example.json");

test("the example configuration is a configuration", () => {
  const { channels, bot } = loadConfig("config.example.json");
  expect({ channels, bot }).toMatchObject({
    channels: ["yourchannel"],
    bot: { login: "automark", aliases: [] },
  });
});

test("the example names the schema first, and the schema is there", () => {
  expect(Object.entries(Object(example))[0]).toEqual(["$schema", "./docs/config.schema.json"]);
  expect(JSON.parse(readFileSync("docs/config.schema.json", "utf8"))).toHaveProperty("properties");
});

test("the example holds the dozen keys that streamers touch, and says of each group what it is", () => {
  const all = schemaKeys().map(({ path }) => path);
  const shown = leaves(example, all);
  expect(shown.length).toBeGreaterThanOrEqual(12);
  expect(shown.length).toBeLessThanOrEqual(18);
  expect(shown.filter((path) => !all.includes(path))).toEqual([]);
  expect(exampleText.match(/^ *\/\/ /gm)?.length).toBeGreaterThanOrEqual(12);
});

test("each value of the example stands below a line that says what it is", () => {
  const lines = exampleText.split("\n").map((line) => line.trim());
  const bare = lines.filter((line, n) => {
    if (!/^"(?!\$schema)[^"]+": (?!\{$)/.test(line)) return false;
    const before = lines[n - 1] ?? "";
    return !before.startsWith("// ");
  });
  expect(bare).toEqual([]);
});

test("every value in the example is the default, but for the channel and the bot", () => {
  const { bot: _given, ...written } = toConfig(example, "/folder");
  const named = { bot: { login: _given.login } };
  const { bot: standard, ...defaults } = toConfig({ channel: "yourchannel", ...named }, "/folder");
  expect(written).toEqual(defaults);
  expect(_given).toEqual(standard);
});

test("the schema for editors and the table of keys are generated: npx tsx test/config/write-config-docs.ts", () => {
  const schema = readFileSync("docs/config.schema.json", "utf8").replaceAll("\r\n", "\n");
  expect(schema).toBe(makeConfigJsonSchema());
  expect(withKeyTables(page)).toBe(page);
});

test.each(schemaKeys())("$path is described", ({ schema }) => {
  expect(schema.description).toMatch(/^\S.{14,}\.$/);
});

test("there are about sixty keys", () => {
  expect(schemaKeys().length).toBeLessThanOrEqual(68);
});

test("docs/configuration.md names every variable of the environment, and no other", () => {
  const code = ["src/config/environment.ts", "src/catalogue/providers.ts"]
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
  const read = [...code.matchAll(/"([A-Z][A-Z_]{3,})"/g)].map(([, name]) => name ?? "");
  const named = [...page.matchAll(/^\| `([A-Z_]{3,})` \|/gm)].map(([, name]) => name ?? "");
  expect(read.length).toBeGreaterThan(4);
  expect([...new Set(named)].sort()).toEqual([...new Set(read)].sort());
});

/** Paths of what is set, no deeper than the schema's own keys. */
function leaves(value: unknown, keys: readonly string[], path: readonly string[] = []): string[] {
  return Object.entries(Object(value))
    .flatMap(([name, child]) => {
      const at = [...path, name];
      return keys.includes(at.join(".")) ? [at.join(".")] : leaves(child, keys, at);
    })
    .sort();
}
