import { expect, test } from "vitest";
import { withBotUnnamed } from "../../src/language/bot-name.ts";

const NAMES = ["automark", "Mark", "マーク", "a+b"];

test.each([
  ["{u:1} likes it when MARK rhymes", "{u:1} likes it when the bot rhymes"],
  ["{u:1} likes @automark's jokes", "{u:1} likes the bot's jokes"],
  ["{u:1} will, dass Mark reimt und nicht singt", "{u:1} will, dass der Bot reimt und nicht singt"],
  ["{u:1}はマークに褒めてもらいたい", "{u:1}はボットに褒めてもらいたい"],
  ["{u:1} wants a+b to sing", "{u:1} wants the bot to sing"],
])("%s", (text, unnamed) => {
  expect(withBotUnnamed(text, NAMES)).toBe(unnamed);
});

test.each(["{u:1} remarks on marks", "{u:1} likes mark_x and Markus", "", "{u:1} likes aab"])(
  "no name of the bot stands in: %s",
  (text) => {
    expect(withBotUnnamed(text, NAMES)).toBeNull();
  },
);

test("a bot without a name is nobody", () => {
  expect(withBotUnnamed("{u:1} likes Mark", ["", " "])).toBeNull();
});
