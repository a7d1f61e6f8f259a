import fc from "fast-check";
import { expect, test } from "vitest";
import { collapseRepeats } from "../../src/language/clean.ts";

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
