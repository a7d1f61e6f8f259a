import type { Db } from "../platform/database/open-database.ts";
import type { ChatEvent, Spoken } from "./normalise.ts";
import type { Removal, RemovedText } from "./removal.ts";
import { textRemover } from "./remove-store.ts";
import { type Sighting, viewerWriter } from "./viewer-store.ts";

/** An event on its way into the database; a bare removal has none. `id` and the text change on that way. */
export interface Pending {
  readonly event: ChatEvent | null;
  readonly toBot: boolean;
  readonly createdAtMs: number;
  /** Whose text goes when this is written. */
  readonly removal: Removal | null;
  /** What the removal took before it was written: those are stored without a text. */
  readonly taken: Pending[];
  text: string | null;
  removedAtMs: number | null;
  id: number | null;
}

export interface Written {
  /** Messages that were stored already. */
  readonly duplicates: number;
  readonly removed: readonly RemovedText[];
}

export interface WriterOptions {
  /** How long a row lives, in ms. */
  readonly expiryMs: number | (() => number);
  /** The stream going on in a channel: its stream_sessions id, or null. */
  readonly streamOf: (channel: string) => number | null;
  /** Whether nothing may be kept of what this person says. */
  readonly isOptedOut: (userId: string) => boolean;
}

interface Batch {
  duplicates: number;
  readonly removed: RemovedText[];
  readonly sightings: Map<string, Sighting>;
}

/**
 * A function that writes a batch in order and in one transaction, and gives each item its id. It throws what SQLite
 * throws; then nothing was written, and ids are null again.
 */
export function eventWriter(
  db: Db,
  options: WriterOptions,
): (batch: readonly Pending[]) => Written {
  const insert = eventInserter(db, options.expiryMs);
  const remove = textRemover(db);
  const viewers = viewerWriter(db);
  const writeItem = (item: Pending, batch: Batch): void => {
    const removed = item.removal === null ? null : remove(item.removal, item);
    if (removed !== null) batch.removed.push(removed);
    if (item.event === null) return;
    const isNew = insert(item, item.event, removed?.userId ?? null);
    if (!isNew) batch.duplicates += 1;
    else if ("person" in item.event) sight(batch.sightings, item.event, item, options);
  };
  const write = db.transaction((items: readonly Pending[]): Written => {
    const batch: Batch = { duplicates: 0, removed: [], sightings: new Map() };
    for (const item of items) writeItem(item, batch);
    for (const sighting of batch.sightings.values()) viewers.write(sighting);
    return batch;
  });
  return (batch) => {
    try {
      return write.immediate(batch);
    } catch (cause) {
      for (const item of batch) item.id = null;
      viewers.rolledBack();
      throw cause;
    }
  };
}

/** A function that stores one event, and says whether it is new. `targetId` is whom a removal took the text of. */
function eventInserter(
  db: Db,
  expiryMs: number | (() => number),
): (item: Pending, event: ChatEvent, targetId: string | null) => boolean {
  const insert = db.prepare<(string | number | null)[]>(
    `INSERT INTO events (channel, kind, user_id, message_id, parent_id, text, to_bot, memorable, amount,
       sent_at, created_at, expires_at, removed_at, reply_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const idOf = db
    .prepare<[string], number>(
      "SELECT id FROM events WHERE message_id = ? AND message_id IS NOT NULL AND kind <> 'deletion'",
    )
    .pluck();
  const name = db.prepare<[number, string]>(
    `UPDATE events SET reply_id = ?
     WHERE message_id = ? AND message_id IS NOT NULL AND kind <> 'deletion' AND kind = 'bot'`,
  );
  const lifetimeMs = typeof expiryMs === "number" ? () => expiryMs : expiryMs;
  const idOfStored = (messageId: string | null, replyId: number | null): number | null => {
    // Twitch may have shown the bot its own line first.
    if (replyId !== null) name.run(replyId, messageId ?? "");
    return idOf.get(messageId ?? "") ?? null;
  };
  return (item, event, targetId) => {
    const { userId, messageId, parentId, amount, sentAtMs, memorable, replyId } = columnsOf(
      event,
      targetId,
    );
    const { changes, lastInsertRowid } = insert.run(
      event.channel,
      event.kind,
      userId,
      messageId,
      parentId,
      item.text,
      item.toBot ? 1 : 0,
      memorable && item.text !== null ? 1 : 0,
      amount,
      sentAtMs,
      item.createdAtMs,
      item.createdAtMs + lifetimeMs(),
      item.removedAtMs,
      replyId,
    );
    item.id = changes === 1 ? Number(lastInsertRowid) : idOfStored(messageId, replyId);
    return changes === 1;
  };
}

interface Columns {
  readonly userId: string | null;
  readonly messageId: string | null;
  readonly parentId: string | null;
  readonly amount: number | null;
  readonly sentAtMs: number | null;
  readonly memorable: boolean;
  readonly replyId: number | null;
}

const NOTHING: Columns = {
  userId: null,
  messageId: null,
  parentId: null,
  amount: null,
  sentAtMs: null,
  memorable: false,
  replyId: null,
};

function columnsOf(event: ChatEvent, targetId: string | null): Columns {
  switch (event.kind) {
    case "timeout":
    case "ban":
      return {
        ...NOTHING,
        userId: event.userId ?? targetId,
        amount: event.seconds,
        sentAtMs: event.sentAtMs,
      };
    case "deletion":
      return {
        ...NOTHING,
        userId: targetId,
        messageId: event.messageId,
        sentAtMs: event.sentAtMs,
      };
    case "clear":
      return { ...NOTHING, sentAtMs: event.sentAtMs };
    case "room_state":
    case "room_notice":
      return NOTHING;
    default:
      return {
        userId: event.person.userId,
        messageId: event.messageId,
        parentId: event.parent === null ? null : event.parent.messageId,
        amount: event.amount,
        sentAtMs: event.sentAtMs,
        memorable: event.memorable,
        replyId: event.replyId ?? null,
      };
  }
}

const WORDS: ReadonlySet<string> = new Set(["message", "action", "cheer", "announcement"]);

function sight(
  sightings: Map<string, Sighting>,
  event: Spoken,
  { createdAtMs }: Pending,
  { streamOf, isOptedOut }: WriterOptions,
): void {
  const { channel, person } = event;
  if (event.isBotItself || isOptedOut(person.userId)) return;
  const said = WORDS.has(event.kind) ? 1 : 0;
  const key = `${channel} ${person.userId}`;
  const known = sightings.get(key);
  if (known === undefined) {
    const streamId = streamOf(channel);
    sightings.set(key, {
      channel,
      person,
      firstAtMs: createdAtMs,
      lastAtMs: createdAtMs,
      messageCount: said,
      streamId,
    });
    return;
  }
  known.person = person;
  known.lastAtMs = createdAtMs;
  known.messageCount += said;
}
