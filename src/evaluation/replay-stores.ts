import { ledgerStore } from "../actions/ledger-store.ts";
import type { Config } from "../config/load.ts";
import { counterStore } from "../db/counters-store.ts";
import { noticeBoard } from "../db/notices-store.ts";
import { openDatabase } from "../db/open.ts";
import { channelStore } from "../events/channel-store.ts";
import type { RemovedText } from "../events/removal.ts";
import { eventStore } from "../events/store.ts";
import { viewerStore } from "../events/viewer-store.ts";
import { llmCallStore } from "../llm/store.ts";
import type { Log } from "../log.ts";
import { suppressionStore } from "../memory/suppression-store.ts";
import { replyStore } from "../reply/store.ts";
import { sweep, textLifetimeMs } from "../rights/retention.ts";
import { keyedHash } from "../text/keyed-hash.ts";

export type ReplayStores = ReturnType<typeof openReplayStores>;

/** Nobody's secret: a replay's database ends with it. */
const HASH_KEY = "evaluation";

/** The daemon's stores over a database in memory: nothing of a data folder is read or written. */
export function openReplayStores(config: Config, now: () => number, log: Log) {
  const db = openDatabase(":memory:");
  const notices = noticeBoard(db, now, log);
  const counters = counterStore(db);
  const channels = channelStore(db, now);
  for (const channel of config.channels) channels.ensure(channel);
  const hash = keyedHash(HASH_KEY);
  const suppressions = suppressionStore(db, hash, now);
  const { isOptedOut } = suppressions;
  const replies = replyStore(db, now, { isOptedOut });
  const onRemoved: ((removed: RemovedText) => void)[] = [];
  const events = eventStore(db, {
    now,
    expiryMs: () => textLifetimeMs(config.retention.eventHours),
    streamOf: channels.openSession,
    isOptedOut,
    onRemoved: (removed) => {
      for (const tell of onRemoved) tell(removed);
    },
  });
  const ledger = ledgerStore(db, now, hash.person);
  const calls = llmCallStore(db);
  const retention = { db, events, replies, ledger, calls, counters, notices, now };
  return {
    db,
    notices,
    counters,
    channels,
    hash,
    suppressions,
    replies,
    events,
    viewers: viewerStore(db, () => events.flush()),
    calls,
    onRemoved,
    sweep: () =>
      sweep({ ...retention, breathe: () => Promise.resolve() }, config.retention.eventHours),
    close: () => {
      events.close();
      db.close();
    },
  };
}
