// Pure: values in, values out.
import { foldLookAlikes } from "./look-alikes.ts";

/** How long a run has to be to count as a leak. */
interface RunLimits {
  /** In words. */
  readonly wordsMin: number;
  /** In letters and digits, with spaces and punctuation left out; at least twice STRIDE. */
  readonly lettersMin: number;
}

/** A run of `lettersMin` holds a piece of `lettersMin` - STRIDE + 1 at a multiple of STRIDE: only those are looked up. */
const STRIDE = 15;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** A letter of these says about as much as two of an alphabet. */
const WIDE = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/gu;

/**
 * A test of whether a text repeats a run of one of the `secrets`: that many words in a row, or that many letters and
 * digits (half as many of Chinese, Japanese or Korean), whatever the case, punctuation, spacing or look-alikes.
 */
export function sharesRun(
  secrets: readonly string[],
  limits: RunLimits,
): (text: string) => boolean {
  const piece = limits.lettersMin - STRIDE + 1;
  const runs: Runs = {
    ...limits,
    piece,
    vocabulary: new Set(),
    phrases: new Set(),
    pieces: new Set(),
    streams: [],
  };
  for (const words of secrets.map(wordsOf)) {
    const stream = streamOf(words);
    runs.streams.push(stream);
    for (const [at, word] of words.entries()) {
      runs.vocabulary.add(word);
      runs.phrases.add(phraseAt(words, at, limits.wordsMin));
    }
    for (let at = 0; at + piece <= stream.length; at += 1) {
      runs.pieces.add(stream.slice(at, at + piece));
    }
  }
  return (text) => {
    const words = wordsOf(text);
    return sharesWords(words, runs) || sharesLetters(streamOf(words), runs);
  };
}

interface Runs extends RunLimits {
  readonly piece: number;
  readonly vocabulary: Set<string>;
  readonly phrases: Set<string>;
  readonly pieces: Set<string>;
  readonly streams: string[];
}

/** A phrase is only put together where that many words in a row are words of the secrets. */
function sharesWords(words: readonly string[], { wordsMin, phrases, vocabulary }: Runs): boolean {
  let known = 0;
  for (const [at, word] of words.entries()) {
    known = vocabulary.has(word) ? known + 1 : 0;
    if (known >= wordsMin && phrases.has(phraseAt(words, at - wordsMin + 1, wordsMin))) {
      return true;
    }
  }
  return false;
}

function sharesLetters(text: string, runs: Runs): boolean {
  for (let at = 0; at + runs.piece <= text.length; at += STRIDE) {
    if (runs.pieces.has(text.slice(at, at + runs.piece)) && runsAround(text, at, runs)) {
      return true;
    }
  }
  return false;
}

/** Whether one of the runs that hold the piece at `at` is in a secret whole. */
function runsAround(text: string, at: number, { lettersMin, streams }: Runs): boolean {
  for (let start = Math.max(0, at - STRIDE + 1); start <= at; start += 1) {
    const run = text.slice(start, start + lettersMin);
    if (run.length === lettersMin && streams.some((stream) => stream.includes(run))) {
      return true;
    }
  }
  return false;
}

function wordsOf(text: string): readonly string[] {
  return foldLookAlikes(text).match(WORD) ?? [];
}

function phraseAt(words: readonly string[], at: number, count: number): string {
  return words.slice(at, at + count).join(" ");
}

function streamOf(words: readonly string[]): string {
  return words.join("").replace(WIDE, "$&$&");
}
