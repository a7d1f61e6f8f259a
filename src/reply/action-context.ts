// Pure: values in, values out.
import type { ActionTurn } from "../actions/gather.ts";
import type { TailInput } from "./prompt/sections.ts";
import type { Ticket } from "./reply-queue.ts";

/** A turn as actions look at it: who asked for what, in which words, and what of chat stood beside them. */
export function actionTurn(ticket: Ticket, replyId: number, tail: TailInput): ActionTurn {
  const { channel, userId, trigger, pieces, question, messageId, eventId, repliesTo } = ticket;
  const others = tail.chat.map(({ text }) => text);
  return {
    channel,
    replyId,
    requesterId: userId,
    isAsked: trigger !== "chance",
    words: pieces === undefined || pieces.length === 0 ? [question] : pieces,
    messageId,
    eventId,
    repliesTo: repliesTo ?? null,
    others,
    shown: [...others, ...tail.own.map(({ text }) => text)],
  };
}
