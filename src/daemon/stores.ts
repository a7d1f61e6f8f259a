import { setImmediate as breathe } from "node:timers/promises";
import { ledgerStore } from "../actions/ledger-store.ts";
import { channelStore } from "../chat/channel-store.ts";
import { type EventStore, eventStore } from "../chat/event-store.ts";
import type { RemovedText } from "../chat/removal.ts";
import { viewerStore } from "../chat/viewer-store.ts";
import { keyedHash } from "../language/keyed-hash.ts";
import type { Log } from "../log.ts";
import { suppressionStore } from "../memory/suppression-store.ts";
import { hashKey } from "../platform/config/secrets.ts";
import { copyWal, truncateWal } from "../platform/database/checkpoint.ts";
import { counterStore } from "../platform/database/counters-store.ts";
import { databaseHealth } from "../platform/database/health.ts";
import { noticeBoard } from "../platform/database/notices-store.ts";
import { type Db, openDatabase } from "../platform/database/open-database.ts";
import { runtimeStore } from "../platform/database/runtime-store.ts";
import { vacuumQueue } from "../platform/database/vacuum-queue.ts";
import { type WriteGate, writeGate } from "../platform/database/write-gate.ts";
import { llmCallStore } from "../platform/models/call-store.ts";
import { type RetentionParts, type Swept, sweep, textLifetimeMs } from "../privacy/retention.ts";
import { replyStore } from "../reply/reply-store.ts";
import { patientCounters, patientRefusals } from "./defer-during-vacuum.ts";
import { every, type Lifetime } from "./lifetime.ts";
import type { DaemonOptions } from "./options.ts";
import { keepPromises } from "./promises.ts";
import { removedReplies } from "./removed-replies.ts";

/** A write of another process may hold the database this long before a batch of chat waits for the next try. */
const BUSY_MS_MAX = 250;
const TIDY_WAL_EVERY_MS = 5_000;
const LOOK_AT_FILE_EVERY_MS = 1_000;
/** Three looks at Twitch. */
const LIVE_PATIENCE_MS = 3 * 60_000;

export type Stores = ReturnType<typeof openStores>;

/** Opens the database and everything that reads and writes it. Throws a Fault where it cannot be used. */
export function openStores(options: DaemonOptions, life: Lifetime) {
  const { config, now, log } = options;
  const { databaseFile: file } = config;
  const db = openDatabase(file, { busyTimeoutMs: BUSY_MS_MAX });
  const notices = noticeBoard(db, now, log);
  const gate = writeGate();
  const health = watchHealth({ db, file, notices, isHeld: gate.isClosed }, life, log);
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
    onError: health.heard,
    onFlushed: health.works,
  });
  realign(now(), { events, others: [replies, calls, ledger] });
  /** A removed text still stands in the write-ahead log until that is emptied. */
  const wal = { holdsRemoved: false };
  const own = removedReplies({ replies, events, wal, botLogin: config.bot.login });
  const promises = keepPromises(options, { events, notices, life });
  life.closers.push(() => events.close(), own.retry);
  const tidy = (): void => {
    own.retry();
    tidied(db, wal);
  };
  every(TIDY_WAL_EVERY_MS, () => gate.whenOpen(tidy), { life, log });
  return {
    db,
    gate,
    vacuums: vacuumQueue(db, now),
    notices,
    health,
    promises,
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

function watchHealth(parts: Parameters<typeof databaseHealth>[0], life: Lifetime, log: Log) {
  const { db } = parts;
  const health = databaseHealth(parts);
  life.closers.push(
    () => health.place(),
    () => db.close(),
    () => health.rescue(),
    () => truncateWal(db),
  );
  life.takers.push(health.heard);
  every(LOOK_AT_FILE_EVERY_MS, health.look, { life, log });
  return health;
}

function tidied(db: Db, wal: { holdsRemoved: boolean }): void {
  if (wal.holdsRemoved) wal.holdsRemoved = !truncateWal(db);
  else copyWal(db);
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
