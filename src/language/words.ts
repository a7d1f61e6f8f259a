// Pure: values in, values out.

import { distance } from "fastest-levenshtein";
import { memoize } from "../bounded-map.ts";
import { getSegmenter } from "./clean.ts";
import { fold } from "./fold.ts";

/** A word of a text. `start` and `end` are in UTF-16 units. */
export interface WordSpan {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

const SPACED = /^[\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{sc=Zyyy}\p{sc=Zinh}]*$/u;
/** Finds what the segmenter finds in alphabets with spaces (UAX #29), many times as fast. */
const SPACED_WORD =
  /[\p{L}\p{M}\p{N}_]+(?:(?:(?<=\p{L}\p{M}*)[:.'’](?=\p{L})|(?<=\p{N})[,;.'’](?=\p{N}))[\p{L}\p{M}\p{N}_]+)*/gu;

/** Splits a text into its words, in any script (UAX #29). Emotes and punctuation are no words. */
export function splitWords(text: string): readonly WordSpan[] {
  if (SPACED.test(text)) {
    return Array.from(text.matchAll(SPACED_WORD), ({ 0: word, index: start }) => ({
      word,
      start,
      end: start + word.length,
    }));
  }
  return splitSegments(text)
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment, index }) => ({ word: segment, start: index, end: index + segment.length }));
}

/**
 * Splits a text into the segments of its words. It cuts at white space first, because V8 copies the whole text for each
 * segment.
 */
function splitSegments(text: string) {
  return Array.from(text.matchAll(/\S+/gu)).flatMap(({ 0: part, index: start }) =>
    Array.from(getSegmenter("word").segment(part), ({ segment, index, isWordLike = false }) => ({
      segment,
      index: start + index,
      isWordLike,
    })),
  );
}

/** Particles that Korean writes after a noun, as alternatives of a pattern. */
export const KOREAN_PARTICLES = "아|야|님|씨|은|는|이|가|을|를|의|도|에게|한테|이랑|랑|과|와|만";

/** Scripts written without spaces between words, as the inside of a character class. */
export const UNSPACED =
  "\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}\\u30fc";
const UNSPACED_LETTER = new RegExp(`[${UNSPACED}]`, "u");

/**
 * Makes a test of whether a word begins or ends at an offset (UTF-16 units), by dictionary. It is true at the end of
 * the text. It computes the edges at the first call.
 */
export function createDictionaryEdgeTest(text: string): (offset: number) => boolean {
  let edges: Set<number> | null = null;
  return (offset) => {
    edges ??= new Set(
      splitSegments(text).flatMap(({ segment, index }) => [index, index + segment.length]),
    );
    return offset >= text.length || edges.has(offset);
  };
}

/** Returns true if a text has a letter of a script without spaces. */
export function isUnspaced(text: string): boolean {
  return UNSPACED_LETTER.test(text);
}

/** Returns the source of a pattern for a text. White space of the text matches any white space. */
export function makeLiteralPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replace(/\s+/g, "\\s+");
}

const VERBATIM_CHARS_MAX = 500;
const LETTER = `(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}_]`;
/** Between words: at most one of its sides is a letter. */
const WORD_EDGE = `(?:(?<!${LETTER})|(?!${LETTER}))`;

/**
 * Finds a text, in whole words, in messages. Returns it as written in the first message that holds it: case, spaces and
 * a last stop may differ. Null if none holds it, or it is empty or longer than 500 UTF-16 units.
 */
export function findVerbatim(text: string, lines: readonly string[]): string | null {
  const plain = (one: string) => one.replace(/[’ʼ]/gu, "'");
  const body = plain(text).trim();
  const stop = /[.!,;…。！，、~]$/u.exec(body)?.[0] ?? "";
  const said = body.slice(0, body.length - stop.length).trim();
  if (said === "" || said.length > VERBATIM_CHARS_MAX) return null;
  const wanted = new RegExp(
    `${WORD_EDGE}${makeLiteralPattern(said)}${WORD_EDGE}(?:${makeLiteralPattern(stop)})?`,
    "iu",
  );
  for (const line of lines) {
    const found = wanted.exec(plain(line));
    if (found !== null) return line.slice(found.index, found.index + found[0].length);
  }
  return null;
}

/** Question marks of any script, an opening one included; Greek writes it as a semicolon. */
const QUESTION_MARK = /[?？¿؟՞፧⸮‽⁇⁈⁉]|\p{sc=Greek};/u;

export function hasQuestionMark(text: string): boolean {
  return QUESTION_MARK.test(text);
}

/** An entry of a list in a text: the places of its first and last word. */
export interface FoundEntry {
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

export interface ReadText {
  readonly folded: string;
  readonly words: readonly WordSpan[];
}

export type WordFinder = (text: ReadText) => readonly FoundEntry[];

/** Folds a text and cuts it into words, for finders. */
export function readWords(text: string): ReadText {
  const folded = fold(text);
  return { folded, words: splitWords(folded) };
}

/**
 * Makes a finder for named word lists of `data/*.json`: `word`, `a phrase of words`, `begins*`, `*ends`, `*holds*`. In
 * scripts without spaces it finds an entry of two letters or more anywhere. It builds its index with the first text.
 */
export function createWordFinder(lists: Readonly<Record<string, readonly string[]>>): WordFinder {
  const indexed = memoize(() => {
    const index = createEntryIndex();
    const runs: { readonly run: string; readonly name: string }[] = [];
    for (const [name, entries] of Object.entries(lists)) {
      for (const written of entries) {
        const entry = fold(written);
        // A run is found inside words, too. A single character must be marked as open.
        const isRun = isUnspaced(entry) && (entry.length > 1 || entry.includes("*"));
        if (isRun) runs.push({ run: entry.replaceAll("*", ""), name });
        else index.add({ parts: parseEntry(entry), name });
      }
    }
    return { index, runs };
  });
  return (text) => {
    const { index, runs } = indexed();
    const { folded, words } = text;
    const found = findEntries(words, index.listsFor);
    if (!isUnspaced(folded)) return found;
    return [...found, ...runs.flatMap(({ run, name }) => findRuns(text, run, name))];
  };
}

interface Entry {
  readonly parts: readonly Part[];
  readonly name: string;
}

interface Part {
  readonly letters: string;
  readonly isOpenBefore: boolean;
  readonly isOpenAfter: boolean;
}

function parseEntry(entry: string): readonly Part[] {
  return entry.split(" ").flatMap((written) => {
    const before = written.startsWith("*");
    const after = written.endsWith("*");
    const spans = splitWords(written);
    // In "n'*" the apostrophe belongs to the beginning.
    const last = written.endsWith("'*") ? "'" : "";
    return spans.map(({ word }, at) => ({
      letters: at === spans.length - 1 ? `${word}${last}` : word,
      isOpenBefore: before && at === 0,
      isOpenAfter: after && at === spans.length - 1,
    }));
  });
}

const KEY_LETTERS = 3;

/** Indexes entries by their first word, so that most words of a text need no check. */
function createEntryIndex() {
  const byWord = new Map<string, Entry[]>();
  const byStart = new Map<string, Entry[]>();
  const byEnd = new Map<string, Entry[]>();
  const others: Entry[] = [];
  const put = (map: Map<string, Entry[]>, key: string, entry: Entry): void => {
    map.set(key, [...(map.get(key) ?? []), entry]);
  };
  return {
    add: (entry: Entry): void => {
      const [first] = entry.parts;
      if (first === undefined) return;
      const { letters, isOpenBefore, isOpenAfter } = first;
      if (!isOpenBefore && !isOpenAfter) put(byWord, letters, entry);
      else if (letters.length < KEY_LETTERS || (isOpenBefore && isOpenAfter)) others.push(entry);
      else if (isOpenAfter) put(byStart, letters.slice(0, KEY_LETTERS), entry);
      else put(byEnd, letters.slice(-KEY_LETTERS), entry);
    },
    /** Returns the lists of entries that may start with a word. */
    listsFor: (word: string): readonly (readonly Entry[] | undefined)[] => [
      byWord.get(word),
      byStart.get(word.slice(0, KEY_LETTERS)),
      byEnd.get(word.slice(-KEY_LETTERS)),
      others,
    ],
  };
}

/** Finds the entries of an index among words. `listsFor` is the index's. */
function findEntries(
  words: readonly WordSpan[],
  listsFor: (word: string) => readonly (readonly Entry[] | undefined)[],
): FoundEntry[] {
  const found: FoundEntry[] = [];
  for (const [at, { word }] of words.entries()) {
    for (const entries of listsFor(word)) {
      for (const { parts, name } of entries ?? []) {
        if (matchesEntry(parts, words, at))
          found.push({ from: at, to: at + parts.length - 1, name });
      }
    }
  }
  return found;
}

function matchesEntry(parts: readonly Part[], words: readonly WordSpan[], at: number): boolean {
  return parts.every(({ letters, isOpenBefore, isOpenAfter }, n) => {
    const word = words[at + n]?.word ?? "";
    if (isOpenBefore && isOpenAfter) return word.includes(letters);
    if (isOpenBefore) return word.endsWith(letters);
    return isOpenAfter ? word.startsWith(letters) : word === letters;
  });
}

/** Finds each place of a run of letters in a text, also inside words; `name` is its list. */
function findRuns({ folded, words }: ReadText, run: string, name: string): FoundEntry[] {
  const found: FoundEntry[] = [];
  for (let at = folded.indexOf(run); at >= 0; at = folded.indexOf(run, at + run.length)) {
    const from = words.findIndex(({ end }) => end > at);
    const to = words.findLastIndex(({ start }) => start < at + run.length);
    if (from >= 0 && to >= from) found.push({ from, to, name });
  }
  return found;
}

const TYPO_DISTANCE_MAX = 3;

/**
 * Finds the known name that a word may misspell, in any case. Null if none is near: one edit for every three
 * letters or part of them, three at most. Two swapped neighbours are one edit.
 */
export function findNearest(word: string, known: readonly string[]): string | null {
  const allowed = Math.min(TYPO_DISTANCE_MAX, Math.ceil(word.length / 3));
  let best: { readonly name: string; readonly edits: number } | null = null;
  for (const name of known) {
    const [one, other] = [word.toLowerCase(), name.toLowerCase()];
    const swaps = Array.from({ length: one.length - 1 }, (_, at) => {
      const swapped = one.slice(0, at) + one.charAt(at + 1) + one.charAt(at) + one.slice(at + 2);
      return swapped === one ? Infinity : 1 + distance(swapped, other);
    });
    const edits = Math.min(distance(one, other), ...swaps);
    if (edits <= allowed && edits < Math.min(best?.edits ?? Infinity, name.length)) {
      best = { name, edits };
    }
  }
  return best?.name ?? null;
}
