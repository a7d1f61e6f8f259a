// Pure: values in, values out.
import { PERSON } from "./people.ts";

const ASCII = /^[\0-\x7f]*$/;
/** Marks put on Latin, Greek and Cyrillic letters, and what cannot be seen. Vowel signs of other scripts stay. */
const ORNAMENTS =
  /[\u0300-\u036f]|[\u0483-\u0489]|[\u1ab0-\u1aff]|[\u1dc0-\u1dff]|[\u20d0-\u20ff]|[\ufe20-\ufe2f]|\p{DI}/gu;
const NOT_ASCII_LETTER = /[^\0-\x7f]/gu;

/** Letters that look like a Latin one and that compatibility decomposition leaves alone: "latin: look-alikes". */
const LATIN_LIKE = [
  "a:аαɑᴀꭺ",
  "b:вβʙьᏏ",
  "c:сϲᴄꮯƈ",
  "d:ԁᴅđɗ",
  "e:еεᴇєɛ",
  "f:ƒꜰϝ",
  "g:ɡɢԍ",
  "h:нһʜħհ",
  "i:іιıɩɪ",
  "j:јᴊʝ",
  "k:кκᴋƙ",
  "l:ӏʟłɭ",
  "m:мᴍ",
  "n:пηɴոռ",
  "o:оοᴏøօ",
  "p:рρᴘþ",
  "q:ԛզ",
  "r:гʀɾ",
  "s:ѕꜱʂ",
  "t:тτᴛŧ",
  "u:υᴜսʋ",
  "v:ѵνᴠ",
  "w:ԝωᴡѡ",
  "x:хχ",
  "y:уγʏү",
  "z:ᴢʐ",
];
const LATIN_BY_LOOK = new Map(
  LATIN_LIKE.flatMap((row) => [...row.slice(2)].map((like) => [like, row.slice(0, 1)] as const)),
);
/** Letters drawn as emoji, each run from A to Z: negative circled, negative squared, regional indicators. */
const EMOJI_ALPHABETS = [0x1f150, 0x1f170, 0x1f1e6];
const LETTERS = 26;
const LETTER_A = 97;

/**
 * The text as an eye reads it, for comparing only: lower case, compatibility forms plain, ornaments and invisible
 * characters gone, letters of other scripts that look Latin made Latin. Fold both sides of a comparison.
 */
export function foldLookAlikes(text: string): string {
  if (ASCII.test(text)) {
    return text.toLowerCase();
  }
  const bare = text.normalize("NFKD").replace(ORNAMENTS, "").normalize("NFC").toLowerCase();
  return bare.replace(ORNAMENTS, "").replace(NOT_ASCII_LETTER, latinOf);
}

function latinOf(letter: string): string {
  const latin = LATIN_BY_LOOK.get(letter);
  if (latin !== undefined) {
    return latin;
  }
  const code = letter.codePointAt(0) ?? 0;
  const start = EMOJI_ALPHABETS.find((first) => code >= first && code < first + LETTERS);
  return start === undefined ? letter : String.fromCharCode(LETTER_A + code - start);
}

/** What a person's token or label reads as, so that its digits are nobody's number. */
const SOMEBODY = "somebody";
const UNSEEN = /\p{DI}+/gu;
const SPACES = /\s+/gu;
const APOSTROPHES = /[’ʼ‘`´]/gu;
const DASHES = /[‐‑‒–—−]/gu;

/** The ways to read a text as patterns are looked up in it, all in lower case, with people's tokens and labels as `somebody`. */
export function viewsOf(text: string) {
  const named = text.replace(PERSON, SOMEBODY);
  return {
    /** Look-alikes and accents as plain Latin letters, dashes and apostrophes as ASCII has them. */
    latin: foldLookAlikes(named).replace(APOSTROPHES, "'").replace(DASHES, "-"),
    /** For other scripts: compatibility forms plain. */
    native: named.normalize("NFKC").replace(UNSEEN, "").replace(SPACES, " ").toLowerCase(),
  };
}
