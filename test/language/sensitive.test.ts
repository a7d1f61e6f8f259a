import fc from "fast-check";
import { expect, test } from "vitest";
import { sensitive } from "../../src/language/sensitive.ts";
import { fastestMs, growth } from "./growth.ts";
import { HARMLESS } from "./harmless-lines.ts";
import { PRIVATE } from "./private-lines.ts";
import { MIXED_PRIVATE } from "./private-lines-mixed.ts";

test("nine in ten private statements are seen, and one in twenty harmless ones at most is taken for one", () => {
  const lines = [...Object.values(PRIVATE).flat(), ...MIXED_PRIVATE];
  const missed = lines.filter((line) => sensitive(line) === null);
  const mistaken = HARMLESS.filter((line) => sensitive(line) !== null);
  const recall = 1 - missed.length / lines.length;
  const falsePositives = mistaken.length / HARMLESS.length;
  process.stdout.write(
    `sensitive: recall ${recall.toFixed(3)} of ${lines.length}, false positives ${falsePositives.toFixed(3)} of ${HARMLESS.length}\n`,
  );
  expect(lines.length).toBeGreaterThanOrEqual(150);
  expect(HARMLESS.length).toBeGreaterThanOrEqual(150);
  expect(recall, missed.join("\n")).toBeGreaterThanOrEqual(0.9);
  expect(falsePositives, mistaken.join("\n")).toBeLessThanOrEqual(0.05);
});

const KINDS: readonly (readonly [string, string])[] = [
  ["{u:1} was diagnosed with asthma", "health"],
  ["{u:1} is $9,000 in debt", "money"],
  ["{u:1} paid with 4111-1111-1111-1111", "money"],
  ["{u:1} posted GB82 WEST 1234 5698 7654 32", "money"],
  ["{u:1} lives at 14 Maple Street", "address"],
  ["the server is at 198.51.100.23", "address"],
  ["{u:1} can be reached on +49 151 23456789", "phone"],
  ["{u:1} writes from a.b@example.com", "email"],
  ["the stream key leaked", "password"],
  ["key ghp_0123456789abcdefghijABCDEFGHIJ012345", "password"],
  ["her number is 123-45-6789", "id_number"],
  ["{u:1} has a boyfriend", "relationship"],
  ["{u:1} is gay", "sexuality"],
  ["{u:1} voted for Labour", "politics"],
  ["{u:1} is Catholic", "religion"],
  ["{u:1} is 27", "age"],
];
test.each(KINDS)("%s: %s", (text, kind) => {
  expect(sensitive(text)).toBe(kind);
});

const NUMBERS_OF_GAMES = [
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
];
test.each(NUMBERS_OF_GAMES)("a number that is nobody's: %s", (text) => {
  expect(sensitive(text)).toBeNull();
});

test("case, accents, wide letters and invisible characters hide nothing", () => {
  for (const text of ["{u:1} IS GAY", "{u:1} is gáy", "{u:1} is ｇａｙ", "{u:1} is ga\u200by"]) {
    expect(sensitive(text)).toBe("sexuality");
  }
});

test("a wedding in a game is none, one in life is", () => {
  expect(sensitive("{u:1} planned the wedding in Stardew")).toBeNull();
  expect(sensitive("{u:1} planned the wedding in May")).toBe("relationship");
});

test("any text is answered", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => void sensitive(text)),
  );
});

const UNITS = [
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
];
test.each(UNITS)("ten thousand characters of %s are read at once", (unit) => {
  expect(growth((text) => sensitive(text), unit, 100)).toBeLessThan(40);
  expect(fastestMs(sensitive, unit.repeat(10_000).slice(0, 10_000))).toBeLessThan(200);
});
