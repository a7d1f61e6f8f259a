import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanLine, collapseRepeats, toPrintable } from "../../src/language/clean.ts";

const SAME = [
  "",
  "hello chat, how is everyone? :D 10/10 [id] @someone #1",
  "می‌خواهم بروم",
  "क्‍ष और श्री",
  "👨‍👩‍👧‍👦 ❤️‍🔥 👍🏽 🏳️‍🌈 1️⃣ ☺️",
  "ｗｉｄｅ latin, ünïcödé, 日本語、한국어",
  "مرحبا بالجميع",
  "⣿⠀⠀⣿",
];
test.each(SAME)("a line that shows all it holds stays as it is: %s", (line) => {
  expect(cleanLine(line)).toBe(line.normalize("NFC"));
});

const CLEANED: readonly (readonly [string, string, string])[] = [
  ["the tag character of chat clients", "hello \u{E0000}", "hello"],
  ["tag characters inside", "he\u{E0061}llo", "hello"],
  ["a tail of a combining grapheme joiner", "hello \u034f", "hello"],
  ["a zero-width space", "he\u200bllo", "hello"],
  ["a joiner between Latin letters", "he\u200dllo", "hello"],
  ["a non-joiner at the end", "hello\u200c", "hello"],
  ["joiners piled up in Persian", "می\u200c\u200c\u200dخواهم", "می\u200cخواهم"],
  ["a joiner behind Persian", "سلام\u200c", "سلام"],
  ["a variation selector on a letter", "a\ufe0fb", "ab"],
  ["an emoji with two selectors", "❤\ufe0f\ufe0f", "❤\ufe0f"],
  ["a joiner behind an emoji", "👍\u200d", "👍"],
  ["bidi overrides and isolates", "\u202eabc\u202c \u2066x\u2069", "abc x"],
  ["a soft hyphen", "ba\u00add", "bad"],
  ["a byte order mark", "\ufeffhi", "hi"],
  ["a Hangul filler", "hi \u3164", "hi"],
  ["a blank braille cell", "hi \u2800", "hi"],
  ["a word joiner", "a\u2060b", "ab"],
  ["line breaks", "a\r\nb\u2028c\u2029d\u0085e\vf", "a b c d e f"],
  ["a tab", "a\tb", "a b"],
  ["C0 controls", "a\0b\u0007c\u001b", "abc"],
  ["C1 controls", "a\u0080b\u009f", "ab"],
  ["delete", "a\u007fb", "ab"],
  ["half a surrogate pair", "a\ud83d b\udc00", "a b"],
  ["noncharacters", "a\ufffe\u{1ffff}b", "ab"],
  ["annotation marks", "a\ufff9b\ufffbc", "abc"],
  ["spaces of other widths", "a\u00a0\u3000\u2003b", "a b"],
  ["spaces around", "   a  b   ", "a b"],
  ["nothing but what cannot be seen", "\u200b \u{E0000}\u2060", ""],
  [
    "a joiner behind a mark that moves",
    "\u0301\u094d\u200c\u094d",
    "\u094d\u0301\u094d".normalize("NFC"),
  ],
  ["decomposed letters", "e\u0301", "é"],
];
test.each(CLEANED)("%s is cleaned", (_, line, clean) => {
  expect(cleanLine(line)).toBe(clean);
});

test("a cleaned line stays as it is, is one line, and holds nothing unseen", () => {
  const tricky = fc.constantFrom(
    ..."aé1#*\u200c\u200d\ufe0f\u200b\u00ad😀❤\u0301یम् \n\u{E0001}\ud800\u3164\u2800⣿\u20e3ﬁ가ᄀ",
  );
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(tricky).map((units) => units.join("")),
  );
  fc.assert(
    fc.property(text, (line) => {
      const clean = cleanLine(line);
      expect(cleanLine(clean)).toBe(clean);
      expect(clean).not.toMatch(
        /[\p{Cc}\p{Cs}\u2028\u2029\ufeff\u200b\u{E0000}-\u{E0FFF}]|^\s|\s$|\s\s/u,
      );
      expect(clean).toBe(clean.normalize("NFC"));
    }),
    { numRuns: 300 },
  );
});

test("what a terminal would obey is shown, and what never ends is cut", () => {
  expect(toPrintable("a\u001b[31m\n\u009b2J\u202eb")).toBe("a\ufffd[31m\ufffd\ufffd2J\ufffdb");
  expect(toPrintable("ガチャ 🎲 ñ")).toBe("ガチャ 🎲 ñ");
  expect(toPrintable("b".repeat(5_000)).length).toBeLessThan(1_100);
});

test.each([
  ["party EDM party EDM party EDM", "party EDM (×3)"],
  ["LUL LUL", "LUL LUL"],
  ["LUL LUL LUL", "LUL (×3)"],
  ["ok LUL LUL LUL LUL bye", "ok LUL (×4) bye"],
  ["a b c a b c a b c a", "a b c (×3) a"],
  ["one two three", "one two three"],
  ["", ""],
  ["草 草 草 草", "草 (×4)"],
])("%s is shortened to %s", (text, expected) => {
  expect(collapseRepeats(text)).toBe(expected);
});

test("a shortened text is never longer, and loses no word", () => {
  const words = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(words, (said) => {
      const text = said.join(" ");
      const short = collapseRepeats(text).split(" ");
      const letters = (list: readonly string[]) =>
        new Set(list.filter((word) => /^[abc]$/.test(word)));
      expect(letters(short)).toEqual(letters(said));
      expect(short.length).toBeLessThanOrEqual(said.length);
    }),
  );
});
