// Pure: values in, values out.
import { PERSON } from "./people.ts";

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

/** Text in lines of at most `columns` characters, broken between words. A word that is longer has a line to itself. */
export function wrapWords(text: string, columns: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    const longer = line === "" ? word : `${line} ${word}`;
    if (line === "" || longer.length <= columns) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
