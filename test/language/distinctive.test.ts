import fc from "fast-check";
import { expect, test } from "vitest";
import { copyFinder } from "../../src/language/distinctive.ts";

const LONG =
  "so my neighbour's parrot learned the raid alarm and now screams it every single morning at six";
const SHORT = "the frog emote owes me an apology";
const JAPANESE = "昨日の夜は友達と一緒に新しいダンジョンを三時間くらい探索してすごく楽しかった";
const CHAT = [
  LONG,
  SHORT,
  JAPANESE,
  "gg",
  "lol nice one",
  "P2 you still owe P4 a duel in the rain",
];
const copies = copyFinder(CHAT);

const COPIES: readonly (readonly [string, string])[] = [
  ["as it was written", `P1 said that ${LONG}.`],
  ["in capitals", `They wrote: ${LONG.toUpperCase()}`],
  ["with other spaces", `They wrote: ${LONG.replaceAll(" ", "   ")}`],
  ["with other punctuation", `They wrote: ${LONG.replaceAll(" ", ", ")}`],
  ["with another apostrophe", `They wrote: ${LONG.replace("'", "’")}`],
  ["with look-alike letters", `They wrote: ${LONG.replaceAll("e", "е")}`],
  ["with invisible characters", `They wrote: ${LONG.replaceAll("a", "a\u200b")}`],
  [
    "twelve words of it",
    "It learned: parrot learned the raid alarm and now screams it every single morning",
  ],
  ["fifty letters in long words", LONG.replaceAll(" ", "").slice(10, 62)],
  ["a whole short message", "P3 insisted that the frog emote owes me an apology again."],
  [
    "over two sentences",
    "It learned the raid alarm. And now screams it. Every single morning at six!",
  ],
  [
    "in Japanese",
    "彼は、昨日の夜は友達と一緒に新しいダンジョンを三時間くらい探索してすごく楽しかったと言った。",
  ],
  ["a part of Japanese", "夜は友達と一緒に新しいダンジョンを三時間くらい探索したらしい"],
  ["with people as tokens", "{u:17} you still owe {u:9} a duel in the rain, it was said"],
  ["with other labels", "P7 you still owe @P8 a duel in the rain, it was said"],
];
test.each(COPIES)("a copy is found: %s", (_, text) => {
  expect(copies(text)).toBe(true);
});

const OWN_WORDS = [
  "",
  "P1 told chat about a parrot that imitates the raid alarm.",
  "The parrot learned the raid alarm and now screams it every morning.",
  "P1 and P2 said gg and lol nice one.",
  "The frog emote came up, and an apology was asked for.",
  "昨日の夜、友達とダンジョンを探索した。",
  "{u:17} owes a duel to {u:9} in the rain.",
  "gg gg gg gg gg gg gg gg gg",
];
test.each(OWN_WORDS)("own words are none: %s", (text) => {
  expect(copies(text)).toBe(false);
});

test("eleven words in a row pass and twelve do not", () => {
  const words = "a b c d e f g h i j k l m n".split(" ");
  const findWords = copyFinder([words.join(" ")]);
  expect(findWords(`x ${words.slice(1, 12).join(" ")} x`)).toBe(false);
  expect(findWords(`x ${words.slice(1, 13).join(" ")} x`)).toBe(true);
});

test("sixty characters in a row are found even where they are signs alone", () => {
  const art = "=-<>".repeat(20);
  expect(copyFinder([art])(`look ${art.slice(0, 59)}`)).toBe(false);
  expect(copyFinder([art])(`look ${art.slice(0, 60)}`)).toBe(true);
});

test("a whole message counts from 25 characters on", () => {
  expect(copyFinder(["the goat is back in town"])("chat: the goat is back in town, yes")).toBe(
    false,
  );
  expect(copyFinder(["the goat is back in towns"])("x the goat is back in towns, yes")).toBe(true);
});

const word = fc.constantFrom(
  ..."the frog emote owes me an apology parrot raid alarm boss 漢字 。 . ! {u:5} P3 é".split(" "),
);
const words = fc.array(word, { maxLength: 60 }).map((all) => all.join(" "));

test("whatever of whatever chat is copied is found", () => {
  fc.assert(
    fc.property(fc.array(words, { maxLength: 6 }), words, fc.nat(), (chat, around, at) => {
      const copy = chat[at % Math.max(1, chat.length)] ?? "";
      const isFound = copyFinder(chat)(`${around}. ${copy}. ${around}`);
      if (copy.length >= 60) expect(isFound).toBe(true);
    }),
    { numRuns: 150 },
  );
});

test("any text of 25 characters or more is found where it stands twice", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "binary" })),
      fc.string({ unit: "binary" }),
      (chat, text) => {
        const isFound = copyFinder([...chat, text])(`${text} ${text}`);
        if (text.length >= 25) expect(isFound).toBe(true);
      },
    ),
  );
});
