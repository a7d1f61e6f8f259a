import { onTestFinished } from "vitest";
import type { ActionPolicy } from "../../src/actions/action-policy.ts";
import { CommandReader } from "../../src/actions/direct-command.ts";
import type { ActionTurn } from "../../src/actions/gather.ts";
import { ActionReview, Ledger } from "../../src/actions/ledger-store.ts";
import {
  type ActionOutcome,
  type ActionParts,
  ActionRoom,
  type Instead,
  type Question,
} from "../../src/actions/room.ts";
import { ACTIONS } from "../../src/catalogue/actions.ts";
import { ChannelStore } from "../../src/chat/channel-store.ts";
import { EventStore } from "../../src/chat/event-store.ts";
import type { RemovedText, Spoken } from "../../src/chat/normalise.ts";
import { openPeopleStore } from "../../src/chat/viewer-store.ts";
import { createSteadyClock } from "../../src/clock.ts";
import { useHelixStandIn } from "../../src/config/environment.ts";
import { type Config, toConfig } from "../../src/config/load.ts";
import { ACTION_NAMES } from "../../src/config/names.ts";
import { NoticeBoard } from "../../src/database/notices-store.ts";
import { type Db, openDatabase } from "../../src/database/open-database.ts";
import { Counters, SwitchStore } from "../../src/database/runtime-store.ts";
import { openLog } from "../../src/log.ts";
import type { ViewerRequests } from "../../src/memory/viewer-requests.ts";
import { prepareGuard } from "../../src/reply/guard.ts";
import { TwitchAuth } from "../../src/twitch/auth.ts";
import { Helix } from "../../src/twitch/helix.ts";
import { say } from "../chat/say.ts";
import type { HelixRoutes } from "../stand-ins/helix-routes.ts";
import { startHelixServer } from "../stand-ins/helix-server.ts";
import { addRow } from "../stand-ins/rows.ts";

export const START_MS = 1_700_000_000_000;
export const CHANNEL = "den";
/** The den's streamer, whose account the bot runs on where a test says so. */
export const STREAMER = "11";
/** How long somebody reads a question. */
export const READ_MS = 1_000;
/** How long Twitch is waited for. */
export const CALL_MS = 10_000;
const BOT = "77";
export const MOD = "20";
const VIP = "21";
/** A second moderator. */
export const OTHER_MOD = "22";
export const VIEWER = "30";
export const BOB = "31";
export const CARL = "34";
/** Limits that hold nothing back: only who asks and who wrote it decide. */
export const OPEN_LIMITS = {
  actionSeconds: 0,
  targetSeconds: 0,
  requesterSeconds: 0,
  perHour: 9_999,
  perStream: 9_999,
};
/** No action has a cooldown or a cap. */
export const NO_LIMITS = Object.fromEntries(ACTION_NAMES.map((name) => [name, OPEN_LIMITS]));

const PEOPLE: readonly (readonly [string, string, string])[] = [
  [STREAMER, "teastream", "TeaStream"],
  [MOD, "moss", "Moss"],
  [VIP, "violet", "Violet"],
  [OTHER_MOD, "nettle", "Nettle"],
  [VIEWER, "wren", "Wren"],
  [BOB, "bob", "Bob"],
  ["32", "alice_1987", "Alice_1987"],
  ["33", "kinomi", "木の実"],
  ["34", "carl", "Carl"],
  ["35", "sumire", "Bob"],
  ["36", "dora", "Дора"],
];
/** Of those who share a display name with another's login, only when a test wants it. */
const AMBIGUOUS = "35";

export interface RigOptions {
  readonly policy?: Partial<ActionPolicy>;
  readonly scopes?: readonly string[];
  /** Whose account the bot's token is. */
  readonly botId?: string;
  readonly withAmbiguous?: boolean;
  /** Paths of Helix besides those of the stand-in. */
  readonly routes?: HelixRoutes;
  /** Whether its clock never goes back, as that of a daemon. */
  readonly isSteady?: boolean;
}

/** The whole room on a real database, with Twitch's stand-in on loopback and a den full of people. */
export async function openRig(options: RigOptions = {}) {
  const clock = { nowMs: START_MS };
  const read = () => clock.nowMs;
  const now = options.isSteady === true ? createSteadyClock(read) : read;
  const twitch = await openTwitch(options, now);
  const stores = openDen(options, now);
  const { db, channels, events } = stores;
  const policy = policyBox(options.policy);
  const remembered: unknown[] = [];
  const said: string[] = [];
  const state: RigState = {
    isRaid: false,
    question: null,
    instead: null,
    asked: 0,
    lines: 0,
    ended: new Map<string, () => void>(),
  };
  const switches = new SwitchStore(db, now);
  const ledger = new Ledger(db, now);
  const notices = new NoticeBoard(db, now, LOG);
  const parts: ActionParts = {
    api: () => ({ helix: twitch.helix, identity: () => twitch.auth.identity(), streamer: null }),
    config: configOf(policy),
    memory: memoryPort(remembered),
    switches: () => switches.read(),
    guard: GUARD,
    ledger,
    people: openPeopleStore(db, events.flush, now),
    events,
    channels,
    isRaid: () => state.isRaid,
    isOwnMessage: () => false,
    say: (_to, text, question) => {
      if (question === undefined) said.push(text);
      else state.question = question;
    },
    onEnded: (requesterId) => state.ended.get(requesterId)?.(),
    now,
    counters: new Counters(db),
    notices,
    log: LOG,
  };
  const room: ActionRoom = new ActionRoom(parts);
  const { ask, send, line, order } = talking(room, db, clock, state);
  return {
    said,
    state,
    send,
    line,
    /** The same, and what the ledger has of it. */
    order,
    /** Judged and done as a turn's proposals. */
    judge: async (turn: ActionTurn, spans: readonly string[], on: ActionRoom = room) =>
      (await on.handle(turn, spans)).outcomes,
    ...stores,
    server: twitch.server,
    clock,
    policy,
    switches,
    ledger,
    notices,
    room,
    parts,
    remembered,
    turnOf,
    review: new ActionReview(db, now),
    /** Somebody says something, and the model answers with these proposals. */
    ask,
    /** What Twitch was asked to do. */
    acts: () =>
      twitch.server.requests.filter(
        ({ method, path }) => method !== "GET" && !path.startsWith("/auth"),
      ),
  };
}

const LOG = openLog("silent");
const BOT_NAMES = { login: "automark", aliases: ["marky"] };
const OWN_WORDS = { timeout: ["Strafbank"], warn: ["İhtar"] };
export const READER = new CommandReader({
  names: ["automark", "marky", "!bot"],
  words: OWN_WORDS,
});
const GUARD = prepareGuard({
  allowedHosts: [],
  bannedWords: ["slurword"],
  secretTexts: [],
  voiceTexts: [],
  markers: [],
  ownNames: ["automark"],
});

async function openTwitch(options: RigOptions, now: () => number) {
  const server = await startHelixServer({ now, ...(options.routes && { routes: options.routes }) });
  useHelixStandIn(server.port);
  server.setToken("access", {
    userId: options.botId ?? BOT,
    login: "automark",
    clientId: "client",
    scopes: options.scopes ?? ACTION_NAMES.flatMap((name) => ACTIONS[name].scope ?? []),
    expiresInSeconds: null,
  });
  const stream = { isLive: true, title: "", category: "", startedAtMs: START_MS };
  server.setStream(STREAMER, stream);
  const auth = new TwitchAuth({
    tokens: { accessToken: "access", refreshToken: null, clientId: "" },
    saveTokens: () => {},
    notices: { raise: () => {}, clear: () => {} },
    now,
    log: LOG,
  });
  await auth.check();
  const helix = new Helix(auth, CALL_MS);
  onTestFinished(async () => {
    helix.close();
    await auth.close();
    await server.close();
  });
  return { server, auth, helix };
}

/** The den's database: a stream that goes on, and everybody has said hello. */
function openDen(options: RigOptions, now: () => number) {
  const db = openDatabase(":memory:");
  const events = new EventStore(db, { now, expiryMs: 86_100_000 });
  onTestFinished(() => {
    events.close();
    db.close();
  });
  const channels = new ChannelStore(db, now);
  channels.ensure(CHANNEL);
  channels.setTwitchId(CHANNEL, STREAMER);
  addRow(db, "stream_sessions", { channel: CHANNEL, started_at: START_MS - 60_000 });
  const speak = (userId: string, text: string, messageId: string | null = null) => {
    events.add(spokenBy(userId, text, { messageId }));
    events.flush();
  };
  for (const [id] of PEOPLE) {
    if (id !== AMBIGUOUS || options.withAmbiguous === true) speak(id, `hello ${id}`, `hello-${id}`);
  }
  return { db, events, channels, speak };
}

interface RigState {
  isRaid: boolean;
  question: Question | null;
  instead: Instead | null;
  asked: number;
  lines: number;
  readonly ended: Map<string, () => void>;
}

/** What people in the den say and ask, and what comes of it. */
function talking(room: ActionRoom, db: Db, clock: { nowMs: number }, state: RigState) {
  const review = new ActionReview(db, () => clock.nowMs);
  const ask = async (
    userId: string,
    words: string,
    spans: string | readonly string[],
    more: Partial<ActionTurn> = {},
  ): Promise<ActionOutcome[]> => {
    const turn = turnOf(userId, words, { replyId: addReply(db), ...more });
    const handled = await room.handle(turn, typeof spans === "string" ? [spans] : spans);
    state.instead = handled.instead;
    state.question = handled.instead?.kind === "question" ? handled.instead.question : null;
    return handled.outcomes;
  };
  /** The last question is sent, and read for a second; or it could not be sent. */
  const send = (kind: "sent" | "expired" = "sent"): string | null => {
    const { question } = state;
    state.question = null;
    if (question?.onSending() !== true) return null;
    if (kind === "expired") question.onSent({ kind });
    else {
      state.asked += 1;
      question.onSent({ kind, messageId: `question-${state.asked}`, via: "helix" });
    }
    clock.nowMs += READ_MS;
    return question.text;
  };
  /** Somebody says a line; what it says is done with once this resolves. */
  const line = async (
    userId: string,
    text: string,
    more: Partial<Spoken> = {},
    on: ActionRoom = room,
  ): Promise<boolean> => {
    const ended = new Promise<void>((resolve) => {
      state.ended.set(userId, resolve);
    });
    state.lines += 1;
    const messageId = `line-${state.lines}`;
    const isTaken = on.hear(spokenBy(userId, text, { messageId, ...more }));
    if (isTaken) await ended;
    return isTaken;
  };
  const order = async (userId: string, text: string, more: Partial<Spoken> = {}) => {
    if (!(await line(userId, text, more))) return null;
    return review.list({ limit: 1 })[0] ?? null;
  };
  return { ask, send, line, order };
}

/** The removal of a message, of what a viewer said in a channel, or of all that was said in one. */
export function removed(what: {
  readonly messageId?: string;
  readonly channel?: string;
  readonly userId?: string;
}): RemovedText {
  const { messageId, channel = CHANNEL, userId } = what;
  const rest = { userId: userId ?? null, messageIds: [messageId ?? []].flat(), eventIds: [] };
  if (messageId !== undefined) return { removal: { by: "message", messageId }, ...rest };
  if (userId === undefined) return { removal: { by: "channel", channel }, ...rest };
  return { removal: { by: "person", channel, userId, login: "" }, ...rest };
}

/** A Twitch reply to a message. */
export function replyTo(messageId: string, userId: string | null = BOT): Partial<Spoken> {
  return { parent: { messageId, userId } };
}

/** A line of somebody in the den. */
export function spokenBy(userId: string, text: string, more: Partial<Spoken> = {}): Spoken {
  const [, login = "", displayName = ""] = PEOPLE.find(([id]) => id === userId) ?? [];
  const roles = {
    broadcaster: userId === STREAMER,
    moderator: userId === MOD || userId === OTHER_MOD,
    vip: userId === VIP,
    subscriber: false,
  };
  return say(text, { person: { userId, login, displayName, roles }, ...more });
}

const DEFAULTS = toConfig({ channel: CHANNEL, bot: BOT_NAMES, language: "en" }, "/folder");

function policyBox(given: Partial<ActionPolicy> = {}): { now: ActionPolicy } {
  const classes = { memory: "live", chat: "live", stream: "live", moderation: "live" } as const;
  return { now: { ...DEFAULTS.actions, words: OWN_WORDS, classes, ...given } };
}

/** The configuration of the den, with the policy as it is now. */
function configOf(policy: { readonly now: ActionPolicy }): Config {
  return {
    ...DEFAULTS,
    get actions() {
      return policy.now;
    },
  };
}

/** Longer than what a question lists of a topic. */
export const LONG_FACT =
  "sails a wooden cutter that an aunt built in Bergen, keeps its log in green ink, mends the mainsail each winter in the " +
  "attic, races on Thursdays against a neighbour with a faster boat, and swears that the old compass points at the harbour " +
  "pub whatever the wind";

/** Only the viewer's note 5 exists, and facts on two topics. */
function memoryPort(remembered: unknown[]): ViewerRequests {
  const note = (...change: unknown[]) => {
    remembered.push(change);
    return { kind: "done", as: "kept" } as const;
  };
  return {
    owns: (_channel, userId, noteId) => userId === VIEWER && noteId === 5,
    factsOf: (_channel, userId, what) => {
      if (userId === VIEWER && typeof what !== "number" && what.topic === "sailing")
        return [LONG_FACT, "owns a dinghy"];
      return userId === VIEWER &&
        (what === 5 || (typeof what !== "number" && what.topic === "music"))
        ? ["{u:30} plays the cello with {u:31}"]
        : [];
    },
    remember: (...given) => note("remember", ...given),
    correct: (...given) => note("correct", ...given),
    forget: (...given) => note("forget", ...given),
  };
}

function turnOf(userId: string, words: string, more: Partial<ActionTurn> = {}): ActionTurn {
  return {
    channel: CHANNEL,
    replyId: null,
    requesterId: userId,
    isAsked: true,
    words: [words],
    messageId: `request-${userId}`,
    eventId: null,
    repliesTo: null,
    others: [],
    shown: [words],
    ...more,
  };
}

function addReply(db: Db): number {
  const added = db
    .prepare(
      `INSERT INTO replies (channel, user_id, "trigger", state, created_at) VALUES (?, ?, 'mention', 'sent', 0)`,
    )
    .run(CHANNEL, VIEWER);
  return Number(added.lastInsertRowid);
}
