// Pure: values in, values out.
import { segmenter } from "./clean.ts";

/** A word of a text as it was written, and where it stands. */
export interface WordSpan {
  /** NFKC, lower case; Latin letters without their marks. */
  readonly word: string;
  /** UTF-16 units into the normalised text. */
  readonly start: number;
  readonly end: number;
}

const SPACED = /^[\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{sc=Zyyy}\p{sc=Zinh}]*$/u;
/** The segmenter's words of alphabets with spaces, many times as fast. */
const SPACED_WORD = /[\p{L}\p{M}\p{N}_]+(?:['’.](?=[\p{L}\p{N}])[\p{L}\p{M}\p{N}_]+)*/gu;
/** ASCII without the one apostrophe that is another's: most of what is ever folded. */
const FOLDED_BY_CASE = /^[\n -_a-~]*$/;
const UNSEEN = /\p{DI}+/gu;
const MARKED = /(\p{sc=Latn})\p{M}+/gu;

/**
 * A text as words are compared in it: NFKC without what cannot be seen, lower case, one kind of apostrophe, Latin letters without
 * their marks.
 */
export function foldText(text: string): string {
  if (FOLDED_BY_CASE.test(text)) return text.toLowerCase();
  return text
    .replace(UNSEEN, "")
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[’ʼ‘`´]/gu, "'")
    .replaceAll("ı", "i")
    .replaceAll("ł", "l")
    .normalize("NFD")
    .replace(MARKED, "$1")
    .normalize("NFC");
}

/** Every word of a folded text, in order, in any script (UAX #29). */
export function wordSpans(folded: string): readonly WordSpan[] {
  if (SPACED.test(folded)) {
    return Array.from(folded.matchAll(SPACED_WORD), (match) => ({
      word: match[0],
      start: match.index,
      end: match.index + match[0].length,
    }));
  }
  return segmentsOf(folded)
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment, index }) => ({ word: segment, start: index, end: index + segment.length }));
}

/** The segmenter's pieces of a text, white space left out. It is cut there first: V8 copies the whole text for each piece. */
export function segmentsOf(text: string) {
  return Array.from(text.matchAll(/\S+/gu)).flatMap(({ 0: part, index: start }) =>
    Array.from(segmenter("word").segment(part), ({ segment, index, isWordLike = false }) => ({
      segment,
      index: start + index,
      isWordLike,
    })),
  );
}

/** What Korean writes onto a name or noun, as alternatives of a pattern. */
export const KOREAN_PARTICLES = "아|야|님|씨|은|는|이|가|을|를|의|도|에게|한테|이랑|랑|과|와|만";

/** Scripts written without spaces between words, as the inside of a character class. */
export const UNSPACED =
  "\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}\\u30fc";
const UNSPACED_LETTER = new RegExp(`[${UNSPACED}]`, "u");

/**
 * Where words begin and end in text of scripts without spaces, by dictionary (UAX #29 and ICU): the answer takes an
 * offset in UTF-16 units. Nothing is computed before the first question, which only such text should ask.
 */
export function dictionaryEdges(text: string): (offset: number) => boolean {
  let edges: Set<number> | null = null;
  return (offset) => {
    edges ??= new Set(
      segmentsOf(text).flatMap(({ segment, index }) => [index, index + segment.length]),
    );
    return offset >= text.length || edges.has(offset);
  };
}

/** Whether a letter, or one of a text, is of a script written without spaces. */
export function isUnspaced(text: string): boolean {
  return UNSPACED_LETTER.test(text);
}

/** The source of a regular expression that matches a text as it is, with any run of white space for its own. */
export function literalPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replace(/\s+/g, "\\s+");
}

const VERBATIM_CHARS_MAX = 500;
const LETTER = `(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}_]`;
/** Between words: at most one of its sides is a letter. */
const WORD_EDGE = `(?:(?<!${LETTER})|(?!${LETTER}))`;

/** Returns a text as the first message that has it writes it. Case, spaces and a last stop may differ. Null if none has it. */
export function findVerbatim(text: string, lines: readonly string[]): string | null {
  const plain = (one: string) => one.replace(/[’ʼ]/gu, "'");
  const body = plain(text).trim();
  const stop = /[.!,;…。！，、~]$/u.exec(body)?.[0] ?? "";
  const said = body.slice(0, body.length - stop.length).trim();
  if (said === "" || said.length > VERBATIM_CHARS_MAX) return null;
  const wanted = new RegExp(
    `${WORD_EDGE}${literalPattern(said)}${WORD_EDGE}(?:${literalPattern(stop)})?`,
    "iu",
  );
  for (const line of lines) {
    const found = wanted.exec(plain(line));
    if (found !== null) return line.slice(found.index, found.index + found[0].length);
  }
  return null;
}

/** Where an entry stands: places of its first and last word. */
export interface FoundEntry {
  readonly from: number;
  readonly to: number;
  /** What the entry was filed under. */
  readonly name: string;
}

/** A text, folded, and its words. */
export interface ReadText {
  readonly folded: string;
  readonly words: readonly WordSpan[];
}

/** Looks the entries of word lists up in a text. */
export type WordFinder = (text: ReadText) => readonly FoundEntry[];

/** Folds a text and cuts it into words, for finders. */
export function readWords(text: string): ReadText {
  const folded = foldText(text);
  return { folded, words: wordSpans(folded) };
}

/**
 * A finder for word lists as `data/*.json` have them, each under a name: `word`, `a phrase of words`, `begins*`,
 * `*ends`, `*holds*`. In scripts without spaces an entry is found wherever it stands. It is made
 * ready at its first text: most languages are never spoken in a channel.
 */
export function wordFinder(lists: Readonly<Record<string, readonly string[]>>): WordFinder {
  let ready: ReturnType<typeof indexOf> | null = null;
  return (text) => {
    ready ??= indexOf(lists);
    const { index, runs } = ready;
    const { folded, words } = text;
    const found = words.flatMap(({ word }, at) => {
      return index
        .mayStartWith(word)
        .flatMap(({ parts, name }) =>
          standsAt(parts, words, at) ? [{ from: at, to: at + parts.length - 1, name }] : [],
        );
    });
    if (!isUnspaced(folded)) return found;
    return [...found, ...runs.flatMap(({ text: run, name }) => runsIn(text, run, name))];
  };
}

function indexOf(lists: Readonly<Record<string, readonly string[]>>) {
  const index = entryIndex();
  const runs: { readonly text: string; readonly name: string }[] = [];
  for (const [name, entries] of Object.entries(lists)) {
    for (const written of entries) {
      const entry = foldText(written);
      if (isRun(entry)) runs.push({ text: entry.replaceAll("*", ""), name });
      else index.add({ parts: partsOf(entry), name });
    }
  }
  return { index, runs };
}

/** Wherever it stands; a single character is a word of its own only, unless it is marked as open. */
function isRun(entry: string): boolean {
  return isUnspaced(entry) && (entry.length > 1 || entry.includes("*"));
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

function partsOf(entry: string): readonly Part[] {
  return entry.split(" ").flatMap((written) => {
    const before = written.startsWith("*");
    const after = written.endsWith("*");
    const spans = wordSpans(written);
    // Of "n'*" the apostrophe is a letter of what the word begins with.
    const last = written.endsWith("'*") ? "'" : "";
    return spans.map(({ word }, at) => ({
      letters: at === spans.length - 1 ? `${word}${last}` : word,
      isOpenBefore: before && at === 0,
      isOpenAfter: after && at === spans.length - 1,
    }));
  });
}

const KEY_LETTERS = 3;

/** Entries by what their first word has to be, begin or end with: most words of a text are in none. */
function entryIndex() {
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
    mayStartWith: (word: string): readonly Entry[] => [
      ...(byWord.get(word) ?? []),
      ...(byStart.get(word.slice(0, KEY_LETTERS)) ?? []),
      ...(byEnd.get(word.slice(-KEY_LETTERS)) ?? []),
      ...others,
    ],
  };
}

function standsAt(parts: readonly Part[], words: readonly WordSpan[], at: number): boolean {
  return parts.every(({ letters, isOpenBefore, isOpenAfter }, n) => {
    const word = words[at + n]?.word ?? "";
    if (isOpenBefore && isOpenAfter) return word.includes(letters);
    if (isOpenBefore) return word.endsWith(letters);
    return isOpenAfter ? word.startsWith(letters) : word === letters;
  });
}

function runsIn({ folded, words }: ReadText, run: string, name: string): FoundEntry[] {
  const found: FoundEntry[] = [];
  for (let at = folded.indexOf(run); at >= 0; at = folded.indexOf(run, at + run.length)) {
    const from = words.findIndex(({ end }) => end > at);
    const to = words.findLastIndex(({ start }) => start < at + run.length);
    if (from >= 0 && to >= from) found.push({ from, to, name });
  }
  return found;
}
