import { expect, test } from "vitest";
import {
  alikeChars,
  charactersWithin,
  endingsOf,
  singularOf,
  withoutMarks,
  wordsOf,
} from "../../../src/memory/recall/word-forms.ts";

test.each([
  ["schäferhund", ["äferhund", "ferhund", "erhund", "rhund", "hund"]],
  ["eishund", ["hund"]],
  ["uhund", []],
  ["шахматист", []],
  ["re:zero2000", []],
])("the endings that may be a word of %s", (word, endings) => {
  expect(endingsOf(word)).toEqual(endings);
});

test.each([
  ["cats", "cat"],
  ["cs", "c"],
  ["s", null],
  ["cat", null],
])("%s without a plural's s", (word, singular) => {
  expect(singularOf(word)).toBe(singular);
});

test.each([
  ["theremin", 5],
  ["шахматы", 5],
  ["שלום", 3],
  ["كتاب", 3],
  ["猫", 2],
  ["고양이", 2],
  ["𠮷野", 2],
])("how much of %s has to be alike", (word, chars) => {
  expect(alikeChars(word)).toBe(chars);
});

test("characters within a word are the Chinese ones, each once", () => {
  expect(charactersWithin("小狗狗")).toEqual(["小", "狗"]);
  expect(charactersWithin("飲んだ")).toEqual(["飲"]);
  expect(charactersWithin("dog")).toEqual([]);
});

test("words end at spaces and at signs between them, in East Asia's scripts too", () => {
  expect(wordsOf("a-b, (c)/d|e&f+g;h:i、j。k・l，m　n")).toEqual([..."abcdefghijklmn"]);
  expect(wordsOf(" ,; ")).toEqual([]);
});

test("letters lose the marks that Latin writes on them, and no others", () => {
  expect(withoutMarks("Żółć café ñandú straße йод")).toBe("Zołc cafe nandu straße йод");
});
