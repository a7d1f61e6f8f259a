// Pure: values in, values out.
import type { ActionName } from "../platform/config/names.ts";
import { CATALOGUE, isTimed, type RawArgs } from "./catalogue.ts";
import { type Person, personAt } from "./resolve.ts";
import {
  actionPhrases,
  COURTESY,
  type Found,
  folded,
  isStop,
  isUnspaced,
  lengthsAt,
  lengthsOf,
  NO,
  type Phrase,
  POINTING,
  readings,
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

export type CommandReader = ReturnType<typeof commandReader>;

/**
 * All whom any of these words may name, of those who wrote here lately. Asked only where a line is an order once somebody
 * is named in it: they may be many.
 */
type PeopleNamed = (words: readonly string[]) => readonly Person[];

const TOKENS_MAX = 60;
/** Free text behind a colon: it has to stand there, or it may. */
const FREE_TEXT: Readonly<Partial<Record<ActionName, "may" | "must">>> = {
  announce: "must",
  poll: "must",
  marker: "may",
  warn: "may",
  timeout: "may",
};
const LOGIN = /^[a-z0-9_]{2,25}$/;

type Order = ReturnType<typeof actionPhrases>[number];

/**
 * Reads orders by structure alone: one phrase that names an action, one target, a length, words of courtesy, and behind a
 * colon free text. Any other word, a question mark, a quotation or an emote makes a line an ordinary one, and so does
 * more than one way to read it. `names`: the bot's login, aliases and personas; `words`: the streamer's own for actions.
 */
export function commandReader({
  login,
  names,
  words,
}: {
  readonly login: string;
  readonly names: readonly string[];
  readonly words: Parameters<typeof actionPhrases>[0];
}) {
  const orders = actionPhrases(words);
  const logins = [login, `@${login}`];
  const called = names.flatMap((name) => {
    const [first = "", ...rest] = tokensOf(name).map(({ text }) => text);
    return first === ""
      ? []
      : [
          [first, ...rest],
          [`@${first}`, ...rest],
        ];
  });
  return {
    /** The order that a line is, said to the bot by an @, its login or a reply to it; null for any other line. */
    command: (line: SaidLine, people: PeopleNamed): Command | null => {
      // Nearly every line speaks to nobody here: it is not cut into words to find that out.
      if (line.repliesTo?.isBot !== true && !folded(line.text).includes(login)) return null;
      const parts = partsOf(line, logins);
      if (parts === null || parts.head.length === 0 || parts.head.length > TOKENS_MAX) return null;
      const present = new Set(parts.head.map(({ text }) => text));
      const likely = orders.filter(
        ({ name, phrase }) =>
          phrase.every((word) => present.has(word)) && mayHaveText(name, parts.text),
      );
      const orderly = likely.filter((order) => readingsOf(order, parts.head, null).length > 0);
      if (orderly.length === 0) return null;
      const words = parts.head.map(({ raw }) => raw.replace(/^[@＠]/u, "").toLowerCase());
      return onlyReading(orderly, parts, line, people(words));
    },
    /** Yes or no, said to the bot: by its name, with an exclamation mark, or (`isReply`) in reply to the question. */
    answer: (text: string, isReply: boolean): "yes" | "no" | null => {
      const tokens = tokensOf(text).slice(0, TOKENS_MAX);
      const isMarked = tokens[0]?.text === "!" && tokens[1]?.at === 1;
      const rest = tokens.filter(({ text: word }) => !isStop(word));
      const unnamed = without(rest, called);
      if (!isReply && !isMarked && unnamed.length === rest.length) return null;
      if (isMadeOf(unnamed, YES)) return "yes";
      return isMadeOf(unnamed, NO) ? "no" : null;
    },
  };
}

function mayHaveText(name: ActionName, text: string | null): boolean {
  const wants = FREE_TEXT[name];
  return text === null ? wants !== "must" : wants !== undefined;
}

/** What a line says beside its free text, and that. */
interface Parts {
  readonly head: readonly Token[];
  readonly text: string | null;
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
  const found = person === null ? null : personAt(tokens, 0, [person]);
  return found?.isMention === true ? tokens.slice(found.length) : tokens;
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
  const commands = orders.flatMap((order) =>
    readingsOf(order, head, known).map((reading) => commandOf(order.name, reading, text, answered)),
  );
  const [first] = commands;
  const isOne = new Set(commands.map((command) => JSON.stringify(command))).size === 1;
  return isOne ? (first ?? null) : null;
}

/** What is read of an order so far: how many words of its phrase, whom it is about, how long it lasts. */
interface Reading {
  readonly said: number;
  /** Without an id: somebody never seen here. */
  readonly target: { readonly login: string; readonly userId: string | null } | null;
  readonly seconds: number | null;
}

/** `people` null: anything may be a name. */
function readingsOf(
  order: Order,
  head: readonly Token[],
  people: readonly Person[] | null,
): Reading[] {
  const start: Reading = { said: 0, target: null, seconds: null };
  return readings(head, start, piecesIn(order, head, people)).filter(
    ({ said }) => said === order.phrase.length,
  );
}

/** What may stand at a place: the next word of the phrase, courtesy, the target, a length. */
function piecesIn(order: Order, head: readonly Token[], people: readonly Person[] | null) {
  const { name, phrase } = order;
  return (at: number, known: Reading): Found<Reading>[] => {
    const isNext = head[at]?.text === phrase[known.said];
    const mayLast = isTimed(name) && known.seconds === null;
    const isAimed = CATALOGUE[name].target !== "none" && known.target === null;
    const lengths = mayLast ? lengthsAt(head, at).filter(({ value }) => value > 0) : [];
    return [
      ...(isNext ? [{ value: { ...known, said: known.said + 1 }, length: 1 }] : []),
      ...fillersAt(name, head, at).map((length) => ({ value: known, length })),
      ...(isAimed ? targetsAt(order, head, at, people) : []).map(({ value: target, length }) => ({
        value: { ...known, target },
        length,
      })),
      ...lengths.map(({ value: seconds, length }) => ({ value: { ...known, seconds }, length })),
    ];
  };
}

/** How many tokens that say nothing may be passed over; `!` only before a word, as other bots' commands are written. */
function fillersAt(name: ActionName, head: readonly Token[], at: number): number[] {
  const fillers = name === "clip" || name === "marker" ? [...COURTESY, ...POINTING] : COURTESY;
  const lengths = lengthsOf(fillers, head, at);
  const isMark = head[at]?.text === "!" && head[at + 1]?.at === head[at]?.end;
  return isMark || isStop(head[at]?.text ?? "") ? [1, ...lengths] : lengths;
}

function targetsAt(
  { name, phrase, needsAt }: Order,
  head: readonly Token[],
  at: number,
  people: readonly Person[] | null,
): Found<NonNullable<Reading["target"]>>[] {
  if (people === null) return nameLengths(head, at).map((length) => ({ value: ANYBODY, length }));
  const found = personAt(head, at, people);
  if (found !== null) return needsAt && !found.isMention ? [] : [found];
  const { raw = "", text = "" } = head[at] ?? {};
  const login = text.replace(/^@/u, "");
  const isNamed = /^[@＠]/u.test(raw) || phrase[0] === "!";
  const isStranger = name === "shoutout" && isNamed && LOGIN.test(login);
  return isStranger ? [{ value: { login, userId: null }, length: 1 }] : [];
}

const ANYBODY = { login: "", userId: null };

/** How many tokens a name that begins at a place may have: one, but for scripts without spaces and an @ that stands alone. */
function nameLengths(head: readonly Token[], at: number): number[] {
  const { raw = "", text = "" } = head[at] ?? {};
  const most = isUnspaced(raw) || text === "@" ? head.length - at : Math.min(1, head.length - at);
  return Array.from({ length: most }, (_, n) => n + 1);
}

/** Null where something is missing, or where a name and another's message contradict each other. */
function commandOf(
  name: ActionName,
  { target: named, seconds }: Reading,
  text: string | null,
  answered: { readonly person: Person | null } | null,
): Command | null {
  const args = textArgs(name, text);
  if (args === null) return null;
  const timed = seconds === null ? args : { ...args, seconds: String(seconds) };
  if (CATALOGUE[name].target === "none")
    return { name, args: timed, targetId: null, isByReply: false };
  const target = named ?? answered?.person ?? null;
  if (target === null || (answered !== null && answered.person?.userId !== target.userId))
    return null;
  const isByReply = named === null;
  return { name, args: { ...timed, user: target.login }, targetId: target.userId, isByReply };
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
    const name = names.find((one) => standsAt(tokens, at, one));
    if (name === undefined) kept.push(...tokens.slice(at, at + 1));
    at += name?.length ?? 1;
  }
  return kept;
}

/** Whether a line is made of these phrases and courtesy alone, and of at least one of these. */
function isMadeOf(tokens: readonly Token[], phrases: readonly Phrase[]): boolean {
  const ways = readings(tokens, false, (at, isMeant) => [
    ...lengthsOf(phrases, tokens, at).map((length) => ({ value: true, length })),
    ...lengthsOf(COURTESY, tokens, at).map((length) => ({ value: isMeant, length })),
  ]);
  return ways.includes(true);
}
