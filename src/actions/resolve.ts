// Pure: values in, values out.
import type { Roles } from "../chat/normalise.ts";
import { foldLetters } from "../language/clean.ts";
import { foldLookAlikes } from "../language/look-alikes.ts";
import {
  MEANINGFUL,
  phrasesOf,
  standsAt,
  startsUnspaced,
  type Tokens,
  tokensOf,
} from "../language/said-words.ts";

/** Somebody that may be meant; `roles` as last seen in this channel, null where they were never seen there. */
export interface Person extends Readonly<Record<"userId" | "login" | "displayName", string>> {
  readonly roles: Pick<Roles, "broadcaster" | "moderator" | "vip"> | null;
}

export type People = readonly Person[];

/** `id`: an id instead of a name. */
export type Unresolved = "target_is_id" | "target_unknown" | "target_ambiguous";

const ID = /^@?(?:\d+|\{.*|u:.*|id[:=].*)$/iu;
const LOGIN = /^[a-z0-9_]{1,25}$/;
/** Twitch allows no longer name. */
const NAME_TOKENS_MAX = 25;
const ENDING_LETTERS_MAX = 3;
/** What a name may end in that an inflected one has lost: "mirę" is Mira, "дмитрия" Дмитрий; й is folded to и. */
const LOST_ENDINGS = ["", "a", "o", "а", "я", "и"];
const NAME_LETTERS_MIN = 3;

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
export function resolveTarget(written: string, people: People) {
  const refused = (reason: Unresolved) => ({ kind: "refused", reason }) as const;
  if (ID.test(written.trim())) return refused("target_is_id");
  const name = nameOf(written);
  const all = [...new Map(people.map((person) => [person.userId, person])).values()];
  const hasLogin = all.some(({ login }) => login === name);
  // Drawn like a login is not written like it.
  const shown = (one: string) => (hasLogin ? one.trim().toLowerCase() : nameOf(one));
  const found = all.filter((one) => one.login === name || shown(one.displayName) === name);
  const [person] = found;
  if (person === undefined || name === "") return refused("target_unknown");
  const isOne =
    found.length === 1 && (hasLogin || !all.some((one) => one !== person && looksLike(one, name)));
  return isOne ? ({ kind: "found", person } as const) : refused("target_ambiguous");
}

function looksLike({ login, displayName }: Person, name: string): boolean {
  const look = foldLookAlikes(name);
  return [login, nameOf(displayName)].some((drawn) => foldLookAlikes(drawn) === look);
}

/** A name as it is compared: without an @, in one form of its letters, in lower case. */
function nameOf(written: string): string {
  return written
    .trim()
    .replace(/^[@＠﹫]/u, "")
    .normalize("NFKC")
    .toLowerCase();
}

/** Who is named at a place, with or without an @; a bare name must be no word that an order is made of. */
export function personAt(tokens: Tokens, at: number, people: People) {
  const token = tokens[at];
  if (token === undefined) return null;
  const isMention = /^[@＠]/u.test(token.raw);
  if (!isMention && MEANINGFUL.has(token.text)) return null;
  const from = token.text === "@" ? at + 1 : at;
  const [name, length] = nameAt(tokens, from, people);
  const found = resolveTarget(name, people);
  if (found.kind === "refused") return null;
  return { value: found.person, length: length + from - at, isMention };
}

/** One word, or, in a script without spaces, the longest display name that begins there; over how many tokens. */
function nameAt(tokens: Tokens, at: number, people: People): [name: string, length: number] {
  const raw = tokens[at]?.raw ?? "";
  if (!startsUnspaced(raw)) return [raw, 1];
  const rest = tokens.slice(at, at + NAME_TOKENS_MAX).map(({ text }) => text);
  const [longest] = people
    .filter(({ displayName }) => rest.join("").startsWith(foldLetters(displayName)))
    .flatMap(({ displayName }) => phrasesOf(displayName).map((one) => [displayName, one] as const))
    .filter(([, phrase]) => phrase.length > 1 && standsAt(tokens, at, phrase))
    .toSorted(([, one], [, other]) => other.length - one.length);
  return longest === undefined ? ["", 1] : [longest[0], longest[1].length];
}

/** The ids of all whom lines name, also with an ending or letters of another script around it: "bobs", "bobに". */
export function namedIn(lines: readonly string[], people: People): ReadonlySet<string> {
  const byName = new Map(people.map((person) => [foldLetters(person.displayName), person]));
  for (const person of people) byName.set(person.login, person);
  return new Set(
    lines.map(tokensOf).flatMap((tokens) =>
      tokens.flatMap(({ text }, at) => {
        const isName = byName.has(text.replace(/^@/u, ""));
        const stem = isName ? undefined : stemsOf(text).find((one) => byName.has(one));
        return (personAt(tokens, at, people)?.value ?? byName.get(stem ?? ""))?.userId ?? [];
      }),
    ),
  );
}

/** The logins of all whom lines may name, except by a display name of another sort. */
export function loginsIn(lines: readonly string[]): readonly string[] {
  const names = lines.flatMap(tokensOf).flatMap(({ raw, text }) => {
    const name = nameOf(raw);
    return [name, foldLookAlikes(name), ...stemsOf(text)];
  });
  return [...new Set(names)].filter((name) => LOGIN.test(name));
}

/** What a word may be an inflected name of: without its last letters, without letters of another script. */
function stemsOf(word: string): readonly string[] {
  const name = word.replace(/^@/u, "");
  const latin = /[a-z0-9_]+/u.exec(name)?.[0] ?? "";
  const shorter = Array.from({ length: ENDING_LETTERS_MAX }, (_, at) => name.slice(0, -1 - at));
  const whole = LOST_ENDINGS.flatMap((ending) => shorter.map((one) => `${one}${ending}`));
  // Finnish joins its endings to a consonant by an i: "bobille".
  const joined = shorter.map((one) => one.replace(/i$/u, ""));
  return [...(latin === name ? [] : [latin]), ...whole, ...joined].filter(
    (one) => one.length >= NAME_LETTERS_MIN && !MEANINGFUL.has(one),
  );
}
