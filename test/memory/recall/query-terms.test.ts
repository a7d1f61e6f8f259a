import { expect, test } from "vitest";
import { conversationReader } from "../../../src/memory/recall/query-terms.ts";
import { loreWorld } from "./lore-world.ts";
import { asking } from "./memories.ts";

const NOTHING_SAID = { recent: [], category: "", others: [] };

const queryOf = (message: string, more: object = {}) =>
  conversationReader()({ ...NOTHING_SAID, ...more, message: { id: null, text: message } });

/** The terms of a message that these words of a note answer, with how well. */
function hitsIn(message: string, words: string): readonly [term: number, strength: number][] {
  const hits = new Map<number, number>();
  queryOf(message).inWords(words, (term, strength) => void hits.set(term, strength));
  return [...hits];
}

function topicsFound(message: string, topics: string, more: object = {}): number {
  const terms = new Set<number>();
  queryOf(message, more).inTopics(topics, (term) => void terms.add(term));
  return terms.size;
}

test.each([
  [
    "a word counts as itself, not as what else begins alike",
    "the theremin, therefore",
    "theremin",
    1,
  ],
  [
    "a compound counts as itself and as what it ends with",
    "mein Schäferhund ist ein Hund",
    "schaferhund",
    2,
  ],
  ["and every character that is asked for", "我的小和狗", "小狗", 2],
] as const)("%s", (_, message, word, terms) => {
  expect(hitsIn(message, word)).toHaveLength(terms);
});

test.each([
  ["a word", "any theremins today?", "theremin", 1],
  ["a word that begins alike, from five letters", "the theremin", "thereminist", 0.5],
  ["and not from four", "the harp", "harmonica", null],
  ["the end of a German compound", "was macht der Hund", "schaferhund", 0.8],
  ["and not of a short one", "was macht der Hund", "uhund", null],
  ["nor of a word with digits", "was macht der Hund", "re0hund", null],
  ["in Arabic three letters", "كتاب", "كتابخانه", 0.5],
  ["in Korean two", "강아지", "강아쥐", 0.5],
  ["and of one Chinese character that stands within", "𠮷野", "𠮷野家", 0.8],
] as const)("%s: '%s' in '%s' fits by %s", (_, message, word, strength) => {
  expect(hitsIn(message, word)[0]?.[1] ?? null).toBe(strength);
});

test("marks on Latin letters do not count, on others they do", () => {
  expect(hitsIn("żółć", "zołc")).toHaveLength(1);
  expect(hitsIn("йод", "иод")).toHaveLength(0);
});

test.each([
  ["a question in the plural, a topic in the singular", "my cats?", "cat"],
  ["the other way round", "my cat?", "Cats"],
  ["of which only the stems are one", "we climbed today", "climbing"],
  ["in another language than English", "y mis perros", "perro"],
  ["in Russian", "как моя собака", "собаки"],
  ["one of several", "tea?", "honey|tea|wax"],
  ["one that stands in East Asia's signs", "고양이", "차、고양이、꽃"],
])("topics are stemmed on both sides: %s", (_, message, topics) => {
  expect(topicsFound(message, topics)).toBe(1);
});

test("the category is looked for among topics, and is not said", () => {
  const query = queryOf("hm", { category: "Climbing" });
  const found: boolean[] = [];
  query.inTopics("climbs", (term) => void found.push(query.terms[term]?.isSaid === true));
  expect(found).toEqual([false]);
});

test("only the message itself is worth a loose fit", () => {
  const { recall } = loreWorld([{ id: 1, fact: "met a thereminist" }]);
  const lexical = (message: string, recent: string) =>
    recall.lore(asking(message, { recent: [{ id: null, text: recent }] }))[0]?.terms.lexical;
  expect(lexical("the theremin", "hello")).toBeGreaterThan(0);
  expect(lexical("hello", "the theremin")).toBe(0);
});

test("topics are no words, and words no topics", () => {
  const { recall } = loreWorld([{ id: 1, fact: "met somebody", topics: "chess" }]);
  const terms = recall.lore(asking("met anyone"))[0]?.terms;
  expect(terms?.lexical).toBeGreaterThan(0);
  expect(terms?.topic).toBe(0);
});
