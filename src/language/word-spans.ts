// Pure: values in, values out.

/** A word of a text as it was written, and where it stands. */
export interface WordSpan {
  /** NFKC, lower case; Latin letters without their marks. */
  readonly word: string;
  /** UTF-16 units into the normalised text. */
  readonly start: number;
  readonly end: number;
}

const WORDS = new Intl.Segmenter("und", { granularity: "word" });
const SPACED = /^[\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{sc=Zyyy}\p{sc=Zinh}]*$/u;
/** The segmenter's words of alphabets with spaces, many times as fast. */
const SPACED_WORD = /[\p{L}\p{M}\p{N}_]+(?:['’.](?=[\p{L}\p{N}])[\p{L}\p{M}\p{N}_]+)*/gu;
/** ASCII without the one apostrophe that is another's: most of what is ever folded. */
const FOLDED_BY_CASE = /^[\n -_a-~]*$/;
const UNSEEN = /\p{DI}+/gu;
const MARKS = /(?<=\p{sc=Latn}\p{M}*)\p{M}+/gu;

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
    .replace(MARKS, "")
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
  return Array.from(WORDS.segment(folded))
    .filter(({ isWordLike }) => isWordLike === true)
    .map(({ segment, index }) => ({ word: segment, start: index, end: index + segment.length }));
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
    edges ??= new Set([...WORDS.segment(text)].map(({ index }) => index));
    return offset >= text.length || edges.has(offset);
  };
}

/** Whether a letter, or one of a text, is of a script written without spaces. */
export function isUnspaced(text: string): boolean {
  return UNSPACED_LETTER.test(text);
}

/** The source of a regular expression that matches a text as it is, with any run of white space for its own. */
export function literalPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&").replace(/\s+/g, "\\s+");
}
