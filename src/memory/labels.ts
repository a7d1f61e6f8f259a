// Pure: values in, values out.
import { fold } from "../language/fold.ts";
import { fillNames, makePersonToken } from "../language/people.ts";

export interface NamedPerson {
  readonly userId: string;
  readonly login: string;
  readonly displayName: string;
  /** Opted out: they never get a label. */
  readonly optedOut?: boolean;
  /** They are called `STREAMER`, wherever they are named. */
  readonly isStreamer?: boolean;
}

export const STREAMER = "STREAMER";
/** Scripts that write particles and honorifics right behind a name of another script. */
const CLINGING = "\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}\\u30fc";
const IN_WORD = `(?![${CLINGING}])[\\p{L}\\p{M}\\p{N}_]`;
/** A label in a text that a model wrote, also with a Japanese, Chinese or Korean word right behind it. */
export const LABEL_IN_TEXT = new RegExp(
  `(?<!${IN_WORD})(?:P\\d{1,4}|STREAMER)(?!${IN_WORD})`,
  "gu",
);

/**
 * Anonymous names for a transcript, and back again: `P1`, `P2` … in order of first message, and
 * `STREAMER`.
 */
export type Labels = ReturnType<typeof labelPeople>;

const LABEL = /^(?:P\d{1,4}|STREAMER)$/;
/** A digit, an underscore or a capital inside: no everyday word. */
const DISTINCTIVE = /[\p{N}_]|\p{L}\p{Lu}/u;
const WORD = /[@＠]?[\p{L}\p{M}\p{N}_]+/gu;
const AT = /^[@＠]/u;
const SCRIPT_PARTS = new RegExp(`[${CLINGING}]+|[^${CLINGING}]+`, "gu");
const SOMEONE = "someone";
/** The start of a stored token. Chat and models cannot write one. */
const TOKEN_HEAD = "{u:";

/**
 * Gives each viewer of a window a label, such as P1; speakers come first. Returns functions that replace names in a
 * text by labels (for a model) or labels by tokens, such as {u:123} (for the database). Names match as whole words in
 * any case: look-alike letters and `alice_` are other viewers than `alice`. Only this function makes labels and
 * tokens, so nobody can forge one.
 */
export function labelPeople(
  speakers: readonly NamedPerson[],
  others: readonly NamedPerson[],
  botNames: readonly string[],
) {
  const labels = new Map<string, string>();
  const owners = new Map<string, string>();
  const streamers = new Set(
    [...speakers, ...others].flatMap(({ isStreamer, userId }) => (isStreamer ? [userId] : [])),
  );
  let numbered = 0;
  /** Returns the label of a viewer in the transcript. */
  const labelOf = (userId: string): string => {
    const known = labels.get(userId);
    if (known !== undefined) return known;
    if (!streamers.has(userId)) numbered += 1;
    const label = streamers.has(userId) ? STREAMER : `P${numbered}`;
    labels.set(userId, label);
    owners.set(label, userId);
    return label;
  };
  for (const { userId } of speakers) labelOf(userId);

  const names = indexNames(speakers, others, botNames);
  /** Returns the user id of a label, or null if it was never given out. */
  const userIdOf = (label: string): string | null => owners.get(label) ?? null;
  const ownToken = (label: string): string | null => {
    const userId = userIdOf(label);
    return userId === null ? null : makePersonToken(userId);
  };
  const lower = (label: string): string => label.toLowerCase();
  const hiding = { names, own: () => null, person: labelOf, stray: lower };
  const storing = { names, own: ownToken, person: makePersonToken, stray: () => SOMEONE };
  return {
    of: labelOf,
    userId: userIdOf,
    /** Replaces every name of a known person by a label, and every other mention by `someone`. */
    hide: (text: string): string => replaceWords(text, hiding),
    /**
     * Replaces labels and remaining names by the tokens that are stored. An unknown label becomes
     * `someone`.
     */
    toTokens: (text: string): string => replaceWords(text, storing),
    /** Turns the tokens of a stored sentence into labels, for a model to read. */
    fromTokens: (text: string): string => fillNames(text.replaceAll(LABEL_IN_TEXT, lower), labelOf),
  };
}

/** Labels viewers by their ids. A viewer who is not in `people` has no name. */
export function labelUserIds(
  userIds: readonly string[],
  people: readonly NamedPerson[],
  botNames: readonly string[],
): Labels {
  const known = new Map(people.map((person) => [person.userId, person]));
  const speakers = userIds.map((userId) => known.get(userId) ?? unnamedPerson(userId));
  return labelPeople(speakers, people, botNames);
}

export function unnamedPerson(userId: string): NamedPerson {
  return { userId, login: "", displayName: "" };
}

interface Put {
  readonly names: ReturnType<typeof indexNames>;
  /** Returns the text for a label that was given out, or null. */
  readonly own: (word: string) => string | null;
  readonly person: (userId: string) => string;
  /** Replaces a word that only looks like a label. */
  readonly stray: (word: string) => string;
}

function indexNames(
  speakers: readonly NamedPerson[],
  others: readonly NamedPerson[],
  botNames: readonly string[],
) {
  const byName = new Map<string, string>();
  const named = others.filter(({ optedOut }) => optedOut !== true);
  // Who comes first keeps a name that two have.
  for (const person of [...speakers, ...named].reverse()) {
    for (const name of listNames(person)) byName.set(name, person.userId);
  }
  const exact = new Map(
    [...speakers, ...named]
      .reverse()
      .flatMap((one) => listBareNames(one).map((name) => [name, one.userId])),
  );
  const unnamed = new Set(
    others.filter(({ optedOut }) => optedOut === true).flatMap(listBareNames),
  );
  const bots = new Set(botNames.map((one) => fold(one)));
  return {
    /** Returns the user id of a name, or null. */
    person: (name: string): string | null => byName.get(fold(name)) ?? null,
    /** Returns the user id of an exact display name, or null. */
    exactly: (word: string): string | null => exact.get(word) ?? exact.get(fold(word)) ?? null,
    isBot: (name: string): boolean => bots.has(fold(name)),
    /** True for the exact display name of a viewer who opted out. */
    isUnnamed: (word: string): boolean => unnamed.has(word) || unnamed.has(fold(word)),
  };
}

/** Replaces all at once, so that no replacement is read as a name. */
function replaceWords(text: string, put: Put): string {
  return text
    .replaceAll(TOKEN_HEAD, "(u:")
    .replaceAll(WORD, (word) =>
      AT.test(word) ? mention(word.slice(1), put) : toPlainWord(word, put),
    );
}

function mention(name: string, put: Put): string {
  const whole = findMentioned(name, put);
  if (whole !== null) return whole;
  const [first = "", ...rest] = name.match(SCRIPT_PARTS) ?? [];
  const known = findMentioned(first, put);
  return known === null ? SOMEONE : known + rest.map((part) => toPlainWord(part, put)).join("");
}

function findMentioned(name: string, { names, own, person }: Put): string | null {
  const userId = names.person(name);
  return (
    own(name) ?? (userId === null ? null : person(userId)) ?? (names.isBot(name) ? "the bot" : null)
  );
}

/**
 * Replaces a bare word only if it is a distinctive name. Any other word stays, even if it is a
 * viewer's name.
 */
function toPlainWord(word: string, put: Put): string {
  const own = put.own(word);
  if (own !== null) return own;
  const userId = put.names.exactly(word);
  if (userId !== null) return put.person(userId);
  if (put.names.isUnnamed(word)) return SOMEONE;
  const parts = word.match(SCRIPT_PARTS) ?? [];
  if (parts.length > 1) return parts.map((part) => toPlainWord(part, put)).join("");
  return LABEL.test(word) ? put.stray(word) : word;
}

/**
 * Returns the names that count as a bare word: with a digit or underscore in any case, else exactly
 * as written.
 */
function listBareNames({ login, displayName }: NamedPerson): string[] {
  return [login, displayName]
    .filter((name) => DISTINCTIVE.test(name))
    .map((name) => (/[\p{N}_]/u.test(name) ? fold(name) : name));
}

function listNames({ login, displayName }: NamedPerson): string[] {
  return [...new Set([fold(login), fold(displayName)])].filter((name) => name !== "");
}
