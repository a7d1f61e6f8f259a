import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { VERSION } from "../../src/config/environment.ts";
import { picture, proofs, rows, said, script } from "./recorded.ts";

test("the picture was drawn from this version and script: `npm run docs:rehearsal`", () => {
  const made = JSON.parse(/<metadata>(.*)<\/metadata>/.exec(picture)?.[1] ?? "{}");
  expect(made).toEqual({
    version: VERSION,
    script: createHash("sha256").update(JSON.stringify(script)).digest("hex"),
  });
});

test("the picture of a report is of this version, and begins with people", () => {
  const drawn = readFileSync("docs/report.svg", "utf8");
  const made = JSON.parse(/<metadata>(.*)<\/metadata>/.exec(drawn)?.[1] ?? "{}");
  expect(made.version).toBe(VERSION);
  const lines = [...drawn.matchAll(/<text [^>]*>(.*)<\/text>/g)].map(([, text = ""]) => text);
  expect(lines.slice(1, 8).join("\n")).toMatch(/^People\n {2}talked to it/im);
  expect(lines.join("\n")).not.toMatch(/p50|viewer_cooldown|superseded/);
});

test("the recording shows what is said in this script, all of it and nothing else", () => {
  const over = rows.findIndex(({ text }) => text === "The demo is over.");
  const shown = rows.slice(0, over).filter(({ kind, text }) => kind === "say" && text !== "");
  expect(shown.length).toBeGreaterThan(30);
  expect(shown.map(({ text }) => text).sort()).toEqual(said.map(({ row }) => row).sort());
});

test("every question about memory in the recording is answered, by the bot's next words", () => {
  expect(proofs().filter(({ kind }) => kind === "memory").length).toBeGreaterThan(4);
  expect(proofs().filter(({ answer }) => answer === null)).toEqual([]);
});

test("what the recording says it showed is what it shows", () => {
  for (const [kind, told] of [
    ["memory", "Questions answered from a note"],
    ["order", "Orders that came to nothing"],
    ["forgotten", "Forgotten on request"],
  ]) {
    const count = proofs().filter((one) => one.kind === kind).length;
    expect(rows.map(({ text }) => text)).toContain(`${told}: ${count} of ${count}`);
  }
});
