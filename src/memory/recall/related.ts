// Pure: values in, values out.
import { fold } from "../../language/fold.ts";
import { addPlace, type Places, type Query, scoreWords } from "./query.ts";

/** A fact, joke, moment or sentence that a message may be about. */
export interface KnownItem {
  readonly kind: "channel" | "bit" | "moment" | "episode";
  /** The id of the note, moment or episode. */
  readonly id: number;
  /** Text with names filled in. */
  readonly text: string;
  /** Normalised. */
  readonly words: readonly string[];
  readonly atMs: number;
  /** The local day that a note is about, "2026-05-01". */
  readonly happensOn?: string | null;
}

/** Items, and for each word the places of the items that have it. */
export interface KnownIndex {
  readonly items: readonly KnownItem[];
  readonly placesOf: ReadonlyMap<string, readonly number[]>;
}

/** Indexes items by their words: a message has few of them, and a channel has a thousand items. */
export function indexKnown(items: readonly KnownItem[]): KnownIndex {
  const placesOf = new Map<string, number[]>();
  for (const [place, { words }] of items.entries()) {
    for (const word of words) {
      const places = placesOf.get(word);
      if (places === undefined) placesOf.set(word, [place]);
      else if (places.at(-1) !== place) places.push(place);
    }
  }
  return { items, placesOf };
}

const ITEMS_MAX = 12;
/** An item that fits the message less than this share of the best one is left out. */
const SHARE_OF_BEST = 0.4;
/** The most items of each kind that a message asks for. */
const ASKED_MAX = { channel: ITEMS_MAX, bit: ITEMS_MAX, moment: 3, episode: 1 };
/** The most items of each kind that only the category calls for. */
const UNASKED_MAX = { channel: 3, bit: 0, moment: 0, episode: 0 };

/**
 * Returns at most 12 items that the words of a conversation ask for, best first: notes and jokes of the channel, three
 * moments, and one sentence of an older episode. Of items that share words with the category alone, at most three
 * channel notes get in. Leaves out items that score less than 40 % of the best. `others`: further items, which are not
 * in the index.
 */
export function findRelated(
  known: KnownIndex,
  others: readonly KnownItem[],
  query: Query,
): KnownItem[] {
  const { items } = known;
  const places = findPlaces(known, others, query);
  const scores = scoreWords(query, places, items.length + others.length);
  const best = scores.reduce((most, score) => Math.max(most, score), 0);
  const fitting: { item: KnownItem; place: number; score: number }[] = [];
  scores.forEach((score, place) => {
    if (score === 0 || score < SHARE_OF_BEST * best) return;
    const item = items[place] ?? others[place - items.length];
    if (item !== undefined) fitting.push({ item, place, score });
  });
  fitting.sort((one, other) => other.score - one.score || other.item.atMs - one.item.atMs);
  const left = { asked: { ...ASKED_MAX }, unasked: { ...UNASKED_MAX } };
  const related: KnownItem[] = [];
  for (const { item, place } of fitting) {
    if (related.length === ITEMS_MAX) break;
    // True if the item has a word of the message.
    const isAsked = places.some((texts, at) => query.words[at]?.isSaid && texts.includes(place));
    const ofKind = isAsked ? left.asked : left.unasked;
    if (ofKind[item.kind] === 0) continue;
    ofKind[item.kind] -= 1;
    related.push(item);
  }
  return related;
}

/** Returns, for each query word, the indexes of the items that have it. Those of `others` follow those of `known`. */
function findPlaces(
  known: KnownIndex,
  others: readonly KnownItem[],
  query: Query,
): readonly (readonly number[])[] {
  const ofOthers: Places = query.words.map(() => []);
  for (const [n, { words }] of others.entries())
    addPlace(ofOthers, query, words, known.items.length + n);
  const places: (readonly number[])[] = ofOthers;
  for (const [form, index] of query.forms) {
    const found = known.placesOf.get(form);
    const before = places[index] ?? [];
    // Most words have one form here, and its places are many: they are not copied.
    if (found !== undefined)
      places[index] = before.length === 0 ? found : [...new Set([...before, ...found])];
  }
  return places;
}

const RARE_LINES_MAX = 3;
const OLD_LINES_SHOWN_MAX = 3;
/** Shorter words are seldom rare. East Asian words are short. */
const RARE_CHARS_MIN = 4;
const EAST_ASIAN = /[\u2e80-\uffdc]/u;

/**
 * Returns the newest three of these lines that share a rare word with the message, oldest first. A rare word has four
 * letters or is East Asian, and is in at most three of the lines.
 */
export function findOldLines<Line extends { readonly text: string }>(
  lines: readonly Line[],
  { words, forms }: Query,
): Line[] {
  const asked = [...forms].filter(
    ([form, index]) =>
      words[index]?.weight === 1 && (form.length >= RARE_CHARS_MIN || EAST_ASIAN.test(form)),
  );
  if (asked.length === 0) return [];
  const texts = lines.map(({ text }) => fold(text));
  const shown = new Set<number>();
  for (const [form] of asked) {
    const found = texts.flatMap((text, at) => (text.includes(form) ? [at] : []));
    if (found.length <= RARE_LINES_MAX) for (const at of found) shown.add(at);
  }
  return lines.filter((_, at) => shown.has(at)).slice(-OLD_LINES_SHOWN_MAX);
}
