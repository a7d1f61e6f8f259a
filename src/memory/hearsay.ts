// Pure: values in, values out.

import { readFact } from "./fact-reading.ts";
import type { TranscriptLine } from "./summary-prompt.ts";

const WIDE = "\\p{sc=Han}\\p{sc=Kana}\\p{sc=Hang}";
/** A run of scripts without spaces, or a word of an alphabet. Hiragana is mostly grammar and parts such runs. */
const WORD = new RegExp(`[${WIDE}]+|(?:(?![${WIDE}\\p{sc=Hira}])[\\p{L}\\p{M}\\p{N}])+`, "gu");
const WIDE_RUN = new RegExp(`^[${WIDE}]`, "u");
const LABEL = /^p\d{1,4}$/;
const QUESTION = /[?？؟]\s*$/u;
const CLAUSE = /[,;.!:、。，；！：]|\s[-–—]\s|\b(?:but|aber|pero|mas|mais)\b/iu;
const CHARS_MIN = 3;
const STEM_CHARS = 4;
const SMALL_WORDS = new Set(
  "the and for with that this from have has had was were are not but who they their them her his him she you your".split(
    " ",
  ),
);

/** What a claim about a person rests on. */
interface Grounds {
  readonly userId: string;
  /** The subject's own lines that the claim cites. */
  readonly own: readonly TranscriptLine[];
  /** The whole window. */
  readonly lines: readonly TranscriptLine[];
}

/**
 * Whether a claim about a person is not borne out by that person's own lines: they share no telling word with it, they
 * are all questions, they deny what it affirms, or a line of somebody else holds more of its words than they do.
 */
export function isHearsay(statement: string, { userId, own, lines }: Grounds): boolean {
  const said = stemsOf(statement);
  const stated = own.filter(({ text }) => !QUESTION.test(text));
  const told = shared(said, stated.map(({ text }) => text).join("\n"));
  if (told === 0 || deniesAlone(statement, stated)) return true;
  const others = lines.filter((line) => line.userId !== userId);
  return others.some(({ text }) => {
    const explains = shared(said, text);
    return explains > told;
  });
}

function shared(stems: ReadonlySet<string>, text: string): number {
  return [...stemsOf(text)].filter((stem) => stems.has(stem)).length;
}

/** Whether all that the lines say about it says no to what the claim says yes to: "not X any more, only Y" bears out Y. */
function deniesAlone(statement: string, stated: readonly TranscriptLine[]): boolean {
  if (readFact(statement).isNegative) return false;
  const said = stemsOf(statement);
  const clauses = stated.flatMap(({ text }) => text.split(CLAUSE));
  return clauses
    .filter((clause) => shared(said, clause) > 0)
    .every((clause) => readFact(clause).isNegative);
}

function stemsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(WORD) ?? [];
  return new Set(words.flatMap((word) => (WIDE_RUN.test(word) ? pairsOf(word) : stemOf(word))));
}

function stemOf(word: string): string[] {
  const isSmall = word.length < CHARS_MIN || SMALL_WORDS.has(word) || LABEL.test(word);
  return isSmall ? [] : [word.replace(/(?<=.{3})s$/u, "").slice(0, STEM_CHARS)];
}

/** Where no space tells words apart, every two characters count as one. */
function pairsOf(run: string): string[] {
  const letters = [...run];
  if (letters.length === 1) return letters;
  return letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);
}
