import { onTestFinished } from "vitest";
import { CATALOGUE } from "../../src/actions/catalogue.ts";
import type { MemoryPort } from "../../src/actions/execute.ts";
import type { ActionTurn } from "../../src/actions/gather.ts";
import { ledgerStore } from "../../src/actions/ledger-store.ts";
import { peopleStore } from "../../src/actions/people-store.ts";
import type { ActionPolicy } from "../../src/actions/policy-facts.ts";
import { actionReview } from "../../src/actions/review-store.ts";
import { type ActionOutcome, type ActionParts, actionRoom } from "../../src/actions/room.ts";
import { useHelixStandIn } from "../../src/config/environment.ts";
import { toConfig } from "../../src/config/load.ts";
import { ACTION_NAMES } from "../../src/config/names.ts";
import { counterStore } from "../../src/db/counters-store.ts";
import { noticeBoard } from "../../src/db/notices-store.ts";
import { openDatabase } from "../../src/db/open.ts";
import { switchStore } from "../../src/db/switches-store.ts";
import { channelStore } from "../../src/events/channel-store.ts";
import { eventStore } from "../../src/events/store.ts";
import { openLog } from "../../src/log.ts";
import { startHelixServer } from "../../src/rehearsal/helix-server.ts";
import { prepareGuard } from "../../src/reply/guard.ts";
import { openAuth } from "../../src/twitch/auth.ts";
import { openHelix } from "../../src/twitch/helix.ts";
import { helixCaller } from "../../src/twitch/helix-call.ts";
import { say } from "../events/say.ts";

export const START_MS = 1_700_000_000_000;
export const CHANNEL = "den";
/** The den's streamer, whose account the bot runs on where a test says so. */
export const STREAMER = "11";
export const BOT = "77";
export const MOD = "20";
export const VIP = "21";
export const VIEWER = "30";
export const BOB = "31";

const PEOPLE: readonly (readonly [string, string, string])[] = [
  [STREAMER, "teastream", "TeaStream"],
  [MOD, "moss", "Moss"],
  [VIP, "violet", "Violet"],
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

export type Rig = Awaited<ReturnType<typeof openRig>>;

export interface RigOptions {
  readonly policy?: Partial<ActionPolicy>;
  readonly scopes?: readonly string[];
  /** Whose account the bot's token is. */
  readonly botId?: string;
  readonly withAmbiguous?: boolean;
}

/** The whole room on a real database, with Twitch's stand-in on loopback and a den full of people. */
export async function openRig(options: RigOptions = {}) {
  const clock = { nowMs: START_MS };
  const now = () => clock.nowMs;
  const botId = options.botId ?? BOT;
  const server = await startHelixServer({ now });
  useHelixStandIn(server.port);
  const scopes = options.scopes ?? ACTION_NAMES.flatMap((name) => CATALOGUE[name].scope ?? []);
  server.setToken("access", {
    userId: botId,
    login: "automark",
    clientId: "client",
    scopes,
    expiresInSeconds: null,
  });
  server.setStream(STREAMER, { isLive: true, title: "", category: "", startedAtMs: START_MS });
  const log = openLog("silent");
  const auth = openAuth({
    tokens: { accessToken: "access", refreshToken: null, clientId: "" },
    saveTokens: () => {},
    notices: { raise: () => {}, clear: () => {} },
    now,
    log,
  });
  await auth.check();
  const helix = openHelix({ auth, timeoutMs: 1_000 });
  const caller = helixCaller({ auth, timeoutMs: 400 });
  const db = openDatabase(":memory:");
  onTestFinished(async () => {
    events.close();
    db.close();
    caller.close();
    helix.close();
    await auth.close();
    await server.close();
  });
  const events = eventStore(db, { now, expiryMs: 86_100_000 });
  const channels = channelStore(db, now);
  channels.ensure(CHANNEL);
  channels.setTwitchId(CHANNEL, STREAMER);
  db.prepare("INSERT INTO stream_sessions (channel, started_at) VALUES (?, ?)").run(
    CHANNEL,
    START_MS - 60_000,
  );
  const speak = (userId: string, text: string, messageId: string | null = null) => {
    const [, login = "", displayName = ""] = PEOPLE.find(([id]) => id === userId) ?? [];
    const roles = {
      broadcaster: userId === STREAMER,
      moderator: userId === MOD,
      vip: userId === VIP,
      subscriber: false,
    };
    events.add(say(text, { messageId, person: { userId, login, displayName, roles } }));
  };
  for (const [id] of PEOPLE) {
    if (id !== AMBIGUOUS || options.withAmbiguous === true)
      speak(id, `hello from ${id}`, `hello-${id}`);
  }
  events.flush();

  const defaults = toConfig({ channel: CHANNEL, bot: { login: "automark" } }, "/folder").actions;
  const policy: { now: ActionPolicy } = {
    now: {
      ...defaults,
      classes: { memory: "live", chat: "live", stream: "live", moderation: "live" },
      ...options.policy,
    },
  };
  const remembered: unknown[] = [];
  const memory: MemoryPort = {
    owns: (_channel, userId, noteId) => userId === VIEWER && noteId === 5,
    remember: (...given) => done(remembered.push(["remember", ...given])),
    correct: (...given) => done(remembered.push(["correct", ...given])),
    forget: (...given) => done(remembered.push(["forget", ...given])),
  };
  const switches = switchStore(db, now);
  const ledger = ledgerStore(db, now);
  const notices = noticeBoard(db, now, log);
  const guard = prepareGuard({
    allowedHosts: [],
    banned: ["slurword"],
    secretTexts: [],
    markers: [],
    ownNames: ["automark"],
  });
  const parts: ActionParts = {
    logins: { bot: { caller, identity: auth.identity }, streamer: () => null },
    memory,
    policy: () => policy.now,
    switches: switches.read,
    guard,
    ledger,
    people: peopleStore(db, events.flush, now),
    streamerId: channels.twitchId,
    findUser: helix.userByLogin,
    now,
    counters: counterStore(db),
    notices,
    log,
  };
  const room = actionRoom(parts);
  let replies = 0;
  const nextReply = () => {
    replies += 1;
    const id = db
      .prepare(
        `INSERT INTO replies (channel, user_id, "trigger", state, created_at) VALUES (?, ?, 'mention', 'sent', ?)`,
      )
      .run(CHANNEL, VIEWER, replies).lastInsertRowid;
    return Number(id);
  };
  const turnOf = (userId: string, words: string, more: Partial<ActionTurn> = {}): ActionTurn => ({
    channel: CHANNEL,
    replyId: null,
    requesterId: userId,
    isAsked: true,
    words: [words],
    repliesToId: null,
    untrusted: [{ userId, text: words }],
    ...more,
  });
  return {
    clock,
    server,
    db,
    events,
    speak,
    policy,
    switches,
    ledger,
    notices,
    room,
    parts,
    remembered,
    turnOf,
    review: actionReview(db, now),
    /** Somebody says something, and the model answers with these proposals. */
    ask: (
      userId: string,
      words: string,
      spans: string | readonly string[],
      more: Partial<ActionTurn> = {},
    ): Promise<ActionOutcome[]> =>
      room.handle(
        turnOf(userId, words, { replyId: nextReply(), ...more }),
        typeof spans === "string" ? [spans] : spans,
      ),
    /** What Twitch was asked to do. */
    acts: () =>
      server.requests.filter(({ method, path }) => method !== "GET" && !path.startsWith("/auth")),
  };
}

function done(_count: number) {
  return { kind: "done" } as const;
}
