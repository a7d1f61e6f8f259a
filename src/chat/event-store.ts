import { type BoundedMap, createBoundedMap } from "../bounded-map.ts";
import type { Db } from "../database/open-database.ts";
import { copyString } from "../language/clean.ts";
import {
  type ChatQuery,
  eventTotals,
  prepareEventReads,
  type StoredLine,
} from "./event-reads-store.ts";
import {
  type BatchWritten,
  type EventWriter,
  type OwnSaid,
  openEventWriter,
  type Pending,
  prepareEventRetention,
  prepareOwnTextRemoval,
} from "./event-rows-store.ts";
import type { ChatEvent, Spoken } from "./normalise.ts";
import { concernsEvent, type Removal, type RemovedText } from "./removal.ts";
import { NEWCOMERS_LAG_MS, type PeopleDue } from "./viewer-store.ts";

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

export type EventStore = ReturnType<typeof openEventStore>;

const DELETED_IDS_MAX = 1_000;

/**
 * Stores raw chat: buffers events, writes them in batches, and removes them. A busy or full database delays writes.
 * Nothing is lost until the buffer is full. Every read includes the events that were added before it.
 */
export function openEventStore(db: Db, options: EventStoreOptions) {
  const { now, expiryMs } = options;
  const { isOptedOut = () => false, streamOf = () => null } = options;
  const pace = createPaceCounter();
  /** A deletion may overtake its message. */
  const deleted = createBoundedMap<string, true>(DELETED_IDS_MAX);
  const reads = prepareEventReads(db);
  const readTotals = eventTotals(db);
  const { expireTexts, ...retention } = prepareEventRetention(db);
  const removeOwnTexts = prepareOwnTextRemoval(db);
  const writer = openEventWriter(db, { expiryMs, streamOf, isOptedOut });
  const { flush, close, ...buffer } = openBuffer(db, writer, options);
  const noteDeleted = (messageId: string) => deleted.set(copyString(messageId), true);
  const prepare = (item: Pending, event: Spoken): void => {
    if (event.memorable) pace.note(event.channel, item.createdAtMs);
    if (isOptedOut(event.person.userId)) item.text = null;
    if (event.messageId === null || !deleted.get(event.messageId)) return;
    item.text = null;
    item.removedAtMs = item.createdAtMs;
  };
  /** Reads messages. A removal that the database has not taken yet holds for them too. */
  const fresh = <Line extends StoredLine>(read: () => Line[]): Line[] => {
    buffer.flushLines();
    const removals = buffer.removalsWaiting();
    return read().filter((line) => !removals.some((removal) => concernsEvent(removal, line)));
  };
  const freshOne = <Line extends StoredLine>(read: () => Line | null): Line | null =>
    fresh(() => [read()].filter((line) => line !== null))[0] ?? null;
  return {
    /** Adds an event, in order of arrival. Writes at once if it removes texts. */
    add: (event: ChatEvent, toBot = false): AddedEvent => {
      const item = pending(event, { removal: removalOf(event), atMs: now(), toBot });
      if (event.kind === "deletion") noteDeleted(event.messageId);
      if ("person" in event) prepare(item, event);
      buffer.push(item);
      return item;
    },
    /** Writes what is buffered. Returns false if the database did not take it, or a transaction is open on it. */
    flush,
    /** Removes texts. */
    remove: (removal: Removal): void => {
      if (removal.by === "message") noteDeleted(removal.messageId);
      buffer.push(pending(null, { removal, atMs: now() }));
    },
    /** Removals that are not written yet. */
    removalsWaiting: buffer.removalsWaiting,
    /** Counts messages that wait to be written or were lost to a full buffer. */
    unwritten: (): number => {
      const { buffered, dropped } = buffer.counts();
      return buffered + dropped - buffer.removalsWaiting().length;
    },
    /** Removes the bot's own texts. Throws if the database cannot do that now. */
    removeOwn: (said: readonly OwnSaid[]): void => {
      for (const { messageId } of said) if (messageId !== null) noteDeleted(messageId);
      if (!flush()) throw new Error("the bot's own events wait to be written");
      removeOwnTexts(said, now());
    },
    recentChat: (channel: string, limit: number) => fresh(() => reads.recentChat(channel, limit)),
    aroundIn: (query: ChatQuery) => fresh(() => reads.aroundIn(query)),
    byReply: (replyId: number) => freshOne(() => reads.byReply(replyId)),
    botRecent: (channel: string, limit: number, beforeId: number) =>
      fresh(() => reads.botRecent(channel, limit, beforeId)),
    ownRecent: (channel: string, userId: string, limit: number, beforeId?: number) =>
      fresh(() => reads.ownRecent(channel, userId, limit, beforeId)),
    byMessageId: (messageId: string) => freshOne(() => reads.byMessageId(messageId)),
    waiting: (channel: string): number => {
      buffer.flushLines();
      return reads.waiting(channel);
    },
    /** Counts viewers' messages in the last `windowMs`, at most ten minutes. Begins at 0 with the process. */
    pace: (channel: string, windowMs: number) => pace.count(channel, windowMs, now()),
    counts: () => {
      flush();
      return { ...readTotals(), ...buffer.counts() };
    },
    expireTexts: (nowMs: number, limit: number) => {
      flush();
      return expireTexts(nowMs, limit);
    },
    ...retention,
    /** Writes the rest and stops. Returns false if the rest could not be written. */
    close,
  };
}

/**
 * Viewers wait longer than their messages. `flush` and `close` write them too. `flushLines` writes only new ones: a
 * message is read with its writer's name.
 */
function openBuffer(db: Db, writer: EventWriter, options: EventStoreOptions) {
  const { now, onFlushed, onRemoved, onError } = options;
  const isBlocked = () => db.inTransaction;
  let which: PeopleDue = "due";
  let timer: NodeJS.Timeout | undefined;
  /** Without new messages no batch would write them. */
  const seeToNewcomers = (): void => {
    if (!writer.havePeople("newcomers")) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      if (buffer.counts().buffered === 0) flushLines();
    }, NEWCOMERS_LAG_MS).unref();
  };
  const buffer = createBuffer({
    write: (batch) => writer.write(batch, which),
    isBlocked,
    now,
    flushMs: options.flushMs ?? 1_000,
    flushRows: options.flushRows ?? 64,
    onFlushed: (items) => {
      seeToNewcomers();
      onFlushed?.(items);
    },
    onRemoved,
    onError,
  });
  const settle = (): boolean => {
    try {
      if (writer.havePeople(which) && !isBlocked()) writer.write([], which);
      return true;
    } catch (cause) {
      onError?.(cause);
      return false;
    }
  };
  const withPeople = (people: PeopleDue, write: () => boolean) => (): boolean => {
    which = people;
    const isDone = write() && settle();
    which = "due";
    return isDone;
  };
  const flushLines = withPeople("newcomers", buffer.flush);
  const close = withPeople("all", buffer.close);
  return {
    ...buffer,
    flushLines,
    flush: withPeople("all", buffer.flush),
    close: () => {
      clearTimeout(timer);
      return close();
    },
  };
}

function pending(
  event: ChatEvent | null,
  { removal, atMs, toBot = false }: { removal: Removal | null; atMs: number; toBot?: boolean },
): Pending {
  return {
    event,
    toBot,
    createdAtMs: atMs,
    removal,
    taken: [],
    text: event === null ? null : textOf(event),
    removedAtMs: null,
    id: null,
  };
}

function textOf(event: ChatEvent): string | null {
  return "person" in event && event.text !== "" ? event.text : null;
}

function removalOf(event: ChatEvent): Removal | null {
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

interface BufferOptions {
  /** Writes all or throws. */
  readonly write: (batch: readonly Pending[]) => BatchWritten;
  /** Returns true inside another transaction: its rollback would lose the batch. */
  readonly isBlocked: () => boolean;
  readonly now: () => number;
  readonly flushMs: number;
  readonly flushRows: number;
  readonly onFlushed: ((items: readonly Pending[]) => void) | undefined;
  readonly onRemoved: ((removed: RemovedText) => void) | undefined;
  readonly onError: ((cause: unknown) => void) | undefined;
}

/** Counts since the process began: not yet written, lost to a full buffer, seen before, refused by the database. */
interface BufferCounts {
  readonly buffered: number;
  readonly dropped: number;
  readonly duplicates: number;
  readonly rejected: number;
}

const BUFFERED_MAX = 50_000;
/** The number of oldest items that a full buffer drops. Dropping one at a time would copy the buffer each time. */
const DROPPED_AT_ONCE = 500;
/** The most items of one batch: a commit costs more than a row. */
const BATCH_ROWS_MAX = 1_000;
const RETRY_MS = 500;
/** SQLite's codes for a row that it will never accept. */
const HOPELESS = /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|RANGE)/;

/** Buffers items until a batch is due and the database accepts it. */
function createBuffer(options: BufferOptions) {
  const { isBlocked, now, flushMs, flushRows, onFlushed, onRemoved, onError } = options;
  let items: Pending[] = [];
  let timer: NodeJS.Timeout | null = null;
  let retryAtMs = Number.NEGATIVE_INFINITY;
  /** The number of items to write one by one, since a batch of them failed. */
  let singles = 0;
  const counts = { dropped: 0, duplicates: 0, rejected: 0 };

  const schedule = (delayMs: number): void => {
    if (timer !== null) return;
    timer = setTimeout(() => {
      timer = null;
      if (!flush()) schedule(Math.max(flushMs, RETRY_MS));
    }, delayMs);
    timer.unref();
  };

  /** Returns true if writing may go on: without a row that can never be written, or one row at a time to find it. */
  const passFailure = (batch: readonly Pending[], cause: unknown): boolean => {
    const isHopeless = isHopelessFailure(cause);
    if (isHopeless && batch.length > 1) {
      singles = batch.length;
      return true;
    }
    if (isHopeless) {
      items = items.slice(1);
      counts.rejected += 1;
    } else retryAtMs = now() + RETRY_MS;
    onError?.(cause);
    return isHopeless;
  };

  /** Writes the oldest items. Leaves out a row that SQLite will never take. False if the database took nothing. */
  const writeSome = (): boolean => {
    const batch = items.slice(0, singles > 0 ? 1 : BATCH_ROWS_MAX);
    singles = Math.max(0, singles - 1);
    let written: BatchWritten;
    try {
      written = options.write(batch);
    } catch (cause) {
      return passFailure(batch, cause);
    }
    items = items.slice(batch.length);
    retryAtMs = Number.NEGATIVE_INFINITY;
    counts.duplicates += written.duplicates;
    // The buffer is consistent again: a callback may add, read or flush.
    onFlushed?.(batch);
    for (const removed of written.removed) onRemoved?.(removed);
    return true;
  };

  const drain = (): boolean => {
    while (items.length > 0) {
      if (!writeSome()) return false;
    }
    return true;
  };

  const flush = (): boolean => {
    if (items.length === 0) return true;
    if (isBlocked() || now() < retryAtMs) return false;
    return drain();
  };

  const bound = (): void => {
    if (items.length <= BUFFERED_MAX) return;
    const kept = dropOldest(items);
    counts.dropped += items.length - kept.length;
    items = kept;
  };

  return {
    /** Adds an item. A removal removes waiting texts, and is written at once. */
    push: (item: Pending): void => {
      const { removal } = item;
      if (removal !== null) takeBuffered(items, item, removal);
      items.push(item);
      bound();
      const isUrgent = removal !== null || items.length >= BATCH_ROWS_MAX;
      if (isUrgent && flush()) return;
      if (removal !== null) onRemoved?.(toRemovedText(removal));
      if (items.length === flushRows) setImmediate(flush);
      schedule(flushMs);
    },
    flush,
    /** Removals that are not written yet. */
    removalsWaiting: (): readonly Removal[] => items.flatMap(({ removal }) => removal ?? []),
    counts: (): BufferCounts => ({ buffered: items.length, ...counts }),
    close: (): boolean => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      return items.length === 0 || (!isBlocked() && drain());
    },
  };
}

function isHopelessFailure(cause: unknown): boolean {
  if (cause instanceof TypeError || cause instanceof RangeError) return true;
  return cause instanceof Error && "code" in cause && HOPELESS.test(String(cause.code));
}

/** Removes waiting texts: they never reach the disk. */
function takeBuffered(items: readonly Pending[], remover: Pending, removal: Removal): void {
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

/** Drops the oldest items, but no removals. */
function dropOldest(items: readonly Pending[]): Pending[] {
  let passed = 0;
  return items.filter(({ removal }) => {
    if (removal !== null) return true;
    passed += 1;
    return passed > DROPPED_AT_ONCE;
  });
}

/** Describes a removal that is not written yet. */
function toRemovedText(removal: Removal): RemovedText {
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
      const counts = channels.get(channel) ?? createBoundedMap<number, number>(SECONDS_KEPT);
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
