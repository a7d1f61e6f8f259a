import type { EventStore } from "../chat/event-store.ts";
import type { RemovedText } from "../chat/normalise.ts";
import type { Cleanup } from "../database/cleanup.ts";
import { NOT_FLUSHED, type RetryQueue } from "../database/retry-queue.ts";
import type { RemovedReply, ReplyStore } from "./reply-store.ts";

/**
 * Returns functions that remove the bot's answers that repeat, or may repeat, a removed text. Each tries at once. While
 * the database refuses, the retry queue tries again later.
 */
export function answerRemover({
  replies,
  events,
  retries,
  cleanup,
  botLogin,
}: {
  readonly replies: ReplyStore;
  readonly events: EventStore;
  readonly retries: RetryQueue;
  readonly cleanup: Cleanup;
  readonly botLogin: string | null;
}) {
  const removeOwn = (said: readonly RemovedReply[]): void => {
    if (said.length === 0) return;
    retries.add(() => {
      if (!events.flush()) throw NOT_FLUSHED;
      events.removeOwn(said);
      cleanup.markRemoved();
    });
  };
  const removeAnswers = (removed: RemovedText): void => {
    const { removal } = removed;
    const isBot = removal.by === "person" && botLogin !== null && removal.login === botLogin;
    removeOwn(replies.removeTexts(removed, isBot));
  };
  return {
    /** Removes these answers from the stored chat, after the buffered chat is written. */
    removeOwn,
    /** Removes the answers that a removal concerns; all in the channel if the bot was timed out or banned. */
    follow: (removed: RemovedText): void => retries.add(() => removeAnswers(removed)),
    /** Stores the id of a message of the bot that was deleted, and removes the answers that this concerns. */
    ownDeleted: (said: RemovedReply): void =>
      retries.add(() => {
        replies.storeMessageId(said);
        const messageIds = said.messageId === null ? [] : [said.messageId];
        const removal = { by: "message", messageId: said.messageId ?? "" } as const;
        removeAnswers({ removal, userId: null, messageIds, eventIds: [] });
      }),
  };
}
