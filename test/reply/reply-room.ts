import { setImmediate as macrotask } from "node:timers/promises";
import type { Spoken } from "../../src/chat/normalise.ts";
import { makeOwnMessage } from "../../src/chat/normalise.ts";
import { toConfig } from "../../src/config/load.ts";
import { type DaemonOptions, openLifetime } from "../../src/daemon/lifetime.ts";
import { openStores, type Stores } from "../../src/daemon/stores.ts";
import { makeFence } from "../../src/language/fence.ts";
import { openLog } from "../../src/log.ts";
import { createPaceReader } from "../../src/memory/recall/pace.ts";
import { openRecallStore } from "../../src/memory/recall/recall-store.ts";
import { openLlmCallStore, openModelCorrections } from "../../src/models/call-store.ts";
import type { LlmRequest } from "../../src/models/model-port.ts";
import { openConfiguredGuard, openReplyService } from "../../src/reply/reply-service.ts";
import type { Outbox } from "../../src/twitch/outbox.ts";
import type { Chatter } from "../stand-ins/generated-chat.ts";
import { NO_ENVIRONMENT } from "../stand-ins/no-environment.ts";
import { scriptedLlm } from "../stand-ins/scripted-llm.ts";

export const CHANNEL = "replyroom";
export const BOT = "replybot";
const BOT_USER_ID = "1000001";
const PACE_WINDOW_MS = 60_000;

/** Everything between a line of chat and the answer's record, real; the model and Twitch answer at once. */
export interface ReplyRoom {
  readonly stores: Stores;
  /** A line that is stored, and answered where it speaks to the bot. Resolves when its turn is recorded. */
  hear(spoken: Spoken): Promise<void>;
  /** Resolves when nothing of a turn is left to do: before the clock moves on. */
  idle(): Promise<void>;
  /** How many turns were taken to their end, and how many were refused. */
  readonly turns: Readonly<Pick<Turns, "taken" | "refused">>;
  close(): Promise<void>;
}

interface ReplyRoomOptions {
  /** Where the database is, or will be. */
  readonly folder: string;
  readonly now: () => number;
  /** What the model says to a prompt. */
  readonly answer: (request: LlmRequest) => string;
  /** Keys of `replies`; only lines that name the bot are turns where nothing else is said. */
  readonly replies?: object;
}

export function openReplyRoom(options: ReplyRoomOptions): ReplyRoom {
  const parts = daemonOptions(options);
  const life = openLifetime(parts);
  const stores = openStores(parts, life);
  const turns: Turns = { taken: 0, refused: 0, settle: () => undefined };
  const room = openReplyService({
    ...stores,
    ...parts,
    ...rulesOf(parts.config),
    replies: countingReplies(stores, turns),
    actions: {
      handle: () => Promise.resolve({ instead: null, outcomes: Promise.resolve([]) }),
      speaksTo: () => undefined,
      offered: () => [],
    },
    recall: openRecallStore(stores.db),
    corrections: openModelCorrections(openLlmCallStore(stores.db)),
    llm: scriptedLlm(options.answer),
    outbox: takeEverything(),
    switches: () => NO_SWITCH,
    isShut: () => false,
    paceOf: createPaceReader((channel) => stores.events.pace(channel, PACE_WINDOW_MS)),
    botUserId: () => BOT_USER_ID,
    onSaid: ({ channel }, { replyId, text, messageId }) => {
      const said = { channel, userId: BOT_USER_ID, login: BOT, text, messageId };
      stores.events.add(makeOwnMessage(replyId === null ? said : { ...said, replyId }));
    },
    wait: () => Promise.resolve(),
  });
  return {
    stores,
    turns,
    hear: async (spoken) => {
      const heard = room.hear(spoken);
      const event = stores.events.add(spoken, heard.addressed !== null);
      const settled = new Promise<void>((resolve) => {
        turns.settle = resolve;
      });
      if (room.answer(heard, event)) await settled;
    },
    idle: () => macrotask(),
    close: async () => {
      await room.close();
      await life.closeAll();
    },
  };
}

const NO_SWITCH = { paused: false, safeMode: false, readOnly: false };

function daemonOptions({ folder, now, replies }: ReplyRoomOptions): DaemonOptions {
  const file = {
    channel: CHANNEL,
    bot: { login: BOT },
    dataDir: folder,
    llm: { provider: "offline", model: "scripted" },
    // The clock stands still while a turn is waited for: a pause between two would never end.
    replies: { channelCooldownSeconds: 0, ...(replies ?? { continuationSeconds: 0 }) },
  };
  return {
    config: toConfig(file, folder),
    environment: NO_ENVIRONMENT,
    offlineModel: scriptedLlm(),
    now,
    random: Math.random,
    // As in the real daemon, but written to nowhere.
    log: openLog("info", () => undefined),
  };
}

function rulesOf(config: DaemonOptions["config"]) {
  const fence = makeFence("benchmarks");
  return { fence, guard: openConfiguredGuard(config, fence) };
}

interface Turns {
  taken: number;
  refused: number;
  /** The turn that is waited for is over. */
  settle: () => void;
}

function countingReplies({ replies }: Stores, turns: Turns): Stores["replies"] {
  const { finish, refuse } = replies;
  replies.finish = (...turn) => {
    finish.apply(replies, turn);
    turns.taken += 1;
    turns.settle();
  };
  replies.refuse = (...turn) => {
    refuse.apply(replies, turn);
    turns.refused += 1;
    turns.settle();
  };
  return replies;
}

/** Plays a Twitch that takes every message. */
function takeEverything(): Pick<Outbox, "offer"> {
  let sent = 0;
  return {
    offer: async ({ onSending }) => {
      if (!onSending()) return { kind: "withdrawn" };
      sent += 1;
      return { kind: "sent", messageId: `sent-${sent}`, via: "helix" };
    },
  };
}

let spokenCount = 0;

/** One line of a subscriber, as the wire's reader gives it. Only what known viewers say reaches the channel's memory. */
export function spoken(
  { userId, login, displayName }: Chatter,
  text: string,
  atMs: number,
): Spoken {
  spokenCount += 1;
  return {
    kind: "message",
    channel: CHANNEL,
    person: {
      userId,
      login,
      displayName,
      roles: { broadcaster: false, moderator: false, vip: false, subscriber: true },
    },
    messageId: `line-${spokenCount}`,
    parent: null,
    text,
    amount: null,
    sentAtMs: atMs,
    isBotItself: false,
    isKnownBot: false,
    memorable: true,
  };
}
