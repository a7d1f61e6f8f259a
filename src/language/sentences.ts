// Pure: values in, values out.
import { PERSON } from "./people.ts";

const SENTENCES = new Intl.Segmenter("und", { granularity: "sentence" });
/** What the rules leave with the sentence before where no space parts the two: `。「` or `。{u:7}`. */
const OPENING = /[\p{Ps}\p{Pi}]+$/u;

/** A sentence with the space behind it, from `start` to `end` in UTF-16 units. */
interface Sentence {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The sentences of a text in any script (UAX #29): put together again they are the text. */
export function sentencesOf(text: string): readonly Sentence[] {
  // No sentence begins with a small letter, and a token does: a name in capitals stands in for it.
  const named = text.replace(PERSON, (person) => "X".repeat(person.length));
  const starts = [...SENTENCES.segment(named)].map(({ index }) => beforeOpening(named, index));
  return starts.map((start, n) => {
    const end = starts[n + 1] ?? text.length;
    return { text: text.slice(start, end), start, end };
  });
}

function beforeOpening(text: string, index: number): number {
  const near = text.slice(Math.max(0, index - 4), index);
  return index - (OPENING.exec(near)?.[0].length ?? 0);
}
