import { setImmediate as breathe, setTimeout as delay } from "node:timers/promises";
import { ledgerStore } from "../actions/ledger-store.ts";
import { channelStore } from "../chat/channel-store.ts";
import { type EventStore, eventStore } from "../chat/event-store.ts";
import { momentWriter } from "../chat/moment-store.ts";
import type { RemovedText } from "../chat/removal.ts";
import { identityStore, viewerStore } from "../chat/viewer-store.ts";
import { fillNames, type KeyedHash, keyedHash } from "../language/people.ts";
import type { Log } from "../log.ts";
import { unprovenSweeper } from "../memory/episode-store.ts";
import {
  type RecallParts,
  type RecallSettings,
  type RecallStore,
  recallStore,
} from "../memory/recall/recall-store.ts";
import { suppressionStore } from "../memory/suppression-store.ts";
import { personaFor } from "../platform/config/personas.ts";
import { hashKey, keepHashKey } from "../platform/config/secrets.ts";
import { databaseHealth } from "../platform/database/health.ts";
import { noticeBoard } from "../platform/database/notices-store.ts";
import {
  type Db,
  openDatabase,
  truncateWal,
  waitAtMost,
} from "../platform/database/open-database.ts";
import { type Counters, counterStore, runtimeStore } from "../platform/database/runtime-store.ts";
import { vacuumQueue } from "../platform/database/vacuum-queue.ts";
import { type WalKeeper, walKeeper } from "../platform/database/wal-keeper.ts";
import { watchChanges } from "../platform/database/watch-changes.ts";
import { onceFree, type WriteGate, writeGate } from "../platform/database/write-gate.ts";
import { llmCallStore } from "../platform/models/call-store.ts";
import type { Llm } from "../platform/models/model-port.ts";
import type { ToldNote } from "../privacy/chat-commands.ts";
import { type RetentionParts, type Swept, sweep } from "../privacy/retention.ts";
import { type ReplyStore, replyStore, type TakenReply } from "../reply/reply-store.ts";
import type { DaemonActions } from "./build-actions.ts";
import { type DaemonOptions, every, type Lifetime, reportFailure } from "./lifetime.ts";
import { keepPromises, LATER_MS } from "./promises.ts";

/** How long a write waits for another process's: at the start and at the end, where nobody waits for the loop, and between. */
const BUSY_AT_EDGES_MS_MAX = 250;
const BUSY_MS_MAX = 30;
const RETRY_EVERY_MS = 5_000;
const EMPTY_WAL_EVERY_MS = 5_000;
const LOOK_AT_WAL_EVERY_MS = 250;
const LOOK_AT_FILE_EVERY_MS = 1_000;
/** Three looks at Twitch. */
const LIVE_PATIENCE_MS = 3 * 60_000;

export type Stores = ReturnType<typeof openStores>;

/** Opens the database and everything that reads and writes it. Throws a Fault where it cannot be used. */
export function openStores(options: DaemonOptions, life: Lifetime) {
  const { config, now, log } = options;
  const { databaseFile: file } = config;
  const db = openDatabase(file, { busyTimeoutMs: BUSY_AT_EDGES_MS_MAX });
  const notices = noticeBoard(db, now, log);
  const gate = writeGate((thrown) => reportFailure(thrown, { life, log }));
  const health = watchHealth({ db, file, notices, isHeld: gate.isClosed }, life, log);
  const wal = keptWal(db, gate, { life, log });
  const patiently = patientWrites(gate, life, log);
  const counters = patientCounters(counterStore(db), patiently);
  const channels = channelStore(db, now, LIVE_PATIENCE_MS);
  for (const channel of config.channels) channels.ensure(channel);
  const hash = keptHash(config.dataDir, life);
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
    expiryMs: config,
    streamOf: channels.openSession,
    isHeld: gate.isClosed,
    isOptedOut: suppressions.isOptedOut,
    onRemoved: (removed) => {
      wal.markDirty();
      own.follow(removed);
      for (const tell of onRemoved) tell(removed);
    },
    onError: health.heard,
    onFlushed: health.works,
  });
  realign(now(), { events, others: [replies, calls, ledger] });
  const own = removedReplies({ replies, events, wal, botLogin: config.bot.login });
  const promises = keepPromises(options, { events, notices, life });
  life.closers.push(() => events.close(), own.retry);
  every(RETRY_EVERY_MS, () => gate.whenOpen(own.retry), { life, log });
  const parts = { db, gate, wal, notices, counters, events, ledger };
  return {
    ...parts,
    started: impatient(db, life),
    vacuums: vacuumQueue(db, now),
    health,
    promises,
    channels,
    patiently,
    replies: patientRefusals(replies, { gate, patiently, flush: events.flush }),
    viewers,
    hash,
    suppressions,
    runtime: runtimeStore(db, now),
    onRemoved,
    ownDeleted: own.ownDeleted,
    sweep: sweeper(config, {
      ...parts,
      replies,
      calls,
      moments: momentWriter(db),
      episodes: unprovenSweeper(db),
      now,
    }),
  };
}

/** Its key is on disk at the end, whatever became of the file meanwhile. */
function keptHash(dataDir: string, life: Lifetime): KeyedHash {
  const key = hashKey(dataDir);
  life.closers.push(() => keepHashKey(dataDir, key));
  return keyedHash(key);
}

/** The start is over: from now until the end nothing holds up the loop for long. */
function impatient(db: Db, life: Lifetime) {
  return (): void => {
    waitAtMost(db, BUSY_MS_MAX);
    life.closers.push(() => waitAtMost(db, BUSY_AT_EDGES_MS_MAX));
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

function keptWal(db: Db, gate: WriteGate, { life, log }: { life: Lifetime; log: Log }): WalKeeper {
  const wal = walKeeper(db, gate);
  life.closers.push(wal.close);
  every(EMPTY_WAL_EVERY_MS, wal.emptyIfDirty, { life, log });
  every(LOOK_AT_WAL_EVERY_MS, wal.keepShort, { life, log });
  return wal;
}

/** A clock that was set back since the last run must neither keep a text longer nor hold up an answer. */
function realign(
  nowMs: number,
  { events, others }: { events: EventStore; others: readonly Pick<ReplyStore, "realign">[] },
): void {
  const aheadMs = events.realign(nowMs);
  if (aheadMs > 0) for (const store of others) store.realign(nowMs, aheadMs);
}

/** Sweeps, and lets other work, and other processes, in between. */
function sweeper(
  { retention }: DaemonOptions["config"],
  {
    db,
    gate,
    wal,
    ...parts
  }: Omit<RetentionParts, "breathe" | "emptyWal"> & { db: Db; gate: WriteGate; wal: WalKeeper },
): () => Promise<Swept> {
  const ready = async (): Promise<void> => {
    while (!wal.keepShort()) await delay(LATER_MS);
    await gate.opened();
  };
  /** Then nobody waits for the loop, and a process would take longer than the disk. */
  let isStart = true;
  const patient = {
    ...parts,
    breathe: async () => {
      await breathe();
      await ready();
    },
    emptyWal: () => (isStart && truncateWal(db)) || wal.empty(),
  };
  return async () => {
    await ready();
    const swept = await sweep(patient, retention.eventHours);
    isStart = false;
    return swept;
  };
}

interface RemovedReplies {
  /** Texts of chat went: what the bot said in answer to them goes too. */
  follow(removed: RemovedText): void;
  /** A message of the bot's own was deleted. */
  ownDeleted(said: TakenReply): void;
  /** What the bot said was taken from its replies: it leaves the events. */
  forget(said: readonly TakenReply[]): void;
  /** Tries again what the database did not take. */
  retry(): void;
}

/** Takes from the bot's own words what repeats, or may repeat, a removed text. What fails is tried again, in order. */
function removedReplies({
  replies,
  events,
  wal,
  botLogin,
}: {
  readonly replies: Pick<ReplyStore, "takeTexts" | "learnId">;
  readonly events: Pick<EventStore, "removeOwn">;
  /** Told that a text was taken that the log may still hold. */
  readonly wal: Pick<WalKeeper, "markDirty">;
  readonly botLogin: string | null;
}): RemovedReplies {
  const undone: (() => void)[] = [];
  let isWorking = false;
  const retry = (): void => {
    if (isWorking) return;
    isWorking = true;
    try {
      for (let work = undone[0]; work !== undefined; work = undone[0]) {
        work();
        undone.shift();
      }
    } catch {
      // The database is busy: the work waits for the next try.
    } finally {
      isWorking = false;
    }
  };
  const surely = (work: () => void): void => {
    undone.push(work);
    retry();
  };
  const take = (removed: RemovedText): void => {
    const { removal } = removed;
    const isBot = removal.by === "person" && botLogin !== null && removal.login === botLogin;
    forget(replies.takeTexts(removed, isBot));
  };
  const forget = (said: readonly TakenReply[]): void => {
    if (said.length === 0) return;
    surely(() => {
      events.removeOwn(said);
      wal.markDirty();
    });
  };
  return {
    follow: (removed) => surely(() => take(removed)),
    ownDeleted: (said) => {
      surely(() => {
        replies.learnId(said);
        const messageIds = said.messageId === null ? [] : [said.messageId];
        const removal = { by: "message", messageId: said.messageId ?? "" } as const;
        take({ removal, userId: null, messageIds, eventIds: [] });
      });
    },
    forget,
    retry,
  };
}

type Write = (write: () => void) => void;

/** Writes now, or once another process has done with the database. Never throws: what fails otherwise is told. */
function patientWrites(gate: WriteGate, life: Lifetime, log: Log): Write {
  let isOver = false;
  life.closers.push(() => {
    isOver = true;
  });
  return (write) =>
    gate.whenOpen(() => {
      onceFree(() => isOver || write()).catch((thrown) => reportFailure(thrown, { life, log }));
    });
}

function patientCounters(counters: Counters, patiently: Write): Counters {
  return { ...counters, bump: (name, by) => patiently(() => counters.bump(name, by)) };
}

/** A trigger that gets no turn stands after the message that it was. */
function patientRefusals(
  replies: ReplyStore,
  { gate, patiently, flush }: { gate: WriteGate; patiently: Write; flush: () => boolean },
): ReplyStore {
  return {
    ...replies,
    refuse: (reply, reason) => {
      const isLate = gate.isClosed();
      patiently(() => {
        if (isLate) flush();
        replies.refuse(reply, reason);
      });
    },
  };
}

/** Whoever asks a model writes down what it said: nobody else has the database meanwhile. */
export function patientLlm(llm: Llm, gate: WriteGate): Llm {
  return { ...llm, ask: (request) => gate.hold(() => llm.ask(request)) };
}

/** What is done is written down before it is done, and after. */
export function patientActions(room: DaemonActions, gate: WriteGate): DaemonActions {
  return {
    ...room,
    handle: (asked, spans) =>
      new Promise((resolve) => {
        void gate.hold(async () => {
          const handled = await room.handle(asked, spans);
          resolve(handled);
          await handled.outcomes;
        });
      }),
  };
}

/** The same for a daemon: what another process changes takes along what was read last of anybody. */
export function watchedRecall(
  options: Pick<DaemonOptions, "config" | "now">,
  stores: Pick<Stores, "db" | "suppressions" | "health">,
  life: Lifetime,
): RecallStore {
  const recall = openRecall(options, { ...stores, onUnread: stores.health.heard });
  const watch = watchChanges(stores.db, recall.dropLast, life.atMultiples);
  life.closers.push(() => watch.close());
  return recall;
}

/** What prompts show of memory, as configured now. Of whoever opted out nothing is shown, whatever is stored. */
export function openRecall(
  { config, now }: Pick<DaemonOptions, "config" | "now">,
  {
    db,
    suppressions,
    ...told
  }: Pick<Stores, "db" | "suppressions"> & Pick<RecallParts, "onUnread">,
  settings: () => RecallSettings = () => config.memory,
): RecallStore {
  const recall = recallStore(db, {
    ...told,
    settings,
    personaOf: (channel) => personaFor(config, channel).memoryScope,
    accountsOf: identityStore(db, now).accountsOf,
  });
  return {
    ...recall,
    lore: (asked) => (suppressions.isOptedOut(asked.userId) ? [] : recall.lore(asked)),
    loreOrLast: (asked) =>
      suppressions.isOptedOut(asked.userId) ? { notes: [], fresh: true } : recall.loreOrLast(asked),
  };
}

/** More notes than anybody can have. */
const NOTES_MAX = 100_000;
const NO_TALK = { message: { id: null, text: "" }, recent: [], category: "", others: [] };

/** Gives a function that reads exactly what a prompt for a viewer could hold of them, whatever is talked of. */
export function toldNotes(
  options: Pick<DaemonOptions, "config" | "now">,
  stores: Pick<Stores, "db" | "suppressions">,
): (channel: string, userId: string) => readonly ToldNote[] {
  const recall = openRecall(options, stores, () => ({ ...options.config.memory, topics: "add" }));
  return (channel, userId) =>
    recall
      .lore({
        channel,
        userId,
        nowMs: options.now(),
        limit: NOTES_MAX,
        conversation: NO_TALK,
        withRepeated: true,
      })
      .map(({ id, fact }) => ({ id, fact: fillNames(fact, recall.displayName) }));
}
