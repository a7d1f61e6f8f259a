// Pure: values in, values out.
import { fold } from "./fold.ts";
import { makePersonToken } from "./people.ts";

/** A viewer to redact in every sentence. */
export interface UnnamedPerson {
  readonly userId: string;
  /** Login and display name, if known. */
  readonly names: readonly string[];
}

/** Finds and redacts one name. */
export interface NameRedactor {
  /** ASCII letters in lower case. A text without it does not hold the name. */
  readonly needle: string;
  /** Redacts the name with an `@`, and as a bare word unless it is an everyday word. */
  readonly takeOut: (text: string) => string;
  /** Redacts every word that equals the name, for the bot's own words. */
  readonly takeOutWords: (text: string) => string;
}

const SOMEONE = "someone";
/** Scripts that write an honorific or particle right after a name. */
const CLINGING = "\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}\\u30fc";
const SCRIPT_PARTS = new RegExp(`[${CLINGING}]+|[^${CLINGING}]+`, "gu");
const WORD = /[@＠]?[\p{L}\p{M}\p{N}_]+/gu;
const DIGIT_OR_LINE = /[\p{N}_]/u;
const INNER_CAPITAL = /\p{L}\p{Lu}/u;

/** Replaces the tokens of forgotten viewers in stored text. */
export function removeTokens(text: string, userIds: readonly string[]): string {
  return userIds.reduce((left, userId) => left.replaceAll(makePersonToken(userId), SOMEONE), text);
}

/** Makes a redactor for each name, in any case. */
export function namesToRedact(people: readonly UnnamedPerson[]): NameRedactor[] {
  const byNeedle = new Map<string, NameRedactor>();
  for (const name of people.flatMap(({ names }) => names).map((one) => one.normalize("NFC"))) {
    const needle = lowerAscii(name);
    if (name !== "" && name.toLowerCase() !== SOMEONE) byNeedle.set(needle, nameRedactor(name));
  }
  return [...byNeedle.values()];
}

/** Lowers ASCII letters, as SQLite does. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function nameRedactor(name: string): NameRedactor {
  const wanted = fold(name);
  const isNamed = (part: string): boolean => fold(part) === wanted;
  // Viewers may be called love or game: such a bare word is left in other viewers' facts.
  const isBareName = (part: string): boolean =>
    DIGIT_OR_LINE.test(name) ? isNamed(part) : INNER_CAPITAL.test(name) && part === name;
  const redactName = (word: string, isIt: (part: string) => boolean): string =>
    isIt(word)
      ? SOMEONE
      : (word.match(SCRIPT_PARTS) ?? []).map((part) => (isIt(part) ? SOMEONE : part)).join("");
  const takeOutBy = (text: string, isBare: (part: string) => boolean): string =>
    text.replaceAll(WORD, (word) => {
      const isMention = word.startsWith("@") || word.startsWith("＠");
      if (!isMention) return redactName(word, isBare);
      const left = redactName(word.slice(1), isNamed);
      return left === word.slice(1) ? word : left;
    });
  return {
    needle: lowerAscii(name),
    takeOut: (text) => takeOutBy(text, isBareName),
    takeOutWords: (text) => takeOutBy(text, isNamed),
  };
}
