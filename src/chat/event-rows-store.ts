import { CLEANUP_WAIT_MS_MAX } from "../database/cleanup.ts";
import type { Db } from "../database/open-database.ts";
import { OF_ANY_CHUNK } from "./event-reads-store.ts";
import { prepareModerationMark, prepareMomentWrites } from "./moment-store.ts";
import type { ChatEvent, Spoken } from "./normalise.ts";
import type { Removal, RemovedText } from "./removal.ts";
import {
  openAccountStore,
  openViewerBuffer,
  type PeopleDue,
  type ViewerActivity,
} from "./viewer-store.ts";

/** A smaller difference is drift of the clock. */
const SET_BACK_MS = 60_000;

/** Removes expired texts and rows in slices. The caller chooses `limit`, and yields between two slices. */
export function prepareEventRetention(db: Db) {
  const expire = db.prepare<[number, number]>(
    `UPDATE events SET text = NULL WHERE id IN
       (SELECT id FROM events WHERE text IS NOT NULL AND expires_at <= ? ORDER BY expires_at LIMIT ?)`,
  );
  const cap = db.prepare<[number, number, number]>(
    `UPDATE events SET expires_at = ? WHERE id IN
       (SELECT id FROM events WHERE text IS NOT NULL AND expires_at > ? LIMIT ?)`,
  );
  const oldest = db.prepare<
    [number, number],
    { id: number; isOver: number; isUnsummarised: number }
  >(
    `SELECT id, expires_at <= ? AND text IS NULL AS isOver,
       memorable = 1 AND no_window = 0 AND removed_at IS NULL AND (episode_id IS NULL OR EXISTS
         (SELECT 1 FROM episodes e WHERE e.id = events.episode_id AND e.kind = 'gap')) AS isUnsummarised
     FROM events WHERE id > 0 ORDER BY id LIMIT ?`,
  );
  const remove = db.prepare<[number]>("DELETE FROM events WHERE id > 0 AND id <= ?");
  const prune = db.transaction((nowMs: number, limit: number) => {
    const rows = oldest.all(nowMs, limit);
    const firstKept = rows.findIndex(({ isOver }) => isOver === 0);
    const over = firstKept === -1 ? rows : rows.slice(0, firstKept);
    const last = over.at(-1);
    if (last !== undefined) remove.run(last.id);
    const unsummarised = over.filter(({ isUnsummarised }) => isUnsummarised === 1).length;
    return { pruned: over.length, unsummarised };
  });
  const newest = db
    .prepare<[], number>("SELECT created_at FROM events WHERE id > 0 ORDER BY id DESC LIMIT 1")
    .pluck();
  return {
    /** Brings forward at most `limit` ends of life that are later than `latestMs`: the clock was wrong. */
    capEnds: (latestMs: number, limit: number) => cap.run(latestMs, latestMs, limit).changes,
    /**
     * Moves all events back, at start, if the newest one is later than now: the clock was set back, and they would outlive
     * their time. Returns by how many ms; 0 if nothing moved.
     */
    realign: (nowMs: number): number => {
      const aheadMs = (newest.get() ?? nowMs) - nowMs;
      if (aheadMs < SET_BACK_MS) return 0;
      db.prepare("UPDATE events SET created_at = created_at - ?, expires_at = expires_at - ?").run(
        aheadMs,
        aheadMs,
      );
      return aheadMs;
    },
    /** Removes the texts of at most `limit` expired events. Returns how many. */
    expireTexts: (nowMs: number, limit: number) => expire.run(nowMs, limit).changes,
    /**
     * Deletes at most `limit` rows from the table's old end, up to the first one that has not expired or has a text. Never
     * from the middle: SQLite can leave a scattered row's bytes in a live page. `unsummarised` counts deleted events that
     * might have become memory.
     */
    pruneOldest: (nowMs: number, limit: number) => prune.immediate(nowMs, limit),
  };
}

/** An event that waits to be written; null for a removal without one. `id` and `text` change until then. */
export interface Pending {
  readonly event: ChatEvent | null;
  readonly toBot: boolean;
  readonly createdAtMs: number;
  /** The removal to apply when this is written. */
  readonly removal: Removal | null;
  /** Waiting events whose texts the removal removed: they are stored without a text. */
  readonly taken: Pending[];
  text: string | null;
  removedAtMs: number | null;
  id: number | null;
}

export interface BatchWritten {
  /** Messages that were already stored. */
  readonly duplicates: number;
  readonly removed: readonly RemovedText[];
}

export interface WriterOptions {
  /** The lifetime of a row in ms. */
  readonly expiryMs: number;
  /** Returns the stream_sessions id of the running stream, or null. */
  readonly streamOf: (channel: string) => number | null;
  /** Returns true if nothing this viewer writes may be stored. */
  readonly isOptedOut: (userId: string) => boolean;
}

const DAY_MS = 24 * 3_600_000;
/** The time between two removals of expired texts. */
export const SWEEP_EVERY_MS = 5 * 60_000;

/**
 * How long a text may stay in the database: a day minus one sweep interval and the longest wait for VACUUM, so that no
 * byte lives longer than promised.
 */
export const TEXT_LIFETIME_MS = DAY_MS - SWEEP_EVERY_MS - CLEANUP_WAIT_MS_MAX;

const EVENTS_A_CHUNK = 4_096;
/** The most events between a message and its repetition. Early in a chunk, the first one may be in the chunk before. */
const YOUNG_EVENTS = 1_024;

interface Batch {
  duplicates: number;
  readonly removed: RemovedText[];
  readonly moderated: { channel: string; userId: string; atMs: number }[];
  readonly sightings: Map<string, ViewerActivity>;
}

export type EventWriter = ReturnType<typeof openEventWriter>;

/** Opens the writer of event batches. Throws SQLite's errors; then nothing was written, and ids are null again. */
export function openEventWriter(db: Db, options: WriterOptions) {
  const { insert, begin } = prepareEventInsert(db, options.expiryMs);
  const remove = prepareTextRemoval(db);
  const viewers = openViewerBuffer(db);
  const moments = prepareMomentWrites(db);
  const markModerated = prepareModerationMark(db);
  const keepPerson = (event: Spoken, item: Pending, { sightings }: Batch): void => {
    recordSighting(sightings, event, item, options);
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
    else keepModerated(event, getModeratedId(event, removed), item, batch);
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
    /** True if such viewers wait to be written. */
    havePeople: (which: PeopleDue) => viewers.isDue(which, 0),
    /** Writes in order and in one transaction, with `which` of the waiting viewers. Gives each item its id. */
    write: (batch: readonly Pending[], which: PeopleDue): BatchWritten => {
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

/** Returns the viewer of a timeout, ban or deletion; null for other events, and if unknown. */
function getModeratedId(event: ChatEvent, removed: RemovedText | null): string | null {
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

function prepareEventInsert(db: Db, expiryMs: number) {
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
  const idOfStored = (messageId: string | null, replyId: number | null): number | null => {
    // Twitch may have shown the bot its own line first.
    if (replyId !== null) name.run(replyId, messageId ?? "");
    return idOf.get(messageId ?? "") ?? null;
  };
  /** Stores one event. Returns true if it is new. `targetId`: the viewer whose text a removal removed. */
  const store = (item: Pending, event: ChatEvent, targetId: string | null): boolean => {
    const columns = makeColumns(event, targetId);
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
      item.createdAtMs + expiryMs,
      item.removedAtMs,
      replyId,
    );
    item.id = changes === 1 ? Number(lastInsertRowid) : idOfStored(messageId, replyId);
    chunks.follow(item.id);
    return changes === 1;
  };
  // Call `begin` first in each transaction.
  return { begin: chunks.begin, insert: store };
}

/**
 * Returns a test of whether a message is in the previous chunk, since the unique index covers one chunk. The caller
 * runs `begin` first in each transaction.
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
    /** `id`: the event that was just stored or already there. */
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

/** Returns the columns of an event. `targetId`: the viewer whose text a removal removed. */
function makeColumns(event: ChatEvent, targetId: string | null) {
  const spoken = "person" in event ? event : null;
  const removedId = "userId" in event ? (event.userId ?? targetId) : targetId;
  return {
    userId: spoken?.person.userId ?? removedId,
    messageId: "messageId" in event ? event.messageId : null,
    parentId: spoken?.parent?.messageId ?? null,
    amount: "seconds" in event ? event.seconds : (spoken?.amount ?? null),
    sentAtMs: event.sentAtMs,
    memorable: spoken?.memorable ?? false,
    fillsNoWindow: spoken?.fillsNoWindow ?? false,
    replyId: spoken?.replyId ?? null,
  };
}

const WORDS: ReadonlySet<string> = new Set(["message", "action", "cheer", "announcement"]);

function recordSighting(
  sightings: Map<string, ViewerActivity>,
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

/** Returns a function that removes the texts of a removal, stored or waiting. */
function prepareTextRemoval(db: Db): (removal: Removal, item: Pending) => RemovedText {
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
  const { withLogin } = openAccountStore(db);
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
    const rows = [...item.taken.flatMap(toTakenRows), ...take(removal, item.createdAtMs)];
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

/** Returns a function that removes the bot's own texts, by words or message id. */
export function prepareOwnTextRemoval(db: Db): (said: readonly OwnSaid[], atMs: number) => void {
  // Without a hint SQLite reads all messages of the channel.
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

function toTakenRows({ id, event }: Pending): TakenRow[] {
  if (id === null || event === null || !("person" in event)) return [];
  return [{ id, messageId: event.messageId, userId: event.person.userId }];
}

interface TakenRow {
  readonly id: number;
  readonly messageId: string | null;
  readonly userId: string | null;
}

/** Returns a function that removes a viewer's texts and ids from events. The rows stay. Returns how many. */
export function prepareEventForget(db: Db, now: () => number): (userId: string) => number {
  const take = db.prepare<[number, string]>(
    `UPDATE events SET text = NULL, message_id = NULL, parent_id = NULL, user_id = NULL, memorable = 0,
       removed_at = coalesce(removed_at, ?)
     WHERE id IN (SELECT id FROM events WHERE ${OF_ANY_CHUNK} AND user_id = ?)`,
  );
  return (userId) => take.run(now(), userId).changes;
}
