// Pure: values in, values out.
import { fold } from "../../language/fold.ts";
import { getLatinStems, readStemmedWords } from "../../language/stems.ts";

/** The conversation that an answer belongs to. */
export interface Conversation {
  readonly message: SaidText;
  /** The speaker's last messages and their thread with the bot, oldest first. */
  readonly recent: readonly SaidText[];
  /** The stream's category. */
  readonly category: string;
  /** Other viewers' messages. They count only for `memory.topics: "strict"`. */
  readonly others: readonly SaidText[];
}

interface SaidText {
  readonly text: string;
}

/** The words of a conversation, to be found among the words of notes. */
export interface Query {
  readonly words: readonly QueryWord[];
  /** The index in `words` for each form of a word. */
  readonly forms: ReadonlyMap<string, number>;
}

interface QueryWord {
  /** Its importance, from 0 to 1. */
  weight: number;
  /** False if only the category has this word. */
  isSaid: boolean;
}

const MESSAGE_WEIGHT = 1;
const BACKGROUND_WEIGHT = 0.3;
/** Older messages seldom say what the speaker means now. */
const RECENT_LINES_MAX = 3;

/**
 * Returns the different words of a conversation, each with its highest weight: 1 in the message, 0.3 in the last three
 * of `recent` or the category, 0 in `others`. Notes' words come from the same tokenizer.
 */
export function readQuery({ message, recent, category, others }: Conversation): Query {
  const words: QueryWord[] = [];
  const forms = new Map<string, number>();
  const add = (text: string, weight: number, isSaid: boolean): void => {
    for (const { surface, stem } of readStemmedWords(text)) {
      const written = surface.toLowerCase();
      const key = fold(stem);
      const known = forms.get(key);
      const word = known === undefined ? undefined : words[known];
      if (word !== undefined) {
        word.weight = Math.max(word.weight, weight);
        word.isSaid ||= isSaid;
        continue;
      }
      const index = words.push({ weight, isSaid }) - 1;
      // A short question and a note may be taken for two languages: each language's stem finds the note.
      for (const form of [key, fold(written), ...getLatinStems(written)]) {
        if (!forms.has(form)) forms.set(form, index);
      }
    }
  };
  add(message.text, MESSAGE_WEIGHT, true);
  for (const { text } of recent.slice(-RECENT_LINES_MAX)) add(text, BACKGROUND_WEIGHT, true);
  add(category, BACKGROUND_WEIGHT, false);
  for (const { text } of others) add(text, 0, true);
  return { words, forms };
}

/** Splits a text at its spaces into folded words, to be compared with the forms of a query. */
export function foldWords(words: string): string[] {
  return fold(words).split(" ");
}

/** For each word of a query, the places (indexes in a list) of the texts that have it. */
export type Places = number[][];

/** Adds a text's index to the places of each query word that it has. Call it once a text, with all its folded words. */
export function addPlace(
  places: Places,
  query: Query,
  words: readonly string[],
  place: number,
): void {
  for (const word of words) {
    const found = places[query.forms.get(word) ?? -1];
    if (found !== undefined && found.at(-1) !== place) found.push(place);
  }
}

/**
 * Scores `count` texts by the words that they share with the query, from 0 to below 1 each. `places`: for each query
 * word, the indexes of the texts that have it. A score is `found / (found + 1)`, where `found` sums weight ×
 * log(1 + n / df) / log(1 + n): n is `count`, df how many texts have the word.
 */
export function scoreWords(
  { words }: Query,
  places: readonly (readonly number[])[],
  count: number,
): number[] {
  // Whole numbers: a sum of fractions takes memory for each step.
  const sums = new Int32Array(count);
  const all = Math.log(1 + count);
  for (const [index, { weight }] of words.entries()) {
    const texts = places[index] ?? [];
    const rarity = Math.log(1 + count / texts.length) / all;
    const gain = texts.length === 0 ? 0 : Math.round(weight * rarity * SCALE);
    for (const place of texts) sums[place] = (sums[place] ?? 0) + gain;
  }
  return Array.from(sums, (sum) => sum / (sum + SCALE));
}

const SCALE = 1_000_000;
