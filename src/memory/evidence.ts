// Pure: values in, values out.
import { LANGUAGES } from "../language/languages.ts";
import { normalWords } from "../language/words.ts";

/** So much of a quote stands, in order, in the line that it was taken from. */
const QUOTE_SHARE = 0.75;
/** From this length on a word may differ by one letter: models mend spelling. */
const MENDED_LETTERS_MIN = 5;
const WORD = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]|[\p{L}\p{M}\p{N}'’]+/gu;
const NEGATORS = new Set(LANGUAGES.flatMap(({ negators }) => negators));

/** The line that holds a quote: three quarters of its words, in order; null where none does. */
export function findQuote(quote: string, lines: readonly string[]): number | null {
  const wanted = plainWords(quote);
  if (wanted.length === 0) return null;
  const found = lines.findIndex(
    (line) => inOrder(wanted, plainWords(line)) >= wanted.length * QUOTE_SHARE,
  );
  return found < 0 ? null : found;
}

/**
 * Why a statement about somebody does not follow from their own words; null where it does. Each of its telling words that
 * somebody else used has to stand in their own lines, one of them in the quoted line, and it denies what that line denies.
 */
export function supportedBy(
  statement: string,
  ownLines: readonly string[],
  quotedLine: string,
  othersLines: readonly string[],
): string | null {
  const told = normalWords(statement);
  const own = new Set([...ownLines, quotedLine].flatMap(normalWords));
  const others = new Set(othersLines.flatMap(normalWords));
  if (!told.some((word) => own.has(word))) return "not_own_words";
  if (told.some((word) => !own.has(word) && others.has(word))) return "borrowed";
  return isDenied(statement) === isDenied(quotedLine) ? null : "negation";
}

function isDenied(text: string): boolean {
  return plainWords(text).filter((word) => NEGATORS.has(word)).length % 2 === 1;
}

function plainWords(text: string): string[] {
  return text.normalize("NFKC").toLowerCase().replace(/’/gu, "'").match(WORD) ?? [];
}

/** How many of the words stand in a line, in their order. */
function inOrder(wanted: readonly string[], line: readonly string[]): number {
  let row = new Array<number>(line.length + 1).fill(0);
  for (const word of wanted) {
    const next = [0];
    for (const [at, other] of line.entries()) {
      const both = isSame(word, other) ? (row[at] ?? 0) + 1 : 0;
      next.push(Math.max(both, row[at + 1] ?? 0, next[at] ?? 0));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

function isSame(one: string, other: string): boolean {
  if (one === other) return true;
  if (Math.min(one.length, other.length) < MENDED_LETTERS_MIN) return false;
  let from = 0;
  while (from < one.length && one[from] === other[from]) from += 1;
  const [rest, otherRest] = [one.slice(from), other.slice(from)];
  return (
    rest.slice(1) === otherRest.slice(1) ||
    rest.slice(1) === otherRest ||
    rest === otherRest.slice(1)
  );
}
