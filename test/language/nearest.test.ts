import { expect, test } from "vitest";
import { findNearest } from "../../src/language/words.ts";

test.each([
  ["bto", ["mode", "bot", "llm"], "bot"],
  ["BOT", ["bot"], "bot"],
  ["lmm", ["bot", "llm"], "llm"],
  ["rehears", ["run", "rehearse"], "rehearse"],
  ["stauts", ["safe", "status"], "status"],
])("%s is a slip of one of %j: %s", (word, known, name) => {
  expect(findNearest(word, known)).toBe(name);
});

test.each([
  ["tbo", ["run", "safe"]],
  ["x", ["y"]],
  ["cat", ["bot"]],
  ["anything", []],
  ["", ["bot"]],
])("%s is no slip of any of %j", (word, known) => {
  expect(findNearest(word, known)).toBeNull();
});
