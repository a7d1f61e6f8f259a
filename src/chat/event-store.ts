import { BoundedMap } from "../bounded-map.ts";
import type { Db } from "../database/open-database.ts";
import { prepareStatements } from "../database/statements.ts";
import { copyString } from "../language/clean.ts";
import {
  type ChatQuery,
  type EventReads,
  OF_MESSAGE,
  type PromptLine,
  prepareEventLookups,
  prepareEventReads,
  type StoredLine,
} from "./event-reads-store.ts";
import {
  EventRetention,
  type OwnSaid,
  type Pending,
  prepareOwnTextRemoval,
  prepareTextRemoval,
} from "./event-removal-store.ts";
import { MomentStore } from "./moment-store.ts";
import {
  type ChatEvent,
  concernsEvent,
  type Removal,
  type RemovedText,
  type Spoken,
} from "./normalise.ts";
import {
  type PeopleDue,
  prepareModerationMark,
  SIGHTINGS_LAG_MS,
  type ViewerActivity,
  ViewerBuffer,
} from "./viewer-store.ts";

/** An added event. Its id is null until it is written; `EventStore.flush` writes it. */
interface AddedEvent {
  readonly event: ChatEvent | null;
  readonly createdAtMs: number;
  readonly id: number | null;
}

export interface EventStoreOptions {
  readonly now: () => number;
  /** The lifetime of an event in ms: the configured hours minus one sweep interval. */
  readonly expiryMs: number;
  /** The longest an event waits for its batch. */
  readonly flushMs?: number;
  /** The number of waiting events that are written at once. */
  readonly flushRows?: number;
  /** Returns the stream_sessions id of the running stream, or null. */
  readonly streamOf?: (channel: string) => number | null;
  /** Returns true if nothing this viewer writes may be stored. Their text never reaches the database. */
  readonly isOptedOut?: (userId: string) => boolean;
  /** Called after a commit: each event has its id. */
  readonly onFlushed?: (events: readonly AddedEvent[]) => void;
  /** Called once texts are removed, and once before, without events, if the database could not remove them yet. */
  readonly onRemoved?: (removed: RemovedText) => void;
  /** Called if the database is busy or full: everything stays buffered and is tried again. */
  readonly onError?: (cause: unknown) => void;
}

const FLUSH_MS = 1_000;
const FLUSH_ROWS = 64;
const DELETED_IDS_MAX = 1_000;
const BUFFERED_MAX = 50_000;
/** The number of oldest items that a full buffer drops. Dropping one at a time would copy the buffer each time. */
const DROPPED_AT_ONCE = 500;
/** The most items of one batch: a commit costs more than a row. */
const BATCH_ROWS_MAX = 1_000;
const RETRY_MS = 500;
/** SQLite's codes for a row that it will never accept. */
const HOPELESS = /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|RANGE)/;

/**
 * Stores raw chat: buffers events, writes them in batches, and removes them. A busy or full database delays writes.
 * Nothing is lost until the buffer is full. Every read includes the events that were added before it.
 */
export class EventStore {
  readonly retention: EventRetention;
  readonly #db: Db;
  readonly #options: EventStoreOptions;
  readonly #isOptedOut: (userId: string) => boolean;
  readonly #writer: EventWriter;
  readonly #reads: EventReads;
  readonly #removeOwnTexts: (said: readonly OwnSaid[], atMs: number) => void;
  readonly #lastMessageId: ReturnType<typeof prepareEventLookups>["lastMessageId"];
  readonly #pace = createPaceCounter();
  /** A deletion may overtake its message. */
  readonly #deleted = new BoundedMap<string, true>(DELETED_IDS_MAX);
  #items: Pending[] = [];
  #timer: NodeJS.Timeout | undefined;
  #viewersTimer: NodeJS.Timeout | undefined;
  #retryAtMs = Number.NEGATIVE_INFINITY;
  /** The number of items to write one by one, since a batch of them failed. */
  #singles = 0;
  readonly #counts = { dropped: 0, duplicates: 0, rejected: 0 };

  constructor(db: Db, options: EventStoreOptions) {
    this.#db = db;
    this.#options = options;
    this.#isOptedOut = options.isOptedOut ?? (() => false);
    this.#writer = openEventWriter(db, options);
    this.#reads = prepareEventReads(db);
    this.#removeOwnTexts = prepareOwnTextRemoval(db);
    this.#lastMessageId = prepareEventLookups(db).lastMessageId;
    this.retention = new EventRetention(db);
  }

  /** Adds an event, in order of arrival. Writes at once if it removes texts. */
  add(event: ChatEvent, toBot = false): AddedEvent {
    const item = this.#makePending(event, findRemoval(event), toBot);
    if (event.kind === "deletion") this.#noteDeleted(event.messageId);
    if ("person" in event) this.#prepare(item, event);
    this.#push(item);
    return item;
  }

  /** Removes the texts of a removal: waiting ones at once, stored ones as soon as the database takes it. */
  remove(removal: Removal): void {
    if (removal.by === "message") this.#noteDeleted(removal.messageId);
    this.#push(this.#makePending(null, removal, false));
  }

  /** Removes the bot's own texts. Throws if the database cannot do that now. */
  removeOwn(said: readonly OwnSaid[]): void {
    for (const { messageId } of said) if (messageId !== null) this.#noteDeleted(messageId);
    if (!this.flush()) throw new Error("the bot's own events wait to be written");
    this.#removeOwnTexts(said, this.#options.now());
  }

  recentChat(channel: string, limit: number): StoredLine[] {
    return this.#read(() => this.#reads.recentChat(channel, limit));
  }

  aroundIn(query: ChatQuery): PromptLine[] {
    return this.#read(() => this.#reads.aroundIn(query));
  }

  byReply(replyId: number): PromptLine | null {
    return this.#readOne(() => this.#reads.byReply(replyId));
  }

  botRecent(channel: string, limit: number, beforeId: number): PromptLine[] {
    return this.#read(() => this.#reads.botRecent(channel, limit, beforeId));
  }

  ownRecent(channel: string, userId: string, limit: number, beforeId?: number): StoredLine[] {
    return this.#read(() => this.#reads.ownRecent(channel, userId, limit, beforeId));
  }

  byMessageId(messageId: string): StoredLine | null {
    return this.#readOne(() => this.#reads.byMessageId(messageId));
  }

  /**
   * Returns the message id of a viewer's last message before an event that Twitch can still delete; null if there is
   * none.
   */
  lastMessageId(channel: string, userId: string, beforeEventId: number | null): string | null {
    this.flush();
    const before = beforeEventId ?? Number.MAX_SAFE_INTEGER;
    return this.#lastMessageId(channel, userId, this.#options.now(), before);
  }

  /** Counts viewers' messages in the last `windowMs`, at most ten minutes. Begins at 0 with the process. */
  pace(channel: string, windowMs: number): number {
    return this.#pace.count(channel, windowMs, this.#options.now());
  }

  /** Counts since the process began: not yet written, lost to a full buffer, seen before, refused by the database. */
  counts() {
    return { buffered: this.#items.length, ...this.#counts };
  }

  /** Counts messages that wait to be written or were lost to a full buffer. */
  unwritten(): number {
    return this.#items.length + this.#counts.dropped - this.#removalsWaiting().length;
  }

  /** Writes all buffered events. Returns false if the database did not take them, or a transaction is open on it. */
  flush = (): boolean => this.#flush("all") && this.#settle("all");

  /**
   * Writes messages and new viewers: a message is read with its writer's name. Counts of known viewers wait. Returns
   * false if the database did not take them.
   */
  flushLines = (): boolean => this.#flush("newcomers") && this.#settle("newcomers");

  /** Writes the rest and stops. Returns false if the rest could not be written. */
  close(): boolean {
    clearTimeout(this.#timer);
    clearTimeout(this.#viewersTimer);
    const isWritten = this.#items.length === 0 || (!this.#db.inTransaction && this.#drain("all"));
    return isWritten && this.#settle("all");
  }

  #noteDeleted(messageId: string): void {
    this.#deleted.set(copyString(messageId), true);
  }

  #makePending(event: ChatEvent | null, removal: Removal | null, toBot: boolean): Pending {
    const text = event !== null && "person" in event && event.text !== "" ? event.text : null;
    const createdAtMs = this.#options.now();
    return { event, toBot, createdAtMs, removal, taken: [], text, removedAtMs: null, id: null };
  }

  #prepare(item: Pending, event: Spoken): void {
    if (event.memorable) this.#pace.note(event.channel, item.createdAtMs);
    if (this.#isOptedOut(event.person.userId)) item.text = null;
    if (event.messageId === null || !this.#deleted.get(event.messageId)) return;
    item.text = null;
    item.removedAtMs = item.createdAtMs;
  }

  /** Adds an item; a full buffer drops its oldest ones. A removal removes waiting texts, and is written at once. */
  #push(item: Pending): void {
    const { removal } = item;
    const { flushMs = FLUSH_MS, flushRows = FLUSH_ROWS, onRemoved } = this.#options;
    if (removal !== null) removeBuffered(this.#items, item, removal);
    this.#items.push(item);
    if (this.#items.length > BUFFERED_MAX) this.#dropOldest();
    const isUrgent = removal !== null || this.#items.length >= BATCH_ROWS_MAX;
    if (isUrgent && this.#flush("due")) return;
    if (removal !== null) onRemoved?.(describeRemoval(removal));
    if (this.#items.length === flushRows) setImmediate(() => this.#flush("due"));
    this.#schedule(flushMs);
  }

  /** Drops the 500 oldest items, but no removals. */
  #dropOldest(): void {
    let passed = 0;
    const kept = this.#items.filter(({ removal }) => {
      if (removal === null) passed += 1;
      return removal !== null || passed > DROPPED_AT_ONCE;
    });
    this.#counts.dropped += this.#items.length - kept.length;
    this.#items = kept;
  }

  #schedule(delayMs: number): void {
    const { flushMs = FLUSH_MS } = this.#options;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (!this.#flush("due")) this.#schedule(Math.max(flushMs, RETRY_MS));
    }, delayMs).unref();
  }

  /** Writes waiting items, with `people` of the waiting viewers. Returns false if items are left. */
  #flush(people: PeopleDue): boolean {
    if (this.#items.length === 0) return true;
    if (this.#db.inTransaction || this.#options.now() < this.#retryAtMs) return false;
    return this.#drain(people);
  }

  #drain(people: PeopleDue): boolean {
    while (this.#items.length > 0) if (!this.#writeSome(people)) return false;
    return true;
  }

  /**
   * Writes the oldest items. Drops a row that SQLite will never take. Returns false if the database took nothing now.
   */
  #writeSome(people: PeopleDue): boolean {
    const { onFlushed, onRemoved } = this.#options;
    const batch = this.#items.slice(0, this.#singles > 0 ? 1 : BATCH_ROWS_MAX);
    this.#singles = Math.max(0, this.#singles - 1);
    let written: BatchWritten;
    try {
      written = this.#writer.write(batch, people);
    } catch (cause) {
      return this.#passFailure(batch, cause);
    }
    this.#items = this.#items.slice(batch.length);
    this.#retryAtMs = Number.NEGATIVE_INFINITY;
    this.#counts.duplicates += written.duplicates;
    // The buffer is consistent again: a callback may add, read or flush.
    this.#scheduleViewers();
    onFlushed?.(batch);
    for (const removed of written.removed) onRemoved?.(removed);
    return true;
  }

  /**
   * Handles a failed write. Returns true if writing may go on: one row at a time to find a row that SQLite will never
   * take, or after that row was dropped. Else writing pauses for half a second.
   */
  #passFailure(batch: readonly Pending[], cause: unknown): boolean {
    const isHopeless =
      cause instanceof TypeError ||
      cause instanceof RangeError ||
      (cause instanceof Error && "code" in cause && HOPELESS.test(String(cause.code)));
    if (isHopeless && batch.length > 1) {
      this.#singles = batch.length;
      return true;
    }
    if (isHopeless) {
      this.#items = this.#items.slice(1);
      this.#counts.rejected += 1;
    } else this.#retryAtMs = this.#options.now() + RETRY_MS;
    this.#options.onError?.(cause);
    return isHopeless;
  }

  /** Writes waiting viewers, who wait longer than their messages. Returns false if the database failed. */
  #settle(people: PeopleDue): boolean {
    try {
      const isDue = this.#writer.havePeople(people) && !this.#db.inTransaction;
      if (isDue) this.#writer.write([], people);
      return true;
    } catch (cause) {
      this.#options.onError?.(cause);
      return false;
    }
  }

  /** Plans the writing of waiting viewers: without new messages no batch would write them. */
  #scheduleViewers(): void {
    if (!this.#writer.havePeople("all")) return;
    this.#viewersTimer ??= setTimeout(() => {
      this.#viewersTimer = undefined;
      if (this.#items.length === 0) this.#settle("all");
    }, SIGHTINGS_LAG_MS).unref();
  }

  /** Removals that are not written yet. */
  #removalsWaiting(): readonly Removal[] {
    return this.#items.flatMap(({ removal }) => removal ?? []);
  }

  /** Writes waiting messages, then reads. Leaves out messages of removals that the database has not taken yet. */
  #read<Line extends StoredLine>(read: () => Line[]): Line[] {
    this.flushLines();
    const removals = this.#removalsWaiting();
    return read().filter((line) => !removals.some((removal) => concernsEvent(removal, line)));
  }

  #readOne<Line extends StoredLine>(read: () => Line | null): Line | null {
    return this.#read(() => [read()].filter((line) => line !== null))[0] ?? null;
  }
}

function findRemoval(event: ChatEvent): Removal | null {
  switch (event.kind) {
    case "deletion":
      return { by: "message", messageId: event.messageId };
    case "clear":
      return { by: "channel", channel: event.channel };
    case "timeout":
    case "ban":
      return { by: "person", channel: event.channel, userId: event.userId, login: event.login };
    default:
      return null;
  }
}

/** Removes the waiting texts of a removal, which so never reach the disk. Adds their items to `remover.taken`. */
function removeBuffered(items: readonly Pending[], remover: Pending, removal: Removal): void {
  for (const item of items) {
    const { event } = item;
    if (item.text === null || event === null || !("person" in event)) continue;
    const { channel, messageId, person } = event;
    if (!concernsEvent(removal, { channel, messageId, userId: person.userId, login: person.login }))
      continue;
    item.text = null;
    item.removedAtMs = remover.createdAtMs;
    remover.taken.push(item);
  }
}

/** Describes a removal that is not written yet, so without its events. */
function describeRemoval(removal: Removal): RemovedText {
  return {
    removal,
    userId: removal.by === "person" ? removal.userId : null,
    messageIds: removal.by === "message" ? [removal.messageId] : [],
    eventIds: [],
  };
}

const SECONDS_KEPT = 600;

/** Counts messages by channel and second, for the last ten minutes. */
function createPaceCounter() {
  const channels = new Map<string, BoundedMap<number, number>>();
  return {
    note: (channel: string, nowMs: number): void => {
      const counts = channels.get(channel) ?? new BoundedMap<number, number>(SECONDS_KEPT);
      const second = Math.floor(nowMs / 1_000);
      counts.set(second, (counts.get(second) ?? 0) + 1);
      channels.set(channel, counts);
    },
    count: (channel: string, windowMs: number, nowMs: number): number => {
      const counts = channels.get(channel);
      const last = Math.floor(nowMs / 1_000);
      const first = last - Math.min(SECONDS_KEPT, Math.ceil(windowMs / 1_000)) + 1;
      let total = 0;
      for (let second = first; second <= last; second += 1) total += counts?.get(second) ?? 0;
      return total;
    },
  };
}

interface BatchWritten {
  /** Messages that were already stored. */
  readonly duplicates: number;
  readonly removed: readonly RemovedText[];
}

interface Batch {
  duplicates: number;
  readonly removed: RemovedText[];
  readonly moderated: { channel: string; userId: string; atMs: number }[];
  readonly sightings: Map<string, ViewerActivity>;
}

/** Kinds of events that count as a message of their viewer. */
const WORDS: ReadonlySet<string> = new Set(["message", "action", "cheer", "announcement"]);

type EventWriter = ReturnType<typeof openEventWriter>;

/** Opens the writer of event batches. Throws SQLite's errors; then the batch is not written, and ids are null again. */
function openEventWriter(db: Db, options: EventStoreOptions) {
  const { expiryMs, streamOf = () => null, isOptedOut = () => false } = options;
  const { insert, begin } = prepareEventInsert(db, expiryMs);
  const remove = prepareTextRemoval(db);
  const viewers = new ViewerBuffer(db);
  const moments = new MomentStore(db);
  const markModerated = prepareModerationMark(db);
  /** Notes the viewer of a new event: as its writer, or as the target of a moderator. */
  const noteViewer = (event: ChatEvent, targetId: string | null, atMs: number, batch: Batch) => {
    const { channel, kind } = event;
    if ("person" in event) {
      if (event.isBotItself || isOptedOut(event.person.userId)) return;
      recordSighting(batch.sightings, event, atMs, streamOf);
      moments.add(event, streamOf(channel), atMs);
      return;
    }
    const userId = "userId" in event ? (event.userId ?? targetId) : targetId;
    if (userId === null) return;
    batch.moderated.push({ channel, userId, atMs });
    if (kind === "ban") moments.removeIn(channel, userId);
  };
  const writeItem = (item: Pending, batch: Batch): void => {
    const { event, removal, createdAtMs } = item;
    const removed = removal === null ? null : remove(removal, item);
    if (removed !== null) batch.removed.push(removed);
    if (event === null) return;
    const targetId = removed?.userId ?? null;
    if (insert(item, event, targetId)) noteViewer(event, targetId, createdAtMs, batch);
    else batch.duplicates += 1;
  };
  const write = db.transaction((items: readonly Pending[], which: PeopleDue): BatchWritten => {
    const batch: Batch = { duplicates: 0, removed: [], moderated: [], sightings: new Map() };
    begin();
    for (const item of items) writeItem(item, batch);
    for (const sighting of batch.sightings.values()) viewers.add(sighting);
    const isNeeded = which === "due" && batch.moderated.length > 0;
    viewers.settle(isNeeded ? "newcomers" : which, items.at(-1)?.createdAtMs ?? 0);
    for (const { channel, userId, atMs } of batch.moderated) markModerated(channel, userId, atMs);
    return batch;
  });
  return {
    /** Returns true if such viewers wait to be written. */
    havePeople: (which: PeopleDue) => viewers.isDue(which),
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

function recordSighting(
  sightings: Map<string, ViewerActivity>,
  { channel, kind, person }: Spoken,
  atMs: number,
  streamOf: (channel: string) => number | null,
): void {
  const key = `${channel} ${person.userId}`;
  const { firstAtMs = atMs, messageCount = 0, streamId } = sightings.get(key) ?? {};
  sightings.set(key, {
    ...{ channel, person, firstAtMs, lastAtMs: atMs },
    messageCount: messageCount + Number(WORDS.has(kind)),
    streamId: streamId === undefined ? streamOf(channel) : streamId,
  });
}

const EVENTS_A_CHUNK = 4_096;
/** The most events between a message and its repetition. Early in a chunk, the first one may be in the chunk before. */
const YOUNG_EVENTS = 1_024;

/** Prepares the insert of one event. Call `begin` first in each transaction. */
function prepareEventInsert(db: Db, expiryMs: number) {
  const sql = prepareStatements(db);
  const insertRow = db.prepare<(string | number | null)[]>(
    `INSERT INTO events (channel, kind, user_id, message_id, parent_id, text, to_bot, memorable, no_window, amount,
       sent_at, created_at, expires_at, removed_at, reply_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const newestId = sql.value<[], number>("SELECT max(id) FROM events");
  const idInChunk = sql.value<[chunk: number, messageId: string], number>(
    "SELECT id FROM events WHERE id >> 12 = ? AND message_id = ? AND message_id IS NOT NULL AND kind <> 'deletion'",
  );
  const idOf = sql.value<[string], number>(`SELECT id FROM events WHERE ${OF_MESSAGE}`);
  const setReply = sql.run<[number, string]>(
    `UPDATE events SET reply_id = ? WHERE ${OF_MESSAGE} AND kind = 'bot'`,
  );
  let lastId = 0;
  /**
   * Returns true if a message is in the previous chunk: the unique index covers one chunk. Late in a chunk it does not
   * look, since repetitions come soon.
   */
  const isInChunkBefore = (messageId: string | null): boolean => {
    const nextId = lastId + 1;
    if (messageId === null || nextId % EVENTS_A_CHUNK >= YOUNG_EVENTS) return false;
    return idInChunk(Math.floor(nextId / EVENTS_A_CHUNK) - 1, messageId) !== null;
  };
  return {
    begin: (): void => {
      lastId = newestId() ?? 0;
    },
    /**
     * Stores one event, and sets its id. Returns true if it is new; a repeated one gets the id of the stored one.
     * `targetId`: the viewer whose text a removal removed.
     */
    insert: (item: Pending, event: ChatEvent, targetId: string | null): boolean => {
      const { userId, messageId, parentId, amount, replyId, ...flags } = readColumns(
        event,
        targetId,
      );
      const isRepeated = event.kind !== "deletion" && isInChunkBefore(messageId);
      const { changes, lastInsertRowid } = isRepeated
        ? { changes: 0, lastInsertRowid: 0 }
        : insertRow.run(
            ...[event.channel, event.kind, userId, messageId, parentId, item.text],
            Number(item.toBot),
            Number(flags.memorable && item.text !== null),
            Number(flags.fillsNoWindow),
            ...[amount, event.sentAtMs, item.createdAtMs, item.createdAtMs + expiryMs],
            ...[item.removedAtMs, replyId],
          );
      if (changes === 1) item.id = Number(lastInsertRowid);
      else {
        // Twitch may have shown the bot its own line first.
        if (replyId !== null) setReply(replyId, messageId ?? "");
        item.id = idOf(messageId ?? "");
      }
      lastId = Math.max(lastId, item.id ?? 0);
      return changes === 1;
    },
  };
}

/** Returns the values of an event's row. `targetId`: the viewer whose text a removal removed. */
function readColumns(event: ChatEvent, targetId: string | null) {
  if ("person" in event) {
    const { person, messageId, parent, amount, replyId = null, memorable } = event;
    const parentId = parent?.messageId ?? null;
    const fillsNoWindow = event.fillsNoWindow ?? false;
    return {
      userId: person.userId,
      messageId,
      parentId,
      amount,
      replyId,
      memorable,
      fillsNoWindow,
    };
  }
  return {
    userId: "userId" in event ? (event.userId ?? targetId) : targetId,
    messageId: "messageId" in event ? event.messageId : null,
    amount: "seconds" in event ? event.seconds : null,
    ...{ parentId: null, replyId: null, memorable: false, fillsNoWindow: false },
  };
}
