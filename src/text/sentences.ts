const SENTENCES = new Intl.Segmenter("und", { granularity: "sentence" });

/** The sentences of a text, trimmed, in order; of any script (UAX #29). */
export function splitSentences(text: string): string[] {
  return Array.from(SENTENCES.segment(text), ({ segment }) => segment.trim()).filter(
    (sentence) => sentence !== "",
  );
}
