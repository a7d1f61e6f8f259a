// Pure: values in, values out.
import { OUTCOME_WINDOW_MS, type Outcome, type WatchedReply } from "./outcome.ts";

/** The replies of each channel that something may still come of. */
export interface WatchedReplies {
  add(reply: WatchedReply): void;
  /** Remembers a reply only as the last one. */
  remember(reply: WatchedReply): void;
  /** Oldest first. */
  of(channel: string): readonly WatchedReply[];
  /** The bot's last reply in a channel, however old. */
  last(channel: string): WatchedReply | null;
  /** Of these outcomes, those that were not told before. */
  news(outcomes: readonly Outcome[]): readonly Outcome[];
  /** Lets go of the replies whose time has passed, and says which. */
  expire(nowMs: number): readonly number[];
}

export function watchedReplies(): WatchedReplies {
  const open = new Map<string, readonly WatchedReply[]>();
  const latest = new Map<string, WatchedReply>();
  /** By reply: a talkative viewer costs one row. */
  const told = new Map<number, Set<Outcome["kind"]>>();
  const isNews = ({ replyId, kind }: Outcome): boolean => {
    const kinds = told.get(replyId);
    if (kinds === undefined || kinds.has(kind)) return false;
    kinds.add(kind);
    return true;
  };
  const expireIn = (channel: string, nowMs: number): readonly number[] => {
    const replies = open.get(channel) ?? [];
    const left = replies.filter(({ sentAtMs }) => nowMs - sentAtMs <= OUTCOME_WINDOW_MS);
    if (left.length === 0) open.delete(channel);
    else open.set(channel, left);
    const ids = replies.slice(0, replies.length - left.length).map(({ replyId }) => replyId);
    for (const id of ids) told.delete(id);
    return ids;
  };
  return {
    add: (reply) => {
      open.set(reply.channel, [...(open.get(reply.channel) ?? []), reply]);
      latest.set(reply.channel, reply);
      told.set(reply.replyId, new Set());
    },
    remember: (reply) => {
      latest.set(reply.channel, reply);
    },
    of: (channel) => open.get(channel) ?? [],
    last: (channel) => latest.get(channel) ?? null,
    news: (outcomes) => outcomes.filter(isNews),
    expire: (nowMs) => [...open.keys()].flatMap((channel) => expireIn(channel, nowMs)),
  };
}
