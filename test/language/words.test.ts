import fc from "fast-check";
import { expect, test } from "vitest";
import { languageOf, normalWords, noteKey, wordsIn } from "../../src/language/words.ts";

test("words are compared by their stems, without stop words and people", () => {
  expect(normalWords("{u:12} is playing the cello, {u:7}!")).toEqual(normalWords("plays a cello"));
  expect(normalWords("{u:12}'s favourite colour")).toEqual(normalWords("favorite color"));
});

test("compatibility forms, case and kinds of apostrophe make no difference", () => {
  expect(noteKey("Ｖａｌｏｒａｎｔ CAN’T wait")).toBe(noteKey("valorant can't wait"));
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
    expect(noteKey(denied)).not.toBe(noteKey(said));
  }
});

test("pronouns that are all of a fact are told apart", () => {
  expect(noteKey("{u:1} uses she/her pronouns")).not.toBe(noteKey("{u:1} uses they/them pronouns"));
});

test("number words are digits, and Spanish eleven is not English once", () => {
  expect(noteKey("has two cats")).toBe(noteKey("has 2 cats"));
  expect(noteKey("猫を二匹飼っている")).toBe(noteKey("猫を2匹飼っている"));
  expect(normalWords("visited the museum once")).toContain("onc");
});

test("Japanese is cut by dictionary and loses its endings, Russian and Arabic their forms", () => {
  expect(normalWords("コーヒーを飲む")).toEqual(normalWords("コーヒーを飲んでいる"));
  expect(normalWords("живёт в Японии")).toEqual(normalWords("живет в Япония"));
  expect(normalWords("القهوة")).toEqual(normalWords("قهوة"));
});

test("the language of a short fact is told by its script or its small words", () => {
  expect(languageOf("ya no juega a Celeste")).toBe("es");
  expect(languageOf("ne joue plus à Tetris")).toBe("fr");
  expect(languageOf("spielt kein Tetris mehr")).toBe("de");
  expect(languageOf("não joga mais")).toBe("pt");
  expect(languageOf("plays Tetris")).toBe("en");
  expect(languageOf("играет в Tetris")).toBe("ru");
  expect(languageOf("テトリス")).toBe("ja");
});

test("a key is empty only where nothing can be seen", () => {
  expect(noteKey("it is the")).toBe("it is the");
  expect(noteKey("🦀")).not.toBe("");
  expect(noteKey("{u:1} \u200b")).toBe("");
});

test("any text has the same key twice, and words without a space", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(noteKey(text)).toBe(noteKey(text));
      expect(normalWords(text).every((word) => word !== "" && !word.includes(" "))).toBe(true);
    }),
  );
});

test("Latin letters make the words that Unicode's rules find in them", () => {
  const unit = fc.constantFrom(..."abZ09_ .,;:'!-#@/éßÑœłƒ×¿¡«»–—“”„€".split(""));
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit }), fc.string()), (text) => {
      // One letter beyond Latin, and the segmenter is asked.
      const [asked, quick] = [`${text} ж`, `${text} x`].map((line) =>
        wordsIn(line, "other").map(({ surface }) => surface),
      );
      expect(quick?.slice(0, -1)).toEqual(asked?.slice(0, -1));
    }),
    { numRuns: 1_000 },
  );
});
