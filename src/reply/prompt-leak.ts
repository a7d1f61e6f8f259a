// Pure: values in, values out.
import { foldLookAlikes } from "../language/look-alikes.ts";

const SPACE = /\s+/gu;
const NOT_WORD = /[^\p{L}\p{N}]+/gu;
/** A shorter mark would be found in ordinary words. */
const MARK_CHARS_MIN = 4;
const PERSON_TOKEN = /\{u:\d/;

/**
 * A test of whether a text shows one of the marks of our prompt. A mark in one piece, such as a fence, is found by its
 * letters and digits alone; one of several words, such as a header, with its punctuation, but with any spaces.
 */
export function markFinder(marks: readonly string[]): (text: string) => boolean {
  const trimmed = marks.map((mark) => foldLookAlikes(mark.trim()));
  const headers = trimmed
    .filter((mark) => /\s|:$/u.test(mark))
    .map(unspaced)
    .filter(isLong);
  const pieces = trimmed
    .filter((mark) => !/\s|:$/u.test(mark))
    .map((mark) => mark.replace(NOT_WORD, "") || mark);
  const fences = pieces.filter(isLong);
  return (text) => {
    const folded = foldLookAlikes(text);
    const compact = unspaced(folded);
    const letters = folded.replace(NOT_WORD, "");
    return (
      PERSON_TOKEN.test(compact) ||
      headers.some((header) => compact.includes(header)) ||
      fences.some((fence) => letters.includes(fence) || compact.includes(fence))
    );
  };
}

function unspaced(text: string): string {
  return text.replace(SPACE, "");
}

function isLong(mark: string): boolean {
  return mark.length >= MARK_CHARS_MIN;
}
