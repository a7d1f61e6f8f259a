import { setImmediate as macrotask } from "node:timers/promises";
import { openLedgerStore } from "../actions/ledger-store.ts";
import { openChannelStore } from "../chat/channel-store.ts";
import { TEXT_LIFETIME_MS } from "../chat/event-removal-store.ts";
import { EventStore } from "../chat/event-store.ts";
import { prepareMomentWrites } from "../chat/moment-store.ts";
import { makeOwnMessage, type Spoken } from "../chat/normalise.ts";
import { openViewerStore } from "../chat/viewer-store.ts";
import { toConfig } from "../config/load.ts";
import { findPersona } from "../config/personas.ts";
import { NoticeBoard } from "../database/notices-store.ts";
import { openDatabase, truncateWal } from "../database/open-database.ts";
import { Counters } from "../database/runtime-store.ts";
import { makeFence } from "../language/fence.ts";
import { createKeyedHash } from "../language/people.ts";
import { openLog } from "../log.ts";
import { prepareUnprovenSweep } from "../memory/episode-texts-store.ts";
import { openMemory } from "../memory/memory-loop.ts";
import { createPaceReader, type Pace } from "../memory/recall/pace.ts";
import { openRecallStore } from "../memory/recall/recall-store.ts";
import { SuppressionStore } from "../memory/suppression-store.ts";
import { LlmCallStore } from "../models/call-store.ts";
import type { Llm } from "../models/model-port.ts";
import { sweep } from "../privacy/retention.ts";
import { openConfiguredGuard, openReplyService, type ReplyParts } from "../reply/reply-service.ts";
import { ReplyStore } from "../reply/reply-store.ts";
import { prepareLastTrailRead } from "../reply/reply-view-store.ts";
import { readTrail, type Trail } from "../reply/trail.ts";
import { seedRecall } from "./replay-store.ts";
import type { Scenario } from "./scenario.ts";
import type { ScenarioSpeaker, Session } from "./timeline.ts";

/** Order of a speaker's notes: the bot's, or the seed's. */
export type StrategyName = "seed" | "shipped";

const BOT = "automark";
const BOT_USER_ID = "9001";
const ROOM_ID = "77";
const PACE_WINDOW_MS = 60_000;
/** Fixed, since a random fence marker would change the estimates from run to run. */
const FENCE_MARKER = "evaluation0";

export type ReplayRoom = ReturnType<typeof openReplayRoom>;

/** The program's own parts from a chat message to a recorded reply, over a database in memory and a clock that is set. */
export function openReplayRoom(input: {
  scenario: Scenario;
  llm: Llm;
  strategy: StrategyName;
  /** Keys of a configuration. */
  settings?: Readonly<Record<string, unknown>>;
}) {
  const { scenario, llm, settings = {} } = input;
  const { channel } = scenario;
  const replies = { viewerCooldownSeconds: 0, channelCooldownSeconds: 0, continuationSeconds: 0 };
  const bot = { login: BOT, aliases: ["mark"] };
  const config = toConfig({ ...settings, channel, bot, replies }, ".", "the configuration");
  const clock = { nowMs: Date.parse(scenario.startsAt) };
  const stores = openStores(channel, () => clock.nowMs);
  const { events, channels } = stores;
  const switches = () => ({ paused: false, safeMode: false, readOnly: false });
  const shared = { ...stores, config, llm, fence: makeFence(FENCE_MARKER), switches };
  const memory = openMemory({
    ...shared,
    flush: events.flush,
    breathe: () => macrotask(),
    isOver: () => channels.isLive(channel) === false,
  });
  const { service, turnEnd } = openReplies(shared, input.strategy, {
    pace: scenario.pace,
    // A wait costs no time: the clock jumps to its end.
    wait: async (ms) => {
      clock.nowMs += ms;
    },
  });
  let lines = 0;
  const makeMessage = ({ userId, login, name, role }: ScenarioSpeaker, text: string): Spoken => {
    lines += 1;
    const roles = {
      broadcaster: role === "streamer",
      moderator: role === "moderator",
      vip: role === "vip",
      subscriber: false,
    };
    return {
      ...{ kind: "message", channel, text, messageId: `line-${lines}`, memorable: true },
      person: { userId, login, displayName: name, roles },
      ...{ parent: null, amount: null, sentAtMs: null, isBotItself: false, isKnownBot: false },
    };
  };
  const lastTrail = prepareLastTrailRead(stores.db);
  return {
    db: stores.db,
    channel,
    clock,
    memory,
    begin: async ({ startsAtMs, title, category }: Session): Promise<void> => {
      clock.nowMs = startsAtMs;
      await stores.sweep();
      const live = { title, category, isLive: true, startedAtMs: startsAtMs };
      channels.refresh(channel, { twitchId: ROOM_ID, ...live });
    },
    end: (): void => {
      const over = { title: "", category: "", isLive: false, startedAtMs: null };
      channels.refresh(channel, { twitchId: ROOM_ID, ...over });
    },
    say: (by: ScenarioSpeaker, text: string): void => void events.add(makeMessage(by, text), false),
    /** Asks the bot and waits until it has answered. Returns the trail; null if no prompt was made. */
    ask: async (by: ScenarioSpeaker, text: string): Promise<Trail | null> => {
      const message = makeMessage(by, `@${BOT} ${text}`);
      const heard = service.hear(message);
      const event = events.add(message, heard.addressed !== null);
      const ended = turnEnd();
      if (!service.answer(heard, event)) throw new Error("a question of a scenario was not heard");
      await ended;
      // Lets the rest of the turn finish.
      await macrotask();
      const read = readTrail(lastTrail(channel));
      return read.kind === "read" ? read.trail : null;
    },
    close: async (): Promise<void> => {
      await service.close();
      await memory.close();
      stores.close();
    },
  };
}

/** The reply service, and a function that returns a promise of the next turn's end. */
function openReplies(
  shared: ReturnType<typeof openStores> & Pick<ReplyParts, "config" | "llm" | "fence" | "switches">,
  strategy: StrategyName,
  { pace, wait }: { pace: Pace | undefined; wait: ReplyParts["wait"] },
) {
  const { db, events, channel, config } = shared;
  let sent = 0;
  const recall = openRecallStore(db, {
    settings: () => config.memory,
    personaOf: () => findPersona(config, channel).memoryScope,
  });
  const naturalPace = createPaceReader(() => events.pace(channel, PACE_WINDOW_MS));
  const service = openReplyService({
    ...shared,
    recall: strategy === "seed" ? { ...recall, ...seedRecall(db) } : recall,
    guard: openConfiguredGuard(config, shared.fence),
    actions: {
      handle: () => Promise.resolve({ instead: null, outcomes: Promise.resolve([]) }),
      speaksTo: () => undefined,
      offered: () => [],
    },
    // Everything is sent at once.
    outbox: {
      offer: async ({ onSending }) => {
        if (!onSending()) return { kind: "withdrawn" };
        sent += 1;
        return { kind: "sent", messageId: `said-${sent}`, via: "helix" };
      },
    },
    isShut: () => false,
    random: () => 0.5,
    wait,
    paceOf: () => pace ?? naturalPace(channel),
    botUserId: () => BOT_USER_ID,
    onSaid: (_, { text, messageId }) => {
      events.add(makeOwnMessage({ channel, userId: BOT_USER_ID, login: BOT, text, messageId }));
    },
  });
  const turnEnd = (): Promise<void> =>
    new Promise((resolve) => {
      shared.replies.end = resolve;
    });
  return { service, turnEnd };
}

/** Calls `end` when a turn ends. */
class WatchedReplies extends ReplyStore {
  end = (): void => undefined;

  override finish(...turn: Parameters<ReplyStore["finish"]>): void {
    super.finish(...turn);
    this.end();
  }

  override refuse(...turn: Parameters<ReplyStore["refuse"]>): void {
    super.refuse(...turn);
    this.end();
  }
}

function openStores(channel: string, now: () => number) {
  const db = openDatabase(":memory:");
  const log = openLog("silent");
  const notices = new NoticeBoard(db, now, log);
  const counters = new Counters(db);
  const channels = openChannelStore(db, now);
  channels.ensure(channel);
  const hash = createKeyedHash("evaluation");
  const suppressions = new SuppressionStore(db, hash, now);
  const { isOptedOut } = suppressions;
  const replies = new WatchedReplies(db, now, { isOptedOut });
  const events = new EventStore(db, {
    now,
    expiryMs: TEXT_LIFETIME_MS,
    streamOf: channels.openSession,
    isOptedOut,
  });
  const calls = new LlmCallStore(db);
  const ledger = openLedgerStore(db, now, hash.person);
  const kept = { moments: prepareMomentWrites(db), episodes: prepareUnprovenSweep(db) };
  const stored = { ...kept, events, replies, ledger, calls, counters, notices, now };
  const breathe = () => Promise.resolve();
  const emptyWal = () => truncateWal(db);
  return {
    ...{ channel, db, log, channels, hash, suppressions, ...stored },
    viewers: openViewerStore(db, events.flush),
    sweep: () => sweep({ ...stored, breathe, emptyWal }),
    close: () => {
      events.close();
      db.close();
    },
  };
}
