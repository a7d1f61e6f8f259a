// Pure: values in, values out.
/**
 * So many characters in common make two words alike: in scripts that write no vowels, or a syllable in one, fewer will
 * do.
 */
const ALIKE_CHARS = 5;
const ALIKE_CHARS_SEMITIC = 3;
const ALIKE_CHARS_EAST_ASIAN = 2;
const SEMITIC = { from: 0x590, to: 0x77f };
const EAST_ASIAN_FROM = 0x2e80;

/** How many characters of a word another has to begin with to be alike. */
export function alikeChars(word: string): number {
  const code = word.charCodeAt(0);
  if (code >= EAST_ASIAN_FROM) return ALIKE_CHARS_EAST_ASIAN;
  return code >= SEMITIC.from && code <= SEMITIC.to ? ALIKE_CHARS_SEMITIC : ALIKE_CHARS;
}

/** What stands between words and between topics, in ASCII and in the scripts of East Asia. */
const BETWEEN = /[ ,;:/|&+()\-、。・，　]/;

export function wordsOf(text: string): string[] {
  return text.split(BETWEEN).filter((word) => word !== "");
}

/** Topics are not stemmed: `cats` is one for who asks about a cat. Null for what is no plural by its looks. */
export function singularOf(word: string): string | null {
  return word.length > 1 && word.endsWith("s") ? word.slice(0, -1) : null;
}

/** A shorter ending says nothing, in UTF-16 units. */
export const ENDING_CHARS_MIN = 4;
/** Less before it makes no compound. */
const BEFORE_ENDING_MIN = 3;
const LATIN = /^\p{sc=Latn}+$/u;

/** What a word may end with that is a word as well: a Schäferhund is a Hund. */
export function endingsOf(word: string): readonly string[] {
  const count = word.length - BEFORE_ENDING_MIN - ENDING_CHARS_MIN + 1;
  if (count <= 0 || !LATIN.test(word)) return [];
  return Array.from({ length: count }, (_, n) => word.slice(BEFORE_ENDING_MIN + n));
}

const HAN = /\p{sc=Han}/gu;

/** The Chinese characters of a word, each once. */
export function charactersWithin(word: string): readonly string[] {
  return [...new Set(word.match(HAN))];
}

/** The Latin letters with marks. */
const MARKED = /[\u00c0-\u017f]/g;

export function withoutMarks(word: string): string {
  return word.replace(MARKED, (letter) => letter.normalize("NFD").charAt(0));
}
