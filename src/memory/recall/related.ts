// Pure: values in, values out.
import { fold } from "../../language/fold.ts";
import { findWords, type Query, scoreWords } from "./query.ts";

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

/** Items, and the places of those that have a word. */
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
/** Facts that only the category calls for. */
const UNASKED_MAX = 3;
const MOMENTS_MAX = 3;

/**
 * Chooses what the words of a conversation ask for, best first: notes and jokes of the channel, and one sentence of an
 * older episode. A word counts more if fewer items have it. `others` are not in the index.
 */
export function findRelated(
  known: KnownIndex,
  others: readonly KnownItem[],
  query: Query,
): KnownItem[] {
  const hits = new Map<number, Set<number>>();
  for (const [form, index] of query.forms) {
    for (const place of known.placesOf.get(form) ?? []) {
      const hit = hits.get(place);
      if (hit === undefined) hits.set(place, new Set([index]));
      else hit.add(index);
    }
  }
  for (const [n, { words }] of others.entries()) {
    const found = findWords(query, words);
    if (found.size > 0) hits.set(known.items.length + n, found);
  }
  const scores = scoreWords(query, [...hits.values()], known.items.length + others.length);
  const best = Math.max(...scores);
  const fitting = [...hits]
    .map(([place, hit], at) => ({ place, hit, score: scores[at] ?? 0 }))
    .filter(({ score }) => score > 0 && score >= SHARE_OF_BEST * best)
    .flatMap(({ place, hit, score }) => {
      const item = known.items[place] ?? others[place - known.items.length];
      return item ? [{ item, place, score, isAsked: isAsked(query, hit) }] : [];
    })
    .sort(
      (one, other) =>
        other.score - one.score || other.item.atMs - one.item.atMs || one.place - other.place,
    );
  const asked = fitting.filter((one) => one.isAsked);
  const chosen = new Set([
    ...asked.filter(({ item }) => item.kind === "channel" || item.kind === "bit"),
    ...asked.filter(({ item }) => item.kind === "moment").slice(0, MOMENTS_MAX),
    ...asked.filter(({ item }) => item.kind === "episode").slice(0, 1),
    ...fitting.filter((one) => !one.isAsked && one.item.kind === "channel").slice(0, UNASKED_MAX),
  ]);
  return fitting
    .filter((one) => chosen.has(one))
    .slice(0, ITEMS_MAX)
    .map(({ item }) => item);
}

/** True if an item has a word of the message. */
function isAsked({ words }: Query, hit: ReadonlySet<number>): boolean {
  return [...hit].some((index) => words[index]?.isSaid);
}

const RARE_LINES_MAX = 3;
const OLD_LINES_SHOWN_MAX = 3;
/** Shorter words are seldom rare. East Asian words are short. */
const RARE_CHARS_MIN = 4;
const EAST_ASIAN = /[\u2e80-\uffdc]/u;

/** Returns the newest of these messages that share a rare word with the message, oldest first. */
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
