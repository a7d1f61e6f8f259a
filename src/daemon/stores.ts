import { setImmediate as breathe } from "node:timers/promises";
import { Ledger } from "../actions/ledger-store.ts";
import { ChannelStore } from "../chat/channel-store.ts";
import { TEXT_LIFETIME_MS } from "../chat/event-removal-store.ts";
import { EventStore } from "../chat/event-store.ts";
import { MomentStore } from "../chat/moment-store.ts";
import type { RemovedText } from "../chat/normalise.ts";
import { openViewerStore } from "../chat/viewer-store.ts";
import { findOrCreateHashKey, restoreHashKey } from "../config/secrets.ts";
import { Cleanup } from "../database/cleanup.ts";
import { DatabaseHealth } from "../database/health.ts";
import { NoticeBoard } from "../database/notices-store.ts";
import { type Db, openDatabase, truncateWal } from "../database/open-database.ts";
import { RetryQueue } from "../database/retry-queue.ts";
import { Counters, LiveSwitches, RuntimeStore } from "../database/runtime-store.ts";
import { describeBug } from "../errors.ts";
import { createKeyedHash } from "../language/people.ts";
import { SuppressionStore } from "../memory/suppression-store.ts";
import { LlmCallStore } from "../models/call-store.ts";
import { mergeRecord, recordSaver } from "../privacy/forget-store.ts";
import { type Swept, sweep } from "../privacy/retention.ts";
import { answerRemover } from "../reply/answer-remover.ts";
import { ReplyStore } from "../reply/reply-store.ts";
import { CHECK_EVERY_MS, type DaemonOptions, type Lifetime } from "./lifetime.ts";

/** Limit for a write that waits for another process, such as a command. Chat waits too. */
const BUSY_MS_MAX = 100;
/** The longest wait of an event until its batch is written. The page shows an event within a second of its arrival. */
const FLUSH_MS = 500;
const USES_EVERY_MS = 10 * 60_000;
/** A channel counts as live for three missed polls of Twitch. */
const LIVE_PATIENCE_MS = 3 * 60_000;

export type Stores = ReturnType<typeof openStores>;

/** Opens the database, watches its file, and cleans it until the end. Throws a Fault if it cannot be used. */
function openWatchedDatabase({ config, now, log }: DaemonOptions, life: Lifetime) {
  const file = config.databaseFile;
  const db = openDatabase(file, { busyTimeoutMs: BUSY_MS_MAX });
  life.closers.push(
    () => db.close(),
    () => truncateWal(db),
  );
  const notices = new NoticeBoard(db, now, log);
  const health = life.closeAtEnd(new DatabaseHealth(db, notices));
  const handleError = (thrown: unknown) => health.handleError(thrown);
  life.handleError = handleError;
  life.repeat(CHECK_EVERY_MS, () => health.checkFiles());
  const retries = new RetryQueue(handleError, (thrown) => life.report(thrown));
  life.repeatToEnd(CHECK_EVERY_MS, () => retries.retry());
  const cleanup = new Cleanup(db, now, notices);
  life.repeat(CHECK_EVERY_MS, () => cleanup.run());
  return { db, notices, health, handleError, retries, cleanup };
}

/**
 * Opens the database and its stores. If the clock was set back, moves stored times back. Throws a Fault if the database
 * cannot be used.
 */
export function openStores(options: DaemonOptions, life: Lifetime) {
  const { config, now, log } = options;
  const database = openWatchedDatabase(options, life);
  const { db, handleError, retries } = database;
  const privacy = openPrivacyStores(options, db, life);
  const live = life.closeAtEnd(new LiveSwitches(db, now, retries));
  const chat = openChatStores(options, { ...database, ...privacy }, life);
  const { events, replies } = chat;
  const ledger = new Ledger(db, now, privacy.hash.person);
  const calls = new LlmCallStore(db);
  // If the clock was set back since the last run, no text may live longer, and no answer may wait.
  const aheadMs = events.retention.realign(now());
  if (aheadMs > 0) for (const store of [replies, calls, ledger]) store.realign(now(), aheadMs);
  return {
    ...{ config, now, log },
    ...database,
    ...privacy,
    ...chat,
    ...{ live, ledger, calls },
    counters: new Counters(db, handleError),
    runtime: new RuntimeStore(db, now),
  };
}

/** Opens the stores of who was forgotten or opted out. First adds the record file's requests to the database. */
function openPrivacyStores({ config, now }: DaemonOptions, db: Db, life: Lifetime) {
  const { dataDir } = config;
  const key = findOrCreateHashKey(dataDir);
  const hash = createKeyedHash(key);
  // The key must be on disk at the end, even if a user removed its file.
  life.closers.push(() => restoreHashKey(dataDir, key));
  mergeRecord(db, dataDir, hash, now());
  const saveRecord = recordSaver(db, dataDir);
  return { hash, saveRecord, suppressions: new SuppressionStore(db, hash, now, saveRecord) };
}

/** Opens the stores of chat and replies. A removal in one reaches the other, then the listeners in `onRemoved`. */
function openChatStores(
  { config, log, now, speed = 1 }: DaemonOptions,
  parts: ReturnType<typeof openWatchedDatabase> & ReturnType<typeof openPrivacyStores>,
  life: Lifetime,
) {
  const { cleanup, db, health, handleError, notices, retries } = parts;
  const { isOptedOut } = parts.suppressions;
  const channels = new ChannelStore(db, now, LIVE_PATIENCE_MS);
  for (const channel of config.channels) channels.ensure(channel);
  const replies = new ReplyStore(db, now, {
    onTextDropped: (said) => answers.removeOwn(said),
    isOptedOut,
  });
  replies.settleUnfinished();
  life.repeatToEnd(USES_EVERY_MS, () => replies.writeUses());
  const onRemoved: ((removed: RemovedText) => void)[] = [];
  const events = new EventStore(db, {
    ...{ now, isOptedOut },
    expiryMs: TEXT_LIFETIME_MS,
    flushMs: FLUSH_MS / speed,
    streamOf: (channel) => channels.runningStream(channel),
    onRemoved: (removed) => {
      cleanup.markRemoved();
      answers.follow(removed);
      for (const listener of onRemoved) listener(removed);
    },
    onError: (cause) => {
      if (handleError(cause)) return;
      log.error({ ...describeBug(cause) }, "bug: an event could not be stored");
      notices.raise(
        "database:rejected",
        "warning",
        "A bug kept some chat from being stored, so memory does not have it. Nothing to do; please report this with the log.",
      );
    },
    onFlushed: () => health.noteWrite(),
  });
  life.closeAtEnd(events);
  const answers = answerRemover({ replies, events, retries, cleanup, botLogin: config.bot.login });
  const { ownDeleted } = answers;
  const viewers = openViewerStore(db, () => events.flushLines());
  return { channels, events, onRemoved, ownDeleted, replies, viewers };
}

/** Removes expired data in slices. Chat is stored between two slices. */
export function sweepExpired(stores: Stores): Promise<Swept> {
  const { cleanup, db } = stores;
  return sweep({
    ...stores,
    moments: new MomentStore(db),
    breathe: () => breathe(),
    emptyWal: () => {
      const isEmpty = truncateWal(db);
      if (!isEmpty) cleanup.markRemoved();
      return isEmpty;
    },
  });
}
