import type { BatchWritten, Pending } from "./event-write-store.ts";
import { isMeantBy, type Removal, type RemovedText } from "./removal.ts";

export interface BufferOptions {
  /** Writes all or throws. */
  readonly write: (batch: readonly Pending[]) => BatchWritten;
  /** Whether writing must wait: within somebody's transaction a rollback of theirs would lose it. */
  readonly isBlocked: () => boolean;
  readonly now: () => number;
  readonly flushMs: number;
  readonly flushRows: number;
  readonly onFlushed: ((items: readonly Pending[]) => void) | undefined;
  readonly onRemoved: ((removed: RemovedText) => void) | undefined;
  readonly onError: ((cause: unknown) => void) | undefined;
}

/** Since the process began: not yet written, lost to a full buffer, seen before, refused by the database. */
export interface BufferCounts {
  readonly buffered: number;
  readonly dropped: number;
  readonly duplicates: number;
  readonly rejected: number;
}

export interface BufferStore {
  /** Takes an item. A removal takes the texts that wait before it, and is written at once. */
  push(item: Pending): void;
  flush(): boolean;
  /** Removals that could not be written yet. */
  removalsWaiting(): readonly Removal[];
  counts(): BufferCounts;
  close(): boolean;
}

const BUFFERED_MAX = 50_000;
/** How many of the oldest go when the buffer is full: one at a time would move the whole buffer each time. */
const DROPPED_AT_ONCE = 500;
/** What one read of the socket brings beyond `flushRows` goes with it, up to this: a commit costs more than a row. */
const BATCH_ROWS_MAX = 1_000;
const RETRY_MS = 500;
/** What SQLite says of a row that it will never take: another try cannot help. */
const HOPELESS = /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|RANGE)/;

/** Holds what is to be written until a batch is due, and for as long as the database does not take it. */
export function bufferStore(options: BufferOptions): BufferStore {
  const { isBlocked, now, flushMs, flushRows, onFlushed, onRemoved, onError } = options;
  let items: Pending[] = [];
  let timer: NodeJS.Timeout | null = null;
  let retryAtMs = Number.NEGATIVE_INFINITY;
  const counts = { dropped: 0, duplicates: 0, rejected: 0 };

  const schedule = (delayMs: number): void => {
    if (timer !== null) return;
    timer = setTimeout(() => {
      timer = null;
      if (!flush()) schedule(Math.max(flushMs, RETRY_MS));
    }, delayMs);
    timer.unref();
  };

  /** Callbacks come when the buffer is in order again: one may add, read or flush. */
  const tell = (attempt: Attempt): void => {
    for (const { batch, written } of attempt.committed) {
      onFlushed?.(batch);
      for (const removed of written.removed) onRemoved?.(removed);
    }
    for (const cause of attempt.causes) onError?.(cause);
  };

  /** Writes the oldest that wait. False where the database did not take them all. */
  const writeSome = (): boolean => {
    const attempt = writeOrSplit(items.slice(0, BATCH_ROWS_MAX), options.write);
    items = [...attempt.left, ...items.slice(BATCH_ROWS_MAX)];
    const isDown = attempt.left.length > 0;
    retryAtMs = isDown ? now() + RETRY_MS : Number.NEGATIVE_INFINITY;
    counts.rejected += attempt.rejected;
    for (const { written } of attempt.committed) counts.duplicates += written.duplicates;
    tell(attempt);
    return !isDown;
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
    const kept = withoutOldest(items);
    counts.dropped += items.length - kept.length;
    items = kept;
  };

  return {
    push: (item) => {
      const { removal } = item;
      if (removal !== null) takeBuffered(items, item, removal);
      items.push(item);
      bound();
      const isUrgent = removal !== null || items.length >= BATCH_ROWS_MAX;
      if (isUrgent && flush()) return;
      if (removal !== null) onRemoved?.(announced(removal));
      if (items.length === flushRows) setImmediate(flush);
      schedule(flushMs);
    },
    flush,
    removalsWaiting: () => items.flatMap(({ removal }) => removal ?? []),
    counts: () => ({ buffered: items.length, ...counts }),
    close: () => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      return items.length === 0 || (!isBlocked() && drain());
    },
  };
}

interface Attempt {
  readonly committed: readonly {
    readonly batch: readonly Pending[];
    readonly written: BatchWritten;
  }[];
  /** What the database did not take this time, in order. */
  readonly left: readonly Pending[];
  readonly rejected: number;
  readonly causes: readonly unknown[];
}

/** Writes a batch. A row that can never be written is found by halving, and left out, so that it holds up no other. */
function writeOrSplit(batch: readonly Pending[], write: BufferOptions["write"]): Attempt {
  try {
    return { committed: [{ batch, written: write(batch) }], left: [], rejected: 0, causes: [] };
  } catch (cause) {
    if (!isHopeless(cause)) return { committed: [], left: batch, rejected: 0, causes: [cause] };
    if (batch.length === 1) return { committed: [], left: [], rejected: 1, causes: [cause] };
    const middle = batch.length >> 1;
    const first = writeOrSplit(batch.slice(0, middle), write);
    const rest = batch.slice(middle);
    if (first.left.length > 0) return { ...first, left: [...first.left, ...rest] };
    const second = writeOrSplit(rest, write);
    return {
      committed: [...first.committed, ...second.committed],
      left: second.left,
      rejected: first.rejected + second.rejected,
      causes: [...first.causes, ...second.causes],
    };
  }
}

function isHopeless(cause: unknown): boolean {
  if (cause instanceof TypeError || cause instanceof RangeError) return true;
  return cause instanceof Error && "code" in cause && HOPELESS.test(String(cause.code));
}

/** A text that is removed while it waits never reaches the disk. */
function takeBuffered(items: readonly Pending[], remover: Pending, removal: Removal): void {
  for (const item of items) {
    const { event } = item;
    if (item.text === null || event === null || !("person" in event)) continue;
    const { channel, messageId, person } = event;
    if (!isMeantBy(removal, { channel, messageId, userId: person.userId, login: person.login }))
      continue;
    item.text = null;
    item.removedAtMs = remover.createdAtMs;
    remover.taken.push(item);
  }
}

/** Removals stay: dropping one would leave a text that must go. */
function withoutOldest(items: readonly Pending[]): Pending[] {
  let passed = 0;
  return items.filter(({ removal }) => {
    if (removal !== null) return true;
    passed += 1;
    return passed > DROPPED_AT_ONCE;
  });
}

/** What can be said of a removal before the database took it. */
function announced(removal: Removal): RemovedText {
  return {
    removal,
    userId: removal.by === "person" ? removal.userId : null,
    messageIds: removal.by === "message" ? [removal.messageId] : [],
    eventIds: [],
  };
}
