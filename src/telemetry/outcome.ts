import type { BotAddress } from "../chat/addressed.ts";
import type { Spoken } from "../chat/normalise.ts";
import type { Db } from "../database/open-database.ts";
import { type Outcome, prepareOutcomeWrite } from "../reply/reply-view-store.ts";

/** A reply of the bot in chat, with its viewer. */
interface SaidReply {
  readonly replyId: number;
  readonly channel: string;
  readonly userId: string;
  /** null if Twitch did not report it. */
  readonly messageId: string | null;
}

export interface SentReply extends SaidReply {
  readonly sentAtMs: number;
}

/** Time in which a follow-up or a timeout counts for a reply. */
const OUTCOME_WINDOW_MS = 120_000;
/** Time in which the answered viewer's next message counts without the bot's name, ms. */
const NEXT_MESSAGE_MS = 30_000;
/** Time in which a thumb that replies to no message means the bot's last reply. */
const THUMB_MS = 15 * 60_000;
/** Far above what a channel can see in two minutes. */
const PENDING_MAX = 5_000;

/**
 * Returns the follow-up kind of a message; null if it is none. It follows the reply in whose thread it is, or the
 * viewer's own reply if it names the bot or comes right after. Uses structure only, no words. `parent`: the message
 * it answers.
 */
function followUp(
  recent: readonly SentReply[],
  message: Record<"userId" | "text", string> & {
    parent: { messageId: string; isBots: boolean } | null;
    toBot: boolean;
    atMs: number;
  },
): Outcome | null {
  const { userId, parent, toBot, text, atMs } = message;
  if (parent !== null && !parent.isBots) return null;
  const open = recent.filter((reply) => isWithin(reply, atMs, OUTCOME_WINDOW_MS));
  const own = open.findLast((reply) => reply.userId === userId);
  const threaded = open.find(
    ({ messageId }) => messageId !== null && messageId === parent?.messageId,
  );
  if (threaded !== undefined || parent !== null) {
    const reply = threaded ?? own ?? open.at(-1);
    if (reply === undefined) return null;
    return {
      replyId: reply.replyId,
      kind: reply.userId === userId ? "viewer_answered" : "others_answered",
    };
  }
  // Another viewer who only names the bot asks something new.
  if (own === undefined) return null;
  const isForOther = /^[@＠!！]/u.test(text);
  const isNext = isWithin(own, atMs, NEXT_MESSAGE_MS) && !isForOther;
  return toBot || isNext ? { replyId: own.replyId, kind: "viewer_answered" } : null;
}

/** Returns what a timeout or ban means: of the answered viewer, or of the bot, whose messages Twitch then deletes. */
function listSanctionOutcomes(
  recent: readonly SentReply[],
  { userId, isBots, atMs }: { userId: string; isBots: boolean; atMs: number },
): Outcome[] {
  return recent
    .filter((one) => isWithin(one, atMs, OUTCOME_WINDOW_MS) && (isBots || one.userId === userId))
    .map(({ replyId }) => ({ replyId, kind: isBots ? "deleted" : "timed_out" }));
}

function isWithin({ sentAtMs }: SentReply, atMs: number, windowMs: number): boolean {
  return atMs >= sentAtMs && atMs - sentAtMs <= windowMs;
}

/** Commands by which moderators and the streamer judge a reply. */
const THUMB = /^!(good|bad)$/i;

/** Collects outcomes of the bot's replies. Only `settle` uses the database. */
export class Outcomes {
  readonly #now: () => number;
  readonly #botUserId: () => string | null;
  readonly #write;
  /** The replies of the last two minutes by channel, oldest first; the last one stays. */
  readonly #open = new Map<string, readonly SentReply[]>();
  #pending: readonly Outcome[] = [];

  constructor(db: Db, now: () => number, botUserId: () => string | null) {
    this.#now = now;
    this.#botUserId = botUserId;
    this.#write = prepareOutcomeWrite(db);
  }

  /** A reply was sent: watches it for two minutes. */
  said(sent: SaidReply): void {
    const sentAtMs = this.#now();
    const watched = this.#recent(sent.channel).filter((one) =>
      isWithin(one, sentAtMs, OUTCOME_WINDOW_MS),
    );
    this.#open.set(sent.channel, [...watched, { ...sent, sentAtMs }]);
  }

  /** A viewer wrote a message, perhaps to the bot. */
  heard(spoken: Spoken, addressed: BotAddress | null): void {
    const { parent, person, text } = spoken;
    const replies = this.#recent(spoken.channel);
    if (replies.length === 0 || spoken.isBotItself || spoken.isKnownBot) return;
    const isBots = (messageId: string) =>
      this.#isBots(parent?.userId ?? null) || replies.some((one) => one.messageId === messageId);
    const found = followUp(replies, {
      userId: person.userId,
      parent: parent && { messageId: parent.messageId, isBots: isBots(parent.messageId) },
      toBot: addressed !== null,
      text: addressed?.rest ?? text,
      atMs: this.#now(),
    });
    if (found !== null) this.#add(found);
  }

  /** Returns true if the message was a moderator's or the streamer's thumb. Then it needs no answer. */
  thumb(spoken: Spoken): boolean {
    const { parent, channel, person } = spoken;
    const { broadcaster, moderator } = person.roles;
    if (spoken.isBotItself || spoken.isKnownBot || !(broadcaster || moderator)) return false;
    // A threaded message begins with the name of the person it answers.
    const text = spoken.text.replace(/^[@＠][\p{L}\p{N}_]+\s+/u, "");
    const word = THUMB.exec(text.trim())?.[1]?.toLowerCase();
    // A thread under another viewer's message: the command is not about the bot.
    const isElsewhere = parent !== null && parent.userId !== null && !this.#isBots(parent.userId);
    if (word === undefined || isElsewhere) return false;
    const kind = word === "good" ? "good" : "bad";
    const last = this.#recent(channel).at(-1);
    const isRecent = last !== undefined && isWithin(last, this.#now(), THUMB_MS);
    const replyId = isRecent ? last.replyId : null;
    this.#add({ messageId: parent?.messageId ?? null, replyId, kind });
    return true;
  }

  /** A viewer, or the bot, was timed out or banned. */
  sanctioned({ channel, userId }: { channel: string; userId: string | null }): void {
    if (userId === null) return;
    const sanction = { userId, isBots: this.#isBots(userId), atMs: this.#now() };
    this.#add(...listSanctionOutcomes(this.#recent(channel), sanction));
  }

  /** Queues the deletion of a message. `settle` keeps it only if the message was the bot's. */
  deleted(messageId: string): void {
    this.#add({ messageId, replyId: null, kind: "deleted" });
  }

  /** Writes the collected outcomes. If the database is busy, they wait for the next time. */
  settle(): void {
    if (this.#pending.length === 0) return;
    try {
      this.#write(this.#pending, this.#now());
      this.#pending = [];
    } catch {
      // The outcomes stay pending.
    }
  }

  #recent(channel: string): readonly SentReply[] {
    return this.#open.get(channel) ?? [];
  }

  #add(...outcomes: readonly Outcome[]): void {
    if (outcomes.length > 0) this.#pending = [...this.#pending, ...outcomes].slice(0, PENDING_MAX);
  }

  #isBots(userId: string | null): boolean {
    return userId !== null && userId === this.#botUserId();
  }
}
