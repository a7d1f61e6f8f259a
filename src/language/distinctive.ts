// Pure: values in, values out.

import { foldLookAlikes } from "./look-alikes.ts";
import { PERSON } from "./people.ts";

/** The limits of the law of no transcript, for text as it stands: characters in a row, and a message quoted whole. */
const RUN_CHARS = 60;
const MESSAGE_CHARS = 25;
const RUN_WORDS = 12;
/** The same without spaces and punctuation: 60 characters of a line are about 50 letters in 12 words. */
const RUN_LETTERS = 50;
const MESSAGE_LETTERS = 20;
/** A letter of these says as much as two of an alphabet, so that 25 of them are a run. */
const WIDE = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u;
/** Stands for a person, whoever it is: a label, a token. Private use, so no text has it of its own. */
const SOMEBODY = "\ue000";
/** What may stand inside a word before it is folded: emoji letters, invisible characters, apostrophes. */
const CHUNK = /[\p{L}\p{M}\p{N}\p{So}\p{Cf}\ue000'’ʼ]+/gu;
const WORD = /\ue000|[\p{L}\p{M}\p{N}]+/gu;
const NOT_SAID = /['’ʼ]|(?<=\ue000)\ue000+/gu;

/** Where a run stands in a text, in UTF-16 units. */
interface Run {
  readonly start: number;
  readonly end: number;
}

/** Answers with a distinctive run of one of its messages that stands in a text, or null. */
export type RunFinder = (text: string) => Run | null;

/**
 * A finder of what a text copies from chat messages: 12 words in a row, 60 characters in a row (50 letters and digits,
 * 25 of Chinese, Japanese or Korean), or a whole message of 25 characters. Case, spacing, punctuation, accents and
 * look-alikes make no difference, nor whether a person stands as a label (`P1`) or as a token (`{u:ID}`). Where names
 * are replaced in the text, give the messages with theirs replaced too. Linear in the messages once, and in each text.
 */
export function runFinder(messages: readonly string[]): RunFinder {
  const asWritten = pieceIndex(RUN_CHARS, MESSAGE_CHARS);
  const asRead = readFinder(RUN_WORDS, RUN_LETTERS, MESSAGE_LETTERS);
  for (const message of new Set(messages)) {
    const counts = message.length >= MESSAGE_CHARS;
    asWritten.add(message, counts);
    asRead.add(message, counts);
  }
  return (text) => asRead.find(text) ?? asWritten.find(text);
}

/** How long a run has to be to count as a leak. */
interface RunLimits {
  /** In words. */
  readonly wordsMin: number;
  /** In letters and digits, with spaces and punctuation left out. */
  readonly lettersMin: number;
}

/**
 * A test of whether a text repeats a run of one of the `secrets`: that many words in a row, or that many letters and
 * digits (half as many of Chinese, Japanese or Korean), whatever the case, punctuation, spacing or look-alikes.
 */
export function sharesRun(
  secrets: readonly string[],
  { wordsMin, lettersMin }: RunLimits,
): (text: string) => boolean {
  const asRead = readFinder(wordsMin, lettersMin, lettersMin);
  for (const secret of secrets) asRead.add(secret, false);
  return (text) => asRead.find(text) !== null;
}

/** Finds runs of words and of letters, whatever stands between them. */
function readFinder(wordsMin: number, lettersMin: number, wholeMin: number): PieceIndex {
  const letters = pieceIndex(lettersMin, wholeMin);
  const phrases = new Set<string>();
  const phraseAt = (words: readonly Word[], at: number): string =>
    words
      .slice(at, at + wordsMin)
      .map(({ text }) => text)
      .join(" ");
  return {
    add(line, whole) {
      const words = wordsOf(line);
      letters.add(lettersOf(words).stream, whole);
      for (let at = 0; at + wordsMin <= words.length; at += 1) phrases.add(phraseAt(words, at));
    },
    find(text) {
      const words = wordsOf(text);
      const { stream, at: places } = lettersOf(words);
      const found = letters.find(stream);
      if (found !== null) {
        return { start: places[found.start]?.start ?? 0, end: places[found.end - 1]?.end ?? 0 };
      }
      const isPhrase = (at: number): boolean =>
        at + wordsMin <= words.length && phrases.has(phraseAt(words, at));
      const first = words.findIndex((_, at) => isPhrase(at));
      if (first < 0) return null;
      let last = first;
      while (isPhrase(last + 1)) last += 1;
      return { start: words[first]?.start ?? 0, end: words[last + wordsMin - 1]?.end ?? 0 };
    },
  };
}

interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function wordsOf(text: string): readonly Word[] {
  const named = text.replace(PERSON, (person) => SOMEBODY.repeat(person.length));
  return [...named.matchAll(CHUNK)].flatMap(({ 0: chunk, index }) => {
    const folded = foldLookAlikes(chunk.replace(NOT_SAID, ""));
    const isAligned = folded.length === chunk.length;
    return [...folded.matchAll(WORD)].map(({ 0: word, index: at }) => ({
      text: word,
      start: isAligned ? index + at : index,
      end: isAligned ? index + at + word.length : index + chunk.length,
    }));
  });
}

/** The letters of words in a row, wide ones twice, and for each of them where it stands in the text. */
function lettersOf(words: readonly Word[]): { readonly stream: string; readonly at: Run[] } {
  const at: Run[] = [];
  let stream = "";
  for (const { text, start, end } of words) {
    const isAligned = text.length === end - start;
    let offset = 0;
    for (const letter of text) {
      const shown = WIDE.test(letter) ? letter + letter : letter;
      stream += shown;
      const place = isAligned
        ? { start: start + offset, end: start + offset + letter.length }
        : { start, end };
      for (let unit = 0; unit < shown.length; unit += 1) {
        at.push(place);
      }
      offset += letter.length;
    }
  }
  return { stream, at };
}

interface PieceIndex {
  /** `whole` says whether a line shorter than a run counts when it stands in a text whole. */
  add(line: string, whole: boolean): void;
  find(text: string): Run | null;
}

function pieceIndex(runSize: number, wholeMin: number): PieceIndex {
  const runs = new Set<string>();
  const wholes = new Map<string, Set<string>>();
  const isRun = (text: string, at: number): boolean =>
    at + runSize <= text.length && runs.has(text.slice(at, at + runSize));
  return {
    add(line, whole) {
      for (let at = 0; at + runSize <= line.length; at += 1) {
        runs.add(line.slice(at, at + runSize));
      }
      if (whole && line.length >= wholeMin && line.length < runSize) {
        const head = line.slice(0, wholeMin);
        wholes.set(head, (wholes.get(head) ?? new Set()).add(line));
      }
    },
    find(text) {
      for (let at = 0; at + wholeMin <= text.length; at += 1) {
        if (isRun(text, at)) {
          let last = at;
          while (isRun(text, last + 1)) {
            last += 1;
          }
          return { start: at, end: last + runSize };
        }
        const line = wholeAt(wholes.get(text.slice(at, at + wholeMin)), text, at);
        if (line !== null) {
          return { start: at, end: at + line.length };
        }
      }
      return null;
    },
  };
}

function wholeAt(lines: ReadonlySet<string> | undefined, text: string, at: number): string | null {
  for (const line of lines ?? []) {
    if (text.startsWith(line, at)) {
      return line;
    }
  }
  return null;
}
