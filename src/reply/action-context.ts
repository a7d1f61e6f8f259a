import type { Untrusted } from "../actions/echo.ts";
import type { ActionTurn } from "../actions/gather.ts";
import type { PrefixSnapshot } from "../memory/recall/snapshot.ts";
import type { TailInput } from "./prompt/sections.ts";
import type { Ticket } from "./reply-queue.ts";

/** A turn as actions look at it: who asked for what, and every word of its prompt that was not the program's own. */
export function actionTurn(
  ticket: Ticket,
  replyId: number,
  shown: { readonly snapshot: PrefixSnapshot; readonly tail: TailInput },
): ActionTurn {
  const { channel, userId, question, trigger, repliesToId = null } = ticket;
  return {
    channel,
    replyId,
    requesterId: userId,
    isAsked: trigger !== "chance",
    words: [question],
    repliesToId,
    untrusted: [...remembered(shown.snapshot), ...around(shown.tail, userId)],
  };
}

function remembered({ state, notes, episodes }: PrefixSnapshot): Untrusted[] {
  return [
    state.title,
    state.category,
    state.recap ?? "",
    ...notes.flatMap(({ fact, topics }) => [fact, topics]),
    ...episodes.flatMap(({ topic, summary }) => [topic, summary]),
  ].flatMap((text) => (text === "" ? [] : [{ userId: null, text }]));
}

/** Everybody's lines in the order in which they were said, so that a proposal in pieces is found. */
function around(tail: TailInput, requesterId: string): Untrusted[] {
  const mine = (text: string): Untrusted => ({ userId: requesterId, text });
  const others = [...tail.chat, ...tail.thread].map(({ userId = null, name, text }) => ({
    userId,
    name,
    text,
  }));
  return [
    ...[tail.speaker.name, ...others.map(({ name }) => name)].map((text) => ({
      userId: null,
      text,
    })),
    ...tail.lore.flatMap(({ fact, topics }) => [mine(fact), mine(topics)]),
    ...others.map(({ userId, text }) => ({ userId, text })),
    ...tail.replies.map(({ text }) => ({ userId: null, text })),
    ...tail.own.map(({ text }) => mine(text)),
    mine(tail.current.text),
  ];
}
