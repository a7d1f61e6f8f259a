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
/** The streamer in facts about the channel, and wherever their user id is unknown. */
export const THE_STREAMER = "the streamer";
/** A label in a text that a model wrote, also with a Japanese, Chinese or Korean word right behind it. */
export const LABEL_IN_TEXT = wholeWordPattern("P\\d{1,4}|STREAMER");
const LABEL = /^(?:P\d{1,4}|STREAMER)$/;
/** The start of a stored token. Chat and models cannot write one. */
const TOKEN_HEAD = "{u:";

/**
 * Anonymous names for a transcript, and back again: `P1`, `P2` … in order of first message, and `STREAMER`. Replaces
 * names in a text by labels, for a model, or labels by tokens such as {u:123}, for the database. A mention matches in
 * any case. A bare word counts only if it is distinctive. Look-alike letters and `alice_` are other viewers than
 * `alice`. Nothing else makes labels and tokens, so a text cannot forge one.
 */
export class Labels {
  readonly #labels = new Map<string, string>();
  readonly #owners = new Map<string, string>();
  #numbered = 0;
  readonly #streamers: ReadonlySet<string>;
  readonly #byName: ReadonlyMap<string, string>;
  readonly #byBareName: ReadonlyMap<string, string>;
  readonly #optedOut: ReadonlySet<string>;
  readonly #bots: ReadonlySet<string>;

  /** Gives each speaker a label. A name of several viewers means the first of them; speakers come before others. */
  constructor(
    speakers: readonly NamedPerson[],
    others: readonly NamedPerson[],
    botNames: readonly string[],
  ) {
    const named = [...speakers, ...others.filter(({ optedOut }) => optedOut !== true)].reverse();
    const streamers = named.flatMap((one) => (one.isStreamer ? [one.userId] : []));
    this.#streamers = new Set(streamers);
    // A summary is often about a streamer who wrote nothing.
    for (const userId of streamers) this.assign(userId);
    for (const { userId } of speakers) this.assign(userId);
    const indexNames = (namesOf: (one: NamedPerson) => string[]) =>
      new Map(named.flatMap((one) => namesOf(one).map((name) => [name, one.userId])));
    this.#byName = indexNames((one) => listNames(one).map((name) => fold(name)));
    this.#byBareName = indexNames(listBareNames);
    this.#optedOut = new Set(others.filter((one) => one.optedOut === true).flatMap(listBareNames));
    this.#bots = new Set(botNames.map((one) => fold(one)));
  }

  /** Returns the label of a viewer. A new one gets the next number. */
  assign(userId: string): string {
    const known = this.#labels.get(userId);
    if (known !== undefined) return known;
    const isStreamer = this.#streamers.has(userId);
    if (!isStreamer) this.#numbered += 1;
    const label = isStreamer ? STREAMER : `P${this.#numbered}`;
    this.#labels.set(userId, label);
    this.#owners.set(label, userId);
    return label;
  }

  /** Returns the user id of a label, or null if it was never given out. */
  findUserId(label: string): string | null {
    return this.#owners.get(label) ?? null;
  }

  /**
   * Replaces names of known viewers by labels, a bot's by `the bot`, and an opted-out viewer's and any other mention by
   * `someone`. A word that only looks like a label becomes lower case.
   */
  hide(text: string): string {
    return this.#replaceAll(text, (word, isMention) => {
      const userId = this.#findPerson(word, isMention);
      return userId === null
        ? this.#replaceStranger(word, isMention, word.toLowerCase())
        : this.assign(userId);
    });
  }

  /**
   * Replaces labels and remaining names by the tokens that are stored. An unknown label becomes `someone`, an unknown
   * streamer's `the streamer`.
   */
  toTokens(text: string): string {
    return this.#replaceAll(text, (word, isMention) => {
      const userId = this.findUserId(word) ?? this.#findPerson(word, isMention);
      return userId === null
        ? this.#replaceStranger(word, isMention, word === STREAMER ? THE_STREAMER : SOMEONE)
        : makePersonToken(userId);
    });
  }

  /** Turns the tokens of a stored sentence into labels, for a model to read. Words like labels become lower case. */
  fromTokens(text: string): string {
    const plain = text.replaceAll(LABEL_IN_TEXT, (label) => label.toLowerCase());
    return fillNames(plain, (userId) => this.assign(userId));
  }

  #findPerson(name: string, isMention: boolean): string | null {
    const folded = fold(name);
    if (isMention) return this.#byName.get(folded) ?? null;
    return this.#byBareName.get(name) ?? this.#byBareName.get(folded) ?? null;
  }

  /** Replaces all names at once, so that no replacement is read as a name. */
  #replaceAll(text: string, replace: (word: string, isMention: boolean) => string | null): string {
    return replaceNames(text.replaceAll(TOKEN_HEAD, "(u:"), replace, () => SOMEONE);
  }

  /**
   * Returns the text for a bot, an opted-out viewer, or a word that only looks like a label; null for any other word.
   */
  #replaceStranger(word: string, isMention: boolean, stray: string): string | null {
    if (isMention) return this.#bots.has(fold(word)) ? "the bot" : null;
    if (this.#optedOut.has(word) || this.#optedOut.has(fold(word))) return SOMEONE;
    return LABEL.test(word) ? stray : null;
  }
}

/** Labels viewers by their ids. A viewer who is not in `people` has no name. */
export function labelUserIds(
  userIds: readonly string[],
  people: readonly NamedPerson[],
  botNames: readonly string[],
): Labels {
  const known = new Map(people.map((person) => [person.userId, person]));
  const speakers = userIds.map((userId) => known.get(userId) ?? unnamedPerson(userId));
  return new Labels(speakers, people, botNames);
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
