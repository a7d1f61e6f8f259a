// Pure: values in, values out.
import type { BotAddress } from "../chat/addressed.ts";
import type { ReplyMode } from "../config/names.ts";
import { collapseRepeats } from "../language/clean.ts";
import { beginsWithQuestionWord, takesUpWord } from "../language/going-on.ts";
import { hasQuestionMark } from "../language/words.ts";
import type { Pace } from "../memory/recall/pace.ts";

/**
 * Why the bot answers: a mention, a reply to its message, its command, its bare name after split messages, a viewer
 * who continues, or chance.
 */
export type TriggerKind = "mention" | "reply" | "command" | "bare" | "continuation" | "chance";

export interface Trigger {
  readonly kind: TriggerKind;
  /** The question without the address; "" if the message only calls the bot. */
  readonly question: string;
}

/** A chat line as the decision needs it. Its text is cleaned. */
export interface TriggerLine {
  readonly text: string;
  readonly isBotItself: boolean;
  readonly isKnownBot: boolean;
  /** The writer of the message that this one replies to; null if it is no reply. */
  readonly parent: "bot" | "other" | null;
}

export interface TriggerState {
  readonly mode: ReplyMode;
  readonly addressed: BotAddress | null;
  /** The bot's command, with its exclamation mark; null if it is off. */
  readonly commandName: string | null;
  /** The last answer to this viewer; null if none. */
  readonly lastExchange: { readonly atMs: number } | null;
  /**
   * The bot's answer to this viewer, if it was the previous line and this line is not for another viewer; else null.
   */
  readonly answerBefore: string | null;
  /** The latest messages of others. Needed only after an answer. */
  readonly othersLines: readonly string[];
  /** The viewer's own lines before this one, oldest first. */
  readonly ownRecentLines: readonly { readonly text: string; readonly atMs: number }[];
  readonly pace: Pace;
  /** A random number for this line, in [0, 1). */
  readonly roll: number;
  readonly nowMs: number;
  /** A viewer may continue without the bot's name for this time; 0 turns it off. */
  readonly continuationMs: number;
}

/** Lines of one viewer within this time are one message in pieces. */
const SPLIT_MS = 20_000;
const CONTINUATION_CHARS_MAX = 200;
/** Chance to join in on a line in mode ambient. */
const AMBIENT_CHANCE: Readonly<Record<Pace, number>> = {
  quiet: 0.03,
  normal: 0.015,
  busy: 0,
  raid: 0,
};

const COMMAND = /^![\p{L}\p{N}_]/u;
const SOMETHING_SAID = /[\p{L}\p{N}\p{S}]/u;
export const MENTION = /(?<![\p{L}\p{N}_])[@＠][\p{L}\p{N}_]/u;
/** Twitch puts the addressee's name before a reply. */
export const REPLY_PREFIX = /^[@＠][\p{L}\p{N}_]+[,:]?\s+/u;

/** True if a text has a letter, digit, symbol or emoji. */
export function hasWords(text: string): boolean {
  return SOMETHING_SAID.test(text);
}

/**
 * Returns why to answer a line; null if not. It does not check cooldowns, pauses and offline channels: the queue does.
 * Mode shadow decides like mode mentions, but no viewer can continue from an answer that was not sent.
 */
export function decideTrigger(line: TriggerLine, state: TriggerState): Trigger | null {
  if (line.isBotItself || line.isKnownBot || !hasWords(line.text)) return null;
  const said = line.parent === null ? line.text : line.text.replace(REPLY_PREFIX, "");
  const question = readCommandQuestion(said, state.commandName);
  if (question !== null) return { kind: "command", question };
  // Another bot's command.
  if (COMMAND.test(said)) return null;
  return findAddressedTrigger(line, state) ?? findUnaddressedTrigger(line, state);
}

/** Returns the text after the bot's command, which may be in any case; null if the text does not begin with it. */
function readCommandQuestion(text: string, commandName: string | null): string | null {
  if (commandName === null) return null;
  const head = text.slice(0, commandName.length);
  const rest = text.slice(commandName.length);
  const isLonger = /^[\p{L}\p{M}\p{N}_]/u.test(rest);
  return head.toLowerCase() === commandName.toLowerCase() && !isLonger ? rest.trim() : null;
}

/**
 * Returns the trigger of a line that addresses the bot, by name or reply; null for another line. A line without words
 * asks what the viewer wrote before it, if that is unanswered.
 */
function findAddressedTrigger({ parent, text }: TriggerLine, state: TriggerState): Trigger | null {
  const isReply = parent === "bot";
  if (!isReply && state.addressed === null) return null;
  const question = state.addressed?.rest ?? text;
  const pieces = hasWords(question) ? "" : joinUnanswered(state);
  if (pieces !== "") return { kind: "bare", question: pieces };
  return { kind: isReply ? "reply" : "mention", question };
}

/** Joins the viewer's unanswered messages of the last 20 s before this one, without commands; "" if there are none. */
function joinUnanswered({ nowMs, lastExchange, ownRecentLines }: TriggerState): string {
  const since = Math.max(nowMs - SPLIT_MS, (lastExchange?.atMs ?? 0) + 1);
  return ownRecentLines
    .filter(({ text, atMs }) => atMs >= since && atMs <= nowMs && !COMMAND.test(text))
    .map(({ text }) => text)
    .join(" ")
    .trim();
}

/**
 * Returns the trigger of a line that does not address the bot: a continuation, or chance in mode ambient. Else returns
 * null; also if the line replies to, or mentions, another viewer.
 */
function findUnaddressedTrigger(line: TriggerLine, state: TriggerState): Trigger | null {
  const { text: question, parent } = line;
  if (parent === "other" || MENTION.test(question)) return null;
  if (isContinuation(question, state)) return { kind: "continuation", question };
  const isJoiningIn = state.mode === "ambient" && state.roll < AMBIENT_CHANCE[state.pace];
  return isJoiningIn ? { kind: "chance", question } : null;
}

/** A text that is mostly repetition is a chant, and addresses no one. */
const CHANT_SHARE = 0.5;

/**
 * True if a line of at most 200 characters comes within `continuationMs` of the bot's answer. It must also ask
 * something or use a word of the answer, and be no chant.
 */
function isContinuation(
  text: string,
  { lastExchange, answerBefore, othersLines, nowMs, continuationMs }: TriggerState,
): boolean {
  if (lastExchange === null || answerBefore === null || continuationMs === 0) return false;
  const sinceMs = nowMs - lastExchange.atMs;
  if (sinceMs < 0 || sinceMs > continuationMs || text.length > CONTINUATION_CHARS_MAX) return false;
  if (collapseRepeats(text).length < text.length * CHANT_SHARE) return false;
  return (
    hasQuestionMark(text) ||
    beginsWithQuestionWord(text, answerBefore) ||
    takesUpWord(text, answerBefore, othersLines)
  );
}
