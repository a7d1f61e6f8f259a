import { setImmediate as breathe, setImmediate as macrotask } from "node:timers/promises";
import { ledgerStore } from "../../actions/ledger-store.ts";
import { channelStore } from "../../chat/channel-store.ts";
import { eventStore } from "../../chat/event-store.ts";
import type { Spoken } from "../../chat/normalise.ts";
import { ownMessage } from "../../chat/normalise.ts";
import type { RemovedText } from "../../chat/removal.ts";
import { viewerStore } from "../../chat/viewer-store.ts";
import { makeFence } from "../../language/fence.ts";
import { keyedHash } from "../../language/people.ts";
import { type Log, openLog } from "../../log.ts";
import { openMemory } from "../../memory/memory-loop.ts";
import { recallStore } from "../../memory/recall/recall-store.ts";
import { type Pace, paceReader } from "../../memory/recall/weigh.ts";
import { suppressionStore } from "../../memory/suppression-store.ts";
import { type Config, toConfig } from "../../platform/config/load.ts";
import { personaFor } from "../../platform/config/personas.ts";
import { noticeBoard } from "../../platform/database/notices-store.ts";
import { openDatabase, truncateWal } from "../../platform/database/open-database.ts";
import { counterStore } from "../../platform/database/runtime-store.ts";
import { llmCallStore, modelCorrections } from "../../platform/models/call-store.ts";
import type { Llm } from "../../platform/models/model-port.ts";
import { sweep } from "../../privacy/retention.ts";
import type { Ticket } from "../../reply/reply-queue.ts";
import { configuredGuard, type ReplyParts, replyService } from "../../reply/reply-service.ts";
import { replyStore } from "../../reply/reply-store.ts";
import type { Outbox } from "../../twitch/outbox.ts";
import type { Scenario } from "./scenario.ts";
import type { ScenarioSpeaker, Session } from "./timeline.ts";

const BOT_USER_ID = "9001";
const BOT = "automark";
const ROOM_ID = "77";
const PACE_WINDOW_MS = 60_000;
/** The same in every run: a marker at random would make estimates differ. */
const FENCE_RANDOM = "evaluation0";
const NO_SWITCH = { paused: false, safeMode: false, readOnly: false };

interface ReplayOptions {
  readonly scenario: Scenario;
  readonly llm: Llm;
  /** What of a configuration holds here too: prompt, memory and persona. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** The real rooms between a line of chat and a recorded reply, over a database in memory and a clock that is moved. */
export type ReplayRoom = ReturnType<typeof openReplayRoom>;

export function openReplayRoom(options: ReplayOptions) {
  const { channel } = options.scenario;
  const closers: (() => unknown)[] = [];
  const core = openCore(options, closers);
  const { stores } = core;
  const turns = turnWaiter(stores);
  const service = replyService(replyParts(core, turns.replies));
  closers.push(() => service.close());
  const line = lineMaker(channel);
  const refresh = (live: Parameters<ReplayStores["channels"]["refresh"]>[1]): void =>
    void stores.channels.refresh(channel, live);
  return {
    ...core,
    channel,
    begin: ({ startsAtMs, title, category }: Session): void => {
      core.clock.nowMs = startsAtMs;
      refresh({ twitchId: ROOM_ID, title, category, isLive: true, startedAtMs: startsAtMs });
    },
    end: (): void =>
      refresh({ twitchId: ROOM_ID, title: "", category: "", isLive: false, startedAtMs: null }),
    /** Stores a line; gives its event. */
    say: (by: ScenarioSpeaker, text: string) => stores.events.add(line(by, text), false),
    /**
     * Somebody asks the bot: the line is stored, then `before` is done, then the turn is taken to its end. Gives null
     * where nobody would have answered.
     */
    ask: async (
      by: ScenarioSpeaker,
      text: string,
      before: (ticket: Ticket) => Promise<void>,
    ): Promise<Ticket | null> => {
      const spoken = line(by, `@${BOT} ${text}`);
      const heard = service.hear(spoken);
      const event = stores.events.add(spoken, heard.addressed !== null);
      const ticket = heard.ticket(event);
      if (ticket === null) return null;
      await before(ticket);
      const settled = turns.next();
      service.answer(heard, event);
      await settled;
      // What is left of the turn is done before anything else happens.
      await macrotask();
      return ticket;
    },
    close: async (): Promise<void> => {
      for (const close of closers.reverse()) await close();
    },
  };
}

type Core = ReturnType<typeof openCore>;

/** The rooms that a turn needs, and the clock they go by. */
function openCore({ scenario, llm, settings = {} }: ReplayOptions, closers: (() => unknown)[]) {
  const config = configFor(scenario, settings);
  const clock = { nowMs: Date.parse(scenario.startsAt) };
  const now = (): number => clock.nowMs;
  const log = openLog("silent");
  const stores = openReplayStores(config, now, log);
  closers.push(stores.close);
  const fence = makeFence(FENCE_RANDOM);
  const shared = {
    ...stores,
    config,
    now,
    log,
    llm,
    fence,
    switches: () => NO_SWITCH,
    isShut: () => false,
  };
  const memory = openMemory({
    ...shared,
    flush: () => stores.events.flush(),
    breathe: () => breathe(),
    isOver: (channel) => stores.channels.isLive(channel) === false,
  });
  closers.push(() => memory.close());
  stores.onRemoved.push(memory.forget);
  const natural = paceReader((channel) => stores.events.pace(channel, PACE_WINDOW_MS));
  return {
    shared,
    config,
    stores,
    memory,
    clock,
    fence,
    corrections: modelCorrections(stores.calls),
    /** The pace at which a question is asked now. */
    paceNow: (): Pace => scenario.pace ?? natural(scenario.channel),
  };
}

function replyParts(
  { shared, config, stores, corrections, paceNow }: Core,
  replies: ReplayStores["replies"],
): ReplyParts {
  return {
    ...shared,
    replies,
    random: () => 0.5,
    guard: configuredGuard(config, shared.fence),
    actions: {
      handle: () => Promise.resolve({ question: null, outcomes: Promise.resolve([]) }),
      offered: () => [],
    },
    recall: recallStore(stores.db, {
      settings: () => config.memory,
      personaOf: (channel) => personaFor(config, channel).memoryScope,
    }),
    corrections,
    outbox: instantOutbox(),
    paceOf: paceNow,
    botUserId: () => BOT_USER_ID,
    onSaid: ({ channel }, { text, messageId }) => {
      stores.events.add(ownMessage({ channel, userId: BOT_USER_ID, login: BOT, text, messageId }));
    },
    wait: () => Promise.resolve(),
  };
}

function configFor(scenario: Scenario, settings: Readonly<Record<string, unknown>>): Config {
  const replies = { viewerCooldownSeconds: 0, channelCooldownSeconds: 0, continuationSeconds: 0 };
  const bot = { login: BOT, aliases: ["mark"] };
  return toConfig(
    { ...settings, channel: scenario.channel, bot, replies },
    ".",
    "the configuration",
  );
}

/** Twitch, which takes everything. */
export function instantOutbox(): Pick<Outbox, "offer"> {
  let said = 0;
  return {
    offer: async ({ onSending }) => {
      if (!onSending()) return { kind: "withdrawn" };
      said += 1;
      return { kind: "sent", messageId: `said-${said}`, via: "helix" };
    },
  };
}

/** Replies, and a promise of the next one that ends. */
function turnWaiter({ replies }: ReplayStores) {
  let settle = (): void => undefined;
  const settling: Pick<ReplayStores["replies"], "finish" | "refuse"> = {
    finish: (...turn) => {
      replies.finish(...turn);
      settle();
    },
    refuse: (...turn) => {
      replies.refuse(...turn);
      settle();
    },
  };
  const next = (): Promise<void> =>
    new Promise((resolve) => {
      settle = resolve;
    });
  return { replies: { ...replies, ...settling }, next };
}

function lineMaker(channel: string): (by: ScenarioSpeaker, text: string) => Spoken {
  let serial = 0;
  return ({ userId, login, name, role }, text) => {
    serial += 1;
    return {
      kind: "message",
      channel,
      person: {
        userId,
        login,
        displayName: name,
        roles: {
          broadcaster: role === "streamer",
          moderator: role === "moderator",
          vip: role === "vip",
          subscriber: false,
        },
      },
      messageId: `line-${serial}`,
      parent: null,
      text,
      amount: null,
      sentAtMs: null,
      isBotItself: false,
      isKnownBot: false,
      memorable: true,
    };
  };
}

type ReplayStores = ReturnType<typeof openReplayStores>;

/** Nobody's secret: a replay's database ends with it. */
const HASH_KEY = "evaluation";

/** The daemon's stores over a database in memory: nothing of a data folder is read or written. */
function openReplayStores(config: Config, now: () => number, log: Log) {
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
    expiryMs: config,
    streamOf: channels.openSession,
    isOptedOut,
    onRemoved: (removed) => {
      for (const tell of onRemoved) tell(removed);
    },
  });
  const ledger = ledgerStore(db, now, hash.person);
  const calls = llmCallStore(db);
  const emptyWal = () => truncateWal(db);
  const retention = { events, replies, ledger, calls, counters, notices, now, emptyWal };
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
