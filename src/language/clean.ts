// Pure: values in, values out.
import { PERSON } from "./people.ts";

/** Printable ASCII in words with one space between: most lines of chat, and already clean. */
const PLAIN = /^(?:[\x21-\x7e]+(?: [\x21-\x7e]+)*)?$/;

const BREAKS = /[\t\n\v\f\r\x85\u2028\u2029]/gu;
/** Invisible: controls, default-ignorables (zero-width, bidi, tags), noncharacters, half surrogates. */
const UNSEEN = /[\p{Cc}\p{DI}\p{NChar}\p{Cs}\ufff9-\ufffb]+/gu;
const SPACES = /\s+/gu;
const BRAILLE_BLANKS = /\u2800+/gu;
const BRAILLE_DRAWING = /[\u2801-\u28ff]/u;

/** The most rounds of cleaning: normalising may move a mark in front of a joiner that stays. */
const ROUNDS_MAX = 8;
const FIRST_JOINER = /[\u200c\u200d]/u;
const JOINER = "\u200d";
const EMOJI_LOOK = "\ufe0f";
/** No class before the `$`: with the flag `u` Node 26 finds none of its characters beyond U+FFFF there. */
const EMOJI_BEFORE = /(?:\p{ExtPict}|\p{EMod})$/u;
const EMOJI_AFTER = /^\p{ExtPict}/u;
const KEYCAP_BEFORE = /[0-9#*]$/u;
const KEYCAP_AFTER = /^\u20e3/u;
/** Scripts in which a joiner or non-joiner between two letters changes how the word reads (RFC 5892, CONTEXTJ). */
const JOINING =
  "\\p{sc=Arab}\\p{sc=Syrc}\\p{sc=Nkoo}\\p{sc=Deva}\\p{sc=Beng}\\p{sc=Guru}\\p{sc=Gujr}\\p{sc=Orya}" +
  "\\p{sc=Taml}\\p{sc=Telu}\\p{sc=Knda}\\p{sc=Mlym}\\p{sc=Sinh}\\p{sc=Khmr}\\p{sc=Mymr}";
const JOINING_BEFORE = new RegExp(`[${JOINING}]$`, "v");
const JOINING_AFTER = new RegExp(`^[${JOINING}]`, "u");

/**
 * Cleans a line of chat: one line, NFC, single spaces, no invisible characters. A joiner stays only in an emoji or
 * between two letters of a joining script, such as Persian. So tails that clients add to pass a duplicate filter are
 * removed. Cleaning twice gives the same line.
 */
export function cleanLine(text: string): string {
  let line = text;
  for (let round = 0; round < ROUNDS_MAX && !PLAIN.test(line); round += 1) {
    const seen = line.replace(BREAKS, " ").replace(UNSEEN, keepShapingCharacters).normalize("NFC");
    const spaced = BRAILLE_DRAWING.test(seen) ? seen : seen.replace(BRAILLE_BLANKS, " ");
    const cleaned = spaced.replace(SPACES, " ").trim();
    if (cleaned === line) break;
    line = cleaned;
  }
  return line;
}

/** Returns the part of an invisible run, at `at` of `whole`, that shapes the characters beside it; empty if none does. */
function keepShapingCharacters(run: string, at: number, whole: string): string {
  const before = whole.slice(Math.max(0, at - 2), at);
  const after = whole.slice(at + run.length, at + run.length + 2);
  const look = run.includes(EMOJI_LOOK) ? EMOJI_LOOK : "";
  if (EMOJI_BEFORE.test(before)) {
    return look + (EMOJI_AFTER.test(after) && run.includes(JOINER) ? JOINER : "");
  }
  if (KEYCAP_BEFORE.test(before)) return KEYCAP_AFTER.test(after) ? look : "";
  const isJoining = JOINING_BEFORE.test(before) && JOINING_AFTER.test(after);
  return (isJoining && FIRST_JOINER.exec(run)?.[0]) || "";
}

type Granularity = "sentence" | "word" | "grapheme";
const segmenters = new Map<Granularity, Intl.Segmenter>();

/** Returns one segmenter for each granularity. Made on first use: making one takes up to 10 ms. */
export function getSegmenter(granularity: Granularity): Intl.Segmenter {
  const made = segmenters.get(granularity) ?? new Intl.Segmenter("und", { granularity });
  segmenters.set(granularity, made);
  return made;
}

/** A cut after a sentence must leave this share of the room. Else the text is cut after a word. */
const SENTENCE_SHARE_MIN = 0.25;
/** Characters read after the limit, to see whether the last piece is too long. */
const LOOK_AHEAD_CHARS = 40;
const ELLIPSIS = "…";
const HALF_SURROGATE_LAST = /[\ud800-\udbff]$/;

/** Control characters of a terminal, and characters that change the direction of reading. */
const OBEYED = /[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const SHOWN_CHARS_MAX = 1_000;

/** Makes a foreign text one safe line for a terminal: replaces control characters, and cuts after 1,000 characters. */
export function toPrintable(text: string): string {
  const line = text.replace(OBEYED, "\ufffd");
  return line.length > SHOWN_CHARS_MAX ? `${line.slice(0, SHOWN_CHARS_MAX)}…` : line;
}

/**
 * Cuts a text longer than `charsMax` UTF-16 units. It cuts after a sentence that ends behind the first quarter of them.
 * Otherwise it adds an ellipsis: after a word, else after a grapheme.
 */
export function cutText(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const sentences = takePieces("sentence", text, charsMax).trimEnd();
  if (sentences.length >= charsMax * SENTENCE_SHARE_MIN) return sentences;
  const room = charsMax - ELLIPSIS.length;
  const pieces = takePieces("word", text, room).trimEnd() || takePieces("grapheme", text, room);
  return (pieces || text.slice(0, room).replace(HALF_SURROGATE_LAST, "")) + ELLIPSIS;
}

/** The end of a sentence in any script. In Thai and Lao a space ends one. */
const SENTENCE_END = /[\p{STerm}…]["'”’»)\]]*\s*$|[\p{sc=Thai}\p{sc=Laoo}]\s+$/u;
const BEHIND_UNMARKED = /(?<=[\p{sc=Thai}\p{sc=Laoo}]\s+)(?=\S)/u;

/** Removes the text after the last finished sentence. Returns "" if no sentence is finished. */
export function cutBrokenEnd(text: string): string {
  const sentences = [...getSegmenter("sentence").segment(text)].flatMap(({ segment }) =>
    segment.split(BEHIND_UNMARKED),
  );
  const last = sentences.findLastIndex((sentence) => SENTENCE_END.test(sentence));
  return sentences
    .slice(0, last + 1)
    .join("")
    .trimEnd();
}

/** Returns as many whole pieces from the start of a text as fit into `charsMax` UTF-16 units; "" if none does. */
function takePieces(granularity: Granularity, text: string, charsMax: number): string {
  const near = text.slice(0, charsMax + LOOK_AHEAD_CHARS);
  let end = 0;
  for (const { index, segment } of getSegmenter(granularity).segment(near)) {
    // A space that ends a sentence is trimmed, so it does not count.
    if (index + segment.trimEnd().length > charsMax) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

/** Opening brackets that the rules leave with the sentence before: `。「` or `。{u:7}`. */
const OPENING = /[\p{Ps}\p{Pi}]+$/u;

/** Printable ASCII with full stops, exclamation and question marks only at its end: most messages. */
const ONE_SENTENCE = /^[ "-\-/->@-~]+[.!?]*$/;

/** Splits a text into sentences in any script (UAX #29), each with its trailing space. */
export function splitSentences(text: string): string[] {
  // Sentences begin with a capital, but a token does not, so a capital replaces it.
  const named = text.replace(PERSON, (person) => "X".repeat(person.length));
  const segments = ONE_SENTENCE.test(named)
    ? [{ index: 0 }]
    : getSegmenter("sentence").segment(named);
  const starts = Array.from(segments, ({ index }) => {
    const near = named.slice(Math.max(0, index - 4), index);
    return index - (OPENING.exec(near)?.[0].length ?? 0);
  });
  return starts.map((start, n) => text.slice(start, starts[n + 1]));
}

/** Wraps a text between words. A longer word has its own line. */
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

/** A phrase of up to four words, three or more times in a row. */
const REPEATED = /(?<!\S)(\S+(?: \S+){0,3}?)(?: \1){2,}(?!\S)/gu;

/**
 * Shortens repeats of a phrase: `party EDM party EDM party EDM` becomes `party EDM (×3)`. The phrase has up to four
 * words, and comes three or more times in a row.
 */
export function collapseRepeats(text: string): string {
  return text.replace(REPEATED, (run: string, phrase: string) => {
    const times = (run.length + 1) / (phrase.length + 1);
    return `${phrase} (×${times})`;
  });
}

/** V8 copies a piece shorter than this. A longer one refers to the whole text. */
const PIECE_CHARS_MIN = 13;

/** Returns a copy of a piece of a text. Otherwise a stored piece keeps the whole text in memory. */
export function copyString(piece: string): string {
  return piece.length < PIECE_CHARS_MIN ? piece : ` ${piece}`.slice(1);
}
