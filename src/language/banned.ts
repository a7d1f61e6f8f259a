// Pure: values in, values out.

import { DataSet, englishDataset, englishRecommendedTransformers, RegExpMatcher } from "obscenity";
import { memoize } from "../bounded-map.ts";
import { fold } from "./fold.ts";
import { createDictionaryEdgeTest, isUnspaced, KOREAN_PARTICLES } from "./words.ts";

const LETTER = /[\p{L}\p{M}]/u;
const DIGIT = /\p{N}/u;
const SPACE = /\s/u;
/** Characters in place of a letter. A star may replace any letter inside a word. */
const STAND_INS: Readonly<Record<string, string>> = {
  a: "4@",
  b: "8",
  e: "3€",
  g: "9",
  i: "1!|l",
  l: "1|",
  o: "0",
  s: "5$",
  t: "7+",
  z: "2",
};
const ANY_LETTER = "*";
/** Words shorter than this are not looked for with spaces between their letters, unless a letter is not ASCII. */
const SPACED_LETTERS_MIN = 3;
const ASCII = /^[\0-\x7f]*$/;
/** Letters of a phrase that are compared, one bit for each: the first 30 of a longer phrase are enough. */
const LETTERS_MAX = 30;
/** The most characters of a match for each letter of its word, and the rest. */
const STRETCH_TIMES = 4;
const STRETCH_MORE = 24;
const DIGITS_PASSED_MAX = 8;

interface Word {
  readonly size: number;
  /** By character: the letters of the word that it may be, as bit n for letter n, from 0. */
  readonly letters: ReadonlyMap<string, number>;
  /** Bit n where the phrase itself has a space after n letters. */
  readonly breaks: number;
  readonly mayBeSpaced: boolean;
  readonly isWhole: boolean;
}

/** A folded text by code points, and where its words may begin and end. */
interface FoldedText {
  readonly letters: readonly string[];
  readonly kinds: readonly Kind[];
  readonly startsWord: (at: number) => boolean;
  readonly endsWord: (at: number) => boolean;
}

type Kind = "word" | "space" | "mark";

/**
 * Makes a test of whether a text holds a word of the list. The test sees through case, look-alikes and stand-ins (`b4d`,
 * `b*d`), repeats (`baaad`) and separators (`b.a.d`, `b a d`). A space separates only single letters. A word counts only
 * between word edges: `Scunthorpe` holds nothing. Without spaces the dictionary gives the edges; a Korean word may have
 * a particle.
 */
export function createBannedTest(list: readonly string[]): (text: string) => boolean {
  const byFirst = new Map<string, Word[]>();
  for (const word of list.map(compile)) {
    for (const [first, letters] of word.letters) {
      if ((letters & 1) === 1) byFirst.set(first, [...(byFirst.get(first) ?? []), word]);
    }
  }
  return (written) => {
    if (byFirst.size === 0) return false;
    const text = readLetters(written);
    return text.letters.some((letter, at) => {
      const words = byFirst.get(letter) ?? [];
      return (
        words.length > 0 && text.startsWord(at) && words.some((one) => matchWord(text, at, one))
      );
    });
  };
}

/** Reads a banned word or phrase: letters and digits, and where its spaces are. Other characters do not count. */
function compile(word: string): Word {
  const all: string[] = [];
  let breaks = 0;
  for (const one of fold(word.trim(), { lookAlikes: true })) {
    if (getKind(one) === "word") {
      all.push(one);
    } else if (SPACE.test(one) && all.length < LETTERS_MAX) {
      breaks |= 1 << all.length;
    }
  }
  const kept = all.slice(0, LETTERS_MAX);
  const letters = new Map<string, number>();
  for (const [n, letter] of kept.entries()) {
    for (const form of [letter, ...(STAND_INS[letter] ?? "")]) {
      letters.set(form, (letters.get(form) ?? 0) | (1 << n));
    }
  }
  const inside = (1 << Math.max(0, kept.length - 1)) - 2;
  letters.set(ANY_LETTER, Math.max(0, inside));
  const size = kept.length;
  const mayBeSpaced = size >= SPACED_LETTERS_MIN || !ASCII.test(kept.join(""));
  return { size, letters, breaks, mayBeSpaced, isWhole: size === all.length };
}

/**
 * Returns true if a word begins at `start`, also disguised. If `isWhole`, it must end where a word of the text ends; the
 * caller checks its start. Follows all readings of the text at once: bit n means that n letters may have matched. In
 * `close` they are adjacent. With spaces between them, `spaced` ends at a letter, and `parted` at the space after it.
 */
function matchWord(text: FoldedText, start: number, word: Word): boolean {
  const end = Math.min(text.letters.length, start + word.size * STRETCH_TIMES + STRETCH_MORE);
  let close = 1;
  let spaced = 0;
  let parted = word.mayBeSpaced ? 1 : 0;
  for (let at = start; at < end && (close | spaced | parted) !== 0; at += 1) {
    const letters = word.letters.get(text.letters[at] ?? "") ?? 0;
    const next = (close & letters) << 1;
    const nextSpaced = (parted & letters) << 1;
    switch (text.kinds[at]) {
      case "word":
        close &= letters << 1;
        spaced &= letters << 1;
        parted = 0;
        break;
      case "space":
        close &= word.breaks;
        parted |= spaced;
        spaced = 0;
        break;
    }
    close = next | (close & ~1);
    spaced = nextSpaced | (spaced & ~1);
    parted &= ~1;
    const isRead = (((close | spaced) >> word.size) & 1) === 1;
    if (isRead && (!word.isWhole || text.endsWord(at + 1))) return true;
  }
  return false;
}

function getKind(letter: string): Kind {
  if (SPACE.test(letter)) return "space";
  return LETTER.test(letter) || DIGIT.test(letter) ? "word" : "mark";
}

/** Folds a text, and finds the kind of each letter and the edges of words. */
function readLetters(text: string): FoldedText {
  const folded = fold(text, { lookAlikes: true });
  const letters = [...folded];
  /** The end of each code point in UTF-16 units. */
  const ends = memoize(() => {
    let end = 0;
    return letters.map((letter) => {
      end += letter.length;
      return end;
    });
  });
  const isDictionaryEdge = createDictionaryEdgeTest(folded);
  const isEdge = (at: number, beyond: number, isBeside: boolean): boolean => {
    const other = letters[beyond] ?? "";
    if (!LETTER.test(other)) return true;
    const isUncertain = isUnspaced(letters[at] ?? "") || isUnspaced(letters[at - 1] ?? "");
    return isBeside && isUncertain && isDictionaryEdge(ends()[at - 1] ?? 0);
  };
  return {
    letters,
    kinds: letters.map(getKind),
    startsWord: (at) => {
      const beyond = passDigits(letters, at - 1, -1);
      return isEdge(at, beyond, beyond === at - 1);
    },
    endsWord: (at) => {
      const beyond = passDigits(letters, at, 1);
      if (isEdge(at, beyond, beyond === at)) return true;
      // Korean writes endings onto a word: behind one it ends there all the same.
      const isKorean = HANGUL.test(letters[at - 1] ?? "");
      return isKorean && PARTICLES.test(letters.slice(at, at + PARTICLE_CHARS_MAX).join(""));
    },
  };
}

const HANGUL = /\p{sc=Hang}/u;
const PARTICLES = new RegExp(
  `^들?(?:${KOREAN_PARTICLES}|이다|이야|이네|이냐|입니다|인데|인가|이?라고|처럼|같은|같이|보다)?(?!\\p{L})`,
  "u",
);
const PARTICLE_CHARS_MAX = 6;

/** Returns the index of the first letter from `from` on that is no digit; it stops after eight digits. */
function passDigits(letters: readonly string[], from: number, step: 1 | -1): number {
  let at = from;
  while (Math.abs(at - from) < DIGITS_PASSED_MAX && DIGIT.test(letters[at] ?? "")) at += step;
  return at;
}

/**
 * Makes a test of whether a text holds a banned word of the streamer's or a slur, also disguised. Slurs are the words
 * against groups of people in the `obscenity` package; swearing is none. Its list is English. The streamer adds words of
 * other languages to `replies.bannedWords`.
 */
export function createForbiddenTest(bannedWords: readonly string[]): (text: string) => boolean {
  const isBanned = createBannedTest(bannedWords);
  return (text) => {
    if (isBanned(text)) return true;
    // As it is, with its letters joined, or with look-alikes and 9 for g replaced.
    const plain = fold(text, { lookAlikes: true }).replace(/(?<=\p{L}|\p{L}9)9/gu, "g");
    const forms = new Set([text, text.replace(BETWEEN_LETTERS, ""), plain]);
    return [...forms].some((form) => slurMatcher().hasMatch(form));
  };
}

/** Entries of the package that insult groups of people. */
const AGAINST_PEOPLE = new Set(
  "abeed africoon arabush boonga chingchong fag nigger spastic tranny".split(" "),
);
/** Words and names that begin like a slur. */
const HARMLESS = "niggard|fag end|fagagn|fagen|fager|faggin|fagin|fagioli|fagott|fagot".split("|");

/** Built on first use: it takes 20 ms that a start does not need. */
const slurMatcher = memoize(() => {
  const slurs = new DataSet<{ originalWord: string }>()
    .addAll(englishDataset)
    .removePhrasesIf(({ metadata }) => !AGAINST_PEOPLE.has(metadata?.originalWord ?? ""))
    .build();
  const whitelistedTerms = [...(slurs.whitelistedTerms ?? []), ...HARMLESS];
  return new RegExpMatcher({ ...englishRecommendedTransformers, ...slurs, whitelistedTerms });
});

/** Single letters with spaces or marks between them: a word in disguise. */
const BETWEEN_LETTERS =
  /(?<=(?<![\p{L}\p{N}])[\p{L}\p{N}])[\s._*-]{1,3}(?=[\p{L}\p{N}](?![\p{L}\p{N}]))/gu;
