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
 * Anonymous names for viewers: `P1`, `P2` … and `STREAMER`. Replaces names in a text by labels, for a model, or labels
 * by tokens such as {u:123}, for the database. A mention matches in any case, a bare word only if the name is
 * distinctive; `@alice_` never means `alice`. A text cannot forge a label or a token: it is changed first.
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

  /**
   * Gives the streamer and each speaker a label; another viewer gets one when a text names them. If several viewers
   * have the same name, it means the first speaker of that name, or else the first other.
   */
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

  /** Returns the label of a viewer. One without a label gets the next. */
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
   * Replaces names of known viewers by labels, and a mention of a bot by `the bot`. An opted-out viewer's name and any
   * other mention become `someone`. A word that only looks like a label becomes lower case.
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
   * Replaces labels, and names of known viewers, by the tokens that are stored. A label without a viewer becomes
   * `someone`, and `STREAMER` without one `the streamer`. Other names become what `hide` makes of them.
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

  /**
   * Returns the user id of a known viewer's name; null if unknown, opted out, or a bare word that is not distinctive.
   */
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
   * Returns `the bot`, `someone` for an opted-out viewer, or `stray` for a word that only looks like a label. Null for
   * any other: a mention then becomes `someone`, and a word stays.
   */
  #replaceStranger(word: string, isMention: boolean, stray: string): string | null {
    if (isMention) return this.#bots.has(fold(word)) ? "the bot" : null;
    if (this.#optedOut.has(word) || this.#optedOut.has(fold(word))) return SOMEONE;
    return LABEL.test(word) ? stray : null;
  }
}

/** Labels viewers in the order of `userIds`. If one is not in `people`, no text is searched for their name. */
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
