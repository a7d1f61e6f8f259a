import type { Spoken } from "../chat/normalise.ts";
import type { Db } from "../platform/database/open-database.ts";
import {
  type HeardLine,
  heardOutcomes,
  OUTCOME_WINDOW_MS,
  sanctionOutcomes,
  type WatchedReply,
  watchedReplies,
} from "./outcome.ts";
import { type AnyOutcome, outcomeStore } from "./replies-store.ts";

export interface OutcomesParts {
  readonly db: Db;
  readonly now: () => number;
  readonly botUserId: () => string | null;
  /** The chat commands by which moderators and the streamer judge an answer; null where there is none. */
  readonly thumbs: () => { readonly good: string | null; readonly bad: string | null };
}

/** Gathers what comes of the bot's replies. Nothing here touches the database until `settle`. */
export interface Outcomes {
  /** A reply was sent: what comes of it is watched for two minutes. */
  said(reply: Omit<WatchedReply, "sentAtMs">): void;
  /** A person spoke; `toBot` where they named the bot. */
  heard(spoken: Spoken, toBot: boolean): void;
  /** Whether a line was a moderator's or the streamer's thumb. Then nobody else has to answer it. */
  thumb(spoken: Spoken): boolean;
  /** A viewer, or the bot, was timed out or banned. */
  sanctioned(sanction: { readonly channel: string; readonly userId: string | null }): void;
  /** A message was deleted by a moderator; most are not the bot's. */
  deleted(messageId: string): void;
  /** Writes what was gathered, and `none` for what nothing came of. What the database did not take waits. */
  settle(): void;
}

/** How long a thumb without a thread means the bot's last reply. */
const THUMB_MS = 15 * 60_000;
/** Far above what a channel can see in two minutes. */
const PENDING_MAX = 5_000;

export function outcomeWatcher(parts: OutcomesParts): Outcomes {
  const { db, now, botUserId } = parts;
  const store = outcomeStore(db);
  const watched = watchedReplies();
  let pending: readonly AnyOutcome[] = [];
  const note = (outcomes: readonly AnyOutcome[]): void => {
    if (outcomes.length > 0) pending = [...pending, ...outcomes].slice(0, PENDING_MAX);
  };
  const takeUp = (reply: WatchedReply): void => {
    if (now() - reply.sentAtMs <= OUTCOME_WINDOW_MS) watched.add(reply);
    else watched.remember(reply);
  };
  store.sentSince(now() - THUMB_MS).forEach(takeUp);
  return {
    said: (reply) => watched.add({ ...reply, sentAtMs: now() }),
    heard: (spoken, toBot) => {
      const replies = watched.of(spoken.channel);
      if (replies.length === 0 || spoken.isBotItself || spoken.isKnownBot) return;
      const line = heardLine(spoken, { toBot, atMs: now(), replies, botUserId: botUserId() });
      note(watched.news(heardOutcomes(replies, line)));
    },
    thumb: (spoken) => {
      const kind = thumbIn(spoken, parts.thumbs());
      if (kind === null || answersAnother(spoken, botUserId())) return false;
      const last = watched.last(spoken.channel);
      const isRecent = last !== null && now() - last.sentAtMs <= THUMB_MS;
      const fallbackId = isRecent ? last.replyId : null;
      note([{ messageId: spoken.parent?.messageId ?? null, fallbackId, kind }]);
      return true;
    },
    sanctioned: ({ channel, userId }) => {
      if (userId === null) return;
      const sanction = { userId, isBots: userId === botUserId(), atMs: now() };
      note(watched.news(sanctionOutcomes(watched.of(channel), sanction)));
    },
    deleted: (messageId) => note([{ messageId, fallbackId: null, kind: "deleted" }]),
    settle: () => {
      note(watched.expire(now()).map((replyId) => ({ replyId, kind: "none" })));
      if (pending.length === 0) return;
      const batch = pending;
      pending = [];
      try {
        store.add(batch, now());
      } catch {
        // The database is busy: they wait for the next time.
        pending = batch;
      }
    },
  };
}

function heardLine(
  { parent, person, text }: Spoken,
  context: {
    readonly toBot: boolean;
    readonly atMs: number;
    readonly replies: readonly WatchedReply[];
    readonly botUserId: string | null;
  },
): HeardLine {
  const { toBot, atMs, replies, botUserId } = context;
  const answered =
    parent === null
      ? null
      : { messageId: parent.messageId, isBots: isOwn(parent, replies, botUserId) };
  return { userId: person.userId, parent: answered, toBot, text, atMs };
}

/** A thread under somebody else's message: the command is not about the bot. */
function answersAnother({ parent }: Spoken, botUserId: string | null): boolean {
  return parent !== null && parent.userId !== null && parent.userId !== botUserId;
}

function isOwn(
  parent: NonNullable<Spoken["parent"]>,
  replies: readonly WatchedReply[],
  botUserId: string | null,
): boolean {
  if (parent.userId !== null && parent.userId === botUserId) return true;
  return replies.some(({ messageId }) => messageId === parent.messageId);
}

function thumbIn(
  { person, text, isBotItself, isKnownBot }: Spoken,
  { good, bad }: { readonly good: string | null; readonly bad: string | null },
): "good" | "bad" | null {
  const { broadcaster, moderator } = person.roles;
  if (isBotItself || isKnownBot || !(broadcaster || moderator)) return null;
  // A threaded message begins with the name of whom it answers.
  const said = text
    .replace(/^[@＠][\p{L}\p{N}_]+\s+/u, "")
    .trim()
    .toLowerCase();
  if (said === good) return "good";
  return said === bad ? "bad" : null;
}
