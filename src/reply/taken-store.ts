import type { RemovedText } from "../chat/removal.ts";
import type { Db } from "../platform/database/open-database.ts";

/** Something the bot said, whose text was taken. */
export interface TakenReply {
  readonly channel: string;
  readonly text: string;
  /** Null where Twitch did not tell it. */
  readonly messageId: string | null;
}

export interface ReplyTaker {
  /**
   * Takes the texts of the bot's replies that a removal concerns: the removed messages themselves, and the answers to
   * what was removed. `ofChannel`: all of the channel's. Gives what was said.
   */
  take(removed: RemovedText, ofChannel: boolean): TakenReply[];
  /** Has an unfinished reply count as concerned by a removal. */
  drop(id: number): void;
  /** Whether a removal concerned a reply before it was finished. Asked once. */
  wasTaken(id: number): boolean;
  /** Notes the id of the newest reply with this text that has none: chat alone does not tell the bot its ids. */
  learnId(said: TakenReply): void;
}

const MEANT = `(message_id IN (SELECT value FROM json_each(@messageIds))
  OR event_id IN (SELECT value FROM json_each(@eventIds))
  OR event_id IN (SELECT events.id FROM events WHERE events.message_id IN (SELECT value FROM json_each(@messageIds))
       AND events.message_id IS NOT NULL AND events.kind <> 'deletion')
  OR (channel = @channel AND (@ofChannel = 1 OR user_id = @userId
       OR user_id IN (SELECT viewers.user_id FROM viewers WHERE viewers.login = @login))))`;

export function replyTaker(db: Db): ReplyTaker {
  // The bound on created_at leads SQLite to the index of those that have a text.
  const withText = db.prepare<[Meant], TakenReply & { readonly id: number }>(
    `SELECT id, channel, text, message_id AS messageId FROM replies
     WHERE created_at >= 0 AND text IS NOT NULL AND ${MEANT}`,
  );
  const unfinished = db
    .prepare<[Meant], number>(
      `SELECT id FROM replies WHERE state IN ('thinking', 'sending') AND ${MEANT}`,
    )
    .pluck();
  const empty = db.prepare<[string]>(
    "UPDATE replies SET text = NULL WHERE id IN (SELECT value FROM json_each(?))",
  );
  // A threaded reply is told with the name of whom it answers before its text.
  const learn = db.prepare<[{ channel: string; text: string; messageId: string | null }]>(
    `UPDATE replies SET message_id = @messageId WHERE id =
       (SELECT id FROM replies WHERE channel = @channel AND created_at >= 0 AND text IS NOT NULL
          AND message_id IS NULL AND state IN ('sent', 'unknown')
          AND (text = @text OR (@text LIKE '@%' AND substr(@text, -length(text) - 1) = ' ' || text))
        ORDER BY id DESC LIMIT 1)`,
  );
  const early = new Set<number>();
  return {
    take: (removed, ofChannel) => {
      const meant = meantBy(removed, ofChannel);
      const rows = withText.all(meant);
      if (rows.length > 0) empty.run(JSON.stringify(rows.map(({ id }) => id)));
      for (const id of unfinished.all(meant)) early.add(id);
      return rows.map(({ channel, text, messageId }) => ({ channel, text, messageId }));
    },
    drop: (id) => void early.add(id),
    wasTaken: (id) => early.delete(id),
    learnId: ({ channel, text, messageId }) => {
      learn.run({ channel, text, messageId });
    },
  };
}

interface Meant {
  readonly messageIds: string;
  readonly eventIds: string;
  readonly channel: string | null;
  readonly ofChannel: number;
  readonly userId: string | null;
  readonly login: string | null;
}

function meantBy(
  { removal, userId, messageIds, eventIds }: RemovedText,
  ofChannel: boolean,
): Meant {
  const isPerson = removal.by === "person";
  return {
    messageIds: JSON.stringify(messageIds),
    eventIds: JSON.stringify(eventIds),
    channel: removal.by === "message" ? null : removal.channel,
    ofChannel: ofChannel || removal.by === "channel" ? 1 : 0,
    userId: isPerson ? (removal.userId ?? userId) : null,
    // Without an id every holder of the login is meant.
    login: isPerson && removal.userId === null ? removal.login : null,
  };
}
