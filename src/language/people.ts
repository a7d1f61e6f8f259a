// Pure: values in, values out.
import { createHmac } from "node:crypto";
import { fold } from "./fold.ts";

const PERSON_TOKEN = /\{u:([\w-]{1,40})\}/g;
/** A viewer in a stored sentence (`{u:ID}`) or in a prompt (`P1`). */
export const PERSON = /\{u:[\w-]{1,40}\}|(?<![\p{L}\p{N}_])@?P\d{1,3}(?![\p{L}\p{N}_])/gu;

/** Returns the token for a viewer in stored text. A rename shows at once, and a forget is one replacement. */
export function makePersonToken(userId: string): string {
  return `{u:${userId}}`;
}

/** Replaces the tokens of a stored sentence by names; by "someone" if `nameOf` returns null. */
export function fillNames(text: string, nameOf: (userId: string) => string | null): string {
  return text.replaceAll(PERSON_TOKEN, (_, userId: string) => nameOf(userId) ?? "someone");
}

/** Returns the ids of the viewers in a stored sentence, each once. */
export function findPeople(text: string): string[] {
  return [...new Set([...text.matchAll(PERSON_TOKEN)].map(([, userId]) => userId ?? ""))];
}

/**
 * Makes hashes with a key that is not in the database. They replace ids in data that outlives a forget: they show that
 * it is the same viewer, not which one.
 */
export interface KeyedHash {
  /** Hashes a user id. No user id looks like a hash. */
  person(userId: string): string;
  /** Hashes a topic of one viewer. The same topic of another viewer has another hash. */
  topic(userId: string, form: string): string;
}

const HASH_CHARS = 32;
const HASH_START = "h:";

/** Makes a `KeyedHash` by HMAC-SHA256, shortened to 128 bits. */
export function createKeyedHash(key: string): KeyedHash {
  const digestOf = (what: string): Buffer => createHmac("sha256", key).update(what).digest();
  const hashOf = (what: string): string =>
    `${HASH_START}${digestOf(what).toString("hex").slice(0, HASH_CHARS)}`;
  return {
    person: (userId) => hashOf(`person\n${userId}`),
    topic: (userId, form) => hashOf(`topic\n${userId}\n${form}`),
  };
}

export interface UnnamedPerson {
  readonly userId: string;
  /** Login and display name, if known. */
  readonly names: readonly string[];
}

export interface NameRedactor {
  /** ASCII letters in lower case. A text without it does not hold the name. */
  readonly needle: string;
  /** Redacts the name with an `@`, and as a bare word if it has a bare form: see `getBareForm`. */
  readonly redact: (text: string) => string;
  /** Redacts every word that equals the name, for the bot's own words. */
  readonly redactWords: (text: string) => string;
}

export const SOMEONE = "someone";
/** Scripts that write an honorific or particle right after a name. */
const CLINGING = "\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}\\u30fc";
const SCRIPT_PARTS = new RegExp(`[${CLINGING}]+|[^${CLINGING}]+`, "gu");
/** A name with an `@`; its group is the name. */
export const MENTIONED_NAME = /[@＠]([\p{L}\p{M}\p{N}_]+)/gu;
const WORD = /[@＠]?[\p{L}\p{M}\p{N}_]+/gu;
const AT = /^[@＠]/u;
const DIGIT_OR_LINE = /[\p{N}_]/u;
const INNER_CAPITAL = /\p{L}\p{Lu}/u;

/** Makes a pattern for a whole word; `source` is a pattern's. A Japanese, Chinese or Korean word may cling to it. */
export function wholeWordPattern(source: string): RegExp {
  const letter = `(?![${CLINGING}])[\\p{L}\\p{M}\\p{N}_]`;
  return new RegExp(`(?<!${letter})(?:${source})(?!${letter})`, "gu");
}

/**
 * Replaces names in a text. `replace` gets each word, then its parts by script, and returns null for a word that is no
 * name. `unknown` gets a word with an `@` that neither is a name nor begins with one.
 */
export function replaceNames(
  text: string,
  replace: (name: string, isMention: boolean) => string | null,
  unknown: (mention: string) => string,
): string {
  return text.replaceAll(WORD, (word) => {
    const isMention = AT.test(word);
    const name = isMention ? word.slice(1) : word;
    const whole = replace(name, isMention);
    if (whole !== null) return whole;
    const [first = "", ...rest] = name.match(SCRIPT_PARTS) ?? [];
    const start = rest.length > 0 ? replace(first, isMention) : null;
    if (isMention && start === null) return unknown(word);
    return [start ?? first, ...rest.map((part) => replace(part, false) ?? part)].join("");
  });
}

/** Returns true if a text has one of the names as a word, in any case. Give the names in lower case. */
export function holdsName(text: string, names: ReadonlySet<string>): boolean {
  return (text.toLowerCase().match(WORD) ?? []).some((word) => names.has(word.replace(AT, "")));
}

/**
 * Returns the form in which a name counts without an `@`: folded if it has a digit or an underscore, so any case counts.
 * A name with an inner capital counts only as written. Null for others, which may be ordinary words: love, game.
 */
export function getBareForm(name: string): string | null {
  if (DIGIT_OR_LINE.test(name)) return fold(name);
  return INNER_CAPITAL.test(name) ? name : null;
}

/** Replaces the tokens of forgotten viewers in stored text by "someone". */
export function removeTokens(text: string, userIds: readonly string[]): string {
  return userIds.reduce((left, userId) => left.replaceAll(makePersonToken(userId), SOMEONE), text);
}

/** Makes a redactor for each name, one for all its cases in ASCII. None for "someone", which replaces the names. */
export function namesToRedact(people: readonly UnnamedPerson[]): NameRedactor[] {
  const byNeedle = new Map<string, NameRedactor>();
  for (const name of people.flatMap(({ names }) => names).map((one) => one.normalize("NFC"))) {
    if (name === "" || name.toLowerCase() === SOMEONE) continue;
    const [wanted, bare] = [fold(name), getBareForm(name)];
    const redactIf = (text: string, isWord: (word: string) => boolean): string =>
      replaceNames(
        text,
        (word, isMention) => ((isMention ? fold(word) === wanted : isWord(word)) ? SOMEONE : null),
        (mention) => mention,
      );
    byNeedle.set(lowerAscii(name), {
      needle: lowerAscii(name),
      redact: (text) => redactIf(text, (word) => word === bare || fold(word) === bare),
      redactWords: (text) => redactIf(text, (word) => fold(word) === wanted),
    });
  }
  return [...byNeedle.values()];
}

/** Lowers ASCII letters, as SQLite does. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
