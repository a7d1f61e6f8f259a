import { setImmediate as breathe } from "node:timers/promises";
import type { Environment } from "./config/environment.ts";
import type { Config } from "./config/load.ts";
import { refuseMute } from "./config/refuse-mute.ts";
import { loadSecrets, saveTokens, type Secrets } from "./config/secrets.ts";
import { isLoopbackUrl } from "./config/urls.ts";
import { openDashboard } from "./dashboard/server.tsx";
import { counterStore } from "./db/counters-store.ts";
import { lockFolder } from "./db/lock.ts";
import { noticeBoard } from "./db/notices-store.ts";
import { makePrivateFolder, openDatabase } from "./db/open.ts";
import { runtimeStore } from "./db/runtime-store.ts";
import { type Switches, switchStore } from "./db/switches-store.ts";
import { watchChanges } from "./db/watch.ts";
import { truncateWal } from "./db/checkpoint.ts";
import { describeBug } from "./errors.ts";
import { channelStore } from "./events/channel-store.ts";
import { normalise, type Spoken } from "./events/normalise.ts";
import { ownMessage } from "./events/own-message.ts";
import type { RemovedText } from "./events/removal.ts";
import { eventStore } from "./events/store.ts";
import { viewerStore } from "./events/viewer-store.ts";
import { openLlm } from "./llm/open.ts";
import { llmCallStore } from "./llm/store.ts";
import type { Log } from "./log.ts";
import { offlineModel } from "./offline/model.ts";
import type { Pace } from "./recall/depth.ts";
import { paceReader } from "./recall/pace.ts";
import { recallStore } from "./recall/store.ts";
import { modelCorrections } from "./reply/corrections.ts";
import { type Desk, openDesk } from "./reply/desk.ts";
import { replyStore } from "./reply/store.ts";
import { SWEEP_EVERY_MS, sweep, textLifetimeMs } from "./rights/retention.ts";
import { HEARTBEAT, HEARTBEAT_EVERY_MS, heartbeat } from "./telemetry/heartbeat.ts";
import { readStatus, type Status } from "./telemetry/status.ts";
import type { WireMessage } from "./twitch/chat.ts";
import { openTwitch, type TwitchSession } from "./twitch/session.ts";
import { wait as realWait, type Wait } from "./twitch/wait.ts";

export interface DaemonOptions {
  readonly config: Config;
  readonly environment: Environment;
  readonly now: () => number;
  /** Waits in the time that `now` tells; a rehearsal's runs faster than the wall's. */
  readonly wait?: Wait;
  readonly random: () => number;
  readonly log: Log;
}

export interface Daemon {
  /** Resolves when every channel is joined; rejects with a Fault where Twitch refuses the bot. */
  readonly ready: Promise<void>;
  /** Of the local page; null where there is none. */
  readonly pageUrl: string | null;
  status(): Status;
  /** Ends within 2 s: nothing that was taken in is lost. */
  close(): Promise<void>;
}

const DATABASE_BUSY = "the database did not take chat in; it is tried again";
const PACE_WINDOW_MS = 60_000;
/** A write of another process may hold the database this long before a batch of chat waits for the next try. */
const BUSY_MS_MAX = 250;

/**
 * Builds the rooms, routes between them, and runs until closed. Throws a Fault for what an operator must mend first;
 * then nothing was changed. What ran out while the program was off goes before anything else happens.
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { config } = options;
  makePrivateFolder(config.dataDir);
  const secrets = loadSecrets(config.dataDir, options.environment);
  refuseMute(config, secrets);
  const lock = lockFolder(config.dataDir);
  const closers: (() => unknown)[] = [() => lock.release()];
  const closeAll = async (): Promise<void> => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    return await build(options, secrets, { closers, closeAll });
  } catch (cause) {
    await closeAll();
    throw cause;
  }
}

interface Lifetime {
  /** Called in reverse order at the end. */
  readonly closers: (() => unknown)[];
  readonly closeAll: () => Promise<void>;
}

async function build(options: DaemonOptions, secrets: Secrets, life: Lifetime): Promise<Daemon> {
  const { config, now } = options;
  const stores = openStores(options, life);
  await stores.sweep();
  every(SWEEP_EVERY_MS, stores.sweep, { life, log: options.log });
  const perMinute = (channel: string) => stores.events.pace(channel, PACE_WINDOW_MS);
  const paceOf = paceReader(perMinute);
  const desk = buildDesk({ options, secrets, stores, paceOf, life, twitch: () => twitch });
  const router = routes(config, { stores, desk, botUserId: () => twitch.botUserId() });
  life.closers.push(() => desk.close());
  const twitch = buildTwitch(options, { secrets, stores, onMessage: router.take });
  life.closers.push(() => twitch.close());
  const status = (): Status => {
    stores.events.flush();
    return readStatus({ db: stores.db, now, log: options.log, running: true });
  };
  const { port } = config.dashboard;
  const page = port === false ? null : await openDashboard({ port, readStatus: status, now });
  life.closers.push(() => page?.close());
  const startedAtMs = now();
  const pageUrl = page?.url ?? null;
  const beat = (): void => {
    router.countIgnored();
    const joined = twitch.chat.joined();
    stores.runtime.write(HEARTBEAT, heartbeat(config, { startedAtMs, pageUrl, joined, paceOf, perMinute }));
  };
  beat();
  every(HEARTBEAT_EVERY_MS, beat, { life, log: options.log });
  return { ready: twitch.ready.then(beat), pageUrl, status, close: life.closeAll };
}

type Stores = ReturnType<typeof openStores>;

function openStores({ config, now, log }: DaemonOptions, life: Lifetime) {
  const db = openDatabase(config.databaseFile, { busyTimeoutMs: BUSY_MS_MAX });
  life.closers.push(() => db.close());
  const notices = noticeBoard(db, now, log);
  const counters = counterStore(db);
  const channels = channelStore(db, now);
  for (const channel of config.channels) channels.ensure(channel);
  const replies = replyStore(db, now);
  replies.settleUnfinished();
  /** Told of every text that a moderator's act or a viewer's wish took away. */
  const onRemoved: ((removed: RemovedText) => void)[] = [];
  const viewers = viewerStore(db, () => events.flush());
  const events = eventStore(db, {
    now,
    expiryMs: textLifetimeMs(config.retention.eventHours),
    streamOf: channels.openSession,
    onRemoved: (removed) => {
      for (const tell of onRemoved) tell(removed);
    },
    onError: () => notices.raise("database_busy", "warning", DATABASE_BUSY),
  });
  life.closers.push(() => truncateWal(db), () => events.close());
  const runtime = runtimeStore(db, now);
  const retention = { db, events, replies, counters, notices, now, breathe: () => breathe() };
  return {
    db,
    notices,
    counters,
    channels,
    replies,
    viewers,
    events,
    runtime,
    onRemoved,
    sweep: () => sweep(retention, config.retention.eventHours),
  };
}

interface DeskInput {
  readonly options: DaemonOptions;
  readonly secrets: Secrets;
  readonly stores: Stores;
  readonly paceOf: (channel: string) => Pace;
  readonly life: Lifetime;
  /** Asked only once the daemon runs: chat and desk need each other. */
  readonly twitch: () => TwitchSession;
}

function buildDesk({ options, secrets, stores, paceOf, life, twitch }: DeskInput): Desk {
  const { config, now, log } = options;
  const closing = new AbortController();
  life.closers.push(() => closing.abort());
  const desk = openDesk({
    ...stores,
    config,
    recall: recallStore(stores.db),
    corrections: modelCorrections(llmCallStore(stores.db)),
    llm: openLlm({
      config: config.llm,
      apiKeys: { gemini: secrets.geminiApiKey, openai: secrets.openaiApiKey },
      offline: offlineModel(),
      db: stores.db,
      now,
      notices: stores.notices,
      log,
    }),
    outbox: { offer: (offer) => twitch().outbox.offer(offer) },
    switches: watchedSwitches(stores, now, life),
    paceOf,
    botUserId: () => twitch().botUserId(),
    onSaid: ({ channel }, text, messageId) => {
      const userId = twitch().botUserId();
      const { login } = config.bot;
      if (userId !== null && login !== null) {
        stores.events.add(ownMessage({ channel, userId, login, text, messageId }));
      }
    },
    wait: (ms) => (options.wait ?? realWait)(ms, closing.signal),
    now,
    random: options.random,
    log,
  });
  stores.onRemoved.push(desk.discard);
  return desk;
}

/** The switches, reread whenever another process wrote; asked before each decision and each send. */
function watchedSwitches({ db }: Stores, now: () => number, life: Lifetime): () => Switches {
  const store = switchStore(db, now);
  let switches = store.read();
  const watch = watchChanges(db, () => {
    switches = store.read();
  });
  life.closers.push(() => watch.close());
  return () => {
    watch.check();
    return switches;
  };
}

interface Routes {
  take(message: WireMessage): void;
  /** Writes down how many lines were ignored since, by reason. */
  countIgnored(): void;
}

function routes(
  config: Config,
  { stores, desk, botUserId }: { stores: Stores; desk: Desk; botUserId: () => string | null },
): Routes {
  const channels = new Set(config.channels);
  const knownBots = new Set(config.bot.knownBots);
  const ignored = new Map<string, number>();
  const takeSpoken = (spoken: Spoken): void => {
    if (spoken.memorable) stores.channels.noteActivity(spoken.channel);
    const heard = desk.hear(spoken);
    desk.answer(heard, stores.events.add(spoken, heard.addressed !== null));
  };
  return {
    take: (message) => {
      const context = { channels, botUserId: botUserId(), botLogin: config.bot.login, knownBots };
      const event = normalise(message, context);
      if (event.kind === "ignored") {
        ignored.set(event.reason, (ignored.get(event.reason) ?? 0) + 1);
        return;
      }
      if ("person" in event) return takeSpoken(event);
      if (event.kind === "room_state" && event.roomId !== null) {
        stores.channels.setTwitchId(event.channel, event.roomId);
      }
      stores.events.add(event);
    },
    countIgnored: () => {
      for (const [reason, count] of ignored) stores.counters.bump(`ingest.ignored.${reason}`, count);
      ignored.clear();
    },
  };
}

function buildTwitch(
  { config, environment, now, wait, random, log }: DaemonOptions,
  parts: { secrets: Secrets; stores: Stores; onMessage: (message: WireMessage) => void },
): TwitchSession {
  const { twitch } = parts.secrets;
  const { channels, notices } = parts.stores;
  return openTwitch({
    chatUrl: config.twitch.chatUrl,
    channels: config.channels,
    botLogin: config.bot.login,
    tokens: twitch === null ? null : { ...twitch, clientId: config.twitch.clientId },
    useHelix: environment.hasHelixStandIn || !isLoopbackUrl(config.twitch.chatUrl),
    saveTokens: (tokens) => saveTokens(config.dataDir, environment, tokens),
    broadcasterId: channels.twitchId,
    onMessage: parts.onMessage,
    onInfo: channels.refresh,
    notices,
    now,
    wait: wait ?? realWait,
    random,
    log,
  });
}

function every(ms: number, work: () => unknown, { life, log }: { life: Lifetime; log: Log }): void {
  const timer = setInterval(async () => {
    try {
      await work();
    } catch (thrown) {
      log.error({ ...describeBug(thrown) }, "bug: a regular task failed");
    }
  }, ms);
  timer.unref();
  life.closers.push(() => clearInterval(timer));
}
