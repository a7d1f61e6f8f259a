// Pure: values in, values out.
import { foldLookAlikes } from "../language/look-alikes.ts";
import {
  type Found,
  folded,
  isUnspaced,
  MEANINGFUL,
  phraseOf,
  standsAt,
  type Token,
  tokensOf,
} from "./said-words.ts";

/** Somebody that a proposal may mean, as Twitch says. */
export interface Person {
  readonly userId: string;
  readonly login: string;
  readonly displayName: string;
  /** As last seen in this channel; null where they were never seen there. */
  readonly roles: {
    readonly broadcaster: boolean;
    readonly moderator: boolean;
    readonly vip: boolean;
  } | null;
}

/** `id`: an id instead of a name. */
export type Unresolved = "target_is_id" | "target_unknown" | "target_ambiguous";

export type Resolved<P extends Person = Person> =
  | { readonly kind: "found"; readonly person: P }
  | { readonly kind: "refused"; readonly reason: Unresolved };

const ID = /^@?(?:\d+|\{.*|u:.*|id[:=].*)$/iu;
/** Twitch allows no longer name. */
const NAME_TOKENS_MAX = 25;
const LOGIN = /^[a-z0-9_]{1,25}$/;
/** Most names: in them nothing has another form. */
const PLAIN = /^\w+$/;

/** The login that a model may have meant, or null where it wrote another name or an id. */
export function loginOf(written: string): string | null {
  const name = nameOf(written);
  return !ID.test(written.trim()) && LOGIN.test(name) ? name : null;
}

/**
 * The one person whom a written name means: login or display name, with or without @, in any case. `people`: all
 * that may be meant. A login wins over display names that are only drawn like it, so that nobody is out of reach behind
 * somebody's fancy letters. Refused where two could be meant.
 */
export function resolveTarget<P extends Person>(
  written: string,
  people: readonly P[],
): Resolved<P> {
  if (ID.test(written.trim())) return { kind: "refused", reason: "target_is_id" };
  const name = nameOf(written);
  const all = [...new Map(people.map((person) => [person.userId, person])).values()];
  const byLogin = all.filter(({ login }) => login === name);
  const found =
    byLogin.length > 0
      ? [...byLogin, ...all.filter((person) => isShownAs(person, name) && person.login !== name)]
      : all.filter(({ displayName }) => nameOf(displayName) === name);
  const [person] = found;
  if (person === undefined || name === "") return { kind: "refused", reason: "target_unknown" };
  const isDoubtful = byLogin.length === 0 && all.some((other) => looksAlike(other, person, name));
  return found.length > 1 || isDoubtful
    ? { kind: "refused", reason: "target_ambiguous" }
    : { kind: "found", person };
}

/** In the very letters. */
function isShownAs({ displayName }: Person, name: string): boolean {
  return displayName.trim().toLowerCase() === name;
}

function looksAlike(other: Person, { userId }: Person, name: string): boolean {
  if (other.userId === userId) return false;
  const look = foldLookAlikes(name);
  return [other.login, nameOf(other.displayName)].some((one) => foldLookAlikes(one) === look);
}

/** A name as it is compared: without an @, in one form of its letters, in lower case. */
function nameOf(written: string): string {
  if (PLAIN.test(written)) return written.toLowerCase();
  return written
    .trim()
    .replace(/^[@＠﹫]/u, "")
    .normalize("NFKC")
    .toLowerCase();
}

/** Who is named at a place, with or without an @; a bare name must be no word that an order is made of. */
export function personAt<P extends Person>(
  tokens: readonly Token[],
  at: number,
  people: readonly P[],
): (Found<P> & { readonly isMention: boolean }) | null {
  const token = tokens[at];
  if (token === undefined) return null;
  const isMention = /^[@＠]/u.test(token.raw);
  const from = token.text === "@" ? at + 1 : at;
  const written = writtenName(tokens, from, people);
  const isWord = !isMention && MEANINGFUL.has(token.text);
  const found = isWord || written === null ? null : resolveTarget(written.value, people);
  if (found?.kind !== "found" || written === null) return null;
  return { value: found.person, length: written.length + from - at, isMention };
}

/** One word, or, in a script without spaces, the longest name that begins there. */
function writtenName(
  tokens: readonly Token[],
  at: number,
  people: readonly Person[],
): Found<string> | null {
  const token = tokens[at];
  if (token === undefined) return null;
  if (!isUnspaced(token.raw)) return { value: token.raw, length: 1 };
  const rest = tokens
    .slice(at, at + NAME_TOKENS_MAX)
    .map(({ text }) => text)
    .join("");
  const names = people
    .filter(({ displayName }) => rest.startsWith(folded(displayName)))
    .map(({ displayName }) => ({ value: displayName, phrase: phraseOf(displayName) }))
    .filter(({ phrase }) => phrase.length > 1 && standsAt(tokens, at, phrase));
  const [longest] = names.toSorted((one, other) => other.phrase.length - one.phrase.length);
  return longest === undefined ? null : { value: longest.value, length: longest.phrase.length };
}

/** The ids of all whom lines name, also with an ending: "bobs", "bob'u", "boba". */
export function namedIn(lines: readonly string[], people: readonly Person[]): ReadonlySet<string> {
  const names = new Map(people.map((person) => [folded(person.displayName), person]));
  for (const person of people) names.set(person.login, person);
  const starts = new Set(
    [...names.keys()].map((name) => String.fromCodePoint(name.codePointAt(0) ?? 0)),
  );
  const personIn = (tokens: readonly Token[], at: number): Person | undefined => {
    const text = tokens[at]?.text ?? "";
    const isStart = text === "@" || (isUnspaced(text) && starts.has(text));
    if (isStart || names.has(text.replace(/^@/u, ""))) return personAt(tokens, at, people)?.value;
    return inflected(text, names);
  };
  const found = lines
    .map(tokensOf)
    .flatMap((tokens) => tokens.map((_, at) => personIn(tokens, at)));
  return new Set(found.flatMap((person) => person?.userId ?? []));
}

const ENDING_LETTERS_MAX = 3;
const NAME_LETTERS_MIN = 3;

/** Whose name a word is with an ending, or with letters of another script around it. */
function inflected(word: string, names: ReadonlyMap<string, Person>): Person | undefined {
  const name = word.replace(/^@/u, "");
  const latin = /[a-z0-9_]+/u.exec(name)?.[0] ?? "";
  const shorter = Array.from({ length: ENDING_LETTERS_MAX }, (_, at) => name.slice(0, -1 - at));
  const written = [...(latin === name ? [] : [latin]), ...shorter].find(
    (one) => one.length >= NAME_LETTERS_MIN && !MEANINGFUL.has(one) && names.has(one),
  );
  return names.get(written ?? "");
}
