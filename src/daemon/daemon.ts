import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import process from "node:process";
import { setImmediate as breathe } from "node:timers/promises";
import { ActionRoom } from "../actions/room.ts";
import { SWEEP_EVERY_MS } from "../chat/event-removal-store.ts";
import { makeOwnMessage } from "../chat/normalise.ts";
import { openPeopleStore } from "../chat/viewer-store.ts";
import { createSteadyClock } from "../clock.ts";
import { VERSION } from "../config/environment.ts";
import { type Config, refuseMute } from "../config/load.ts";
import { isLoopbackUrl } from "../config/schema.ts";
import { loadSecrets, type Secrets, saveTokens } from "../config/secrets.ts";
import { refuseLostDatabase, toDatabaseFault } from "../database/database-fault.ts";
import { isLocked, lockFolder } from "../database/lock.ts";
import { makePrivateFolder, refuseUnfit } from "../database/open-database.ts";
import { watchChanges } from "../database/watch-changes.ts";
import type { BugReport, Fault } from "../errors.ts";
import { makeFence } from "../language/fence.ts";
import { Memory } from "../memory/memory-loop.ts";
import { createPaceReader } from "../memory/recall/pace.ts";
import { openRecall } from "../memory/recall/recall-store.ts";
import { openLlm } from "../models/open-model.ts";
import { type Dashboard, openDashboard } from "../page/server.ts";
import { openChatCommands } from "../privacy/chat-commands.ts";
import { forgetEverything, forgetLog } from "../privacy/forget-store.ts";
import { removeLeftovers } from "../privacy/restore.ts";
import { ViewerRights } from "../privacy/viewer-rights.ts";
import { refuseTightBudget } from "../reply/assemble.ts";
import { openConfiguredGuard, type ReplyParts, ReplyService } from "../reply/reply-service.ts";
import { prepareTryOut } from "../reply/try-out.ts";
import { BackupKeeper } from "../system/backup-schedule.ts";
import { Outcomes } from "../telemetry/outcome.ts";
import {
  HEARTBEAT,
  HEARTBEAT_EVERY_MS,
  type Heartbeat,
  readStatus,
  readStatusNow,
  type Status,
  type StatusNow,
  watchEnd,
} from "../telemetry/status.ts";
import { wait as realWait } from "../twitch/bounded-call.ts";
import { TwitchSession } from "../twitch/session.ts";
import { CHECK_EVERY_MS, type DaemonOptions, Lifetime } from "./lifetime.ts";
import { followConfig } from "./reload.ts";
import { MessageRouter } from "./routes.ts";
import { openStores, type Stores, sweepExpired } from "./stores.ts";

/** Share of the calls, tokens and money for replies that is kept for the streamer and moderators. */
const RESERVED_SHARE = 0.2;

const PACE_WINDOW_MS = 60_000;
const FENCE_BYTES = 6;
const NOTES_SWEEP_EVERY_MS = 10 * 60_000;
/** A message that code wrote expires after this time. */
const ANSWER_MS = 10_000;

/**
 * Removes data that expired while the program was off, builds the rooms, and begins to connect. Returns the running bot,
 * maybe before it has joined: see `ready`. Rejects with a Fault if an operator must fix something first; it has then
 * closed everything that it opened.
 */
export async function startDaemon(given: DaemonOptions): Promise<Daemon> {
  // A reload changes this copy, so each room reads it at each use.
  const config = { ...given.config };
  const now = createSteadyClock(given.now, given.monotonicNow);
  const options = { ...given, config, now };
  refuseTightBudget(config, 1);
  const secrets = loadSecrets(config.dataDir, options.environment);
  refuseMute(config, secrets);
  if (existsSync(config.databaseFile)) refuseUnfit(config.databaseFile, false);
  refuseLostDatabase(config);
  const life = new Lifetime(options);
  try {
    // A second bot on this folder has the same port too. The error about the folder says more.
    if (isLocked(config.dataDir)) lockFolder(config.dataDir).release();
    const page = options.page ?? (await openOwnPage(config, life));
    makePrivateFolder(config.dataDir);
    const lock = lockFolder(config.dataDir);
    life.closers.push(() => lock.release());
    return await build(options, secrets, page, life);
  } catch (cause) {
    await life.closeAll();
    throw toDatabaseFault(config.databaseFile, cause);
  }
}

async function openOwnPage({ dashboard }: Config, life: Lifetime): Promise<Dashboard | null> {
  return dashboard.port === false ? null : life.closeAtEnd(await openDashboard(dashboard.port));
}

/** Opens the database, builds the rooms in order, connects, and routes messages. */
async function build(
  options: DaemonOptions,
  secrets: Secrets,
  page: Dashboard | null,
  life: Lifetime,
): Promise<Daemon> {
  const stores = openStores(options, life);
  const end = watchEnd(stores.runtime, stores.notices, stores.log);
  life.closers.push(end.orderly);
  await sweepExpired(stores);
  life.repeat(SWEEP_EVERY_MS, () => sweepExpired(stores));
  followConfig(options, secrets, stores, life);
  const twitch = life.closeAtEnd(openTwitch(options, secrets, stores));
  const core = openCore(options, secrets, stores, life, twitch);
  const memory = openMemoryRoom(core);
  const actions = openActionRoom(core, memory, (channel) => service.interrupt(channel));
  const { service, replyParts } = openReplies(core, actions);
  const rights = life.closeAtEnd(new ViewerRights({ ...stores, service }));
  const { requests } = memory;
  const commands = openChatCommands({ ...core, requests, rights, service, actions });
  const router = new MessageRouter({ ...core, service, actions, commands, memory });
  // Twitch closes a second time here, so that it closes first: a turn must not wait for its place in the outbox.
  life.closeAtEnd(twitch);
  twitch.connect({
    onMessage: (message) => router.route(message),
    onInfo: (channel, info) => router.storeInfo(channel, info),
  });
  if (page === null) stores.notices.clear("page_moved");
  else showPage(core, page, replyParts);
  const startedAtMs = stores.now();
  const beat = () => {
    router.countIgnored();
    writeHeartbeat(core, startedAtMs, page?.url ?? null);
  };
  life.repeatFromNow(HEARTBEAT_EVERY_MS, beat);
  const ready = twitch.ready.then(() => life.run(beat));
  ready.catch(() => undefined); // the caller may not wait for it
  const { config } = options;
  const { databaseFile } = config;
  removeLeftovers(databaseFile);
  const backups = new BackupKeeper({ ...stores, databaseFile, config: () => config.backup });
  life.repeatFromNow(CHECK_EVERY_MS, () => backups.runIfDue());
  life.closeAtEnd(backups);
  return new Daemon(stores, life, page, { ready, crashed: end.crashed });
}

/** A running bot. */
export class Daemon {
  /** Resolves when one channel is joined and every other was tried. Rejects with a Fault if Twitch refuses the bot. */
  readonly ready: Promise<void>;
  /** Logs an uncaught error and raises a notice about it, which lasts until a run ends in order. */
  readonly crashed: (thrown: unknown) => void;
  /** Resolves with a Fault when the daemon cannot go on. Its caller closes it and prints the Fault. */
  readonly broken: Promise<Fault>;
  readonly pageUrl: string | null;
  readonly #stores: Stores;
  readonly #life: Lifetime;
  readonly #page: Dashboard | null;

  constructor(
    stores: Stores,
    life: Lifetime,
    page: Dashboard | null,
    { ready, crashed }: Readonly<Pick<Daemon, "ready" | "crashed">>,
  ) {
    this.ready = ready;
    this.crashed = crashed;
    this.broken = stores.health.broken;
    this.pageUrl = page?.url ?? null;
    this.#stores = stores;
    this.#life = life;
    this.#page = page;
  }

  /** Makes a link that opens the page once. Null if there is no page, or if the database cannot store the link now. */
  pageLink(): string | null {
    const { db, handleError } = this.#stores;
    try {
      return this.#page?.makeLink(db) ?? null;
    } catch (thrown) {
      if (handleError(thrown)) return null;
      throw thrown;
    }
  }

  /** Writes the chat that waits, and returns the whole status. Takes longer the more is stored. */
  status(): Status {
    this.#stores.events.flush();
    return readStatus({ ...this.#stores, running: true });
  }

  /** Returns the part of the status that takes the same time however much is stored. */
  statusNow(): StatusNow {
    return readStatusNow({ ...this.#stores, running: true });
  }

  /** Ends within 2 s. `linesLost` counts chat messages that the database could not take. */
  async close(): Promise<{ readonly linesLost: number }> {
    await this.#life.closeAll();
    return { linesLost: this.#stores.events.unwritten() };
  }
}

/** Opens the session with Twitch. It checks the tokens at once, and joins at `connect`. */
function openTwitch(options: DaemonOptions, secrets: Secrets, stores: Stores): TwitchSession {
  const { config, environment, wait = realWait } = options;
  const { clientId, chatUrl } = config.twitch;
  const { twitch: tokens, streamer } = secrets;
  return new TwitchSession({
    ...options,
    ...{ chatUrl, wait, channels: config.channels, botLogin: config.bot.login },
    tokens: tokens === null ? null : { ...tokens, clientId },
    streamer: streamer && {
      tokens: { ...streamer, clientId },
      saveTokens: (renewed) => saveTokens(config.dataDir, environment, renewed, "streamer"),
    },
    useHelix: environment.hasHelixStandIn || !isLoopbackUrl(chatUrl),
    saveTokens: (renewed) => saveTokens(config.dataDir, environment, renewed),
    broadcasterId: (channel) => stores.channels.twitchId(channel),
    notices: stores.notices,
  });
}

type Core = ReturnType<typeof openCore>;

function openCore(
  options: DaemonOptions,
  secrets: Secrets,
  stores: Stores,
  life: Lifetime,
  twitch: TwitchSession,
) {
  const { config, db, events, now } = stores;
  const fence = makeFence(randomBytes(FENCE_BYTES).toString("hex"));
  const perMinute = (channel: string) => events.pace(channel, PACE_WINDOW_MS);
  const outcomes = new Outcomes(db, now, () => twitch.botUserId());
  life.repeatToEnd(CHECK_EVERY_MS, () => outcomes.settle());
  const llm = openLlm({
    ...stores,
    apiKeys: secrets,
    offline: options.offlineModel,
    reservedShare: RESERVED_SHARE,
  });
  return {
    ...stores,
    ...{ options, life, llm, fence, perMinute, outcomes, twitch },
    ...{ random: options.random, wait: options.wait ?? realWait, sinceBootMs: options.sinceBootMs },
    guard: openConfiguredGuard(config, fence),
    switches: () => stores.live.read(),
    paceOf: createPaceReader(perMinute),
  };
}

/** Shows this run on the page until the end. Raises a notice if the page has another port than configured. */
function showPage(
  { options, life, config, db, log, notices, now }: Core,
  page: Dashboard,
  replyParts: ReplyParts,
): void {
  const { configFile = null, control = {} } = options;
  const onBug = (bug: BugReport): void => log.error({ ...bug }, "the page failed at something");
  const tryAnswer = prepareTryOut(replyParts);
  page.show({ db, config, configFile, now, tryAnswer, control, onBug });
  if (options.page !== undefined) life.closers.push(() => page.hide());
  if (page.isMoved && options.page === undefined) {
    const moved = `Port ${config.dashboard.port} is taken, so the page is at ${page.url}. Set \`dashboard.port\` to a free port to keep the address.`;
    notices.raise("page_moved", "info", moved);
  } else notices.clear("page_moved");
}

/** Writes the daemon's state, for other processes. */
function writeHeartbeat(
  { config, runtime, health, paceOf, perMinute, twitch }: Core,
  startedAtMs: number,
  pageUrl: string | null,
): void {
  const { bot, llm, mode } = config;
  const joined = twitch.chat.joined();
  const beat: Heartbeat = {
    pid: process.pid,
    version: VERSION,
    startedAtMs,
    mode,
    provider: llm.provider,
    model: llm.models.reply ?? llm.model,
    pageUrl,
    botLogin: bot.login,
    channels: config.channels.map((channel) => ({
      channel,
      joined: joined.includes(channel),
      pace: paceOf(channel),
      messagesPerMinute: perMinute(channel),
    })),
  };
  runtime.write(HEARTBEAT, beat);
  health.noteWrite();
}

function openMemoryRoom(core: Core): Memory {
  const { channels, config, events, life, onRemoved } = core;
  const memory = new Memory({
    ...core,
    flush: events.flush,
    breathe: () => breathe(),
    isOver: (channel) => channels.isLive(channel) === false,
  });
  onRemoved.push(() => memory.settleRemovals());
  life.closeAtEnd(memory);
  life.repeatAsSet(
    () => config.memory.compactionSeconds * 1_000,
    () => memory.run(),
  );
  life.repeat(NOTES_SWEEP_EVERY_MS, () => memory.sweep());
  return memory;
}

function openActionRoom(
  core: Core,
  { requests }: Memory,
  interrupt: (channel: string) => void,
): ActionRoom {
  const { config, db, hash, ledger, life, now, suppressions, switches, twitch } = core;
  const forgets = forgetLog(db);
  const actions = new ActionRoom({
    ...core,
    memory: requests,
    people: openPeopleStore(db, core.events.flush, now),
    api: () => twitch.api,
    isRaid: (channel) => core.paceOf(channel) === "raid",
    isOwnMessage: (messageId) => core.replies.byMessage(messageId) !== null,
    onEnded: (userId) => {
      // A proposal may repeat the words that asked for it.
      if (suppressions.isOptedOut(userId)) ledger.dropArgs(userId);
      if (forgets.reread().has(hash.person(userId))) forgetEverything(core, userId);
    },
    say: ({ channel, messageId }, text, question) => {
      if (config.mode === "shadow") return question?.onSent({ kind: "withdrawn" });
      const expiresAtMs = question?.expiresAtMs ?? now() + ANSWER_MS;
      const onSending = () => !switches().paused && question?.onSending() !== false;
      const offer = { channel, text, replyTo: messageId, expiresAtMs, onSending };
      void twitch.outbox.offer(offer).then((outcome) => {
        question?.onSent(outcome);
        interrupt(channel);
      });
    },
  });
  core.onRemoved.push((removed) => actions.endRemoved(removed));
  life.closers.push(() => actions.settled());
  life.repeat(CHECK_EVERY_MS, () => actions.settle());
  return actions;
}

function openReplies(core: Core, actions: ActionRoom) {
  const { cleanup, config, db, handleError, life, llm, outcomes, twitch } = core;
  const recall = openRecall(core, { ...core, onUnread: handleError });
  // Another process may have changed notes that were read before.
  life.closeAtEnd(watchChanges(db, () => recall.dropLast()));
  const replyParts: ReplyParts = {
    ...core,
    ...{ actions, recall, outbox: twitch.outbox },
    // A cleanup of the database waits for the answer.
    llm: { ...llm, ask: (request) => cleanup.whileReplying(() => llm.ask(request)) },
    isShut: (channel) => config.mode !== "shadow" && twitch.isShut(channel),
    botUserId: () => twitch.botUserId(),
    onSaid: ({ channel, userId }, { replyId, text, messageId }) => {
      if (replyId !== null) outcomes.said({ replyId, channel, userId, messageId });
      const botId = twitch.botUserId();
      const { login } = config.bot;
      if (botId === null || login === null) return;
      const said = { channel, userId: botId, login, text, messageId };
      core.events.add(makeOwnMessage(replyId === null ? said : { ...said, replyId }));
    },
  };
  const service = life.closeAtEnd(new ReplyService(replyParts));
  core.onRemoved.push((removed) => service.discard(removed));
  return { service, replyParts };
}
