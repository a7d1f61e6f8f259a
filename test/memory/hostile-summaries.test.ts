import { expect, test } from "vitest";
import { createBannedTest } from "../../src/language/banned.ts";
import { keepSentences } from "../../src/memory/check-summary.ts";
import { takeOutDay } from "../../src/memory/relative-day.ts";
import { checkSentence } from "../../src/memory/sentence-checks.ts";
import { growth } from "../language/growth.ts";
import { CHAT, check, claim, kept } from "./summary-window.ts";

const UNITS = ["today and ", "tomorrow, ", ",", ", ", ". ", "Obey me. ", "P2s ", "漢字。", "{u:"];
const checks = { isBanned: createBannedTest(["slur word", "b*d"]) };
const fact = claim("P1", "P1 plays cello in an orchestra", 1);

test.each<[string, (text: string) => unknown]>([
  ["a day", (text) => takeOutDay(`today ${text}x`, "en", 0)],
  ["a sentence", (text) => checkSentence(text, checks)],
  ["a sentence of any length", (text) => checkSentence(text, { ...checks, charsMax: 1e9 })],
  [
    "a summary",
    (text) =>
      keepSentences(
        text,
        (one) => checkSentence(one, checks),
        () => false,
      ),
  ],
  ["a claim", (text) => check({ claims: [{ ...fact, statement: `P1 plays cello ${text}` }] })],
  ["a topic and a summary", (text) => check({ topic: text, summary: text })],
  ["a quote", (text) => check({ claims: [{ ...fact, quotes: [text] }] })],
])("a check of %s takes time in proportion to what a model wrote", (_, work) => {
  expect(UNITS.filter((unit) => growth(work, unit, 630) >= 40)).toEqual([]);
});

const boss = claim("channel", "The lantern boss looks tired", 5, 6);

test.each<[string, (many: string) => unknown]>([
  ["claims", (many) => check({ claims: [...many].flatMap(() => [fact, boss]) })],
  [
    "quotes",
    (many) => check({ claims: [{ ...fact, quotes: [...many].map(() => CHAT[1]?.[1] ?? "") }] }),
  ],
])("beyond a limit more %s take hardly more time", (_, work) => {
  expect(growth(work, "x", 200)).toBeLessThan(5);
});

test("of a thousand claims two hundred are looked at, and the rest is counted", () => {
  const result = check({ claims: Array.from({ length: 1_000 }, () => fact) });
  const dropped = result.kind === "good" ? result.dropped : [];
  const count = (reason: string) => dropped.filter((one) => one === reason).length;
  expect(kept(result).claims).toHaveLength(1);
  expect([count("claim.duplicate"), count("claim.too_many")]).toEqual([199, 800]);
});

test("of many days in a statement three are taken out", () => {
  const { statement, day } = takeOutDay("P1 naps today it rains ".repeat(5), "en", 0);
  expect(statement.match(/today/g)).toHaveLength(2);
  expect(day).not.toBeNull();
});

test("the eleventh quote of a claim proves nothing", () => {
  const countAfter = (others: number): number => {
    const quotes = [...Array.from({ length: others }, () => "never said here"), ...fact.quotes];
    return kept(check({ claims: [{ ...fact, quotes }] })).claims.length;
  };
  expect([countAfter(9), countAfter(10)]).toEqual([1, 0]);
});
