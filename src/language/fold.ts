// Pure: values in, values out.
import lookAlikeLetters from "./data/look-alikes.json" with { type: "json" };

/** ASCII that has only its case to lose: most text. */
const ASCII = /^[\n -_a-~]*$/;
const UNSEEN = /\p{DI}+/gu;
const APOSTROPHES = /[’ʼ‘`´]/gu;
const DASHES = /[‐‑‒–—−]/gu;
const SKIN_TONES = /\p{EMod}/gu;
const DIGIT = /\p{Nd}/u;
const FOREIGN_DIGIT = /(?![0-9])\p{Nd}/gu;
const MARKED_LATIN = /(\p{sc=Latn})\p{M}+/gu;
/** Marks on Latin, Greek and Cyrillic letters. Vowel signs of other scripts stay. */
const ORNAMENTS =
  /[\u0300-\u036f]|[\u0483-\u0489]|[\u1ab0-\u1aff]|[\u1dc0-\u1dff]|[\u20d0-\u20ff]|[\ufe20-\ufe2f]/gu;
const NOT_ASCII_LETTER = /[^\0-\x7f]/gu;

/** Returns a text in NFKC, without invisible characters, and with one kind of apostrophe. Case and marks stay. */
export function plainText(text: string): string {
  if (ASCII.test(text)) return text;
  return text.replace(UNSEEN, "").normalize("NFKC").replace(APOSTROPHES, "'");
}

/**
 * Returns a text to compare: `plainText` in lower case, digits and dashes as in ASCII, Latin letters without marks.
 * `lookAlikes` also turns letters of other scripts that look Latin into Latin ones. Fold both sides of a comparison.
 */
export function fold(text: string, { lookAlikes = false } = {}): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const bare = plainText(text)
    .toLowerCase()
    .replace(DASHES, "-")
    .replace(SKIN_TONES, "")
    .replace(FOREIGN_DIGIT, (digit) => {
      // Every script has its ten digits in a row, zero first.
      const code = digit.codePointAt(0) ?? 0;
      let zero = code;
      while (DIGIT.test(String.fromCodePoint(zero - 1))) zero -= 1;
      return String((code - zero) % 10);
    })
    .replaceAll("ı", "i")
    .replaceAll("ł", "l")
    .normalize("NFD")
    .replace(MARKED_LATIN, "$1");
  if (!lookAlikes) return bare.normalize("NFC");
  const unmarked = bare.replace(ORNAMENTS, "").normalize("NFC");
  return unmarked.replace(NOT_ASCII_LETTER, (letter) => {
    const latin = LATIN_BY_LOOK.get(letter);
    if (latin !== undefined) return latin;
    const code = letter.codePointAt(0) ?? 0;
    const start = EMOJI_ALPHABETS.find((first) => code >= first && code < first + LETTERS);
    return start === undefined ? letter : String.fromCharCode(LETTER_A + code - start);
  });
}

/** Letters that look like a Latin one and that compatibility decomposition leaves alone. */
const LATIN_BY_LOOK = new Map(
  Object.entries(lookAlikeLetters).flatMap(([latin, likes]) =>
    [...likes].map((like) => [like, latin] as const),
  ),
);
/** Letters drawn as emoji, each run from A to Z: negative circled, negative squared, regional indicators. */
const EMOJI_ALPHABETS = [0x1f150, 0x1f170, 0x1f1e6];
const LETTERS = 26;
const LETTER_A = 97;
