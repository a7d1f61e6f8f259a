import { setImmediate as breathe } from "node:timers/promises";
import { ledgerStore } from "../actions/ledger-store.ts";
import { channelStore } from "../chat/channel-store.ts";
import { type EventStore, eventStore } from "../chat/event-store.ts";
import type { RemovedText } from "../chat/removal.ts";
import { viewerStore } from "../chat/viewer-store.ts";
import { keyedHash } from "../language/keyed-hash.ts";
import { suppressionStore } from "../memory/suppression-store.ts";
import { hashKey } from "../platform/config/secrets.ts";
import { copyWal, truncateWal } from "../platform/database/checkpoint.ts";
import { counterStore } from "../platform/database/counters-store.ts";
import { type NoticeBoard, noticeBoard } from "../platform/database/notices-store.ts";
import { openDatabase } from "../platform/database/open-database.ts";
import { runtimeStore } from "../platform/database/runtime-store.ts";
import { vacuumQueue } from "../platform/database/vacuum-queue.ts";
import { type WriteGate, writeGate } from "../platform/database/write-gate.ts";
import { llmCallStore } from "../platform/models/call-store.ts";
import { type RetentionParts, type Swept, sweep, textLifetimeMs } from "../privacy/retention.ts";
import { replyStore } from "../reply/reply-store.ts";
import { patientCounters, patientRefusals } from "./defer-during-vacuum.ts";
import { every, type Lifetime } from "./lifetime.ts";
import type { DaemonOptions } from "./options.ts";
import { removedReplies } from "./removed-replies.ts";

const DATABASE_BUSY = "the database did not take chat in; it is tried again";
/** A write of another process may hold the database this long before a batch of chat waits for the next try. */
const BUSY_MS_MAX = 250;
const TIDY_WAL_EVERY_MS = 5_000;
/** Three looks at Twitch. */
const LIVE_PATIENCE_MS = 3 * 60_000;

export type Stores = ReturnType<typeof openStores>;

/** Opens the database and everything that reads and writes it. Throws a Fault where it cannot be used. */
export function openStores({ config, now, log }: DaemonOptions, life: Lifetime) {
  const db = openDatabase(config.databaseFile, { busyTimeoutMs: BUSY_MS_MAX });
  life.closers.push(() => db.close());
  const notices = noticeBoard(db, now, log);
  const gate = writeGate();
  const counters = patientCounters(counterStore(db), gate);
  const channels = channelStore(db, now, LIVE_PATIENCE_MS);
  for (const channel of config.channels) channels.ensure(channel);
  const hash = keyedHash(hashKey(config.dataDir));
  const suppressions = suppressionStore(db, hash, now);
  const replies = replyStore(db, now, {
    onTaken: (said) => own.forget(said),
    isOptedOut: suppressions.isOptedOut,
  });
  replies.settleUnfinished();
  const ledger = ledgerStore(db, now, hash.person);
  const calls = llmCallStore(db);
  /** Told of every text that a moderator's act or a viewer's wish took away. */
  const onRemoved: ((removed: RemovedText) => void)[] = [];
  const viewers = viewerStore(db, () => events.flush());
  const events = eventStore(db, {
    now,
    expiryMs: () => textLifetimeMs(config.retention.eventHours),
    streamOf: channels.openSession,
    isHeld: gate.isClosed,
    isOptedOut: suppressions.isOptedOut,
    onRemoved: (removed) => {
      wal.holdsRemoved = true;
      own.follow(removed);
      for (const tell of onRemoved) tell(removed);
    },
    ...busyTeller(notices),
  });
  realign(now(), { events, others: [replies, calls, ledger] });
  /** A removed text still stands in the write-ahead log until that is emptied. */
  const wal = { holdsRemoved: false };
  const own = removedReplies({ replies, events, wal, botLogin: config.bot.login });
  life.closers.push(
    () => truncateWal(db),
    () => events.close(),
    own.retry,
  );
  const tidyWal = (): void => {
    own.retry();
    if (wal.holdsRemoved) wal.holdsRemoved = !truncateWal(db);
    else copyWal(db);
  };
  every(TIDY_WAL_EVERY_MS, () => gate.whenOpen(tidyWal), { life, log });
  return {
    db,
    gate,
    vacuums: vacuumQueue(db, now),
    notices,
    counters,
    channels,
    replies: patientRefusals(replies, gate, events.flush),
    ledger,
    viewers,
    events,
    hash,
    suppressions,
    runtime: runtimeStore(db, now),
    onRemoved,
    ownDeleted: own.ownDeleted,
    sweep: sweeper({ db, events, replies, ledger, calls, counters, notices, now }, config, gate),
  };
}

interface Realigned {
  realign(nowMs: number, aheadMs: number): void;
}

/** A clock that was set back since the last run must neither keep a text longer nor hold up an answer. */
function realign(
  nowMs: number,
  {
    events,
    others,
  }: { readonly events: Pick<EventStore, "realign">; readonly others: readonly Realigned[] },
): void {
  const aheadMs = events.realign(nowMs);
  if (aheadMs > 0) for (const store of others) store.realign(nowMs, aheadMs);
}

/** Tells the streamer while the database takes nothing. */
function busyTeller(notices: NoticeBoard) {
  let isTold = false;
  return {
    onError: (): void => {
      isTold = true;
      notices.raise("database_busy", "warning", DATABASE_BUSY);
    },
    onFlushed: (): void => {
      if (isTold) notices.clear("database_busy");
      isTold = false;
    },
  };
}

/** Sweeps, and lets other work, and other processes, in between. */
function sweeper(
  parts: Omit<RetentionParts, "breathe">,
  { retention }: DaemonOptions["config"],
  gate: WriteGate,
): () => Promise<Swept> {
  const patient = {
    ...parts,
    breathe: async () => {
      await breathe();
      await gate.opened();
    },
  };
  return async () => {
    await gate.opened();
    return sweep(patient, retention.eventHours);
  };
}
