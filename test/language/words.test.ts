import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { fold } from "../../src/language/fold.ts";
import {
  findLanguage,
  LANGUAGES,
  type LanguageFile,
  splitEntries,
} from "../../src/language/languages.ts";
import { readStems } from "../../src/language/stems.ts";
import { splitWords } from "../../src/language/words.ts";
import { makeFactKey } from "../../src/memory/fact-key.ts";

const DATA = "src/language/data";
/** Entries of a file that a speaker reviews, stop words and negators aside. */
const ENTRIES_MAX = 120;
const PRIVATE_MAX = 200;

/** A sentence that holds all of these gaps. */
const gaps = (...held: readonly string[]) =>
  z
    .string()
    .min(1)
    .refine((text) => held.every((gap) => text.includes(gap)), `must hold ${held.join(", ")}`);
const LIST = z.string();
const FILE_SCHEMA: z.ZodType<LanguageFile> = z.strictObject({
  code: z.string().length(2),
  name: z.string().min(1),
  script: z.enum(["Latn", "Cyrl", "Jpan", "Hang", "Hani", "Arab", "Deva"]),
  stemmer: z
    .enum([
      ...(["arabic", "english", "french", "german", "italian", "japanese"] as const),
      ...(["korean", "portuguese", "russian", "spanish", "turkish"] as const),
    ])
    .nullable(),
  compounds: z.boolean(),
  letters: z.string(),
  ...{ countries: LIST, stopWords: LIST, negators: LIST, yes: LIST, no: LIST, forgetMe: LIST },
  says: z.strictObject({
    asks: z.record(z.string(), gaps("{yes}")),
    ...{ forgetMe: gaps("{command}"), howToAgree: gaps("!yes"), longest: gaps("{seconds}") },
    ...{ typeThis: gaps("{line}"), pollYes: gaps(), pollNo: gaps(), warnReason: gaps() },
    ...{ notDone: gaps("{why}"), whyProtected: gaps("{user}"), whyNoMessage: gaps("{user}") },
    ...{ whyNotAllowed: gaps(), whyOff: gaps(), whyTooSoon: gaps(), whyLimit: gaps() },
    ...{ whyUnknownUser: gaps(), whyText: gaps(), whyTwitch: gaps(), whyUnknown: gaps() },
  }),
});

test.each(LANGUAGES)(
  "the file of $name has the one shape and is reviewed in ten minutes",
  (one) => {
    const file: unknown = JSON.parse(readFileSync(`${DATA}/${one.code}.json`, "utf8"));
    expect(FILE_SCHEMA.parse(file)).toEqual(file);
    const entries = [...one.yes, ...one.no, ...one.forgetMe, ...Object.keys(one.says)];
    expect(entries.length).toBeLessThanOrEqual(ENTRIES_MAX);
  },
);

test("private words are one short list a language, without repeats", () => {
  const file = z
    .record(z.string(), z.string())
    .parse(JSON.parse(readFileSync(`${DATA}/private.json`, "utf8")));
  for (const [code, list] of Object.entries(file)) {
    const entries = splitEntries(list);
    expect(LANGUAGES.map((one) => one.code)).toContain(code);
    expect(entries.length, code).toBeLessThanOrEqual(PRIVATE_MAX);
    expect(new Set(entries).size, code).toBe(entries.length);
  }
});

test.each(["role-play", "going-on"])(
  "words of %s are short lists a language, without repeats",
  (name) => {
    const file = z
      .record(z.string(), z.record(z.string(), z.string()))
      .parse(JSON.parse(readFileSync(`${DATA}/${name}.json`, "utf8")));
    for (const [code, lists] of Object.entries(file)) {
      expect(LANGUAGES.map((one) => one.code)).toContain(code);
      for (const entries of Object.values(lists).map(splitEntries)) {
        expect(entries.length, code).toBeLessThanOrEqual(120);
        expect(new Set(entries).size, code).toBe(entries.length);
      }
    }
  },
);

test("words are compared by their stems, without stop words and people", () => {
  expect(readStems("{u:12} is playing the cello, {u:7}!")).toEqual(readStems("plays a cello"));
  expect(readStems("{u:12}'s favourite colour")).toEqual(readStems("favorite color"));
});

test("a word is the same with and without an article that lost its vowel", () => {
  expect(readStems("P1 fait de l'escalade et j'adore l'été")).toEqual(
    readStems("P1 fait escalade et adore"),
  );
  expect(readStems("{u:1} nuota nell'acqua del mare")).toContain("acqua");
  expect(makeFactKey("{u:1} boit de l'eau")).not.toBe(makeFactKey("{u:1} boit de l'huile"));
  expect(makeFactKey("{u:1} n'aime plus le thé")).not.toBe(makeFactKey("{u:1} aime le thé"));
});

test("folding sees through marks, digits, dashes and look-alikes", () => {
  expect(fold("ＣＡＦÉ　ŁÓDŹ")).toBe("cafe lodz");
  expect(fold("٣ – ३")).toBe("3 - 3");
  expect(fold("👍🏽")).toBe("👍");
  expect(fold("ё")).not.toBe("е");
  expect(fold("аliсе")).not.toBe("alice");
  expect(fold("аliсе", { lookAlikes: true })).toBe("alice");
});

test("folding twice changes nothing more", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.boolean(), (text, lookAlikes) => {
      const once = fold(text, { lookAlikes });
      expect(fold(once, { lookAlikes })).toBe(once);
    }),
    { numRuns: 500 },
  );
});

test("a text cut at its spaces has the words that the whole of it has", () => {
  const whole = new Intl.Segmenter("und", { granularity: "word" });
  const piece = fc.oneof(
    fc.constantFrom(
      "พวกเขาชอบโคมไฟ",
      "ランプが好き",
      "灯笼",
      "빨간 등불은",
      "مصباح",
      "लालटेन",
      "לילה",
    ),
    fc.constantFrom(
      "lamp",
      "can't",
      "3.14",
      "o'neil",
      "👩‍🚀",
      "🇳🇴",
      "—",
      "…",
      "a.b",
      "_",
      "e\u0301",
    ),
  );
  const space = fc.constantFrom("", " ", "  ", "\n", "\u3000", "\u00a0", "\t");
  fc.assert(
    fc.property(fc.array(fc.tuple(piece, space), { maxLength: 12 }), (pieces) => {
      // With a letter of a script without spaces it is no text for the pattern.
      const text = fold(`灯 ${pieces.flat().join("")}`);
      const words = Array.from(whole.segment(text)).filter(({ isWordLike }) => isWordLike === true);
      const spans = words.map(({ segment: word, index: start }) => ({
        ...{ word, start, end: start + word.length },
      }));
      expect(splitWords(text)).toEqual(spans);
    }),
    { numRuns: 500 },
  );
});

test("a negation is never a stop word", () => {
  for (const [said, denied] of [
    ["{u:1} likes tea", "{u:1} doesn't like tea"],
    ["{u:1} любит чай", "{u:1} не любит чай"],
    ["{u:1}はゲームをやっている", "{u:1}はもうゲームをやっていない"],
    ["{u:1} le gusta el té", "{u:1} no le gusta el té"],
    ["{u:1} mag Tee", "{u:1} mag keinen Tee"],
    ["{u:1} 喝茶", "{u:1} 不喝茶"],
    ["مريم تحب الشاي", "مريم لا تحب الشاي"],
  ] as const) {
    expect(makeFactKey(denied)).not.toBe(makeFactKey(said));
  }
});

test("pronouns that are all of a fact, and numbers, are told apart", () => {
  expect(makeFactKey("{u:1} uses she/her pronouns")).not.toBe(
    makeFactKey("{u:1} uses they/them pronouns"),
  );
  expect(makeFactKey("{u:1} has 2 cats")).not.toBe(makeFactKey("{u:1} has 3 cats"));
  expect(readStems("visited the museum once")).toContain("onc");
});

test("Japanese is cut by dictionary and loses its endings, Russian and Arabic their forms", () => {
  expect(readStems("コーヒーを飲む")).toEqual(readStems("コーヒーを飲んでいる"));
  expect(readStems("живёт в Японии")).toEqual(readStems("живет в Япония"));
  expect(readStems("القهوة")).toEqual(readStems("قهوة"));
});

test("the language of a short fact is told by its script or its small words", () => {
  const codeOf = (text: string): string | undefined => findLanguage(text)?.code;
  expect(codeOf("ya no juega a Celeste")).toBe("es");
  expect(codeOf("ne joue plus à Tetris")).toBe("fr");
  expect(codeOf("spielt kein Tetris mehr")).toBe("de");
  expect(codeOf("não joga mais com eles")).toBe("pt");
  expect(codeOf("plays Tetris with the crew")).toBe("en");
  expect(codeOf("играет в Tetris")).toBe("ru");
  expect(codeOf("テトリス")).toBe("ja");
});

test("a line without small words is of the language of its window, and else of none", () => {
  expect(findLanguage("Tetris")).toBeNull();
  expect(
    findLanguage("Tetris", ["ich mag das auch nicht", "wir spielen mit der Katze"])?.code,
  ).toBe("de");
});

test("a fact of small words alone, or of signs, has a key, too", () => {
  expect(makeFactKey("it is the")).not.toBe("|");
  expect(makeFactKey("🦀")).not.toBe("|");
});
