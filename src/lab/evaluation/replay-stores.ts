import { ledgerStore } from "../../actions/ledger-store.ts";
import { channelStore } from "../../chat/channel-store.ts";
import { eventStore } from "../../chat/event-store.ts";
import type { RemovedText } from "../../chat/removal.ts";
import { viewerStore } from "../../chat/viewer-store.ts";
import { keyedHash } from "../../language/keyed-hash.ts";
import type { Log } from "../../log.ts";
import { suppressionStore } from "../../memory/suppression-store.ts";
import type { Config } from "../../platform/config/load.ts";
import { counterStore } from "../../platform/database/counters-store.ts";
import { noticeBoard } from "../../platform/database/notices-store.ts";
import { openDatabase } from "../../platform/database/open-database.ts";
import { llmCallStore } from "../../platform/models/call-store.ts";
import { sweep, textLifetimeMs } from "../../privacy/retention.ts";
import { replyStore } from "../../reply/reply-store.ts";

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
