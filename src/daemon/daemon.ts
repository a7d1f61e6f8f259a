import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import process from "node:process";
import { setImmediate as breathe } from "node:timers/promises";
import { SWEEP_EVERY_MS } from "../chat/event-rows-store.ts";
import { ownMessage } from "../chat/normalise.ts";
import { steadyClock } from "../clock.ts";
import { VERSION } from "../config/environment.ts";
import { refuseMute } from "../config/load.ts";
import { loadSecrets, type Secrets } from "../config/secrets.ts";
import { asDatabaseFault, refuseLostDatabase } from "../database/database-fault.ts";
import { isLocked, lockFolder } from "../database/lock.ts";
import { makePrivateFolder, refuseUnfit } from "../database/open-database.ts";
import type { Switches } from "../database/runtime-store.ts";
import type { Fault } from "../errors.ts";
import { type Fence, makeFence } from "../language/fence.ts";
import { type Memory, openMemory } from "../memory/memory-loop.ts";
import { type Pace, paceReader } from "../memory/recall/pace.ts";
import { llmCallStore, modelCorrections } from "../models/call-store.ts";
import type { Llm } from "../models/model-port.ts";
import { openLlm } from "../models/open-model.ts";
import { removeLeftovers } from "../privacy/restore.ts";
import { refuseTightBudget } from "../reply/assemble.ts";
import type { Guard } from "../reply/guard.ts";
import {
  configuredGuard,
  type ReplyParts,
  type ReplyService,
  replyService,
} from "../reply/reply-service.ts";
import { tryOut } from "../reply/try-out.ts";
import { openBackups } from "../system/backup-schedule.ts";
import { HEARTBEAT, HEARTBEAT_EVERY_MS, type Heartbeat } from "../telemetry/heartbeat.ts";
import type { Outcomes } from "../telemetry/outcome.ts";
import { readStatus, readStatusNow, type Status, type StatusNow } from "../telemetry/status.ts";
import { wait as realWait } from "../twitch/bounded-call.ts";
import type { DeliveryOutcome } from "../twitch/outbox.ts";
import type { TwitchSession } from "../twitch/session.ts";
import { type DaemonActions, openActions } from "./build-actions.ts";
import { type OpenPage, openPage, showPage } from "./build-page.ts";
import { openRights } from "./build-privacy.ts";
import {
  type DaemonOptions,
  every,
  everySo,
  type Lifetime,
  lastEnd,
  lifetime,
} from "./lifetime.ts";
import { type LiveSwitches, liveSwitches } from "./live-switches.ts";
import { type LiveConfig, liveConfig, watchConfig } from "./reload.ts";
import { commands, joinTwitch, openOutcomes, routes } from "./routes.ts";
import { openStores, type Stores, watchedRecall } from "./stores.ts";

/** Share of the calls, tokens and money for replies that is kept for the streamer and moderators. */
const RESERVED_SHARE = 0.2;

export interface Daemon {
  /** Resolves when one channel is joined and every other was tried; rejects with a Fault where Twitch refuses the bot. */
  readonly ready: Promise<void>;
  /** Of the local page; null where there is none. */
  readonly pageUrl: string | null;
  /** Opens the page in one browser, once; null where there is none, or where the database takes no link now. */
  pageLink(): Promise<string | null>;
  /** Counts all that is kept: `statusNow` takes the same time however much that is. */
  status(): Status;
  statusNow(): StatusNow;
  /** Resolves with a Fault once it cannot go on; whoever runs it closes it then, and tells. */
  readonly broken: Promise<Fault>;
  /** Its last words, after an error that nobody caught: told at the next start. */
  crashed(thrown: unknown): void;
  /** Ends within 2 s. */
  close(): Promise<Closed>;
}

/** What an end left undone. */
interface Closed {
  /** Lines of chat that the database did not take. */
  readonly linesLost: number;
}

const PACE_WINDOW_MS = 60_000;
const FENCE_BYTES = 6;
const BACKUP_LOOK_EVERY_MS = 1_000;
const NOTES_SWEEP_EVERY_MS = 10 * 60_000;
/** How long a line of code's own makes sense. */
const ANSWER_MS = 10_000;

/**
 * Builds the rooms, routes between them, and runs until closed. Throws a Fault for what an operator must mend first;
 * then nothing was changed. What ran out while the program was off goes before anything else happens.
 */
export async function startDaemon(given: DaemonOptions): Promise<Daemon> {
  const live = liveConfig(given.config);
  const { config } = live;
  const now = steadyClock(given.now, given.monotonicNow);
  const options = { ...given, config, now, wallNow: given.now };
  refuseTightBudget(config, 1);
  const secrets = loadSecrets(config.dataDir, options.environment);
  refuseMute(config, secrets);
  if (existsSync(config.databaseFile)) refuseUnfit(config.databaseFile, false);
  refuseLostDatabase(config);
  const life = lifetime(options.log);
  try {
    // A second bot on this folder has the same port too: that it is the second one says more.
    if (isLocked(config.dataDir)) lockFolder(config.dataDir).release();
    const page = await openPage(options, life.closers);
    makePrivateFolder(config.dataDir);
    const lock = lockFolder(config.dataDir);
    life.closers.push(() => lock.release());
    return await build({ ...options, live }, secrets, page, life);
  } catch (cause) {
    await life.closeAll();
    throw asDatabaseFault(config.databaseFile, cause);
  }
}

interface Started extends DaemonOptions {
  /** What the machine's clock shows, which may be set back: people's hours, and a provider's days, go by it. */
  readonly wallNow: () => number;
}

async function build(
  options: Started & { readonly live: LiveConfig },
  secrets: Secrets,
  page: OpenPage,
  life: Lifetime,
): Promise<Daemon> {
  const { config, now, log } = options;
  const stores = openStores(options, life);
  const ends = lastEnd(stores, log);
  life.closers.push(ends.orderly);
  await stores.sweep();
  every(SWEEP_EVERY_MS, stores.sweep, { life, log });
  const perMinute = (channel: string) => stores.events.pace(channel, PACE_WINDOW_MS);
  watchConfig({ options, live: options.live, secrets, stores, life });
  const live = liveSwitches(options, stores, life);
  const fence = makeFence(randomBytes(FENCE_BYTES).toString("hex"));
  const core: Core = {
    options,
    stores,
    life,
    llm: openModel(options, secrets, stores),
    fence,
    guard: configuredGuard(config, fence),
    live,
    switches: live.read,
    paceOf: paceReader(perMinute),
    outcomes: openOutcomes(options, { stores, life, botUserId: () => twitch.botUserId() }),
    twitch: () => twitch,
  };
  const memory = buildMemory(core);
  const { service, actions, tryAnswer } = buildReplies(core, memory);
  const rights = openRights(options, stores, life);
  rights.onForgotten.push(service.discardOf);
  rights.onNamed.push(service.discardNaming);
  const router = routes(config, {
    ...core,
    service,
    actions,
    commands: commands({ ...core, ...memory, service, actions, rights, perMinute }),
    botUserId: () => twitch.botUserId(),
    own: () => twitch.own,
    log,
  });
  const twitch = joinTwitch({ options, stores }, { secrets, memory, onMessage: router.take });
  life.closers.push(() => twitch.close());
  const statusParts = { db: stores.db, now, running: true };
  const statusNow = (): StatusNow => readStatusNow(statusParts);
  const status = (): Status => {
    stores.events.flush();
    return readStatus(statusParts);
  };
  const pageUrl = page.url;
  const pageLink = showPage(page, { options, stores, tryAnswer });
  if (options.page !== undefined) life.closers.push(page.hide);
  const beat = heart(core, { pageUrl, perMinute, countIgnored: router.countIgnored });
  beat();
  every(HEARTBEAT_EVERY_MS, beat, { life, log });
  removeLeftovers(config.databaseFile);
  const { db, notices } = stores;
  const backups = openBackups({
    db,
    databaseFile: config.databaseFile,
    config: () => config.backup,
    notices,
    now,
  });
  every(BACKUP_LOOK_EVERY_MS, backups.look, { life, log, atOnce: true });
  life.closers.push(backups.close);
  const ready = twitch.ready.then(beat);
  ready.catch(() => undefined); // the caller may not wait for it
  const close = async () => {
    await life.closeAll();
    return { linesLost: stores.events.unwritten() };
  };
  const { broken } = stores.health;
  return { ready, pageUrl, pageLink, status, statusNow, broken, crashed: ends.crashed, close };
}

/** Writes down that it lives, and how. What the database does not take is told, and ends neither a start nor a run. */
function heart(
  { options, stores, paceOf, twitch }: Core,
  {
    pageUrl,
    perMinute,
    countIgnored,
  }: {
    readonly pageUrl: string | null;
    readonly perMinute: (channel: string) => number;
    readonly countIgnored: () => void;
  },
): () => void {
  const { config, now } = options;
  const startedAtMs = now();
  return () => {
    try {
      countIgnored();
      const joined = twitch().chat.joined();
      const channels = config.channels.map((channel) => ({
        channel,
        joined: joined.includes(channel),
        pace: paceOf(channel),
        messagesPerMinute: perMinute(channel),
      }));
      const beat: Heartbeat = {
        pid: process.pid,
        version: VERSION,
        startedAtMs,
        mode: config.mode,
        provider: config.llm.provider,
        model: config.llm.models.reply ?? config.llm.model,
        pageUrl,
        botLogin: config.bot.login,
        channels,
      };
      stores.runtime.write(HEARTBEAT, beat);
      stores.health.works();
    } catch (thrown) {
      if (!stores.health.heard(thrown)) throw thrown;
    }
  };
}

/** What the larger rooms share. */
interface Core {
  readonly options: Started;
  readonly stores: Stores;
  readonly life: Lifetime;
  readonly llm: Llm;
  readonly fence: Fence;
  /** On everything that is said or done in the bot's name. */
  readonly guard: Guard;
  readonly live: LiveSwitches;
  readonly switches: () => Switches;
  readonly paceOf: (channel: string) => Pace;
  readonly outcomes: Outcomes;
  /** Asked only once the daemon runs: chat and the rooms behind it need each other. */
  readonly twitch: () => TwitchSession;
}

function openModel(
  { config, offlineModel, now, wallNow, log }: Started,
  secrets: Secrets,
  { db, notices }: Stores,
): Llm {
  return openLlm({
    get config() {
      return config.llm;
    },
    apiKeys: secrets,
    offline: offlineModel,
    db,
    now,
    wallNow,
    notices,
    log,
    reserveShare: () => RESERVED_SHARE,
    budgetTokens: () => config.prompt.budgetTokens,
  });
}

function buildMemory({ options, stores, life, llm, fence, switches }: Core): Memory {
  const { config, now, log } = options;
  const memory = openMemory({
    ...stores,
    config,
    llm,
    fence,
    switches,
    flush: () => stores.events.flush(),
    breathe: () => breathe(),
    isOver: (channel) => stores.channels.isLive(channel) === false,
    now,
    log,
  });
  stores.onRemoved.push(memory.forget);
  life.closers.push(() => memory.close());
  everySo(() => config.memory.compactionSeconds * 1_000, memory.run, { life, log });
  every(NOTES_SWEEP_EVERY_MS, memory.sweep, { life, log });
  return memory;
}

function buildReplies(
  { options, stores, life, llm, fence, guard, switches, paceOf, twitch, outcomes }: Core,
  { requests }: Memory,
): {
  readonly service: ReplyService;
  readonly actions: DaemonActions;
  readonly tryAnswer: ReturnType<typeof tryOut>;
} {
  const { config, now, log, random } = options;
  const api = () => twitch().api;
  const actions = openActions({
    options,
    stores,
    life,
    guard,
    memory: requests,
    api,
    isRaid: (channel) => paceOf(channel) === "raid",
    say: ({ channel, messageId }, text, question) => {
      if (config.mode === "shadow") return question?.sent({ kind: "withdrawn" });
      const offer = {
        channel,
        text,
        replyTo: messageId,
        expiresAtMs: question?.expiresAtMs ?? now() + ANSWER_MS,
        onSending: () => !switches().paused && question?.onSending() !== false,
      };
      const onEnd = (outcome: DeliveryOutcome) => {
        question?.sent(outcome);
        service.interrupt(channel);
      };
      void twitch().outbox.offer(offer).then(onEnd);
    },
  });
  const parts: ReplyParts = {
    ...stores,
    config,
    fence,
    guard,
    actions,
    // A cleanup of the database waits for the answer.
    llm: { ...llm, ask: (request) => stores.whileReplying(() => llm.ask(request)) },
    switches,
    paceOf,
    recall: watchedRecall(options, stores, life),
    heard: stores.health.heard,
    corrections: modelCorrections(llmCallStore(stores.db)),
    isShut: (channel) => config.mode !== "shadow" && twitch().isShut(channel),
    outbox: {
      offer: (offer) => twitch().outbox.offer(offer),
      delayMs: (channel, leaves) => twitch().outbox.delayMs(channel, leaves),
    },
    botUserId: () => twitch().botUserId(),
    onSaid: (ticket, { replyId, text, messageId }) => {
      const { channel } = ticket;
      if (replyId !== null) outcomes.said({ replyId, channel, userId: ticket.userId, messageId });
      const userId = twitch().botUserId();
      const { login } = config.bot;
      if (userId !== null && login !== null) {
        const said = { channel, userId, login, text, messageId };
        stores.events.add(ownMessage(replyId === null ? said : { ...said, replyId }));
      }
    },
    wait: options.wait ?? realWait,
    now,
    random,
    sinceBootMs: options.sinceBootMs,
    log,
  };
  const service = replyService(parts);
  stores.onRemoved.push(service.discard);
  life.closers.push(() => service.close());
  return { service, actions, tryAnswer: tryOut(parts) };
}
