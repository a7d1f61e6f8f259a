/**
 * So many characters in common make two words alike: in scripts that write no vowels, or a syllable in one, fewer will
 * do.
 */
const ALIKE_CHARS = 5;
const ALIKE_CHARS_SEMITIC = 3;
const ALIKE_CHARS_EAST_ASIAN = 2;
const SEMITIC = { from: 0x590, to: 0x77f };
const EAST_ASIAN_FROM = 0x2e80;

/** How much of a word, in UTF-16 units, another has to begin with to be alike: by the word's first unit. */
export function alikeChars(code: number): number {
  if (code >= EAST_ASIAN_FROM) return ALIKE_CHARS_EAST_ASIAN;
  return code >= SEMITIC.from && code <= SEMITIC.to ? ALIKE_CHARS_SEMITIC : ALIKE_CHARS;
}

/** What stands between words and between topics, in ASCII and in the scripts of East Asia. */
const BETWEEN: ReadonlySet<number> = new Set(
  Array.from(" ,;:/|&+()-、。・，　", (one) => one.charCodeAt(0)),
);

/** Whether a UTF-16 unit stands between words. */
export function isBetween(code: number): boolean {
  // Nearly every character is a letter in lower case or a space.
  if (code >= 0x61 && code < 0x3000) return code === 0x7c;
  return code === 0x20 || BETWEEN.has(code);
}

/** Where the word that begins at `start` ends. */
export function endOfWord(text: string, start: number): number {
  let at = start;
  while (at < text.length && !isBetween(text.charCodeAt(at))) at += 1;
  return at;
}

export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = endOfWord(text, start);
    if (end > start) words.push(text.slice(start, end));
    start = end + 1;
  }
  return words;
}

/** The Latin letters with marks, each as the letter without, by code. */
const MARKED = { from: 0xc0, to: 0x17f };
const UNMARKED = Uint16Array.from({ length: MARKED.to - MARKED.from + 1 }, (_, n) =>
  String.fromCharCode(MARKED.from + n)
    .normalize("NFD")
    .charCodeAt(0),
);

/** A UTF-16 unit, or the letter alone where it is a Latin one with a mark. */
export function unmarked(code: number): number {
  if (code < MARKED.from || code > MARKED.to) return code;
  return UNMARKED[code - MARKED.from] ?? code;
}

export function withoutMarks(word: string): string {
  return word.replace(/[\u00c0-\u017f]/g, (one) =>
    String.fromCharCode(unmarked(one.charCodeAt(0))),
  );
}
