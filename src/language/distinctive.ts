// Pure: values in, values out.

import { fold } from "./fold.ts";
import { PERSON } from "./people.ts";

/** A text copies a message as written if it has 60 of its characters in a row, or a whole message of 25. */
const RUN_CHARS = 60;
const MESSAGE_CHARS = 25;
const RUN_WORDS = 12;
/** The limits without spaces and punctuation: 60 characters of a line are about 50 letters in 12 words. */
const RUN_LETTERS = 50;
const MESSAGE_LETTERS = 20;
/** A letter of these says as much as two of an alphabet, so that 25 of them are a run. */
const WIDE = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/gu;
/** Replaces a label or token of a viewer. Private use, so no text has it. */
const SOMEBODY = "\ue000";
const WORD = /\ue000|[\p{L}\p{M}\p{N}]+/gu;
const NOT_SAID = /['’ʼ]|(?<=\ue000)\ue000+/gu;

/**
 * Makes a test of whether a text copies from chat messages: 12 words or 60 characters in a row, or a whole message of
 * 25 characters or more. Without spaces, 60 characters are 50 letters and digits, or 25 of Chinese, Japanese or Korean.
 * Case, punctuation, accents, look-alikes and the form of a name (`P1` or `{u:ID}`) do not count. Linear time.
 */
export function copyFinder(messages: readonly string[]): (text: string) => boolean {
  const asWritten = createPieceIndex(RUN_CHARS, MESSAGE_CHARS);
  const asRead = runIndex(RUN_WORDS, RUN_LETTERS, MESSAGE_LETTERS);
  for (const message of new Set(messages)) {
    const counts = message.length >= MESSAGE_CHARS;
    asWritten.add(message, counts);
    asRead.add(message, counts);
  }
  return (text) => asRead.isIn(text) || asWritten.isIn(text);
}

/**
 * Makes a test of whether a text repeats a run of one of the `secrets`: `wordsMin` words or `lettersMin` letters
 * and digits in a row. A letter of Chinese, Japanese or Korean counts twice. Case, punctuation, spacing and look-alikes
 * do not count.
 */
export function runFinder(
  secrets: readonly string[],
  { wordsMin, lettersMin }: Readonly<Record<"wordsMin" | "lettersMin", number>>,
): (text: string) => boolean {
  const asRead = runIndex(wordsMin, lettersMin, lettersMin);
  for (const secret of secrets) asRead.add(secret, false);
  return asRead.isIn;
}

/** Makes an index that finds runs of words and of letters, ignoring spaces and punctuation. */
function runIndex(wordsMin: number, lettersMin: number, wholeMin: number): PieceIndex {
  const letters = createPieceIndex(lettersMin, wholeMin);
  const phrases = new Set<string>();
  const phrasesOf = (words: readonly string[]): string[] =>
    words.slice(wordsMin - 1).map((_, at) => words.slice(at, at + wordsMin).join(" "));
  return {
    add(line, whole) {
      const words = wordsOf(line);
      letters.add(getLetters(words), whole);
      for (const phrase of phrasesOf(words)) phrases.add(phrase);
    },
    isIn(text) {
      const words = wordsOf(text);
      return letters.isIn(getLetters(words)) || phrasesOf(words).some((one) => phrases.has(one));
    },
  };
}

function wordsOf(text: string): readonly string[] {
  const said = text.replace(PERSON, SOMEBODY).replace(NOT_SAID, "");
  return fold(said, { lookAlikes: true }).match(WORD) ?? [];
}

/** Returns the letters of words in a row, wide ones twice. */
function getLetters(words: readonly string[]): string {
  return words.join("").replace(WIDE, "$&$&");
}

interface PieceIndex {
  /** Adds a line. `whole`: it is also found as a whole if it is shorter than a run. */
  add(line: string, whole: boolean): void;
  /** Returns true if a text holds a run of a line, or a whole line. */
  isIn(text: string): boolean;
}

function createPieceIndex(runSize: number, wholeMin: number): PieceIndex {
  const runs = new Set<string>();
  const wholes = new Map<string, Set<string>>();
  return {
    add(line, whole) {
      for (let at = 0; at + runSize <= line.length; at += 1) runs.add(line.slice(at, at + runSize));
      if (whole && line.length >= wholeMin && line.length < runSize) {
        const head = line.slice(0, wholeMin);
        wholes.set(head, (wholes.get(head) ?? new Set()).add(line));
      }
    },
    isIn(text) {
      for (let at = 0; at + wholeMin <= text.length; at += 1) {
        if (at + runSize <= text.length && runs.has(text.slice(at, at + runSize))) return true;
        const lines = wholes.get(text.slice(at, at + wholeMin));
        if (lines !== undefined && [...lines].some((line) => text.startsWith(line, at)))
          return true;
      }
      return false;
    },
  };
}
