import { BoundedMap } from "../bounded-map.ts";
import type { Db } from "../database/open-database.ts";
import { prepareStatements } from "../database/statements.ts";
import { copyString } from "../language/clean.ts";
import { EventLookups, EventReads, OF_MESSAGE, type StoredLine } from "./event-reads-store.ts";
import {
  EventRetention,
  type OwnSaid,
  type Pending,
  prepareOwnTextRemoval,
  TextRemover,
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
  /** Returns the stream_sessions id of the running stream, or null. */
  readonly streamOf?: (channel: string) => number | null;
  /** Returns true if nothing this viewer writes may be stored. Their text never reaches the database. */
  readonly isOptedOut?: (userId: string) => boolean;
  /** Called after a commit: each event has its id. */
  readonly onFlushed?: (events: readonly AddedEvent[]) => void;
  /** Called once texts are removed, and once before, without event ids, if the database could not remove them yet. */
  readonly onRemoved?: (removed: RemovedText) => void;
  /** Called if the database is busy or full: everything stays buffered and is tried again. */
  readonly onError?: (cause: unknown) => void;
}

const FLUSH_MS = 1_000;
/** The number of waiting events that are written at once, so that a killed program loses no more. */
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
 * A full buffer drops its oldest events. Every read first tries to write the events that were added before it.
 */
export class EventStore extends EventReads {
  readonly retention: EventRetention;
  readonly #db: Db;
  readonly #options: EventStoreOptions;
  readonly #isOptedOut: (userId: string) => boolean;
  readonly #writer: EventWriter;
  readonly #lookups: EventLookups;
  readonly #removeOwnTexts: (said: readonly OwnSaid[], atMs: number) => void;
  readonly #pace = new PaceCounter();
  /** A deletion may overtake its message. */
  readonly #deleted = new BoundedMap<string, true>(DELETED_IDS_MAX);
  #items: Pending[] = [];
  #timer: NodeJS.Timeout | undefined;
  #viewersTimer: NodeJS.Timeout | undefined;
  #retryAtMs = Number.NEGATIVE_INFINITY;
  /** The number of items to write one by one, since a batch of them failed. */
  #singles = 0;
  /** Events that a full buffer dropped. */
  #dropped = 0;

  constructor(db: Db, options: EventStoreOptions) {
    super(db);
    this.#db = db;
    this.#options = options;
    this.#isOptedOut = options.isOptedOut ?? (() => false);
    this.#writer = new EventWriter(db, options);
    this.#lookups = new EventLookups(db);
    this.#removeOwnTexts = prepareOwnTextRemoval(db);
    this.retention = new EventRetention(db);
  }

  /**
   * Adds an event, in order of arrival, and returns it; its id is null until it is written. Writes at once if it
   * removes texts. An opted-out viewer's event, and one whose deletion came first, is stored without its text. `toBot`:
   * it is addressed to the bot.
   */
  add(event: ChatEvent, toBot = false): AddedEvent {
    const item = this.#makePending(event, findRemoval(event), toBot);
    if (event.kind === "deletion") this.#noteDeleted(event.messageId);
    if ("person" in event) this.#countAndClearText(item, event);
    this.#push(item);
    return item;
  }

  /** Removes the texts of a removal: waiting ones at once, stored ones as soon as the database takes it. */
  remove(removal: Removal): void {
    if (removal.by === "message") this.#noteDeleted(removal.messageId);
    this.#push(this.#makePending(null, removal, false));
  }

  /** Removes stored texts of the bot, by id or whole text. Throws if the database cannot do that now. */
  removeOwn(said: readonly OwnSaid[]): void {
    for (const { messageId } of said) if (messageId !== null) this.#noteDeleted(messageId);
    if (!this.flush()) throw new Error("the bot's own events wait to be written");
    this.#removeOwnTexts(said, this.#options.now());
  }

  /** Tries to write the buffered events, then reads like `EventLookups.lastDeletableId`, as of now. */
  lastDeletableId(channel: string, userId: string, beforeEventId: number | null): string | null {
    this.flush();
    return this.#lookups.lastDeletableId(channel, userId, this.#options.now(), beforeEventId);
  }

  /**
   * Counts a channel's messages in the last `windowMs`, at most ten minutes, without those of bots. Begins at 0 with
   * the process.
   */
  pace(channel: string, windowMs: number): number {
    return this.#pace.count(channel, windowMs, this.#options.now());
  }

  /** Counts events that wait to be written or were lost to a full buffer. Removals do not count. */
  unwritten(): number {
    return this.#items.length + this.#dropped - this.#removalsWaiting().length;
  }

  /** Writes all buffered events. Returns false if the database did not take them, or a transaction is open on it. */
  flush = (): boolean => this.#flush("all") && this.#writeViewers("all");

  /**
   * Writes messages and new viewers: a message is read with its writer's name. Counts of known viewers wait. Returns
   * false if the database did not take them.
   */
  flushLines = (): boolean => this.#flush("newcomers") && this.#writeViewers("newcomers");

  /** Writes the rest and stops. Returns false if the rest could not be written. */
  close(): boolean {
    clearTimeout(this.#timer);
    clearTimeout(this.#viewersTimer);
    const isWritten = this.#items.length === 0 || (!this.#db.inTransaction && this.#drain("all"));
    return isWritten && this.#writeViewers("all");
  }

  #noteDeleted(messageId: string): void {
    this.#deleted.set(copyString(messageId), true);
  }

  #makePending(event: ChatEvent | null, removal: Removal | null, toBot: boolean): Pending {
    const text = event !== null && "person" in event && event.text !== "" ? event.text : null;
    const createdAtMs = this.#options.now();
    return { event, toBot, createdAtMs, removal, taken: [], text, removedAtMs: null, id: null };
  }

  /** Counts the event for `pace`. Removes the item's text if the viewer opted out, or if its deletion came first. */
  #countAndClearText(item: Pending, event: Spoken): void {
    if (event.memorable) this.#pace.note(event.channel, item.createdAtMs);
    if (this.#isOptedOut(event.person.userId)) item.text = null;
    if (event.messageId === null || !this.#deleted.get(event.messageId)) return;
    item.text = null;
    item.removedAtMs = item.createdAtMs;
  }

  /**
   * Adds an item; a full buffer drops its oldest ones. A removal removes waiting texts, and is written at once. If that
   * fails, calls `onRemoved` without event ids, and writes it later.
   */
  #push(item: Pending): void {
    const { removal } = item;
    const { flushMs = FLUSH_MS, onRemoved } = this.#options;
    if (removal !== null) removeBuffered(this.#items, item, removal);
    this.#items.push(item);
    if (this.#items.length > BUFFERED_MAX) this.#dropOldest();
    if (removal !== null) {
      if (this.#flush("due")) return;
      onRemoved?.(describeRemoval(removal));
    }
    if (this.#items.length === FLUSH_ROWS) setImmediate(() => this.#flush("due"));
    this.#scheduleFlush(flushMs);
  }

  /** Drops the 500 oldest items that hold no removal. */
  #dropOldest(): void {
    let passed = 0;
    const kept = this.#items.filter(({ removal }) => {
      if (removal === null) passed += 1;
      return removal !== null || passed > DROPPED_AT_ONCE;
    });
    this.#dropped += this.#items.length - kept.length;
    this.#items = kept;
  }

  /** Plans a flush, unless one is planned. A flush that fails plans the next one. */
  #scheduleFlush(delayMs: number): void {
    const { flushMs = FLUSH_MS } = this.#options;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (!this.#flush("due")) this.#scheduleFlush(Math.max(flushMs, RETRY_MS));
    }, delayMs).unref();
  }

  /**
   * Writes waiting items, and with them the viewers that `people` names. Without items it writes no viewers. Returns
   * false if items are left: in a transaction, for half a second after a failure, or if the database fails.
   */
  #flush(people: PeopleDue): boolean {
    if (this.#items.length === 0) return true;
    if (this.#db.inTransaction || this.#options.now() < this.#retryAtMs) return false;
    return this.#drain(people);
  }

  /** Writes all waiting items, also right after a failure. Returns false if the database fails. */
  #drain(people: PeopleDue): boolean {
    while (this.#items.length > 0) if (!this.#writeSome(people)) return false;
    return true;
  }

  /**
   * Writes up to a thousand of the oldest items, or drops a row that SQLite will never take. Returns true if the caller
   * may go on with the rest.
   */
  #writeSome(people: PeopleDue): boolean {
    const { onFlushed, onRemoved } = this.#options;
    const batch = this.#items.slice(0, this.#singles > 0 ? 1 : BATCH_ROWS_MAX);
    this.#singles = Math.max(0, this.#singles - 1);
    let removals: readonly RemovedText[];
    try {
      removals = this.#writer.write(batch, people);
    } catch (cause) {
      return this.#passFailure(batch, cause);
    }
    this.#items = this.#items.slice(batch.length);
    this.#retryAtMs = Number.NEGATIVE_INFINITY;
    // The buffer is consistent again: a callback may add, read or flush.
    this.#scheduleViewers();
    onFlushed?.(batch);
    for (const removed of removals) onRemoved?.(removed);
    return true;
  }

  /**
   * Handles a failed write. If SQLite will never take a row of the batch, the next writes have one row each. Such a row
   * alone is dropped. Returns true in both cases: writing may go on. Else starts a pause of half a second.
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
    if (isHopeless) this.#items = this.#items.slice(1);
    else this.#retryAtMs = this.#options.now() + RETRY_MS;
    this.#options.onError?.(cause);
    return isHopeless;
  }

  /**
   * Writes the waiting viewers that `people` names: they wait longer than their messages. Does nothing in a
   * transaction. Returns false only if the database failed.
   */
  #writeViewers(people: PeopleDue): boolean {
    try {
      const isDue = this.#writer.hasViewers(people) && !this.#db.inTransaction;
      if (isDue) this.#writer.write([], people);
      return true;
    } catch (cause) {
      this.#options.onError?.(cause);
      return false;
    }
  }

  /** Plans the writing of waiting viewers: without new messages no batch would write them. */
  #scheduleViewers(): void {
    if (!this.#writer.hasViewers("all")) return;
    this.#viewersTimer ??= setTimeout(() => {
      this.#viewersTimer = undefined;
      if (this.#items.length === 0) this.#writeViewers("all");
    }, SIGHTINGS_LAG_MS).unref();
  }

  /** Removals that are not written yet. */
  #removalsWaiting(): readonly Removal[] {
    return this.#items.flatMap(({ removal }) => removal ?? []);
  }

  /** Writes waiting messages, then reads. Leaves out messages of removals that the database has not taken yet. */
  protected override read<Line extends StoredLine>(find: () => Line[]): Line[] {
    this.flushLines();
    const removals = this.#removalsWaiting();
    return find().filter((line) => !removals.some((removal) => concernsEvent(removal, line)));
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
class PaceCounter {
  readonly #channels = new Map<string, BoundedMap<number, number>>();

  note(channel: string, nowMs: number): void {
    const counts = this.#channels.get(channel) ?? new BoundedMap<number, number>(SECONDS_KEPT);
    const second = Math.floor(nowMs / 1_000);
    counts.set(second, (counts.get(second) ?? 0) + 1);
    this.#channels.set(channel, counts);
  }

  count(channel: string, windowMs: number, nowMs: number): number {
    const counts = this.#channels.get(channel);
    const last = Math.floor(nowMs / 1_000);
    const first = last - Math.min(SECONDS_KEPT, Math.ceil(windowMs / 1_000)) + 1;
    let total = 0;
    for (let second = first; second <= last; second += 1) total += counts?.get(second) ?? 0;
    return total;
  }
}

interface Batch {
  readonly removals: RemovedText[];
  readonly moderated: { channel: string; userId: string; atMs: number }[];
  readonly sightings: Map<string, ViewerActivity>;
}

/** Kinds of events that count as a message of their viewer. */
const WORDS: ReadonlySet<string> = new Set(["message", "action", "cheer", "announcement"]);

/** Writes batches of events, with their viewers and moments. */
class EventWriter {
  readonly #insert: (item: Pending, event: ChatEvent, targetId: string | null) => boolean;
  readonly #texts: TextRemover;
  readonly #viewers: ViewerBuffer;
  readonly #moments: MomentStore;
  readonly #markModerated: ReturnType<typeof prepareModerationMark>;
  readonly #streamOf: (channel: string) => number | null;
  readonly #isOptedOut: (userId: string) => boolean;
  readonly #transaction;

  constructor(db: Db, options: EventStoreOptions) {
    this.#insert = prepareEventInsert(db, options.expiryMs);
    this.#texts = new TextRemover(db);
    this.#viewers = new ViewerBuffer(db);
    this.#moments = new MomentStore(db);
    this.#markModerated = prepareModerationMark(db);
    this.#streamOf = options.streamOf ?? (() => null);
    this.#isOptedOut = options.isOptedOut ?? (() => false);
    this.#transaction = db.transaction((items: readonly Pending[], people: PeopleDue) =>
      this.#writeAll(items, people),
    );
  }

  /** Returns true if viewers that `which` names wait to be written; false for `due`. */
  hasViewers(which: PeopleDue): boolean {
    return this.#viewers.has(which);
  }

  /**
   * Writes items in order and in one transaction, with the waiting viewers that `people` names. Gives each event its
   * id. Returns the removals. Throws SQLite's errors, with nothing written and ids null again.
   */
  write(items: readonly Pending[], people: PeopleDue): readonly RemovedText[] {
    try {
      const removals = this.#transaction.immediate(items, people);
      this.#viewers.committed();
      return removals;
    } catch (cause) {
      for (const item of items) item.id = null;
      this.#viewers.rolledBack();
      throw cause;
    }
  }

  #writeAll(items: readonly Pending[], people: PeopleDue): readonly RemovedText[] {
    const batch: Batch = { removals: [], moderated: [], sightings: new Map() };
    for (const item of items) this.#writeItem(item, batch);
    for (const sighting of batch.sightings.values()) this.#viewers.add(sighting);
    // Only a stored viewer can be marked.
    const isNeeded = people === "due" && batch.moderated.length > 0;
    this.#viewers.settle(isNeeded ? "newcomers" : people, items.at(-1)?.createdAtMs ?? 0);
    for (const { channel, userId, atMs } of batch.moderated)
      this.#markModerated(channel, userId, atMs);
    return batch.removals;
  }

  #writeItem(item: Pending, batch: Batch): void {
    const { event, removal, createdAtMs } = item;
    const removed = removal === null ? null : this.#texts.remove(removal, item);
    if (removed !== null) batch.removals.push(removed);
    if (event === null) return;
    const targetId = removed?.userId ?? null;
    if (this.#insert(item, event, targetId)) this.#noteViewer(event, targetId, createdAtMs, batch);
  }

  /**
   * Notes the viewer of a new event: as its writer, with the moment that the event may be, or as a moderator's target.
   * A ban removes the target's moments in the channel. Ignores the bot and opted-out writers.
   */
  #noteViewer(event: ChatEvent, targetId: string | null, atMs: number, batch: Batch): void {
    const { channel, kind } = event;
    if ("person" in event) {
      if (event.isBotItself || this.#isOptedOut(event.person.userId)) return;
      const streamId = this.#streamOf(channel);
      recordSighting(batch.sightings, event, atMs, streamId);
      this.#moments.add(event, streamId, atMs);
      return;
    }
    const userId = "userId" in event ? (event.userId ?? targetId) : targetId;
    if (userId === null) return;
    batch.moderated.push({ channel, userId, atMs });
    if (kind === "ban") this.#moments.removeIn(channel, userId);
  }
}

function recordSighting(
  sightings: Map<string, ViewerActivity>,
  { channel, kind, person }: Spoken,
  atMs: number,
  streamId: number | null,
): void {
  const key = `${channel} ${person.userId}`;
  const { firstAtMs = atMs, messageCount = 0 } = sightings.get(key) ?? {};
  sightings.set(key, {
    ...{ channel, person, firstAtMs, lastAtMs: atMs, streamId },
    messageCount: messageCount + Number(WORDS.has(kind)),
  });
}

/**
 * Returns a function that stores one event, and sets its id. It returns true if the event is new. A repeated one gets
 * the id of the stored one, which gets its reply id. `targetId`: the viewer whose text a removal removed.
 */
function prepareEventInsert(
  db: Db,
  expiryMs: number,
): (item: Pending, event: ChatEvent, targetId: string | null) => boolean {
  const sql = prepareStatements(db);
  const insertRow = db.prepare<(string | number | null)[]>(
    `INSERT INTO events (channel, kind, user_id, message_id, parent_id, text, to_bot, memorable, no_window, amount,
       sent_at, created_at, expires_at, removed_at, reply_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const idOf = sql.value<[string], number>(`SELECT id FROM events WHERE ${OF_MESSAGE}`);
  const setReply = sql.run<[number, string]>(
    `UPDATE events SET reply_id = ? WHERE ${OF_MESSAGE} AND kind = 'bot'`,
  );
  return (item, event, targetId) => {
    const columns = readColumns(event, targetId);
    const { userId, messageId, parentId, amount, replyId } = columns;
    const { changes, lastInsertRowid } = insertRow.run(
      ...[event.channel, event.kind, userId, messageId, parentId, item.text],
      Number(item.toBot),
      Number(columns.memorable && item.text !== null),
      Number(columns.fillsNoWindow),
      ...[amount, event.sentAtMs, item.createdAtMs, item.createdAtMs + expiryMs],
      ...[item.removedAtMs, replyId],
    );
    const isNew = changes === 1;
    if (isNew) item.id = Number(lastInsertRowid);
    else {
      // Twitch may have shown the bot its own line first.
      if (replyId !== null) setReply(replyId, messageId ?? "");
      item.id = idOf(messageId ?? "");
    }
    return isNew;
  };
}

/** Returns values of an event's row, without its text. `targetId`: the viewer whose text a removal removed. */
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
