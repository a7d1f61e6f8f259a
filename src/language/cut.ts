// Pure: values in, values out.
const SENTENCES = new Intl.Segmenter("und", { granularity: "sentence" });
const WORDS = new Intl.Segmenter("und", { granularity: "word" });
const GRAPHEMES = new Intl.Segmenter("und", { granularity: "grapheme" });
/** A cut at a sentence must leave this share of the room, or it says too little: then at a word. */
const SENTENCE_SHARE_MIN = 0.25;
/** How far behind the limit is read, so that a piece that goes on there is seen to be too long. */
const LOOK_AHEAD_CHARS = 40;
const ELLIPSIS = "…";
const HALF_SURROGATE_LAST = /[\ud800-\udbff]$/;

/**
 * The text, or as much of its beginning as `charsMax` UTF-16 units hold: whole sentences, else whole words and an
 * ellipsis, else whole characters as people see them (UAX #29).
 */
export function cutText(text: string, charsMax: number): string {
  if (text.length <= charsMax) {
    return text;
  }
  const sentences = wholePieces(SENTENCES, text, charsMax).trimEnd();
  if (sentences.length >= charsMax * SENTENCE_SHARE_MIN) {
    return sentences;
  }
  const room = charsMax - ELLIPSIS.length;
  const pieces = wholePieces(WORDS, text, room).trimEnd() || wholePieces(GRAPHEMES, text, room);
  return (pieces || text.slice(0, room).replace(HALF_SURROGATE_LAST, "")) + ELLIPSIS;
}

/** How a sentence ends in any script, with what may close behind it. */
const SENTENCE_END = /[.!?…。！？।؟]["'”’»)\]]*\s*$/u;

/** A text whose writer was stopped, without the sentence that was not finished; whole where it is the only one. */
export function withoutBrokenEnd(text: string): string {
  const sentences = [...SENTENCES.segment(text)].map(({ segment }) => segment);
  const last = sentences.findLastIndex((sentence) => SENTENCE_END.test(sentence));
  return last < 0
    ? text
    : sentences
        .slice(0, last + 1)
        .join("")
        .trimEnd();
}

function wholePieces(segmenter: Intl.Segmenter, text: string, charsMax: number): string {
  const near = text.slice(0, charsMax + LOOK_AHEAD_CHARS);
  let end = 0;
  for (const { index, segment } of segmenter.segment(near)) {
    // A space that ends a sentence is trimmed, so it does not count.
    if (index + segment.trimEnd().length > charsMax) {
      break;
    }
    end = index + segment.length;
  }
  return text.slice(0, end);
}
