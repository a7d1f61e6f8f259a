import type { EventStore } from "../chat/event-store.ts";
import type { RemovedText } from "../chat/removal.ts";
import type { ReplyStore } from "../reply/reply-store.ts";
import type { TakenReply } from "../reply/taken-store.ts";

interface RemovedRepliesParts {
  readonly replies: Pick<ReplyStore, "takeTexts" | "learnId">;
  readonly events: Pick<EventStore, "removeOwn">;
  /** Told that a text was taken that the log may still hold. */
  readonly wal: { holdsRemoved: boolean };
  readonly botLogin: string | null;
}

interface RemovedReplies {
  /** Texts of chat went: what the bot said in answer to them goes too. */
  follow(removed: RemovedText): void;
  /** A message of the bot's own was deleted. */
  ownDeleted(said: TakenReply): void;
  /** What the bot said was taken from its replies: it leaves the events. */
  forget(said: readonly TakenReply[]): void;
  /** Tries again what the database did not take. */
  retry(): void;
}

/** Takes from the bot's own words what repeats, or may repeat, a removed text. What fails is tried again, in order. */
export function removedReplies(parts: RemovedRepliesParts): RemovedReplies {
  const { replies, events, wal, botLogin } = parts;
  const undone: (() => void)[] = [];
  let isWorking = false;
  const retry = (): void => {
    if (isWorking) return;
    isWorking = true;
    try {
      for (let work = undone[0]; work !== undefined; work = undone[0]) {
        work();
        undone.shift();
      }
    } catch {
      // The database is busy: the work waits for the next try.
    } finally {
      isWorking = false;
    }
  };
  const surely = (work: () => void): void => {
    undone.push(work);
    retry();
  };
  const take = (removed: RemovedText): void => {
    const { removal } = removed;
    const isBot = removal.by === "person" && botLogin !== null && removal.login === botLogin;
    forget(replies.takeTexts(removed, isBot));
  };
  const forget = (said: readonly TakenReply[]): void => {
    if (said.length === 0) return;
    surely(() => {
      events.removeOwn(said);
      wal.holdsRemoved = true;
    });
  };
  return {
    follow: (removed) => surely(() => take(removed)),
    ownDeleted: (said) => {
      surely(() => {
        replies.learnId(said);
        const messageIds = said.messageId === null ? [] : [said.messageId];
        const removal = { by: "message", messageId: said.messageId ?? "" } as const;
        take({ removal, userId: null, messageIds, eventIds: [] });
      });
    },
    forget,
    retry,
  };
}
