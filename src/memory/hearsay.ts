import type { TranscriptLine } from "./digest.ts";

const WIDE = "\\p{sc=Han}\\p{sc=Kana}\\p{sc=Hang}";
/** A run of scripts without spaces, or a word of an alphabet. Hiragana is mostly grammar and parts such runs. */
const WORD = new RegExp(`[${WIDE}]+|(?:(?![${WIDE}\\p{sc=Hira}])[\\p{L}\\p{M}\\p{N}])+`, "gu");
const WIDE_RUN = new RegExp(`^[${WIDE}]`, "u");
const LABEL = /^p\d{1,4}$/;
const CHARS_MIN = 3;
const STEM_CHARS = 4;
const SMALL_WORDS = new Set(
  "the and for with that this from have has had was were are not but who they their them her his him she you your".split(
    " ",
  ),
);

/** What a claim about a person rests on. */
interface Grounds {
  /** Of the subject. */
  readonly label: string;
  readonly userId: string;
  /** The subject's own lines that the claim cites. */
  readonly own: readonly TranscriptLine[];
  /** The whole window. */
  readonly lines: readonly TranscriptLine[];
}

/**
 * Whether a claim about a person tells what others said rather than what its own lines say: a line of somebody else
 * holds more than twice as many of its words as all the cited lines, or any more where that line names the person.
 * A claim in quite other words than any line passes: that is paraphrase.
 */
export function isHearsay(statement: string, { label, userId, own, lines }: Grounds): boolean {
  const said = stemsOf(statement);
  const told = shared(said, own.map(({ text }) => text).join("\n"));
  const others = lines.filter((line) => line.userId !== userId);
  return others.some(({ text }) => {
    const explains = shared(said, text);
    return explains > told && (told * 2 < explains || namesLabel(text, label));
  });
}

function shared(stems: ReadonlySet<string>, text: string): number {
  return [...stemsOf(text)].filter((stem) => stems.has(stem)).length;
}

function namesLabel(text: string, label: string): boolean {
  return new Set<string>(text.match(/P\d{1,4}/g)).has(label);
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
