// Pure: values in, values out.

import { memoize } from "../bounded-map.ts";
import { ACTIONS, type ActionName } from "../catalogue/actions.ts";
import { type People, type Person, resolveTarget } from "../chat/people.ts";
import { ACTION_NAMES } from "../config/names.ts";
import type { RawArgs } from "../language/action-syntax.ts";
import { cleanLine } from "../language/clean.ts";
import { fold } from "../language/fold.ts";
import { LANGUAGES } from "../language/languages.ts";
import { listTextKeys, needsModerator } from "./action-policy.ts";

/**
 * A chat message. `repliesTo`: the message that it answers, null if none. `person`: the writer of that one; null if
 * that is the bot, or unknown.
 */
export interface SaidLine {
  readonly text: string;
  readonly repliesTo: { readonly isBot: boolean; readonly person: Person | null } | null;
}

/** An action that a message begins with. */
export interface Command {
  readonly name: ActionName;
  readonly args: RawArgs;
  /** The target's id; null if the message has no name, or a login that did not write here within a day. */
  readonly targetId: string | null;
  /** True if the message has the strict form. False: a guess, which its writer must confirm. */
  readonly isExact: boolean;
}

const WORDS_MAX = 40;
const LENGTH = /^(\d{1,6})([smh]?)$/;
const UNIT_SECONDS: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3_600 };
const NAME = /^@?[\p{L}\p{N}_]{1,25}$/u;
const LOGIN = /^[a-z0-9_]{1,25}$/;
/** Letters that continue an action word: "clips", "mute'd", "warn-bob". */
const WORD_GOES_ON = /^[\p{L}\p{M}\p{N}_'’-]/u;
/** The strict form of each action, after its word. A full stop may follow, unless a text does. */
const FORMS = new Map(
  ACTION_NAMES.map((name) => {
    const syntax = ACTIONS[name].syntax ?? "";
    const optional = syntax.replace(" [", "[ ").replace("[", "(?:").replace("]", ")?");
    const pattern = optional
      .replace("NAME", "(?<named>[^\\s:.]+)")
      .replace("LENGTH", "(?<length>[^\\s:.]+)")
      .replace("TEXT", "(?<text>.+)");
    return [name, new RegExp(`^${pattern}\\.?$`)];
  }),
);

const foldWords = (list: "stopWords" | "yes" | "no") =>
  new Set(LANGUAGES.flatMap((language) => language[list]).map((one) => fold(one)));
/** Returns the stop words of all languages. A viewer with such a login must be named with an `@`. */
const everydayWords = memoize(() => foldWords("stopWords"));
const yesWords = memoize(() => foldWords("yes").add("👍"));
const noWords = memoize(() => foldWords("no").add("👎"));

/** Returns the viewers who wrote here within a day and have one of these names. */
type FindPeople = (names: readonly string[]) => People;

/**
 * Reads commands and answers from messages without a model; who wrote them is not checked here. `names`: the words
 * that a command begins with, also with an `@`. `words`: the streamer's own action words, besides the catalogue's.
 */
export class CommandReader {
  readonly #names;
  /** Action words, the longest first, since one may begin like another. */
  readonly #words;

  constructor(bot: {
    readonly names: readonly string[];
    readonly words: Readonly<Partial<Record<ActionName, readonly string[] | undefined>>>;
  }) {
    const names = bot.names.flatMap((name) => [fold(name), fold(`@${name}`)]);
    this.#names = new Set(names);
    this.#words = ACTION_NAMES.filter((name) => ACTIONS[name].syntax !== null)
      .flatMap((name) => {
        const all = [name, ...(ACTIONS[name].words ?? []), ...(bot.words[name] ?? [])];
        return all.map((word) => [word, name] as const);
      })
      .sort(([one], [other]) => other.length - one.length);
  }

  /**
   * Returns the command that a message begins with: a name of the bot, then an action word. The name that Twitch puts
   * in front of a reply is skipped. Exact if it has the strict form; else a guess, if the action needs a moderator.
   * Null for any other message.
   */
  readCommand(line: SaidLine, find: FindPeople): Command | null {
    const text = cleanLine(line.text);
    const [mark = ""] = text.split(" ", 1);
    const isMarked = this.#isReplyMark(mark.toLowerCase(), line);
    const unmarked = isMarked ? text.slice(mark.length + 1) : text;
    const said = this.#cutName(unmarked) ?? this.#cutName(text);
    if (said === null) return null;
    for (const [word, name] of this.#words) {
      const [begin, rest] = [said.slice(0, word.length), said.slice(word.length)];
      if (begin.toLowerCase() !== word.toLowerCase() || WORD_GOES_ON.test(rest)) continue;
      return readExact(name, rest, line, find) ?? readNear(name, rest, line, find, this.#names);
    }
    return null;
  }

  /**
   * Returns yes or no if a message is only that word in some language, or a thumb. Null for others, and for a word
   * that is yes in one language and no in another. In a reply the bot's name may come first; elsewhere only `!yes` and
   * `!no` count.
   */
  readAnswer(text: string, isReply: boolean): "yes" | "no" | null {
    const line = cleanLine(text);
    const said = ((isReply ? this.#cutName(line) : null) ?? line).toLowerCase();
    const isMarked = said === "!yes" || said === "!no";
    if (!isReply && !isMarked) return null;
    const word = fold(isMarked ? said.slice(1) : said.replace(/^¡|[.!。！]$/g, ""));
    // A word that is yes in one language and no in another is neither.
    if (yesWords().has(word) === noWords().has(word)) return null;
    return yesWords().has(word) ? "yes" : "no";
  }

  /** Returns true for the name that Twitch puts in front of a reply. `word`: in lower case. */
  #isReplyMark(word: string, { repliesTo }: SaidLine): boolean {
    if (repliesTo?.isBot === true) return this.#names.has(word);
    const writer = repliesTo?.person ?? null;
    if (writer === null) return false;
    return word === `@${writer.login}` || word === `@${writer.displayName.toLowerCase()}`;
  }

  /** Returns the text after the bot's name, with or without a comma; null if the message does not begin with it. */
  #cutName(text: string): string | null {
    const [first = ""] = text.split(" ", 1);
    const isName = this.#names.has(first.toLowerCase().replace(/,$/, ""));
    return isName ? text.slice(first.length + 1) : null;
  }
}

/**
 * Returns the exact command in a message. `rest`: the text after the action word. Null if it differs from the strict
 * form, or its target is missing or unclear.
 */
function readExact(
  name: ActionName,
  rest: string,
  line: SaidLine,
  find: FindPeople,
): Command | null {
  const found = FORMS.get(name)?.exec(rest);
  const { named, length, text } = found?.groups ?? {};
  const args = readTextArgs(name, text);
  const seconds = length === undefined ? 0 : readSeconds(length);
  if (!found || args === null || seconds === null) return null;
  const all = { ...args, ...(seconds > 0 && { seconds: `${seconds}` }) };
  const command = { name, args: all, targetId: null, isExact: true };
  if (ACTIONS[name].target === "none") return command;
  const writer = findWriter(line);
  if (named === undefined) return withTarget(writer, command);
  const target = readTarget(named, find([normaliseName(named)]));
  // A name and a reply to another viewer are two targets.
  return writer === null || writer.userId === target?.userId ? withTarget(target, command) : null;
}

/**
 * Guesses the command in a message that differs from the strict form, without the parts that it cannot read. `rest`:
 * the text after the action word. Null if the action does not need a moderator.
 */
function readNear(
  name: ActionName,
  rest: string,
  line: SaidLine,
  find: FindPeople,
  botNames: ReadonlySet<string>,
): Command | null {
  if (!needsModerator(name)) return null;
  const takesName = ACTIONS[name].target !== "none";
  const [, afterColon] = /: (.*)$/.exec(rest) ?? [];
  const text = takesName ? afterColon : rest.replace(/^[\s:]{1,5}/, "");
  const words = (rest.match(/@?[\p{L}\p{N}_]+/gu) ?? []).slice(0, WORDS_MAX);
  const takesLength = ACTIONS[name].syntax?.includes("LENGTH");
  const seconds = takesLength ? words.map(readSeconds).find((one) => one !== null) : null;
  const args = { ...readTextArgs(name, text), ...(seconds && { seconds: `${seconds}` }) };
  const near = { name, args, targetId: null, isExact: false };
  if (!takesName) return near;
  const others = words.filter((word) => !botNames.has(word.toLowerCase()));
  const people = others.length > 0 ? find(others.map(normaliseName)) : [];
  const target = others.map((word) => readTarget(word, people)).find((one) => one !== null);
  return withTarget(target ?? findWriter(line), near) ?? near;
}

/**
 * Returns the writer of the message that is replied to; null if there is none, it is the bot's, or its writer is
 * unknown.
 */
function findWriter({ repliesTo }: SaidLine): Person | null {
  return repliesTo?.isBot === false ? repliesTo.person : null;
}

type Target = Readonly<{ login: string; userId: string | null }>;

/** Returns a command with its target and the `user` argument; null if the target is null. */
function withTarget(target: Target | null, command: Command): Command | null {
  if (target === null) return null;
  const { login, userId } = target;
  return { ...command, args: { ...command.args, user: login }, targetId: userId };
}

/**
 * Returns the target that a word names; null if it names none, or more than one of `people` fits. Without an `@` only
 * a login in `people` counts, unless it is an everyday word or a length. With an `@` also a display name in `people`
 * counts, and any other login that is not a number; the latter has no `userId`.
 */
function readTarget(word: string, people: People): Target | null {
  const name = normaliseName(word);
  const [isMention, isLogin] = [word.startsWith("@"), LOGIN.test(name)];
  if (!NAME.test(word)) return null;
  const isOrdinary = LENGTH.test(name) || everydayWords().has(name);
  if (!isMention && (!isLogin || isOrdinary)) return null;
  // Elsewhere a number is read as an id.
  if (/^\d+$/.test(name)) return people.find(({ login }) => login === name) ?? null;
  const found = resolveTarget(name, people);
  // A display name that only looks like a login is not that viewer.
  if (found.kind === "found" && (!isLogin || found.person.login === name)) return found.person;
  const isUnclear = found.kind === "refused" && found.reason !== "target_unknown";
  return isMention && isLogin && !isUnclear ? { login: name, userId: null } : null;
}

function normaliseName(word: string): string {
  return word.replace(/^@/, "").toLowerCase();
}

/** Reads `90`, `90s`, `10m` or `1h` as seconds; null for anything else, also for zero. */
function readSeconds(word: string): number | null {
  const [, count = "", unit = ""] = LENGTH.exec(word.toLowerCase()) ?? [];
  return Number(count) * (UNIT_SECONDS[unit] ?? 0) || null;
}

/**
 * Reads the text arguments of an action; a poll's as `title | a | b`. Empty if no text is written and none is needed.
 * Null if a needed text is missing. Null also if the written one is blank, not allowed, or has fewer than two choices.
 */
function readTextArgs(name: ActionName, written: string | undefined): RawArgs | null {
  const [key, choicesKey] = listTextKeys(name);
  const arg = ACTIONS[name].args[key ?? ""];
  const text = written?.trim();
  if (text === undefined) return arg?.kind === "text" && arg.isNeeded ? null : {};
  if (key === undefined || text === "") return null;
  if (choicesKey === undefined) return { [key]: text };
  const [title = "", ...choices] = text.split("|").map((part) => part.trim());
  return choices.length < 2 ? null : { [key]: title, [choicesKey]: choices.join("|") };
}
