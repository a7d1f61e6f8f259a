import { fillNames, personToken } from "../text/people.ts";

export interface NamedPerson {
  readonly userId: string;
  readonly login: string;
  readonly displayName: string;
}

/** Names for a transcript that say nothing: `P1`, `P2` … in order of first appearance, and back again. */
export interface Labels {
  /** The label of somebody in the transcript. */
  of(userId: string): string;
  /** Whom a label stands for; null for one that was never given out. */
  userId(label: string): string | null;
  /** Replaces every name of a known person by a label, and every other mention by `someone`. */
  hide(text: string): string;
  /** Turns labels, and names that slipped through, into the tokens that are stored. Unknown labels become `someone`. */
  toTokens(text: string): string;
  /** Turns the tokens of a stored sentence into labels, for a model to read. */
  fromTokens(text: string): string;
}

const LABEL = /\bP(\d{1,4})\b/g;
const NAME_CHARS_MIN = 4;
const WORD_CHAR = /[\p{L}\p{M}\p{N}_]/u;
const MENTION = /[@＠]([\p{L}\p{M}\p{N}_]{1,40})/gu;
const SOMEONE = "someone";

/**
 * Labels for the people of a window: those who spoke come first. `others` are people of the channel who may be
 * named; they get a label when they are. Names are compared exactly but for case, as whole words: look-alike letters
 * and `alice_` are other people than `alice`.
 */
export function labelPeople(
  speakers: readonly NamedPerson[],
  others: readonly NamedPerson[],
  botNames: readonly string[],
): Labels {
  const labels = new Map<string, string>();
  const owners = new Map<string, string>();
  const byName = new Map<string, NamedPerson>();
  for (const person of [...others].reverse().concat([...speakers].reverse())) {
    for (const name of namesOf(person)) byName.set(name, person);
  }
  const bots = new Set(botNames.map(fold));
  const of = (userId: string): string => {
    const known = labels.get(userId);
    if (known !== undefined) return known;
    const label = `P${labels.size + 1}`;
    labels.set(userId, label);
    owners.set(label, userId);
    return label;
  };
  for (const { userId } of speakers) of(userId);

  const named = (name: string): NamedPerson | null => byName.get(fold(name)) ?? null;
  const replaceNames = (text: string, put: (person: NamedPerson) => string): string =>
    eachWord(mentions(text, (name) => mentioned(name, { named, bots, put })), (word) => {
      if (word.length < NAME_CHARS_MIN) return word;
      const person = named(word);
      return person === null ? word : put(person);
    });
  return {
    of,
    userId: (label) => owners.get(label) ?? null,
    hide: (text) => replaceNames(text.replaceAll(LABEL, "p$1"), ({ userId }) => of(userId)),
    toTokens: (text) =>
      replaceNames(text, ({ userId }) => of(userId)).replaceAll(LABEL, (label) => {
        const userId = owners.get(label);
        return userId === undefined ? SOMEONE : personToken(userId);
      }),
    fromTokens: (text) => fillNames(text, of),
  };
}

interface Naming {
  readonly named: (name: string) => NamedPerson | null;
  readonly bots: ReadonlySet<string>;
  readonly put: (person: NamedPerson) => string;
}

function mentioned(name: string, { named, bots, put }: Naming): string {
  const person = named(name);
  if (person !== null) return put(person);
  return bots.has(fold(name)) ? "the bot" : SOMEONE;
}

function mentions(text: string, replace: (name: string) => string): string {
  return text.replaceAll(MENTION, (_, name: string) => replace(name));
}

/** Walks over whole words: a login inside a longer word is no name. */
function eachWord(text: string, replace: (word: string) => string): string {
  let result = "";
  let word = "";
  for (const char of text) {
    if (WORD_CHAR.test(char)) {
      word += char;
      continue;
    }
    result += word === "" ? char : replace(word) + char;
    word = "";
  }
  return word === "" ? result : result + replace(word);
}

function namesOf({ login, displayName }: NamedPerson): string[] {
  return [...new Set([fold(login), fold(displayName)])].filter((name) => name !== "");
}

function fold(name: string): string {
  return name.normalize("NFC").toLowerCase();
}
