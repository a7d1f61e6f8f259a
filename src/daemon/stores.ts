import { setImmediate as breathe } from "node:timers/promises";
import { ledgerStore } from "../actions/ledger-store.ts";
import { copyWal, truncateWal } from "../db/checkpoint.ts";
import { counterStore } from "../db/counters-store.ts";
import { noticeBoard } from "../db/notices-store.ts";
import { openDatabase } from "../db/open.ts";
import { runtimeStore } from "../db/runtime-store.ts";
import { channelStore } from "../events/channel-store.ts";
import type { RemovedText } from "../events/removal.ts";
import { eventStore } from "../events/store.ts";
import { viewerStore } from "../events/viewer-store.ts";
import { replyStore } from "../reply/store.ts";
import { sweep, textLifetimeMs } from "../rights/retention.ts";
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
  const counters = counterStore(db);
  const channels = channelStore(db, now, LIVE_PATIENCE_MS);
  for (const channel of config.channels) channels.ensure(channel);
  const replies = replyStore(db, now, (said) => own.forget(said));
  replies.settleUnfinished();
  const ledger = ledgerStore(db, now);
  /** Told of every text that a moderator's act or a viewer's wish took away. */
  const onRemoved: ((removed: RemovedText) => void)[] = [];
  const trouble = { isTold: false };
  const viewers = viewerStore(db, () => events.flush());
  const events = eventStore(db, {
    now,
    expiryMs: textLifetimeMs(config.retention.eventHours),
    streamOf: channels.openSession,
    onRemoved: (removed) => {
      wal.holdsRemoved = true;
      own.follow(removed);
      for (const tell of onRemoved) tell(removed);
    },
    onError: () => {
      trouble.isTold = true;
      notices.raise("database_busy", "warning", DATABASE_BUSY);
    },
    onFlushed: () => {
      if (trouble.isTold) notices.clear("database_busy");
      trouble.isTold = false;
    },
  });
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
  every(TIDY_WAL_EVERY_MS, tidyWal, { life, log });
  const retention = {
    db,
    events,
    replies,
    ledger,
    counters,
    notices,
    now,
    breathe: () => breathe(),
  };
  return {
    db,
    notices,
    counters,
    channels,
    replies,
    ledger,
    viewers,
    events,
    runtime: runtimeStore(db, now),
    onRemoved,
    ownDeleted: own.ownDeleted,
    sweep: () => sweep(retention, config.retention.eventHours),
  };
}
