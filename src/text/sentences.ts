const SENTENCES = new Intl.Segmenter("und", { granularity: "sentence" });

/** A sentence with the space behind it, from `start` to `end` in UTF-16 units. */
interface Sentence {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The sentences of a text in any script (UAX #29): put together again they are the text. */
export function sentencesOf(text: string): readonly Sentence[] {
  return [...SENTENCES.segment(text)].map(({ segment, index }) => ({
    text: segment,
    start: index,
    end: index + segment.length,
  }));
}
