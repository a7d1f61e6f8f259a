// Pure: values in, values out.
import { asksSomething, denies, reactionOf } from "./reaction.ts";

/**
 * What may come of a reply. `viewer_answered`: the viewer took it up; `went_on`: they asked on, asked again or denied
 * something, which tells nothing of how they liked it. `none`: the time passed, and nothing else did.
 */
export const OUTCOME_KINDS = [
  "viewer_answered",
  "went_on",
  "others_answered",
  "positive",
  "negative",
  "deleted",
  "timed_out",
  "good",
  "bad",
  "none",
] as const;
export type OutcomeKind = (typeof OUTCOME_KINDS)[number];

/** A reply that was sent, for as long as something may come of it. */
export interface WatchedReply {
  readonly replyId: number;
  readonly channel: string;
  /** Whom it answers. */
  readonly userId: string;
  /** Null where Twitch did not tell it. */
  readonly messageId: string | null;
  readonly sentAtMs: number;
  /** The words it answers, for as long as it is watched; none where they may not be kept. */
  readonly asked?: ReadonlySet<string>;
}

/** A line of chat by a person. Its text is looked at and not kept. */
export interface HeardLine {
  readonly userId: string;
  /** The message it answers; null where it answers none. */
  readonly parent: { readonly messageId: string; readonly isBots: boolean } | null;
  /** It mentions the bot, or calls it by name. */
  readonly toBot: boolean;
  readonly text: string;
  readonly atMs: number;
}

export interface Outcome {
  readonly replyId: number;
  readonly kind: OutcomeKind;
}

/** How long something may come of a reply by itself. Design part 7, Outcomes. */
export const OUTCOME_WINDOW_MS = 120_000;
/** How soon a line of the answered viewer that names nobody is still an answer. */
const RIGHT_AFTER_MS = 30_000;

/**
 * What a line means for the replies of its channel, oldest first: that the viewer or somebody else answered, and how
 * they liked it. Without a word to the bot only the next lines of the answered viewer count.
 */
export function heardOutcomes(recent: readonly WatchedReply[], line: HeardLine): Outcome[] {
  const open = recent.filter(({ sentAtMs }) => isWithin(sentAtMs, line.atMs, OUTCOME_WINDOW_MS));
  const reply = replyMeant(open, line);
  if (reply === undefined) return [];
  const { replyId } = reply;
  const isQuestion = asksSomething(line.text) || isSameAgain(reply, line);
  // Words that stand in a question are no verdict.
  const reaction = isQuestion ? null : reactionOf(line.text);
  const taken =
    isQuestion || (reaction === null && denies(line.text)) ? "went_on" : "viewer_answered";
  const kind = reply.userId === line.userId ? taken : "others_answered";
  // Somebody else who names the bot asks something of their own, unless they say how they liked it.
  const isOwnQuestion = line.parent === null && kind === "others_answered" && reaction === null;
  if (isOwnQuestion) return [];
  return [{ replyId, kind }, ...(reaction === null ? [] : [{ replyId, kind: reaction }])];
}

/** What a time-out or ban means: of the viewer it answered; of the bot itself, Twitch took its messages away. */
export function sanctionOutcomes(
  recent: readonly WatchedReply[],
  {
    userId,
    isBots,
    atMs,
  }: { readonly userId: string; readonly isBots: boolean; readonly atMs: number },
): Outcome[] {
  return recent
    .filter((reply) => isWithin(reply.sentAtMs, atMs, OUTCOME_WINDOW_MS))
    .filter((reply) => isBots || reply.userId === userId)
    .map(({ replyId }) => ({ replyId, kind: isBots ? "deleted" : "timed_out" }));
}

/** How much of what was asked, and of what is said, has to be the same words. */
const SAME_SHARE = 0.6;

/** What a question is held against when it is asked again: its longer words. */
export function askedWords(text: string): ReadonlySet<string> {
  return new Set(
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]{3,}/gu) ?? [],
  );
}

function isSameAgain({ asked = new Set() }: WatchedReply, { text }: HeardLine): boolean {
  const said = askedWords(text);
  const shared = [...said].filter((word) => asked.has(word)).length;
  return shared > 1 && shared / Math.max(said.size, asked.size) >= SAME_SHARE;
}

function replyMeant(open: readonly WatchedReply[], line: HeardLine): WatchedReply | undefined {
  const own = open.findLast(({ userId }) => userId === line.userId);
  if (line.parent !== null && !line.parent.isBots) return undefined;
  const parentId = line.parent?.messageId;
  const answered = open.find(({ messageId }) => messageId !== null && messageId === parentId);
  if (answered !== undefined) return answered;
  if (line.parent !== null || line.toBot) return own ?? open.at(-1);
  const isNext = own !== undefined && isWithin(own.sentAtMs, line.atMs, RIGHT_AFTER_MS);
  return isNext && !isForAnother(line.text) ? own : undefined;
}

/** It names somebody, or is a command to another bot. */
function isForAnother(text: string): boolean {
  return /^[@＠!！]/u.test(text);
}

function isWithin(fromMs: number, atMs: number, windowMs: number): boolean {
  return atMs >= fromMs && atMs - fromMs <= windowMs;
}
