// Pure: values in, values out.
import { getSegmenter } from "./clean.ts";

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

/** Cuts at white space before it segments: V8 copies the whole text for each piece. */
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
 * Makes a test of whether a word begins or ends at an offset (UTF-16 units), by dictionary. It computes the edges at
 * the first call.
 */
export function findDictionaryEdges(text: string): (offset: number) => boolean {
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

/** Returns a pattern that matches a text, with any white space for its own. */
export function makeLiteralPattern(text: string): string {
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

/** True if a line holds a question mark. */
export function hasQuestionMark(text: string): boolean {
  return QUESTION_MARK.test(text);
}
