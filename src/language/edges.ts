// Pure: values in, values out.
/** Scripts written without spaces between words, as the inside of a character class. */
export const UNSPACED =
  "\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}\\u30fc";
const UNSPACED_LETTER = new RegExp(`[${UNSPACED}]`, "u");
const WORDS = new Intl.Segmenter("und", { granularity: "word" });

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

/** Whether a letter is of a script written without spaces. */
export function isUnspaced(letter: string): boolean {
  return UNSPACED_LETTER.test(letter);
}
