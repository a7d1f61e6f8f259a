import type { NoticeBoard, NoticeKey } from "../database/notices-store.ts";
import { asSentence, Fault } from "../errors.ts";
import type { Log } from "../log.ts";
import {
  openAuth,
  openStreamerLogin,
  STREAMER_NOTICES,
  type StreamerLogin,
  type StreamerLoginOptions,
  type TwitchAuth,
} from "./auth.ts";
import { type Wait, within } from "./bounded-call.ts";
import { channelOwners } from "./channel-owners.ts";
import { type ChatState, type OutgoingMessage, openChat, type WireMessage } from "./chat.ts";
import { ircVerdicts, type SendResult, type Speech, speechKeeper } from "./delivery.ts";
import { type ChannelInfo, type Helix, openHelix } from "./helix.ts";
import { readiness } from "./joins.ts";
import { pollLive, troubleTeller } from "./live-poll.ts";
import { type Outbox, openOutbox } from "./outbox.ts";
import { ownMessages } from "./own-messages.ts";
import { READ_SCOPE, SEND_SCOPE, WRITE_SCOPE } from "./scopes.ts";
import { type ApplicationTokens, REFUSAL_MENDS, type TokenRefusal } from "./token-keeper.ts";

export interface TwitchOptions {
  readonly chatUrl: string;
  readonly channels: readonly string[];
  /** null: anonymous. */
  readonly botLogin: string | null;
  /** null: anonymous. */
  readonly tokens: ApplicationTokens | null;
  /** The streamer's own log-in; absent or null: none. */
  readonly streamer?: Pick<StreamerLoginOptions, "tokens" | "saveTokens"> | null;
  /** False where the token belongs to a chat server of the operator's own: Twitch must not see it. */
  readonly useHelix: boolean;
  readonly saveTokens: (tokens: ApplicationTokens) => void;
  /** The channel's user id, once chat or Helix named it. */
  readonly broadcasterId: (channel: string) => string | null;
  readonly onMessage: (message: WireMessage) => void;
  /** null: nobody knows any more whether it is live. */
  readonly onInfo: (channel: string, info: ChannelInfo | null) => void;
  readonly notices: NoticeBoard;
  /** See `OutboxOptions`. */
  readonly earlierSendsAtMs?: readonly number[];
  readonly now: () => number;
  /** For the outbox; waits in the time of `now`. */
  readonly wait: Wait;
  readonly random: () => number;
  readonly log: Log;
}

/** Twitch's API, for what is done there besides speaking. */
export interface TwitchApi {
  readonly helix: Pick<Helix, "userByLogin" | "call">;
  /** Whose token it is and what it may do; null as long as Twitch has not said. */
  readonly identity: TwitchAuth["identity"];
  /** The streamer's own log-in, where there is one. */
  readonly streamer: StreamerLogin | null;
}

export type TwitchSession = ReturnType<typeof openTwitch>;

/** How long the first answer waits to hear what the token may do; after that chat's own way serves. */
const FIRST_CHECK_MS_MAX = 1_000;
/** How long the log-in to chat waits to hear whose the channels are. The state of a joined room tells it, too. */
const OWNERS_CHECK_MS_MAX = 2_000;
/** The notice about the connection. */
const CONNECTION = "chat";

/** Everything between this program and Twitch: log-in, chat, the API, and what is sent. */
export function openTwitch(options: TwitchOptions) {
  const auth = authOf(options);
  const helix = auth === null ? null : openHelix({ auth });
  const streamer = streamerOf(options);
  const self = { userId: null as string | null };
  const { joined, settle, fail } = readiness(options.channels.length);
  forgetOtherChannels(options);
  const owners = channelOwners({
    helix,
    knownId: options.broadcasterId,
    onLost: (channel) => {
      chat.leave(channel);
      settle({ kind: "join_failed", channel });
    },
    onRegained: (channel) => chat.enter(channel),
    noticeOf: (channel) => `chat:${JOIN}${channel}`,
    notices: options.notices,
  });
  const ownersChecked = within(owners.check(options.channels), OWNERS_CHECK_MS_MAX, undefined);
  const chat = openChat({
    url: options.chatUrl,
    login: options.botLogin,
    password: () => ownersChecked.then(() => passwordOf(options, auth)),
    mayBeGood: async () => auth === null || (await auth.check()).kind !== "refused",
    channels: options.channels,
    onMessage: (message) => {
      if (!owners.receive(message)) return;
      noteSelf(message, self, outbox);
      verdicts.receive(message);
      options.onMessage(message);
    },
    onState: (state) => {
      tellState(options.notices, state, auth?.refusal() ?? null);
      if (state.kind === "disconnected") verdicts.lost();
      if (state.kind === "joined" || state.kind === "join_failed") settle(state);
      if (state.kind === "refused")
        void judgeRefusal(options, auth).then((fault) => fault && fail(fault));
    },
    log: options.log,
    now: options.now,
    random: options.random,
  });
  const verdicts = ircVerdicts(chat.send, options.wait);
  const speech = speechKeeper(options);
  const byHelix = (way: Helix) => (message: OutgoingMessage) =>
    sendByHelix(options, { auth, helix: way, checked }, message);
  const own = ownMessages(options.now, options.wait);
  const sendHelix = helix === null ? null : restingHelix(options.now, byHelix(helix));
  const outbox: Outbox = openOutbox({
    sendHelix:
      sendHelix &&
      ((message) =>
        own.track(message, sendHelix, (result) => ({
          mayBeIn: result.kind === "sent" || result.kind === "unknown",
          messageId: result.kind === "sent" ? result.messageId : null,
        }))),
    sendIrc: (message) =>
      own.track(message, verdicts.send, (result) => ({
        mayBeIn: result.sent || result.reason === "lost",
        messageId: null,
      })),
    earlierSendsAtMs: options.earlierSendsAtMs,
    now: options.now,
    wait: options.wait,
    log: options.log,
  });
  const checked = auth === null ? null : checkIdentity(options, auth);
  void checked?.then((fault) => fault && fail(fault));
  // A token of another account can join too: who it belongs to has to be known first, where it can be.
  const ready = joined.then(async () => {
    const fault = await checked;
    if (fault) throw fault;
  });
  ready.catch(() => undefined); // whoever waits for it hears of it; nobody has to
  const poll = helix === null ? null : pollOf(options, helix, owners);
  return {
    chat,
    outbox: learning(outbox, speech),
    own,
    /** Whether a message into a channel would be sent in vain. */
    isShut: speech.isShut,
    /** null without a token that Twitch may see. */
    api: helix && auth && { helix, identity: auth.identity, streamer },
    /** Resolves when one channel is joined and every other was tried; rejects with a Fault where Twitch refuses the bot. */
    ready,
    botUserId: (): string | null => auth?.identity()?.userId ?? self.userId,
    close: async (): Promise<void> => {
      speech.close();
      poll?.close();
      helix?.close();
      verdicts.close();
      await outbox.close();
      await Promise.all([chat.close(), auth?.close(), streamer?.close()]);
    },
  };
}

function pollOf(
  options: TwitchOptions,
  helix: Helix,
  owners: ReturnType<typeof channelOwners>,
): ReturnType<typeof pollLive> {
  return pollLive({
    ...options,
    helix,
    onInfo: (channel, info) => {
      const isOurs = info !== null && owners.accept(channel, info.twitchId);
      options.onInfo(channel, isOurs ? info : null);
    },
    onTrouble: troubleTeller(options.notices),
  });
}

/** What is told of the bot's log-in: without one, what an earlier start told is over. */
const LOG_IN_NOTICES = [
  "helix",
  "twitch_login",
  "twitch_login:expiry",
  "twitch_login:unsaved",
] as const satisfies readonly NoticeKey[];

function authOf(options: TwitchOptions): TwitchAuth | null {
  if (options.tokens === null || !options.useHelix) {
    for (const key of LOG_IN_NOTICES) options.notices.clear(key);
    return null;
  }
  const { tokens, saveTokens, notices, now, log } = options;
  return openAuth({ tokens, saveTokens, notices, now, log });
}

function streamerOf(options: TwitchOptions): StreamerLogin | null {
  if (!options.streamer || !options.useHelix) {
    for (const key of STREAMER_NOTICES) options.notices.clear(key);
    return null;
  }
  return openStreamerLogin({ ...options, ...options.streamer });
}

async function passwordOf(options: TwitchOptions, auth: TwitchAuth | null): Promise<string> {
  return auth === null ? `oauth:${options.tokens?.accessToken ?? ""}` : auth.password();
}

/**
 * Chat refused the token. That alone says little: Twitch's chat refuses good tokens, too, while it is in trouble. What
 * Twitch's validation says counts, and the streamer is told that. A Fault only where the token is known to be of no use.
 */
async function judgeRefusal(
  { notices }: TwitchOptions,
  auth: TwitchAuth | null,
): Promise<Fault | null> {
  const outcome = auth === null ? null : await auth.check();
  if (outcome !== null && outcome.kind !== "refused") {
    const why =
      outcome.kind === "ok" ? "although the token is good" : "and cannot be asked about the token";
    notices.raise(
      CONNECTION,
      "warning",
      `Twitch's chat refused the log-in, ${why}. Nothing to do: the bot tries again by itself.`,
    );
    return null;
  }
  const mend =
    outcome === null
      ? `set a token of the bot's account with the scopes ${READ_SCOPE} and ${WRITE_SCOPE}`
      : REFUSAL_MENDS[outcome.reason];
  tellRefused(notices, mend);
  return new Fault("TWITCH_ACCESS_TOKEN: chat refused it", { code: "secret", mend });
}

function tellRefused(notices: NoticeBoard, mend: string): void {
  notices.raise(CONNECTION, "error", `Twitch's chat refused the log-in. ${asSentence(mend)}`);
}

/** Null where the token is the bot's, or where Twitch cannot be asked right now. */
async function checkIdentity(options: TwitchOptions, auth: TwitchAuth): Promise<Fault | null> {
  const outcome = await auth.check();
  if (outcome.kind === "unreachable") return null;
  if (outcome.kind === "refused") {
    return new Fault(`TWITCH_ACCESS_TOKEN: Twitch refused it (${outcome.reason})`, {
      code: "secret",
      mend: REFUSAL_MENDS[outcome.reason],
    });
  }
  if (options.botLogin === null || outcome.identity.login === options.botLogin) return null;
  return new Fault(
    `TWITCH_ACCESS_TOKEN: it belongs to ${outcome.identity.login}, bot.login is ${options.botLogin}`,
    { code: "config", mend: "set bot.login to that account, or a token of the other one" },
  );
}

/**
 * Who the bot is, and whether Twitch lets it speak faster: said on the wire after log-in, after each join, and with
 * every message of the bot's own that comes back from Twitch.
 */
function noteSelf(message: WireMessage, self: { userId: string | null }, outbox: Outbox): void {
  const { command, params, tags } = message;
  if (command === "GLOBALUSERSTATE") self.userId = tags["user-id"] || self.userId;
  const isOwn = command === "PRIVMSG" && self.userId !== null && tags["user-id"] === self.userId;
  if (command !== "USERSTATE" && !isOwn) return;
  const badges = tags["badges"] ?? "";
  const elevated = tags["mod"] === "1" || /\b(moderator|broadcaster|vip)\//.test(badges);
  outbox.setRole((params[0] ?? "").replace(/^#/, ""), elevated);
}

/** The outbox, which learns from what became of each message whether the next one is worth its price. */
function learning(outbox: Outbox, speech: Speech): Outbox {
  return {
    ...outbox,
    offer: async (offer) => {
      const outcome = await outbox.offer(offer);
      speech.learn(offer.channel, outcome);
      return outcome;
    },
  };
}

const HELIX_FAULTS_MAX = 2;
const HELIX_REST_MS = 60_000;

/** Helix, left alone for a minute once it did not answer twice in a row: then IRC is the way. */
function restingHelix(
  now: () => number,
  send: (message: OutgoingMessage) => Promise<SendResult>,
): (message: OutgoingMessage) => Promise<SendResult> {
  let faults = 0;
  let restUntilMs = Number.NEGATIVE_INFINITY;
  return async (message) => {
    if (now() < restUntilMs) return { kind: "failed", reason: "network" };
    const result = await send(message);
    faults = result.kind === "unknown" ? faults + 1 : 0;
    if (faults >= HELIX_FAULTS_MAX) restUntilMs = now() + HELIX_REST_MS;
    return result;
  };
}

interface HelixWay {
  readonly auth: TwitchAuth | null;
  readonly helix: Helix;
  /** Resolves when Twitch was asked once what the token may do. */
  readonly checked: Promise<unknown> | null;
}

async function sendByHelix(
  options: TwitchOptions,
  { auth, helix, checked }: HelixWay,
  message: OutgoingMessage,
): Promise<SendResult> {
  if (checked !== null) await within(checked, FIRST_CHECK_MS_MAX, undefined);
  const broadcasterId = options.broadcasterId(message.channel);
  if (broadcasterId === null) return { kind: "failed", reason: "not_found" };
  if (auth?.identity()?.scopes.includes(SEND_SCOPE) !== true) {
    return { kind: "failed", reason: "missing_scope" };
  }
  return helix.sendMessage({ broadcasterId, text: message.text, replyTo: message.replyTo });
}

const NO_WORD =
  "Twitch gave no answer. Correct `channel` if it is misspelt: `forgetmenot doctor` says whether Twitch knows it";
const JOIN_MENDS: Readonly<Record<string, string>> = {
  msg_banned: "the bot is banned there. Type `/unban` and the bot's name in that chat",
  msg_channel_suspended:
    "Twitch suspended that channel. Take it out of `channel` in the configuration",
  no_answer: NO_WORD,
  no_state: NO_WORD,
};

const JOIN = "join #";

/** A channel that was taken out of the configuration, or was misspelt there, is none of the bot's any more. */
function forgetOtherChannels({ notices, channels }: TwitchOptions): void {
  const held = new Set(channels.map((channel) => `${JOIN}${channel}`));
  for (const { kind, cause } of notices.list())
    if (kind === "chat" && cause.startsWith(JOIN) && !held.has(cause))
      notices.clear(`chat:${cause}`);
}

function tellLost(notices: NoticeBoard, reason: string): void {
  notices.raise(
    CONNECTION,
    "warning",
    `The connection to chat was lost (${reason}). Nothing to do: the bot connects again by itself. If it lasts, type \`forgetmenot doctor\`.`,
  );
}

function tellState(notices: NoticeBoard, state: ChatState, refusal: TokenRefusal | null): void {
  switch (state.kind) {
    case "connecting":
      return;
    case "connected":
      notices.clear(CONNECTION);
      return;
    case "joined":
      notices.clear(`chat:${JOIN}${state.channel}`);
      return;
    case "join_failed":
      notices.raise(
        `chat:${JOIN}${state.channel}`,
        "error",
        `The bot cannot join #${state.channel} (${state.reason}), and tries again. ${asSentence(JOIN_MENDS[state.reason] ?? "look at the spelling of `channel` in the configuration, and whether the channel is open")}`,
      );
      return;
    case "refused":
      // What is true of it is known once Twitch was asked about the token.
      return;
    case "disconnected":
      if (refusal !== null) tellRefused(notices, REFUSAL_MENDS[refusal]);
      else tellLost(notices, state.reason);
  }
}
