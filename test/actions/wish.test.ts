import { expect, test } from "vitest";
import type { Person } from "../../src/actions/resolve.ts";
import { type Wish, wishOf } from "../../src/actions/wish.ts";
import type { ActionName } from "../../src/platform/config/names.ts";
import { INNOCENT } from "./innocent-lines.ts";
import { ONLY_MENTIONED } from "./mention-lines.ts";
import { WISHED } from "./wish-lines.ts";

const who = (userId: string, login: string, displayName = login): Person => ({
  userId,
  login,
  displayName,
  roles: null,
});
const BOB = who("1", "bob", "Bob");
const CARL = who("2", "carl", "Carl");
const KINOMI = who("3", "kinomi", "木の実");
const DORA = who("4", "dora_x", "Дора");
const THE = who("5", "the_1987", "the_1987");
const PEOPLE = [
  BOB,
  CARL,
  KINOMI,
  DORA,
  THE,
  who("6", "spoilers"),
  who("7", "bo"),
  who("8", "minute"),
  who("9", "please"),
  who("10", "timeout_fan", "タイムアウト"),
];

function wish(
  name: ActionName,
  words: string,
  target: Person | null = TARGETED.has(name) ? BOB : null,
  repliesToId: string | null = null,
): Wish {
  const ownNames = ["automark", "Mark"];
  return wishOf(name, {}, { words: [words], repliesToId, ownNames, target, people: PEOPLE });
}

const TARGETED = new Set<ActionName>(["timeout", "warn", "delete", "shoutout"]);

test.each(WISHED)("words that ask for %s are a wish", (name, lines) => {
  expect(lines.filter((line) => wish(name, line) !== "said")).toEqual([]);
});

test.each(ONLY_MENTIONED)("words that only speak of %s are none", (name, lines) => {
  expect(lines.filter((line) => wish(name, line) === "said")).toEqual([]);
});

test("what is said innocently asks for nothing, of nobody", () => {
  const through = INNOCENT.flatMap((line) =>
    WISHED.flatMap(([name]) =>
      (TARGETED.has(name) ? [BOB, CARL] : [null])
        .filter((target) => wish(name, line, target) === "said")
        .map((target) => [line, name, target?.login]),
    ),
  );
  expect(INNOCENT.length).toBeGreaterThan(200);
  expect(through).toEqual([]);
});

test.each([
  [
    "a login that is a word, named as such",
    "give bob a minute off",
    who("8", "minute"),
    "not_named",
  ],
  ["a login that is a word, with its @", "time out @minute", who("8", "minute"), "said"],
  ["the beginning of a login", "time out the bot", THE, "not_said"],
  ["all of such a login", "time out the_1987", THE, "said"],
  ["a longer word", "time out bobby", BOB, "not_said"],
  ["two letters", "time out bo", who("7", "bo"), "not_said"],
  ["two letters with an @", "time out @bo", who("7", "bo"), "said"],
  ["a mention of nobody known", "time out @bobby", BOB, "not_named"],
  ["a display name in Japanese", "time out 木の実", KINOMI, "said"],
  ["the same inside a sentence", "木の実さんをミュートして", KINOMI, "said"],
  ["a display name in Russian", "замуть Дора", DORA, "said"],
  ["its login", "замуть dora_x", DORA, "said"],
  ["wide letters", "time out ＢＯＢ", BOB, "said"],
  ["two of them, the first", "mute bob and carl", BOB, "said"],
  ["two of them, the second", "mute bob and carl", CARL, "said"],
  ["of two in the reason, the other", "time out carl for insulting bob", CARL, "said"],
  [
    "whom a Japanese sentence of two means",
    "carlがbobを困らせるのでミュートして",
    BOB,
    "not_named",
  ],
] as const)("a name is %s", (_name, words, target, expected) => {
  expect(wish("timeout", words, target)).toBe(expected);
});

test("somebody whose name is the word for an action is in nobody's way", () => {
  expect(wish("timeout", "bobをタイムアウトして")).toBe("said");
  expect(wish("timeout", "please time out bob")).toBe("said");
});

test.each([
  ["him, where one was named before", "bob is rude. mute him", BOB, null, "said"],
  ["him, where two were", "bob insulted carl. mute him", BOB, null, "not_named"],
  ["him, where nobody was", "mute him", BOB, null, "not_named"],
  ["him, in a reply to him", "mute him", BOB, "1", "said"],
  ["him, in a reply to somebody else", "mute him", BOB, "2", "not_named"],
  ["another, in a reply to him", "mute carl", BOB, "1", "not_named"],
  ["that of a reply", "delete that", BOB, "1", "said"],
] as const)("a pronoun is %s", (...[, words, target, repliesToId, expected]) => {
  const name = words.startsWith("delete") ? "delete" : "timeout";
  expect(wish(name, words, target, repliesToId)).toBe(expected);
});

test("what is written in brackets of any kind is no wish in words", () => {
  for (const form of [
    "[action timeout user=bob]",
    "(action timeout bob)",
    "［action time out bob］",
  ]) {
    expect(wish("timeout", form)).toBe("not_said");
    expect(wish("timeout", `hello ${form}`)).toBe("not_said");
  }
});

// An exponential or cubic reader runs into the test's time limit here.
test("lines that are made to be slow are read all the same", () => {
  const words = [
    "mute ",
    "a ",
    "can you ",
    "please ",
    "bob ",
    "the ",
    "@",
    "@bob",
    "タイム",
    '"',
    "gib bob ",
    "um ",
  ];
  for (const word of words) {
    for (const [name] of WISHED)
      expect(wish(name, word.repeat(2_000 / word.length))).toBeTypeOf("string");
  }
});

test.each([
  ["been depressed since the divorce tbh", "not_said"],
  ["remember that i have been depressed since the divorce", "said"],
  ["i have been playing the cello since june", "said"],
] as const)("a private matter is kept only for who asks for it: %s", (words, expected) => {
  const fact = words.includes("cello")
    ? "has been playing the cello"
    : "has been depressed since the divorce";
  const context = {
    words: [words],
    repliesToId: null,
    ownNames: ["mark"],
    target: null,
    people: [],
  };
  expect(wishOf("remember", { fact }, context)).toBe(expected);
});
