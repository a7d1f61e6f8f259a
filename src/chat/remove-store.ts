import type { Db } from "../platform/database/open-database.ts";
import type { Pending } from "./event-write-store.ts";
import type { Removal, RemovedText } from "./removal.ts";

const TAKE_TEXT = "UPDATE events SET text = NULL, memorable = 0, removed_at = ?";
const WHAT_IT_WAS = "RETURNING id, message_id AS messageId, user_id AS userId";

/** A function that takes the texts a removal means: those stored, and those that `item` took on their way there. */
export function textRemover(db: Db): (removal: Removal, item: Pending) => RemovedText {
  const ofMessage = db.prepare<[number, string], TakenRow>(
    `${TAKE_TEXT} WHERE message_id = ? AND message_id IS NOT NULL AND kind <> 'deletion'
       AND text IS NOT NULL ${WHAT_IT_WAS}`,
  );
  // The plus keeps SQLite from going through the whole channel: one person's rows are far fewer.
  const ofPerson = db.prepare<[number, string, string], TakenRow>(
    `${TAKE_TEXT} WHERE +channel = ? AND user_id = ? AND text IS NOT NULL ${WHAT_IT_WAS}`,
  );
  const ofChannel = db.prepare<[number, string], TakenRow>(
    `${TAKE_TEXT} WHERE channel = ? AND text IS NOT NULL ${WHAT_IT_WAS}`,
  );
  const holders = db
    .prepare<[string], string>("SELECT user_id FROM viewers WHERE login = ?")
    .pluck();
  const take = (removal: Removal, atMs: number): TakenRow[] => {
    switch (removal.by) {
      case "message":
        return ofMessage.all(atMs, removal.messageId);
      case "channel":
        return ofChannel.all(atMs, removal.channel);
      case "person": {
        const ids = removal.userId === null ? holders.all(removal.login) : [removal.userId];
        return ids.flatMap((userId) => ofPerson.all(atMs, removal.channel, userId));
      }
    }
  };
  return (removal, item) => {
    const rows = [...item.taken.flatMap(asRow), ...take(removal, item.createdAtMs)];
    const messageIds = new Set(rows.flatMap(({ messageId }) => messageId ?? []));
    if (removal.by === "message") messageIds.add(removal.messageId);
    return {
      removal,
      userId: removal.by === "channel" ? null : (rows[0]?.userId ?? null),
      messageIds: [...messageIds],
      eventIds: rows.map(({ id }) => id),
    };
  };
}

/** A function that takes the texts of the bot's own events, in one channel, by their words or their message ids. */
export function ownTextRemover(db: Db): (channel: string, said: OwnWords, atMs: number) => void {
  const ofBot = db.prepare<[string], OwnRow>(
    `SELECT id, text, message_id AS messageId FROM events
     WHERE channel = ? AND kind = 'bot' AND text IS NOT NULL`,
  );
  const take = db.prepare<[number, number]>(`${TAKE_TEXT} WHERE id = ?`);
  return (channel, { texts, ids }, atMs) => {
    for (const { id, text, messageId } of ofBot.all(channel)) {
      const isMeant = texts.includes(text) || (messageId !== null && ids.includes(messageId));
      if (isMeant) take.run(atMs, id);
    }
  };
}

interface OwnRow {
  readonly id: number;
  readonly text: string;
  readonly messageId: string | null;
}

interface OwnWords {
  readonly texts: readonly string[];
  readonly ids: readonly string[];
}

function asRow({ id, event }: Pending): TakenRow[] {
  if (id === null || event === null || !("person" in event)) return [];
  return [{ id, messageId: event.messageId, userId: event.person.userId }];
}

interface TakenRow {
  readonly id: number;
  readonly messageId: string | null;
  readonly userId: string | null;
}
