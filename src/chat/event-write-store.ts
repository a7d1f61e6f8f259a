import { CLEANUP_WAIT_MS_MAX } from "../database/cleanup.ts";
import type { Db } from "../database/open-database.ts";
import { moderationMarker, momentWriter } from "./moment-store.ts";
import type { ChatEvent, Spoken } from "./normalise.ts";
import type { Removal, RemovedText } from "./removal.ts";
import { type PeopleDue, type Sighting, viewerWriter } from "./sighting-store.ts";
import { accountStore } from "./viewer-store.ts";

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

export interface BatchWritten {
  /** Messages that were stored already. */
  readonly duplicates: number;
  readonly removed: readonly RemovedText[];
}

export interface WriterOptions {
  /** How long a row lives, in ms, or the configuration that says it at the time. */
  readonly expiryMs: number | Lifetimes;
  /** The stream going on in a channel: its stream_sessions id, or null. */
  readonly streamOf: (channel: string) => number | null;
  /** Whether nothing may be kept of what this person says. */
  readonly isOptedOut: (userId: string) => boolean;
}

export interface Lifetimes {
  readonly retention: { readonly eventHours: number };
}

const HOUR_MS = 3_600_000;
/** How often what ran out is taken away. */
export const SWEEP_EVERY_MS = 5 * 60_000;

/**
 * How long a text may stay in the database: its lifetime less one sweep, and less the wait for the VACUUM after it, so
 * that no byte of a text outlives the promise.
 */
export function textLifetimeMs(eventHours: number): number {
  return eventHours * HOUR_MS - SWEEP_EVERY_MS - CLEANUP_WAIT_MS_MAX;
}

const EVENTS_A_CHUNK = 4_096;
/** What comes twice comes soon: so far into a chunk a message may still be one of the chunk before. */
const YOUNG_EVENTS = 1_024;
/** Finds events by person or message: the indexes of both begin with the chunk. */
const OF_ANY_CHUNK = "id >> 12 IN (SELECT chunk FROM event_chunks)";

interface Batch {
  duplicates: number;
  readonly removed: RemovedText[];
  readonly moderated: { channel: string; userId: string; atMs: number }[];
  readonly sightings: Map<string, Sighting>;
}

export interface EventWriter {
  /** In order and in one transaction, with `which` of the people who wait; gives each item its id. */
  write(batch: readonly Pending[], which: PeopleDue): BatchWritten;
  /** Whether such people wait. */
  havePeople(which: PeopleDue): boolean;
}

/** It throws what SQLite throws; then nothing was written, and ids are null again. */
export function eventWriter(db: Db, options: WriterOptions): EventWriter {
  const { insert, begin } = eventInserter(db, options.expiryMs);
  const remove = textRemover(db);
  const viewers = viewerWriter(db);
  const moments = momentWriter(db);
  const markModerated = moderationMarker(db);
  const keepPerson = (event: Spoken, item: Pending, { sightings }: Batch): void => {
    sight(sightings, event, item, options);
    const isKept = !event.isBotItself && !options.isOptedOut(event.person.userId);
    if (isKept) moments.add(event, options.streamOf(event.channel), item.createdAtMs);
  };
  const keepModerated = (
    { kind, channel }: ChatEvent,
    userId: string | null,
    { createdAtMs: atMs }: Pending,
    { moderated }: Batch,
  ): void => {
    if (userId === null) return;
    moderated.push({ channel, userId, atMs });
    if (kind === "ban") moments.removeIn(channel, userId);
  };
  const writeItem = (item: Pending, batch: Batch): void => {
    const removed = item.removal === null ? null : remove(item.removal, item);
    if (removed !== null) batch.removed.push(removed);
    if (item.event === null) return;
    const { event } = item;
    const isNew = insert(item, event, removed?.userId ?? null);
    if (!isNew) batch.duplicates += 1;
    else if ("person" in event) keepPerson(event, item, batch);
    else keepModerated(event, moderatedId(event, removed), item, batch);
  };
  const write = db.transaction((items: readonly Pending[], which: PeopleDue): BatchWritten => {
    const batch: Batch = { duplicates: 0, removed: [], moderated: [], sightings: new Map() };
    begin();
    for (const item of items) writeItem(item, batch);
    for (const sighting of batch.sightings.values()) viewers.write(sighting);
    const isNeeded = which === "due" && batch.moderated.length > 0;
    viewers.settle(isNeeded ? "newcomers" : which, items.at(-1)?.createdAtMs ?? 0);
    for (const { channel, userId, atMs } of batch.moderated) markModerated(channel, userId, atMs);
    return batch;
  });
  return {
    havePeople: (which) => viewers.isDue(which, 0),
    write: (batch, which) => {
      try {
        const written = write.immediate(batch, which);
        viewers.committed();
        return written;
      } catch (cause) {
        for (const item of batch) item.id = null;
        viewers.rolledBack();
        throw cause;
      }
    },
  };
}

/** Whom a timeout, a ban or a deletion concerns; null for every other event, and if that is not known. */
function moderatedId(event: ChatEvent, removed: RemovedText | null): string | null {
  switch (event.kind) {
    case "timeout":
    case "ban":
      return event.userId ?? removed?.userId ?? null;
    case "deletion":
      return removed?.userId ?? null;
    default:
      return null;
  }
}

interface EventInserter {
  /** To be called first in each transaction. */
  begin(): void;
  /** Stores one event, and says whether it is new. `targetId` is whom a removal took the text of. */
  insert(item: Pending, event: ChatEvent, targetId: string | null): boolean;
}

function eventInserter(db: Db, expiryMs: number | Lifetimes): EventInserter {
  const insert = db.prepare<(string | number | null)[]>(
    `INSERT INTO events (channel, kind, user_id, message_id, parent_id, text, to_bot, memorable, no_window, amount,
       sent_at, created_at, expires_at, removed_at, reply_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const chunks = chunkBefore(db);
  const idOf = db
    .prepare<[string], number>(
      `SELECT id FROM events WHERE ${OF_ANY_CHUNK} AND message_id = ?
         AND message_id IS NOT NULL AND kind <> 'deletion'`,
    )
    .pluck();
  const name = db.prepare<[number, string]>(
    `UPDATE events SET reply_id = ?
     WHERE ${OF_ANY_CHUNK} AND message_id = ?
       AND message_id IS NOT NULL AND kind <> 'deletion' AND kind = 'bot'`,
  );
  const lifetimeMs = (): number =>
    typeof expiryMs === "number" ? expiryMs : textLifetimeMs(expiryMs.retention.eventHours);
  const idOfStored = (messageId: string | null, replyId: number | null): number | null => {
    // Twitch may have shown the bot its own line first.
    if (replyId !== null) name.run(replyId, messageId ?? "");
    return idOf.get(messageId ?? "") ?? null;
  };
  const store: EventInserter["insert"] = (item, event, targetId) => {
    const columns = columnsOf(event, targetId);
    const { userId, messageId, parentId, amount, sentAtMs, replyId } = columns;
    if (event.kind !== "deletion" && chunks.isInTheOneBefore(messageId)) {
      item.id = idOfStored(messageId, replyId);
      return false;
    }
    const { changes, lastInsertRowid } = insert.run(
      event.channel,
      event.kind,
      userId,
      messageId,
      parentId,
      item.text,
      item.toBot ? 1 : 0,
      columns.memorable && item.text !== null ? 1 : 0,
      columns.fillsNoWindow ? 1 : 0,
      amount,
      sentAtMs,
      item.createdAtMs,
      item.createdAtMs + lifetimeMs(),
      item.removedAtMs,
      replyId,
    );
    item.id = changes === 1 ? Number(lastInsertRowid) : idOfStored(messageId, replyId);
    chunks.follow(item.id);
    return changes === 1;
  };
  return { begin: chunks.begin, insert: store };
}

/**
 * Whether a message stands in the chunk before the one that is written: the index keeps it from being stored twice in
 * one chunk only. `begin` is called first in each transaction: who writes a line is then known to be nobody else.
 */
function chunkBefore(db: Db) {
  const newestId = db.prepare<[], number | null>("SELECT max(id) FROM events").pluck();
  const find = db
    .prepare<[number, string], number>(
      `SELECT id FROM events WHERE id >> 12 = ? AND message_id = ?
         AND message_id IS NOT NULL AND kind <> 'deletion'`,
    )
    .pluck();
  let lastId = 0;
  return {
    begin: () => {
      lastId = newestId.get() ?? 0;
    },
    /** `id`: of the event that was just stored, or was stored before. */
    follow: (id: number | null) => {
      lastId = Math.max(lastId, id ?? 0);
    },
    isInTheOneBefore: (messageId: string | null): boolean => {
      const nextId = lastId + 1;
      if (messageId === null || nextId % EVENTS_A_CHUNK >= YOUNG_EVENTS) return false;
      return find.get(Math.floor(nextId / EVENTS_A_CHUNK) - 1, messageId) !== undefined;
    },
  };
}

interface Columns {
  readonly userId: string | null;
  readonly messageId: string | null;
  readonly parentId: string | null;
  readonly amount: number | null;
  readonly sentAtMs: number | null;
  readonly memorable: boolean;
  readonly fillsNoWindow: boolean;
  readonly replyId: number | null;
}

const NOTHING: Columns = {
  userId: null,
  messageId: null,
  parentId: null,
  amount: null,
  sentAtMs: null,
  memorable: false,
  fillsNoWindow: false,
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
        fillsNoWindow: event.fillsNoWindow ?? false,
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

const NO_TEXT = "SET text = NULL, memorable = 0, removed_at = ?";
const TAKE_TEXT = `UPDATE events ${NO_TEXT}`;
const WHAT_IT_WAS = "RETURNING id, message_id AS messageId, user_id AS userId";

/** A function that takes the texts a removal means: those stored, and those that `item` took on their way there. */
function textRemover(db: Db): (removal: Removal, item: Pending) => RemovedText {
  const ofMessage = db.prepare<[number, string], TakenRow>(
    `${TAKE_TEXT} WHERE ${OF_ANY_CHUNK} AND message_id = ? AND message_id IS NOT NULL AND kind <> 'deletion'
       AND text IS NOT NULL ${WHAT_IT_WAS}`,
  );
  // The plus keeps SQLite from going through the whole channel: one person's rows are far fewer.
  const ofPerson = db.prepare<[number, string, string], TakenRow>(
    `${TAKE_TEXT} WHERE +channel = ? AND ${OF_ANY_CHUNK} AND user_id = ? AND text IS NOT NULL ${WHAT_IT_WAS}`,
  );
  const ofChannel = db.prepare<[number, string], TakenRow>(
    `${TAKE_TEXT} WHERE channel = ? AND text IS NOT NULL ${WHAT_IT_WAS}`,
  );
  const { withLogin } = accountStore(db);
  const take = (removal: Removal, atMs: number): TakenRow[] => {
    switch (removal.by) {
      case "message":
        return ofMessage.all(atMs, removal.messageId);
      case "channel":
        return ofChannel.all(atMs, removal.channel);
      case "person": {
        const { userId: id, login } = removal;
        const holders = id === null ? withLogin(login) : [{ userId: id }];
        return holders.flatMap(({ userId }) => ofPerson.all(atMs, removal.channel, userId));
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

export interface OwnSaid {
  readonly channel: string;
  readonly text: string;
  readonly messageId: string | null;
}

/** A function that takes what the bot itself said, by its words or its message id. */
export function ownTextRemover(db: Db): (said: readonly OwnSaid[], atMs: number) => void {
  // Left alone, SQLite goes through all that was said in the channel.
  const take = db.prepare<[number, string, string, string]>(
    `UPDATE events INDEXED BY events_own ${NO_TEXT} WHERE channel = ? AND kind = 'bot' AND text IS NOT NULL
       AND (text IN (SELECT value FROM json_each(?)) OR message_id IN (SELECT value FROM json_each(?)))`,
  );
  return (said, atMs) => {
    const texts = JSON.stringify(said.map(({ text }) => text));
    const ids = JSON.stringify(said.map(({ messageId }) => messageId));
    for (const channel of new Set(said.map((one) => one.channel))) {
      take.run(atMs, channel, texts, ids);
    }
  };
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

/** A function that takes what somebody said in chat, and who said it; the rows stay. Gives how many there were. */
export function eventForgetter(db: Db, now: () => number): (userId: string) => number {
  const take = db.prepare<[number, string]>(
    `UPDATE events SET text = NULL, message_id = NULL, parent_id = NULL, user_id = NULL, memorable = 0,
       removed_at = coalesce(removed_at, ?)
     WHERE id IN (SELECT id FROM events WHERE ${OF_ANY_CHUNK} AND user_id = ?)`,
  );
  return (userId) => take.run(now(), userId).changes;
}
