import { foldLookAlikes } from "./look-alikes.ts";

/** A run of so many words is a leak. */
const WORDS_MIN = 8;
/** A run of so many letters and digits is one too, with spaces and punctuation left out. */
const LETTERS_MIN = 40;
/** A run of LETTERS_MIN holds a piece of PIECE letters at a multiple of STRIDE: so only those are looked up. */
const STRIDE = 16;
const PIECE = LETTERS_MIN - STRIDE + 1;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** A letter of these says about as much as two of an alphabet. */
const WIDE = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/gu;

/**
 * A test of whether a text repeats a run of one of the `secrets`: eight words in a row, or forty letters and digits
 * (twenty of Chinese, Japanese or Korean), whatever the case, punctuation, spacing or look-alikes.
 */
export function sharesRun(secrets: readonly string[]): (text: string) => boolean {
  const vocabulary = new Set<string>();
  const phrases = new Set<string>();
  const pieces = new Set<string>();
  const streams: string[] = [];
  for (const words of secrets.map(wordsOf)) {
    const stream = streamOf(words);
    streams.push(stream);
    for (const [at, word] of words.entries()) {
      vocabulary.add(word);
      phrases.add(phraseAt(words, at));
    }
    for (let at = 0; at + PIECE <= stream.length; at += 1) {
      pieces.add(stream.slice(at, at + PIECE));
    }
  }
  return (text) => {
    const words = wordsOf(text);
    return (
      sharesWords(words, phrases, vocabulary) || sharesLetters(streamOf(words), pieces, streams)
    );
  };
}

/** A phrase is only put together where that many words in a row are words of the secrets. */
function sharesWords(
  words: readonly string[],
  phrases: ReadonlySet<string>,
  vocabulary: ReadonlySet<string>,
): boolean {
  let known = 0;
  for (const [at, word] of words.entries()) {
    known = vocabulary.has(word) ? known + 1 : 0;
    if (known >= WORDS_MIN && phrases.has(phraseAt(words, at - WORDS_MIN + 1))) {
      return true;
    }
  }
  return false;
}

function sharesLetters(
  text: string,
  pieces: ReadonlySet<string>,
  streams: readonly string[],
): boolean {
  for (let at = 0; at + PIECE <= text.length; at += STRIDE) {
    if (pieces.has(text.slice(at, at + PIECE)) && runsAround(text, at, streams)) {
      return true;
    }
  }
  return false;
}

/** Whether one of the runs that hold the piece at `at` is in a secret whole. */
function runsAround(text: string, at: number, streams: readonly string[]): boolean {
  for (let start = Math.max(0, at - STRIDE + 1); start <= at; start += 1) {
    const run = text.slice(start, start + LETTERS_MIN);
    if (run.length === LETTERS_MIN && streams.some((stream) => stream.includes(run))) {
      return true;
    }
  }
  return false;
}

function wordsOf(text: string): readonly string[] {
  return foldLookAlikes(text).match(WORD) ?? [];
}

function phraseAt(words: readonly string[], at: number): string {
  return words.slice(at, at + WORDS_MIN).join(" ");
}

function streamOf(words: readonly string[]): string {
  return words.join("").replace(WIDE, "$&$&");
}
