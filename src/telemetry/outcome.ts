import type { BotAddress } from "../chat/addressed.ts";
import type { Spoken } from "../chat/normalise.ts";
import type { Db } from "../database/open-database.ts";
import { type Outcome, prepareOutcomeWrite } from "../reply/reply-view-store.ts";

interface SaidReply {
  readonly replyId: number;
  readonly channel: string;
  readonly userId: string;
  /** null if Twitch did not report it. */
  readonly messageId: string | null;
}

interface SentReply extends SaidReply {
  readonly sentAtMs: number;
}

/** Time in which a follow-up or a timeout counts for a reply. */
const OUTCOME_WINDOW_MS = 120_000;
/** Time in which the answered viewer's next message counts without the bot's name, ms. */
const NEXT_MESSAGE_MS = 30_000;
/** Time in which a thumb that replies to no message means the bot's last reply. */
const THUMB_MS = 15 * 60_000;
/** Far above what channels see between two writes. More are dropped, because no write may succeed for hours. */
const PENDING_MAX = 5_000;

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
  /** By channel the last reply, and those of the two minutes before it, oldest first. */
  readonly #sent = new Map<string, readonly SentReply[]>();
  #pending: Outcome[] = [];

  constructor(db: Db, now: () => number, botUserId: () => string | null) {
    this.#now = now;
    this.#botUserId = botUserId;
    this.#write = prepareOutcomeWrite(db);
  }

  /** Watches a sent reply for outcomes, for two minutes. Only a thumb or a deletion may come later. */
  said(sent: SaidReply): void {
    const sentAtMs = this.#now();
    this.#sent.set(sent.channel, [...this.#listInWindow(sent.channel), { ...sent, sentAtMs }]);
  }

  /**
   * Records that a message follows a reply, if it does and is no bot's. `addressed` is null if it does not name the
   * bot.
   */
  heard(spoken: Spoken, addressed: BotAddress | null): void {
    if (spoken.isBotItself || spoken.isKnownBot) return;
    const reply = this.#findFollowedReply(spoken, addressed);
    if (reply === null) return;
    const isTheirs = reply.userId === spoken.person.userId;
    const kind = isTheirs ? "viewer_answered" : "others_answered";
    this.#add({ replyId: reply.replyId, kind });
  }

  /**
   * Records a thumb, `!good` or `!bad`, of a moderator or the streamer. Returns true if the message is one, even if no
   * reply is found for it. It is about the message that it replies to, else about the bot's last reply within 15
   * minutes. In reply to another viewer it is no thumb.
   */
  thumb(spoken: Spoken): boolean {
    const { parent, channel, person } = spoken;
    const { broadcaster, moderator } = person.roles;
    if (spoken.isBotItself || spoken.isKnownBot || !(broadcaster || moderator)) return false;
    // A threaded message begins with the name of the person it answers.
    const text = spoken.text.replace(/^[@＠][\p{L}\p{N}_]+\s+/u, "");
    const word = THUMB.exec(text.trim())?.[1]?.toLowerCase();
    const isElsewhere =
      parent !== null && parent.userId !== null && !this.#isThisBot(parent.userId);
    if (word === undefined || isElsewhere) return false;
    const kind = word === "good" ? "good" : "bad";
    const last = this.#listStored(channel).at(-1);
    const isRecent = last !== undefined && isWithin(last, this.#now(), THUMB_MS);
    const replyId = isRecent ? last.replyId : null;
    this.#add({ messageId: parent?.messageId ?? null, replyId, kind });
    return true;
  }

  /**
   * Records a timeout or ban of `userId` for the replies of the last two minutes to this viewer. If the user is the
   * bot, the replies to all viewers count as deleted. Does nothing for null, an unknown user.
   */
  sanctioned({ channel, userId }: { channel: string; userId: string | null }): void {
    if (userId === null) return;
    const isBots = this.#isThisBot(userId);
    // Twitch then deletes the bot's messages.
    const kind = isBots ? "deleted" : "timed_out";
    for (const reply of this.#listInWindow(channel))
      if (isBots || reply.userId === userId) this.#add({ replyId: reply.replyId, kind });
  }

  /** Queues the deletion of a message. `settle` keeps it only if the message was the bot's. */
  deleted(messageId: string): void {
    this.#add({ messageId, replyId: null, kind: "deleted" });
  }

  /** Writes the collected outcomes; call it regularly. If it throws, they wait for the next call. */
  settle(): void {
    if (this.#pending.length === 0) return;
    this.#write(this.#pending, this.#now());
    this.#pending = [];
  }

  /**
   * Returns the reply, of the last two minutes, that a message follows; null if none. An answer to the bot (`parent`)
   * follows that reply, else the last one to its sender, else the channel's last. An answer to another viewer follows
   * none. Any other message follows the last reply to its sender, if it names the bot. Within 30 s, addressing no other
   * viewer is enough.
   */
  #findFollowedReply({ channel, parent, person, text }: Spoken, addressed: BotAddress | null) {
    const open = this.#listInWindow(channel);
    const own = open.findLast(({ userId }) => userId === person.userId) ?? null;
    if (parent !== null) {
      const isParent = ({ messageId }: SentReply) => messageId === parent.messageId;
      if (!this.#isThisBot(parent.userId) && !this.#listStored(channel).some(isParent)) return null;
      return open.find(isParent) ?? own ?? open.at(-1) ?? null;
    }
    // Another viewer who only names the bot asks something new.
    if (own === null) return null;
    const isForOther = /^[@＠!！]/u.test(addressed?.rest ?? text);
    const isNext = isWithin(own, this.#now(), NEXT_MESSAGE_MS) && !isForOther;
    return addressed !== null || isNext ? own : null;
  }

  #listStored(channel: string): readonly SentReply[] {
    return this.#sent.get(channel) ?? [];
  }

  #listInWindow(channel: string): SentReply[] {
    const nowMs = this.#now();
    return this.#listStored(channel).filter((one) => isWithin(one, nowMs, OUTCOME_WINDOW_MS));
  }

  #add(outcome: Outcome): void {
    if (this.#pending.length < PENDING_MAX) this.#pending.push(outcome);
  }

  #isThisBot(userId: string | null): boolean {
    return userId !== null && userId === this.#botUserId();
  }
}
