// Pure: values in, values out.
import type { RawArgs } from "../language/action-syntax.ts";
import { foldLetters } from "../language/clean.ts";
import {
  actionPhrases,
  COURTESY,
  type Found,
  isMadeOf,
  isStop,
  LEADING,
  lengthsAt,
  lengthsOf,
  NO,
  POINTING,
  phrasesOf,
  readings,
  STOP_WORDS,
  THANKS,
  type Token,
  type Tokens,
  tokensOf,
  YES,
} from "../language/said-words.ts";
import type { ActionName } from "../platform/config/names.ts";
import type { Written } from "./action-policy.ts";
import { CATALOGUE, factsOf } from "./catalogue.ts";
import { type People, type Person, personAt } from "./resolve.ts";

/** A line of chat, and whose message it replies to; null where it replies to none. `person`: its author, where known. */
export interface SaidLine {
  readonly text: string;
  readonly repliesTo: { readonly isBot: boolean; readonly person: Person | null } | null;
}

/**
 * An action that somebody ordered in so many words. `targetId`: null where it is done to nobody, or to somebody never seen
 * here, whom `args` names; `isByReply`: it is done to whoever wrote the message that the line replies to.
 */
export type Command = Written & Readonly<{ targetId: string | null; isByReply: boolean }>;

export type CommandReader = ReturnType<typeof commandReader>;

const TOKENS_MAX = 60;
const LOGIN = /^[a-z0-9_]{2,25}$/;

type Order = ReturnType<typeof actionPhrases>[number] & { readonly args: RawArgs };

/**
 * Reads orders by structure alone: one phrase that names an action, one target, a length, words of courtesy, and behind a
 * colon free text. Any other word, a question mark, a quotation or an emote makes a line an ordinary one, and so does
 * more than one way to read it. `names`: the bot's login, aliases and personas; `words`: the streamer's own for actions.
 */
export function commandReader(bot: {
  readonly login: string;
  readonly names: readonly string[];
  readonly words: Parameters<typeof actionPhrases>[0];
}) {
  const phrases = actionPhrases(bot.words);
  const called = bot.names.flatMap((name) => [name, `@${name}`]).flatMap(phrasesOf);
  return {
    /**
     * The order that a line is, said to the bot by an @, its login or a reply to it; null for any other line. `people`: all
     * whom it may name, of those who wrote here lately; asked for only where it may be an order.
     */
    command: (line: SaidLine, people: () => People): Command | null => {
      // Nearly every line speaks to nobody here: it is not cut into words to find that out.
      if (line.repliesTo?.isBot !== true && !foldLetters(line.text).includes(bot.login))
        return null;
      const { head, text } = partsOf(line, bot.login);
      if (head.length > TOKENS_MAX) return null;
      const present = new Set(head.map(({ word }) => word));
      const orders = phrases
        .filter(({ phrase }) => phrase.every((word) => present.has(word)))
        .map((one) => ({ ...one, args: textArgs(one.name, text) }))
        .filter((one): one is Order => one.args !== null);
      return orders.length === 0 ? null : onlyReading(orders, head, line, people());
    },
    /** Yes or no, said to the bot: by its name, with an exclamation mark, or (`isReply`) in reply to the question. */
    answer: (text: string, isReply: boolean): "yes" | "no" | null => {
      const tokens = tokensOf(text.replace(/(\p{L})\1{2,}|(\p{ExtPict}\p{EMod}?)\2+/giu, "$1$2"));
      if (tokens.length > TOKENS_MAX) return null;
      const isMarked = tokens[0]?.text === "!" && tokens[1]?.at === 1;
      const said = tokens.filter(({ text: word }) => !isStop(word));
      const name = (at: number) => Math.max(0, ...lengthsOf(called, said, at));
      const bare = said.filter(
        (_, at) => !said.some((__, from) => from <= at && at < from + name(from)),
      );
      if (!isReply && !isMarked && bare.length === said.length) return null;
      const says = (some: typeof YES) =>
        isMadeOf(bare, [...some, ...COURTESY, ...THANKS]) &&
        bare.some((_, at) => lengthsOf(some, bare, at).length > 0);
      if (says(YES)) return "yes";
      return says(NO) ? "no" : null;
    },
  };
}

/** What a line says without whom it is said to, and its free text; nothing where it is not said to the bot. */
function partsOf({ text, repliesTo }: SaidLine, login: string) {
  const all = tokensOf(text);
  // Twitch puts whom a reply answers in front of it.
  const mark = repliesTo?.person == null ? null : personAt(all, 0, [repliesTo.person]);
  const tokens = mark?.isMention === true ? all.slice(mark.length) : all;
  const isName = (token: Token | undefined) => token?.text === login || token?.text === `@${login}`;
  const colon = tokens.findIndex(
    (sign, at) => /^[:：]$/u.test(sign.text) && !isName(tokens[at - 1]) && !isSmiley(text, sign.at),
  );
  const head = colon < 0 ? tokens : tokens.slice(0, colon);
  const named = head.filter(isName).length;
  const last = tokens.at(-1);
  const isAtEnd = colon >= 0 && named === 0 && last?.text === `@${login}`;
  const isToBot = named === 1 || (named === 0 && (isAtEnd || repliesTo?.isBot === true));
  const isSaidTo = (token: Token, at: number) =>
    isName(token) || (token.text === ":" && isName(head[at - 1]));
  return {
    head: isToBot ? head.filter((token, at) => !isSaidTo(token, at)) : [],
    text: colon < 0 ? null : text.slice(tokens[colon]?.end, isAtEnd ? last?.at : undefined).trim(),
  };
}

/** Whether a colon begins no text but a face, which says that a line is in jest: " :P", "bob:)". */
function isSmiley(line: string, at: number): boolean {
  const isJoined = /\S/u.test(line.charAt(at + 1));
  return isJoined && (/\s/u.test(line.charAt(at - 1)) || !/[\p{L}\p{N}]{2}/u.test(line.slice(at)));
}

/** What stands behind the colon; null where that is no text for it, or one is missing. */
function textArgs(name: ActionName, text: string | null): RawArgs | null {
  const [key, need] = Object.entries(factsOf(name).texts)[0] ?? [];
  if (text === null) return need === "must" ? null : {};
  if (key === undefined || text === "") return null;
  if (name !== "poll") return { [key]: text };
  const [title = "", ...choices] = text.split("|").map((part) => part.trim());
  return choices.length < 2 ? null : { title, choices: choices.join("|") };
}

/** What is read of an order so far: how many words of its phrase, whom it is about (no id: a stranger), how long it lasts. */
type Reading = Readonly<{ said: number; target: Target | null; seconds: number | null }>;
type Target = Readonly<{ login: string; userId: string | null }>;

/** The command, where all ways to read the line come to the same. */
function onlyReading(orders: readonly Order[], head: Tokens, said: SaidLine, people: People) {
  const answered = said.repliesTo?.isBot === true ? null : said.repliesTo;
  const known = answered?.person == null ? people : [...people, answered.person];
  const start: Reading = { said: 0, target: null, seconds: null };
  const commands = orders.flatMap((order) =>
    readings(head, start, piecesIn(order, head, known))
      .filter((reading) => reading.said === order.phrase.length)
      .map((reading) => commandOf(order, reading, answered)),
  );
  const isOne = new Set(commands.map((command) => JSON.stringify(command))).size === 1;
  return isOne ? (commands[0] ?? null) : null;
}

/** What may stand at a place: the next word of the phrase, what says nothing or leads to a name or length, these. */
function piecesIn(order: Order, head: Tokens, people: People) {
  const { name, phrase } = order;
  const { target: aim, consent, limits } = CATALOGUE[name];
  const fillers = consent === "none" ? [...COURTESY, ...POINTING] : COURTESY;
  const targets = (at: number) => targetAt(order, head, at, people);
  const isLed = (at: number) => targets(at).length + lengthsAt(head, at).length > 0;
  return (at: number, known: Reading): Found<Reading>[] => {
    const isTimeless = limits.secondsMax === 0 || known.seconds !== null;
    const isAimless = aim === "none" || known.target !== null;
    const lengths = isTimeless ? [] : lengthsAt(head, at).filter(({ value }) => value > 0);
    const target = isAimless ? [] : targets(at);
    const said = { ...known, said: known.said + 1 };
    const leads = lengthsOf(LEADING, head, at).filter((length) => isLed(at + length));
    const empty = [...signAt(head, at), ...leads, ...lengthsOf(fillers, head, at)];
    return [
      ...(head[at]?.word === phrase[known.said] ? [{ value: said, length: 1 }] : []),
      ...empty.map((length) => ({ value: known, length })),
      ...target.map(({ value, length }) => ({ value: { ...known, target: value }, length })),
      ...lengths.map(({ value: seconds, length }) => ({ value: { ...known, seconds }, length })),
    ];
  };
}

/** What parts sentences, or a mark before a word, as other bots' commands are written. */
function signAt(head: Tokens, at: number): readonly number[] {
  const { text = "", end } = head[at] ?? {};
  return isStop(text) || (text === "!" && head[at + 1]?.at === end) ? [1] : [];
}

function targetAt({ name, phrase, needsAt }: Order, head: Tokens, at: number, people: People) {
  const found = personAt(head, at, people);
  const { raw = "", text = "" } = head[at] ?? {};
  if (found !== null) return found.isMention || !(needsAt || STOP_WORDS.has(text)) ? [found] : [];
  const login = text.replace(/^@/u, "");
  const isNamed = /^[@＠]/u.test(raw) || phrase[0] === "!";
  const isStranger = name === "shoutout" && isNamed && LOGIN.test(login);
  return isStranger ? [{ value: { login, userId: null }, length: 1 }] : [];
}

/** Null where whom it is about is missing, or where a name and another's message contradict each other. */
function commandOf({ name, args }: Order, read: Reading, answered: SaidLine["repliesTo"]) {
  const said = read.seconds === null ? args : { ...args, seconds: String(read.seconds) };
  if (CATALOGUE[name].target === "none")
    return { name, args: said, targetId: null, isByReply: false };
  const target = read.target ?? answered?.person ?? null;
  if (target === null || (answered !== null && answered.person?.userId !== target.userId))
    return null;
  const { login: user, userId: targetId } = target;
  return { name, args: { ...said, user }, targetId, isByReply: read.target === null };
}
