// Pure: values in, values out.
import type { ActionName } from "../platform/config/names.ts";
import { CATALOGUE } from "./catalogue.ts";
import type { RawArgs } from "./grammar.ts";
import type { Person } from "./resolve.ts";
import {
  actionPhrases,
  COURTESY,
  type Found,
  isStop,
  lengthsAt,
  NO,
  type Phrase,
  POINTING,
  personAt,
  standsAt,
  type Token,
  tokensOf,
  YES,
} from "./said-words.ts";

/** A line of chat, and what it answers. */
export interface SaidLine {
  readonly text: string;
  /** Whose message it replies to; null where it replies to none. `person` is null where the author is not known. */
  readonly repliesTo: { readonly isBot: boolean; readonly person: Person | null } | null;
}

/** An action that somebody ordered in so many words. */
export interface Command {
  readonly name: ActionName;
  readonly args: RawArgs;
  /** Null where it is done to nobody, or to somebody never seen here, whom `args` names. */
  readonly targetId: string | null;
  /** Whether it is done to whoever wrote the message that the line replies to. */
  readonly isByReply: boolean;
}

export interface CommandReader {
  /** The order that a line is, said to the bot by an @, its login or a reply to it; null for any other line. */
  command(line: SaidLine, people: PeopleNamed): Command | null;
  /** Yes or no, said to the bot: by its name, with an exclamation mark, or (`isReply`) in reply to the question. */
  answer(text: string, isReply: boolean): "yes" | "no" | null;
}

/** All whom any of these words may name, of those who wrote here lately. Asked only where a line may be an order. */
export type PeopleNamed = (words: readonly string[]) => readonly Person[];

export interface ReaderOptions {
  readonly login: string;
  /** Its login, aliases and personas. */
  readonly names: readonly string[];
  /** The streamer's own words for actions. */
  readonly words: Readonly<Partial<Record<ActionName, readonly string[] | undefined>>>;
}

const TOKENS_MAX = 60;
/** No honest line needs a hundredth of it. */
const STEPS_MAX = 20_000;
const FREE_TEXT: Readonly<Partial<Record<ActionName, "may" | "must">>> = {
  announce: "must",
  poll: "must",
  marker: "may",
  warn: "may",
  timeout: "may",
};
const LOGIN = /^[a-z0-9_]{2,25}$/;

type Order = ReturnType<typeof actionPhrases>[number];

/** What a line says beside its free text, and that. */
interface Parts {
  readonly head: readonly Token[];
  readonly text: string | null;
}

/**
 * Reads orders by structure alone: one phrase that names an action, one target, a length, words of courtesy, and behind a
 * colon free text. Any other word, a question mark, a quotation or an emote makes a line an ordinary one, and so does
 * more than one way to read it.
 */
export function commandReader({ login, names, words }: ReaderOptions): CommandReader {
  const orders = actionPhrases(words);
  const logins = [login, `@${login}`];
  const called = names.flatMap((name) => {
    const phrase = tokensOf(name).map(({ text }) => text);
    return [phrase, [`@${phrase[0] ?? ""}`, ...phrase.slice(1)]];
  });
  return {
    command: (line, people) => {
      const parts = partsOf(line, logins);
      if (parts === null || parts.head.length === 0 || parts.head.length > TOKENS_MAX) return null;
      const present = new Set(parts.head.map(({ text }) => text));
      const likely = orders.filter(
        ({ name, phrase }) =>
          phrase.every((word) => present.has(word)) && mayHaveText(name, parts.text),
      );
      if (likely.length === 0) return null;
      const known = people(parts.head.map(({ raw }) => raw.replace(/^[@＠]/u, "").toLowerCase()));
      return onlyReading(likely, parts, line, known);
    },
    answer: (text, isReply) => {
      const tokens = tokensOf(text).slice(0, TOKENS_MAX);
      const isMarked = tokens[0]?.text === "!" && tokens[1]?.at === 1;
      const rest = tokens.filter(({ text: word }) => !isStop(word));
      const unnamed = without(rest, called);
      if (!isReply && !isMarked && unnamed.length === rest.length) return null;
      if (isMadeOf(unnamed, [...YES, ...COURTESY], YES)) return "yes";
      return isMadeOf(unnamed, [...NO, ...COURTESY], NO) ? "no" : null;
    },
  };
}

function mayHaveText(name: ActionName, text: string | null): boolean {
  const wants = FREE_TEXT[name];
  return text === null ? wants !== "must" : wants !== undefined;
}

/** Without whom it is said to; null where it is not said to the bot. */
function partsOf({ text, repliesTo }: SaidLine, logins: readonly string[]): Parts | null {
  const tokens = withoutReplyMark(tokensOf(text), repliesTo?.person ?? null);
  const isName = (token: Token | undefined) => logins.includes(token?.text ?? "");
  const colon = tokens.findIndex(
    ({ text: sign }, at) => /^[:：]$/u.test(sign) && !isName(tokens[at - 1]),
  );
  const head = colon < 0 ? tokens : tokens.slice(0, colon);
  const named = head.filter(isName).length;
  const isAtEnd = colon >= 0 && named === 0 && tokens.at(-1)?.text === logins[1];
  if (named > 1 || (named === 0 && !isAtEnd && repliesTo?.isBot !== true)) return null;
  const end = isAtEnd ? (tokens.at(-1)?.at ?? text.length) : text.length;
  return {
    head: head.filter(
      (token, at) => !isName(token) && !(isName(head[at - 1]) && token.text === ":"),
    ),
    text: colon < 0 ? null : text.slice(tokens[colon]?.end ?? 0, end).trim(),
  };
}

/** Twitch puts whom a reply answers in front of it. */
function withoutReplyMark(tokens: readonly Token[], person: Person | null): readonly Token[] {
  if (person === null) return tokens;
  const found = personAt(tokens, 0, [person]);
  return found?.isMention === true ? tokens.slice(found.length) : tokens;
}

interface Reading {
  readonly order: Order;
  readonly person: Person | null;
  /** Somebody never seen here, by login. */
  readonly stranger: string | null;
  readonly seconds: number | null;
}

/** The command, where all ways to read the line come to the same. */
function onlyReading(
  orders: readonly Order[],
  { head, text }: Parts,
  { repliesTo }: SaidLine,
  people: readonly Person[],
): Command | null {
  const answered = repliesTo === null || repliesTo.isBot ? null : repliesTo;
  const known = answered?.person == null ? people : [...people, answered.person];
  const commands = orders
    .flatMap((order) => readingsOf(order, head, known))
    .map((reading) => commandOf(reading, text, answered));
  const [first] = commands;
  const isOne = new Set(commands.map((command) => JSON.stringify(command))).size === 1;
  return isOne ? (first ?? null) : null;
}

function readingsOf(order: Order, head: readonly Token[], people: readonly Person[]): Reading[] {
  const { name, phrase, needsAt } = order;
  const isOnSomebody = CATALOGUE[name].target !== "none";
  const isTimed = name === "timeout" || name === "poll";
  const fillers = name === "clip" || name === "marker" ? [...COURTESY, ...POINTING] : COURTESY;
  const readings: Reading[] = [];
  let steps = 0;
  const walk = (at: number, said: number, reading: Reading): void => {
    const token = head[at];
    steps += 1;
    if (steps > STEPS_MAX) return;
    if (token === undefined) {
      if (said === phrase.length) readings.push(reading);
      return;
    }
    if (token.text === phrase[said]) walk(at + 1, said + 1, reading);
    if (isStop(token.text) || isMark(head, at)) walk(at + 1, said, reading);
    for (const filler of fillers)
      if (standsAt(head, at, filler)) walk(at + filler.length, said, reading);
    if (isOnSomebody && reading.person === null && reading.stranger === null) {
      for (const { value, length } of targetsAt(head, at, { order, people, needsAt }))
        walk(at + length, said, { ...reading, ...value });
    }
    if (!isTimed || reading.seconds !== null) return;
    for (const { value, length } of lengthsAt(head, at))
      if (value > 0) walk(at + length, said, { ...reading, seconds: value });
  };
  walk(0, 0, { order, person: null, stranger: null, seconds: null });
  return steps > STEPS_MAX ? [] : readings;
}

/** An exclamation mark before a word, as commands of other bots are written. */
function isMark(head: readonly Token[], at: number): boolean {
  return head[at]?.text === "!" && head[at + 1]?.at === head[at]?.end;
}

function targetsAt(
  head: readonly Token[],
  at: number,
  {
    order,
    people,
    needsAt,
  }: { readonly order: Order; readonly people: readonly Person[]; readonly needsAt: boolean },
): Found<Pick<Reading, "person" | "stranger">>[] {
  const found = personAt(head, at, people);
  if (found !== null) {
    if (needsAt && !found.isMention) return [];
    return [{ value: { person: found.value, stranger: null }, length: found.length }];
  }
  const { raw = "", text = "" } = head[at] ?? {};
  const isNamed = /^[@＠]/u.test(raw) || order.phrase[0] === "!";
  const stranger = text.replace(/^@/u, "");
  if (order.name !== "shoutout" || !isNamed || !LOGIN.test(stranger)) return [];
  return [{ value: { person: null, stranger }, length: 1 }];
}

function commandOf(
  { order: { name }, person, stranger, seconds }: Reading,
  text: string | null,
  answered: { readonly person: Person | null } | null,
): Command | null {
  const target = CATALOGUE[name].target === "none" ? null : (person ?? answered?.person ?? null);
  const isElsewhere = answered !== null && answered.person?.userId !== target?.userId;
  const isOnSomebody = CATALOGUE[name].target !== "none";
  if (isOnSomebody && (isElsewhere || (target === null && stranger === null))) return null;
  const args = textArgs(name, text);
  if (args === null) return null;
  return {
    name,
    args: {
      ...(isOnSomebody ? { user: target?.login ?? stranger ?? "" } : {}),
      ...(seconds === null ? {} : { seconds: String(seconds) }),
      ...args,
    },
    targetId: target?.userId ?? null,
    isByReply: answered !== null && person === null && isOnSomebody,
  };
}

function textArgs(name: ActionName, text: string | null): RawArgs | null {
  if (text === null) return {};
  if (text === "") return null;
  if (name === "announce" || name === "marker") return { text };
  if (name !== "poll") return { reason: text };
  const [title = "", ...choices] = text.split("|").map((part) => part.trim());
  return choices.length < 2 ? null : { title, choices: choices.join("|") };
}

/** A line without these names. */
function without(tokens: readonly Token[], names: readonly Phrase[]): readonly Token[] {
  const kept: Token[] = [];
  for (let at = 0; at < tokens.length; ) {
    const name = names.find((one) => one.length > 0 && standsAt(tokens, at, one));
    const token = tokens[at];
    if (name === undefined && token !== undefined) kept.push(token);
    at += name?.length ?? 1;
  }
  return kept;
}

/** Whether a line is made of these phrases alone, and of at least one of those that count. */
function isMadeOf(
  tokens: readonly Token[],
  phrases: readonly Phrase[],
  counting: readonly Phrase[],
  counted = false,
): boolean {
  if (tokens.length === 0) return counted;
  return phrases.some(
    (phrase) =>
      standsAt(tokens, 0, phrase) &&
      isMadeOf(
        tokens.slice(phrase.length),
        phrases,
        counting,
        counted || counting.includes(phrase),
      ),
  );
}
