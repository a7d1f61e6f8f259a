import fc from "fast-check";
import { expect, test } from "vitest";
import { privateMatter } from "../../src/language/private-matters.ts";
import { fastestMs, growth } from "./growth.ts";
import { INNOCENT_SENTENCES } from "./innocent-sentences.ts";
import { PRIVATE_SENTENCES } from "./private-sentences.ts";

test.each(Object.entries(PRIVATE_SENTENCES))("%s: every private sentence is seen", (_, lines) => {
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.filter((line) => privateMatter(line) === null)).toEqual([]);
});

test.each(Object.entries(INNOCENT_SENTENCES))(
  "%s: no innocent sentence is taken for a private one",
  (_, lines) => {
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((line) => privateMatter(line) !== null)).toEqual([]);
  },
);

const KINDS: readonly (readonly [string, string])[] = [
  ["{u:1} was diagnosed with asthma", "health"],
  ["{u:1} is $9,000 in debt", "money"],
  ["{u:1} paid with 4111-1111-1111-1111", "money"],
  ["{u:1} posted GB82 WEST 1234 5698 7654 32", "money"],
  ["{u:1} lives at 14 Maple Street", "address"],
  ["the server is at 198.51.100.23", "address"],
  ["{u:1} can be reached on +49 151 23456789", "phone"],
  ["{u:1} writes from a.b@example.com", "email"],
  ["key ghp_0123456789abcdefghijABCDEFGHIJ012345", "password"],
  ["her number is 123-45-6789", "id_number"],
  ["{u:1} is gay", "sexuality"],
  ["{u:1} votes Labour", "politics"],
  ["{u:1} is Catholic", "religion"],
];
test.each(KINDS)("%s: %s", (text, kind) => {
  expect(privateMatter(text)).toBe(kind);
});

test.each([
  "the seed is 4111111111111112",
  "GB82 WEST 1234 5698 7654 33",
  "patch 1.2.3.4 is out",
  "the score went 100 200 300 4000",
  "it took 12:34:56 to finish",
  "the event was on 05-10-2024",
  "the run of 0/12/5 hurt",
  "256.300.1.1 is no address",
  "{u:491512345678} likes tea",
  "{u:27} is P19",
])("a number that is nobody's: %s", (text) => {
  expect(privateMatter(text)).toBeNull();
});

test("case, accents, wide letters and invisible characters hide nothing", () => {
  for (const text of ["{u:1} IS GAY", "{u:1} is gáy", "{u:1} is ｇａｙ", "{u:1} is ga\u200by"]) {
    expect(privateMatter(text), text).toBe("sexuality");
  }
});

test("any text is answered", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => void privateMatter(text)),
  );
});

test.each([
  "a",
  "a ",
  "1 ",
  "1",
  "his ",
  "he is very ",
  "+1-",
  "a@",
  "(555) ",
  "a1:",
  "a.",
  "1 a ",
  "漢字",
  "は",
  "ж ",
  "4111 ",
  "gb82 ",
  "is 12 a b ",
])("ten thousand characters of %s are read in time that grows with their number", (unit) => {
  expect(growth((text) => privateMatter(text), unit, 100)).toBeLessThan(40);
  expect(fastestMs(privateMatter, unit.repeat(10_000).slice(0, 10_000))).toBeLessThan(1_000);
});
