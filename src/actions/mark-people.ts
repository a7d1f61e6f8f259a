import { UNSPACED } from "../language/edges.ts";
import { nameOf, type Person } from "./resolve.ts";

/** Begins a mark; no chat holds it, since it is of private use and taken out before. */
const SIGN = "\ue000";
/** One mark, as a regular expression: somebody by their place, or `u` for an @ of nobody known. */
export const MARK = `${SIGN}(?:\\d+|u)`;

const BARE_CHARS_MIN = 3;
const NATIVE_CHARS_MIN = 2;
/** Scripts in which a name is followed by what belongs to the sentence, without a space. */
const NATIVE = `${UNSPACED}\\p{sc=Hang}`;
/** An @ of nobody known: where such a name ends cannot be told, so it takes what follows with it. */
const NATIVE_MENTION = new RegExp(`@[${NATIVE}]+`, "gu");
const NATIVE_LETTER = new RegExp(`[${NATIVE}]`, "u");
/** A login ends where such a script goes on. */
const TOKEN = new RegExp(
  `(?<!${SIGN})@?(?:[a-z0-9_]+(?=[${NATIVE}]|[^\\p{L}\\p{M}\\p{N}_]|$)|[${NATIVE}]+|[\\p{L}\\p{M}\\p{N}_]+)`,
  "gu",
);

/**
 * Puts marks in the place of names: of a login or display name as a whole word, with or without an @. Names too short
 * to tell, and those that `isWord` knows as ordinary words, count only with an @. `text` is folded as names are.
 */
export function markPeople(
  text: string,
  people: readonly Person[],
  isWord: (name: string) => boolean,
): string {
  const places = placesOf(people);
  let marked = text.replaceAll(SIGN, " ");
  const native = [...places].filter(([name]) => NATIVE_LETTER.test(name));
  const longestFirst = native.toSorted(([one], [other]) => other.length - one.length);
  for (const [name, place] of longestFirst) marked = marked.replaceAll(`@${name}`, markOf(place));
  marked = marked.replace(NATIVE_MENTION, markOf("u"));
  for (const [name, place] of longestFirst) {
    const counts = name.length >= NATIVE_CHARS_MIN && !isWord(name);
    if (counts) marked = marked.replaceAll(name, markOf(place));
  }
  return marked.replace(TOKEN, (token) => {
    const isMention = token.startsWith("@");
    const name = isMention ? token.slice(1) : token;
    const place = places.get(name);
    if (place === undefined) return isMention ? markOf("u") : token;
    const counts = isMention || (name.length >= BARE_CHARS_MIN && !isWord(name));
    return counts ? markOf(place) : token;
  });
}

/** The places of those marked in a text, in order; -1 for an @ of nobody known. */
export function markedIn(text: string): number[] {
  return [...text.matchAll(new RegExp(`${SIGN}(\\d+|u)`, "gu"))].map(([, place]) =>
    place === "u" ? -1 : Number(place),
  );
}

function markOf(place: number | "u"): string {
  return ` ${SIGN}${place} `;
}

/** A login wins over somebody else's display name. */
function placesOf(people: readonly Person[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const [place, { displayName }] of people.entries()) places.set(nameOf(displayName), place);
  for (const [place, { login }] of people.entries()) places.set(login, place);
  places.delete("");
  return places;
}
