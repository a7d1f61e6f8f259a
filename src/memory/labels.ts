// Pure: values in, values out.
import { fold } from "../language/fold.ts";
import {
  fillNames,
  getBareForm,
  makePersonToken,
  replaceNames,
  SOMEONE,
  wholeWordPattern,
} from "../language/people.ts";

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
/** A label in a text that a model wrote, also with a Japanese, Chinese or Korean word right behind it. */
export const LABEL_IN_TEXT = wholeWordPattern("P\\d{1,4}|STREAMER");
const LABEL = /^(?:P\d{1,4}|STREAMER)$/;
/** The start of a stored token. Chat and models cannot write one. */
const TOKEN_HEAD = "{u:";

/** Anonymous names for a transcript, and back again: `P1`, `P2` … in order of first message, and `STREAMER`. */
export type Labels = ReturnType<typeof labelPeople>;

/**
 * Gives each viewer of a window a label, such as P1; speakers come first. Returns functions that replace names in a
 * text by labels (for a model) or labels by tokens, such as {u:123} (for the database). A mention matches in any case.
 * A bare word counts only if it is distinctive. Look-alike letters and `alice_` are other viewers than `alice`. Only
 * this function makes labels and tokens, so nobody can forge one.
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

  // The first viewer with a name gets it.
  const named = [...speakers, ...others.filter(({ optedOut }) => optedOut !== true)].reverse();
  const byName = new Map(
    named.flatMap((one) => listNames(one).map((name) => [fold(name), one.userId])),
  );
  const byBareName = new Map(
    named.flatMap((one) => listBareNames(one).map((name) => [name, one.userId])),
  );
  const optedOut = new Set(
    others.filter((one) => one.optedOut === true).flatMap((one) => listBareNames(one)),
  );
  const bots = new Set(botNames.map((one) => fold(one)));

  const findPerson = (name: string, isMention: boolean): string | null => {
    const folded = fold(name);
    return (
      (isMention ? byName.get(folded) : (byBareName.get(name) ?? byBareName.get(folded))) ?? null
    );
  };
  const nameBot = (name: string) => (bots.has(fold(name)) ? "the bot" : null);
  const hideOptedOut = (name: string) =>
    optedOut.has(name) || optedOut.has(fold(name)) ? SOMEONE : null;
  /** Replaces all names at once, so that no replacement is read as a name. */
  const replaceAll = (
    text: string,
    /** Returns the text for a label that was given out, or null. */
    own: (word: string) => string | null,
    toText: (userId: string) => string,
    /** Replaces a word that only looks like a label. */
    stray: (word: string) => string,
  ): string => {
    const replace = (word: string, isMention: boolean): string | null => {
      const label = own(word);
      const userId = findPerson(word, isMention);
      if (label !== null) return label;
      if (userId !== null) return toText(userId);
      if (isMention) return nameBot(word);
      return hideOptedOut(word) ?? (LABEL.test(word) ? stray(word) : null);
    };
    return replaceNames(text.replaceAll(TOKEN_HEAD, "(u:"), replace, () => SOMEONE);
  };
  const ownToken = (label: string): string | null => {
    const userId = owners.get(label);
    return userId === undefined ? null : makePersonToken(userId);
  };
  const lower = (label: string): string => label.toLowerCase();
  return {
    of: labelOf,
    /** Returns the user id of a label, or null if it was never given out. */
    userId: (label: string): string | null => owners.get(label) ?? null,
    /** Replaces every name of a known person by a label, and every other mention by `someone`. */
    hide: (text: string): string => replaceAll(text, () => null, labelOf, lower),
    /** Replaces labels and remaining names by the tokens that are stored. An unknown label becomes `someone`. */
    toTokens: (text: string): string => replaceAll(text, ownToken, makePersonToken, () => SOMEONE),
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

function listNames({ login, displayName }: NamedPerson): string[] {
  return [login, displayName].filter((name) => name !== "");
}

function listBareNames(person: NamedPerson): string[] {
  return listNames(person).flatMap((name) => getBareForm(name) ?? []);
}
