// Pure: values in, values out.
import { PERSON } from "./people.ts";

/** Printable ASCII in words with one space between: most lines of chat, and already clean. */
const PLAIN = /^(?:[\x21-\x7e]+(?: [\x21-\x7e]+)*)?$/;

const BREAKS = /[\t\n\v\f\r\x85\u2028\u2029]/gu;
/** Nothing one can see: controls, default-ignorables (zero-width, bidi, tags), noncharacters, half surrogates. */
const UNSEEN = /[\p{Cc}\p{DI}\p{NChar}\p{Cs}\ufff9-\ufffb]+/gu;
const SPACES = /\s+/gu;
const BRAILLE_BLANKS = /\u2800+/gu;
const BRAILLE_DRAWING = /[\u2801-\u28ff]/u;

/** Normalising may move a mark in front of a joiner that was kept: then once more. */
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
 * A line of chat as it is kept and compared: one line, NFC, single spaces, and nothing in it that cannot be seen.
 * A joiner stays only where it shapes what is read: one between two letters of a joining script, or inside an
 * emoji. So the invisible tails that clients add to slip past a duplicate filter are gone, and Persian still reads.
 * Cleaning twice gives the same line.
 */
export function cleanLine(text: string): string {
  let line = text;
  for (let round = 0; round < ROUNDS_MAX && !PLAIN.test(line); round += 1) {
    const cleaned = cleanOnce(line);
    if (cleaned === line) {
      break;
    }
    line = cleaned;
  }
  return line;
}

function cleanOnce(text: string): string {
  const seen = text.replace(BREAKS, " ").replace(UNSEEN, keepJoiners).normalize("NFC");
  const spaced = BRAILLE_DRAWING.test(seen) ? seen : seen.replace(BRAILLE_BLANKS, " ");
  return spaced.replace(SPACES, " ").trim();
}

/** What of a run of invisible characters shapes the characters on its two sides. */
function keepJoiners(run: string, at: number, whole: string): string {
  const before = whole.slice(Math.max(0, at - 2), at);
  const after = whole.slice(at + run.length, at + run.length + 2);
  const look = run.includes(EMOJI_LOOK) ? EMOJI_LOOK : "";
  if (EMOJI_BEFORE.test(before)) {
    return look + (EMOJI_AFTER.test(after) && run.includes(JOINER) ? JOINER : "");
  }
  if (KEYCAP_BEFORE.test(before)) {
    return KEYCAP_AFTER.test(after) ? look : "";
  }
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

/** A cut at a sentence must leave this share of the room, or it says too little: then at a word. */
const SENTENCE_SHARE_MIN = 0.25;
/** How far behind the limit is read, so that a piece that goes on there is seen to be too long. */
const LOOK_AHEAD_CHARS = 40;
const ELLIPSIS = "…";
const HALF_SURROGATE_LAST = /[\ud800-\udbff]$/;

/** What a terminal obeys rather than shows, and what turns the direction of reading. */
const OBEYED = /[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const SHOWN_CHARS_MAX = 1_000;

/** A text from elsewhere as one line for a terminal: nothing in it is obeyed, and it ends somewhere. */
export function toPrintable(text: string): string {
  const line = text.replace(OBEYED, "\ufffd");
  return line.length > SHOWN_CHARS_MAX ? `${line.slice(0, SHOWN_CHARS_MAX)}…` : line;
}

/**
 * The text, or as much of its beginning as `charsMax` UTF-16 units hold: whole sentences, else whole words and an
 * ellipsis, else whole characters as people see them (UAX #29).
 */
export function cutText(text: string, charsMax: number): string {
  if (text.length <= charsMax) {
    return text;
  }
  const sentences = takePieces("sentence", text, charsMax).trimEnd();
  if (sentences.length >= charsMax * SENTENCE_SHARE_MIN) {
    return sentences;
  }
  const room = charsMax - ELLIPSIS.length;
  const pieces = takePieces("word", text, room).trimEnd() || takePieces("grapheme", text, room);
  return (pieces || text.slice(0, room).replace(HALF_SURROGATE_LAST, "")) + ELLIPSIS;
}

/** How a sentence ends in any script, with what may close behind it; in Thai and Lao with a space alone. */
const SENTENCE_END = /[\p{STerm}…]["'”’»)\]]*\s*$|[\p{sc=Thai}\p{sc=Laoo}]\s+$/u;
const BEHIND_UNMARKED = /(?<=[\p{sc=Thai}\p{sc=Laoo}]\s+)(?=\S)/u;

/** A text whose writer was stopped, without the sentence that was not finished; "" where it is the only one. */
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

function takePieces(granularity: Granularity, text: string, charsMax: number): string {
  const near = text.slice(0, charsMax + LOOK_AHEAD_CHARS);
  let end = 0;
  for (const { index, segment } of getSegmenter(granularity).segment(near)) {
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

/** The sentences of a text in any script (UAX #29), each with the space behind it: put together again they are the text. */
export function splitSentences(text: string): string[] {
  // No sentence begins with a small letter, and a token does: a name in capitals stands in for it.
  const named = text.replace(PERSON, (person) => "X".repeat(person.length));
  const starts = [...getSegmenter("sentence").segment(named)].map(({ index }) =>
    beforeOpening(named, index),
  );
  return starts.map((start, n) => text.slice(start, starts[n + 1]));
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

/** Repeated at least this often before it is shortened. */
const REPEATS_MIN = 3;
/** Longest phrase looked for, in words. */
const PERIOD_MAX = 4;

/**
 * Shortens what somebody repeated: `party EDM party EDM party EDM` becomes `party EDM (×3)`. A wall of emotes says as
 * much in a few tokens. Linear in the length of the text.
 */
export function collapseRepeats(text: string): string {
  const words = text.split(" ");
  if (!repeatsSomething(words)) return text;
  const out: string[] = [];
  for (let at = 0; at < words.length; ) {
    const { period, repeats } = longestRepeat(words, at);
    out.push(...words.slice(at, at + period));
    if (repeats >= REPEATS_MIN) out.push(`(×${repeats})`);
    at += repeats >= REPEATS_MIN ? period * repeats : 1;
    if (repeats < REPEATS_MIN) out.length -= period - 1;
  }
  return out.join(" ");
}

/** Whether any phrase stands three times in a row: most chat has none, and is told so at once. */
function repeatsSomething(words: readonly string[]): boolean {
  for (let period = 1; period <= PERIOD_MAX; period += 1) {
    let same = 0;
    for (let at = period; at < words.length; at += 1) {
      same = words[at] === words[at - period] ? same + 1 : 0;
      if (same >= period * (REPEATS_MIN - 1)) return true;
    }
  }
  return false;
}

/** The phrase at `at` that covers most when repeated; one word, once, where none is. */
function longestRepeat(words: readonly string[], at: number): { period: number; repeats: number } {
  let best = { period: 1, repeats: 1 };
  for (let period = 1; period <= PERIOD_MAX; period += 1) {
    let repeats = 1;
    while (isSame(words, at, { period, repeats })) repeats += 1;
    const covers = repeats >= REPEATS_MIN ? repeats * period : 0;
    if (covers > best.repeats * best.period) best = { period, repeats };
  }
  return best;
}

function isSame(
  words: readonly string[],
  at: number,
  { period, repeats }: { readonly period: number; readonly repeats: number },
): boolean {
  const from = at + period * repeats;
  if (from + period > words.length) return false;
  for (let offset = 0; offset < period; offset += 1) {
    if (words[at + offset] !== words[from + offset]) return false;
  }
  return true;
}

/** V8 copies a piece that is shorter, and of a longer one keeps where it stands. */
const PIECE_CHARS_MIN = 13;

/** The same as a string of its own, for who keeps it: a piece of a text keeps all of the text in memory. */
export function copyString(piece: string): string {
  return piece.length < PIECE_CHARS_MIN ? piece : ` ${piece}`.slice(1);
}
