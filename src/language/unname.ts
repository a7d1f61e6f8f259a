// Pure: values in, values out.
import { LANGUAGES } from "./languages.ts";
import { personToken } from "./people.ts";

/** Somebody who is to go from every sentence. */
export interface UnnamedPerson {
  readonly userId: string;
  /** Login and display name, as far as they are known. */
  readonly names: readonly string[];
}

/** How one name is found, and what it is found by. */
export interface NameToTakeOut {
  /** In lower case where it is ASCII: text that does not hold it, so lowered, does not hold the name. */
  readonly needle: string;
  /** Takes the name out of a text, with an @ and, unless `onlyMentions`, as a word of its own. */
  readonly takeOut: (text: string, onlyMentions: boolean) => string;
  /** Letters alone: it may be a word that has nothing to do with the person. */
  readonly mayBeWord: boolean;
}

const SOMEONE = "someone";
/** A shorter name is too often something else: it goes where an @ stands before it. */
const NAME_CHARS_MIN = 4;
const UNSPACED_CHARS_MIN = 3;
/** Scripts that put an honorific or particle right behind a name of another script. */
const CLINGING = "\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}\\u30fc";
const CLINGS = new RegExp(`[${CLINGING}]`, "u");
const SCRIPT_PARTS = new RegExp(`[${CLINGING}]+|[^${CLINGING}]+`, "gu");
const WORD = /[@＠]?[\p{L}\p{M}\p{N}_]+/gu;
const LETTERS = /^\p{L}+$/u;
const STOPS: ReadonlySet<string> = new Set(LANGUAGES.flatMap(({ stopWords }) => stopWords));

/** The tokens of people in stored sentences, and what stands in their place once they are forgotten. */
export function withoutTokens(text: string, userIds: readonly string[]): string {
  return userIds.reduce((left, userId) => left.replaceAll(personToken(userId), SOMEONE), text);
}

/** The names that slipped into sentences as they were written, each once whatever its case. */
export function namesToTakeOut(people: readonly UnnamedPerson[]): NameToTakeOut[] {
  const byNeedle = new Map<string, NameToTakeOut>();
  for (const name of people.flatMap(({ names }) => names).map((one) => one.normalize("NFC"))) {
    const needle = asciiLower(name);
    if (name !== "" && name.toLowerCase() !== SOMEONE) byNeedle.set(needle, nameSought(name));
  }
  return [...byNeedle.values()];
}

/** Lower case as SQLite knows it: other letters stay as they are. */
export function asciiLower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function nameSought(name: string): NameToTakeOut {
  const needle = asciiLower(name);
  const takeOut = CLINGS.test(name) ? unspacedTaker(name) : wordTaker(name);
  return { needle, mayBeWord: LETTERS.test(name), takeOut };
}

/** A name in a script without spaces is found wherever it stands. */
function unspacedTaker(name: string): NameToTakeOut["takeOut"] {
  const isShort = name.length < UNSPACED_CHARS_MIN;
  return (text, onlyMentions) => {
    const left = text.replaceAll(`@${name}`, SOMEONE).replaceAll(`＠${name}`, SOMEONE);
    return isShort || onlyMentions ? left : left.replaceAll(name, SOMEONE);
  };
}

function wordTaker(name: string): NameToTakeOut["takeOut"] {
  const wanted = fold(name);
  const isOnlyMention = name.length < NAME_CHARS_MIN || STOPS.has(wanted);
  const withoutName = (word: string): string => {
    const parts = word.match(SCRIPT_PARTS) ?? [];
    const left = parts.map((part) => (fold(part) === wanted ? SOMEONE : part));
    return left.some((part, index) => part !== parts[index]) ? left.join("") : word;
  };
  return (text, onlyMentions) =>
    text.replaceAll(WORD, (word) => {
      const isMention = word.startsWith("@") || word.startsWith("＠");
      if (!isMention) return onlyMentions || isOnlyMention ? word : withoutName(word);
      const named = word.slice(1);
      const left = withoutName(named);
      return left === named ? word : left;
    });
}

function fold(name: string): string {
  return name.normalize("NFC").toLowerCase();
}
