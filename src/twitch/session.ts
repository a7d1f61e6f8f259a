import type { NoticeBoard } from "../database/notices-store.ts";
import { Fault, toSentence } from "../errors.ts";
import type { Log } from "../log.ts";
import { REFUSAL_FIXES, STREAMER_NOTICES, StreamerLogin, TwitchAuth } from "./auth.ts";
import { type Wait, waitAtMost } from "./bounded-call.ts";
import { ChannelOwners, LivePoll } from "./channel-watch.ts";
import { Chat, type ChatState } from "./chat.ts";
import { IrcSender, OwnMessages, type SendResult } from "./delivery.ts";
import { type ChannelInfo, Helix } from "./helix.ts";
import { FirstJoins } from "./joins.ts";
import { Outbox } from "./outbox.ts";
import { Speech } from "./speech.ts";
import { type ApplicationTokens, READ_SCOPE, SEND_SCOPE, WRITE_SCOPE } from "./tokens.ts";
import { getChannel, type OutgoingMessage, type WireMessage } from "./wire.ts";

export interface TwitchOptions {
  readonly chatUrl: string;
  readonly channels: readonly string[];
  /** Null: the bot joins anonymously. */
  readonly botLogin: string | null;
  /** Null: the bot joins anonymously. */
  readonly tokens: ApplicationTokens | null;
  /** The streamer's own log-in, if there is one. */
  readonly streamer?: {
    readonly tokens: ApplicationTokens;
    readonly saveTokens: (tokens: ApplicationTokens) => void;
  } | null;
  /** False if the token belongs to the operator's own chat server: Twitch must not see it. */
  readonly useHelix: boolean;
  readonly saveTokens: (tokens: ApplicationTokens) => void;
  /** Returns the channel's user id; null until chat or Helix named it. */
  readonly broadcasterId: (channel: string) => string | null;
  readonly notices: NoticeBoard;
  readonly now: () => number;
  /** Waits in the time of `now`. */
  readonly wait: Wait;
  readonly random: () => number;
  readonly log: Log;
}

/** Twitch's API, for everything but chat messages. */
export interface TwitchApi {
  readonly helix: Pick<Helix, "userByLogin" | "call">;
  /** Returns the account and its scopes; null until Twitch has answered. */
  readonly identity: TwitchAuth["identity"];
  readonly streamer: StreamerLogin | null;
}

/** Receives what a connected session delivers. */
export interface TwitchListener {
  readonly onMessage: (message: WireMessage) => void;
  /** Called with each answer of Twitch; null if the last answer is too old, or if the channel has another owner. */
  readonly onInfo: (channel: string, info: ChannelInfo | null) => void;
}

/** The first message waits this long for the token's scopes; then it is sent by IRC. */
const FIRST_CHECK_MS_MAX = 1_000;
/** The log-in to chat waits this long for the channels' owners, which a joined room also names. */
const OWNERS_CHECK_MS_MAX = 2_000;
/** The notice about the connection, and the start of a cause about a channel. */
const CONNECTION = "chat";
const JOIN = "join #";
const LOGIN_NOTICES = [
  "helix",
  "twitch_login",
  "twitch_login:expiry",
  "twitch_login:unsaved",
] as const;

/** Everything between this program and Twitch: log-in, chat, the API, and the outbox. */
export class TwitchSession {
  readonly chat: Chat;
  readonly outbox: Outbox;
  /** Says which messages of the bot's account this program sent. */
  readonly own: OwnMessages;
  /** Twitch's API; null if there is no token that Twitch may see. */
  readonly api: TwitchApi | null;
  /** Resolves when one channel is joined and every other was tried. Rejects with a Fault if Twitch refuses the bot. */
  readonly ready: Promise<void>;
  readonly #options: TwitchOptions;
  readonly #auth: TwitchAuth | null;
  readonly #helix: Helix | null;
  readonly #streamer: StreamerLogin | null;
  readonly #joins: FirstJoins;
  readonly #owners: ChannelOwners;
  readonly #verdicts: IrcSender;
  readonly #speech: Speech;
  #listener: TwitchListener | null = null;
  #poll: LivePoll | null = null;
  #chatUserId: string | null = null;

  /** Asks Twitch about the tokens at once, and joins at `connect`. */
  constructor(options: TwitchOptions) {
    const { channels, notices, now, wait, log, tokens, saveTokens, streamer, useHelix } = options;
    this.#options = options;
    const auth =
      tokens !== null && useHelix
        ? new TwitchAuth({ tokens, saveTokens, notices, now, log })
        : null;
    this.#streamer =
      streamer && useHelix ? new StreamerLogin({ ...streamer, channels, notices, now, log }) : null;
    clearOldNotices(options, auth !== null, this.#streamer !== null);
    const helix = auth && new Helix(auth);
    this.#auth = auth;
    this.#helix = helix;
    this.api = auth &&
      helix && { helix, identity: () => auth.identity(), streamer: this.#streamer };
    this.#joins = new FirstJoins(channels.length);
    this.#owners = new ChannelOwners({
      helix,
      knownId: options.broadcasterId,
      onLost: (channel) => {
        this.chat.joins.leave(channel);
        this.#joins.settle({ kind: "join_failed", channel });
      },
      onRegained: (channel) => this.chat.joins.enter(channel),
      notices,
    });
    const ownersChecked = waitAtMost(this.#owners.check(channels), OWNERS_CHECK_MS_MAX, undefined);
    this.chat = new Chat({
      ...options,
      url: options.chatUrl,
      login: options.botLogin,
      password: async () => {
        await ownersChecked;
        return auth?.password() ?? `oauth:${options.tokens?.accessToken ?? ""}`;
      },
      mayBeGood: async () => auth === null || (await auth.check()).kind !== "refused",
      onMessage: (message) => this.#receive(message),
      onState: (state) => this.#followState(state),
    });
    const checked = auth && checkIdentity(auth, options.botLogin);
    void checked?.then((fault) => fault && this.#joins.fail(fault));
    this.#verdicts = new IrcSender((message) => this.chat.send(message), wait);
    this.#speech = new Speech(options);
    this.own = new OwnMessages(now, wait);
    const sendHelix = helix && auth && helixSender(options, helix, auth, checked);
    this.outbox = new Outbox({
      ...options,
      sendHelix: sendHelix && ((message) => this.own.track(message, sendHelix)),
      sendIrc: (message) => this.own.track(message, (one) => this.#verdicts.send(one)),
      onOutcome: (channel, outcome) => this.#speech.recordOutcome(channel, outcome),
    });
    // A token of another account can join too, so its account is checked first, if Twitch answers.
    this.ready = this.#joins.joined.then(async () => {
      const fault = await checked;
      if (fault) throw fault;
    });
    this.ready.catch(() => undefined); // the caller may not wait for it
  }

  /** Joins the channels; call it once. Asks Twitch each minute about each channel, if `api` is not null. */
  connect(listener: TwitchListener): void {
    const { channels, notices, wait, log } = this.#options;
    this.#listener = listener;
    this.chat.start();
    const helix = this.#helix;
    if (helix === null) return;
    const onInfo = (channel: string, info: ChannelInfo | null): void => {
      const isOurs = info !== null && this.#owners.accept(channel, info.twitchId);
      listener.onInfo(channel, isOurs ? info : null);
    };
    const ask = (channel: string) => helix.channelInfo(channel);
    this.#poll = new LivePoll({ channels, ask, onInfo, notices, wait, log });
  }

  /** True while the bot pauses in a channel, because Twitch refused its last messages there. */
  isShut(channel: string): boolean {
    return this.#speech.isShut(channel);
  }

  /** Returns the user id of the bot's account; null until Twitch has stated it. */
  botUserId(): string | null {
    return this.#auth?.identity()?.userId ?? this.#chatUserId;
  }

  async close(): Promise<void> {
    this.#speech.close();
    this.#poll?.close();
    this.#helix?.close();
    this.#verdicts.close();
    await this.outbox.close();
    await Promise.all([this.chat.close(), this.#auth?.close(), this.#streamer?.close()]);
  }

  #receive(message: WireMessage): void {
    if (!this.#owners.receive(message)) return;
    const { command, tags } = message;
    const userId = tags["user-id"] || null;
    if (command === "GLOBALUSERSTATE") this.#chatUserId = userId ?? this.#chatUserId;
    // Twitch states the bot's role after each join, and with each message of the bot.
    const isOwn = command === "PRIVMSG" && userId !== null && userId === this.#chatUserId;
    if (command === "USERSTATE" || isOwn) {
      const isModVipOrStreamer =
        tags["mod"] === "1" || /\b(moderator|broadcaster|vip)\//.test(tags["badges"] ?? "");
      this.outbox.setRole(getChannel(message), isModVipOrStreamer);
    }
    this.#verdicts.receive(message);
    this.#listener?.onMessage(message);
  }

  /** Raises or clears notices by the state of chat, and settles `ready`. */
  #followState(state: ChatState): void {
    const { notices } = this.#options;
    const refusal = this.#auth?.refusal() ?? null;
    switch (state.kind) {
      case "connecting":
        return;
      case "connected":
        notices.clear(CONNECTION);
        return;
      case "joined":
        this.#joins.settle(state);
        notices.clear(`chat:${JOIN}${state.channel}`);
        return;
      case "join_failed": {
        const { channel, reason } = state;
        this.#joins.settle(state);
        const fix =
          JOIN_FIXES[reason] ??
          "look at the spelling of `channel` in the configuration, and whether the channel is open";
        const message = `The bot cannot join #${channel} (${reason}), and tries again. ${toSentence(fix)}`;
        notices.raise(`chat:${JOIN}${channel}`, "error", message);
        return;
      }
      case "refused":
        void judgeRefusal(notices, this.#auth).then((fault) => fault && this.#joins.fail(fault));
        return;
      case "disconnected":
        this.#verdicts.lost();
        if (refusal !== null) notifyRefused(notices, REFUSAL_FIXES[refusal]);
        else
          notices.raise(
            CONNECTION,
            "warning",
            `The connection to chat was lost (${state.reason}). Nothing to do: the bot connects again by itself. If it lasts, type \`forgetmenot doctor\`.`,
          );
    }
  }
}

/**
 * Clears notices about log-ins that this run does not have, and about joins of channels that the configuration no
 * longer names.
 */
function clearOldNotices(
  { notices, channels }: TwitchOptions,
  hasLogin: boolean,
  hasStreamerLogin: boolean,
): void {
  const keys = [...(hasLogin ? [] : LOGIN_NOTICES), ...(hasStreamerLogin ? [] : STREAMER_NOTICES)];
  for (const key of keys) notices.clear(key);
  for (const { kind, cause } of notices.list()) {
    const isOld = cause.startsWith(JOIN) && !channels.includes(cause.slice(JOIN.length));
    if (kind === "chat" && isOld) notices.clear(`chat:${cause}`);
  }
}

/**
 * Raises a notice about chat's refusal of the log-in. Returns a Fault if Twitch's validation refuses the token too, or
 * if Twitch may not be asked. Otherwise returns null: Twitch's chat also refuses good tokens while it has problems.
 */
async function judgeRefusal(notices: NoticeBoard, auth: TwitchAuth | null): Promise<Fault | null> {
  const outcome = auth && (await auth.check());
  if (outcome !== null && outcome.kind !== "refused") {
    const why =
      outcome.kind === "ok" ? "although the token is good" : "and cannot be asked about the token";
    const message = `Twitch's chat refused the log-in, ${why}. Nothing to do: the bot tries again by itself.`;
    notices.raise(CONNECTION, "warning", message);
    return null;
  }
  const fix =
    outcome === null
      ? `set a token of the bot's account with the scopes ${READ_SCOPE} and ${WRITE_SCOPE}`
      : REFUSAL_FIXES[outcome.reason];
  notifyRefused(notices, fix);
  return new Fault("TWITCH_ACCESS_TOKEN: chat refused it", { code: "secret", fix });
}

function notifyRefused(notices: NoticeBoard, fix: string): void {
  notices.raise(CONNECTION, "error", `Twitch's chat refused the log-in. ${toSentence(fix)}`);
}

/**
 * Checks the account of the token. Returns a Fault if Twitch refuses the token, or if it is not `botLogin`'s. Returns
 * null if it is, or if Twitch does not answer now. A null `botLogin` accepts every account.
 */
async function checkIdentity(auth: TwitchAuth, botLogin: string | null): Promise<Fault | null> {
  const outcome = await auth.check();
  if (outcome.kind === "unreachable") return null;
  if (outcome.kind === "refused") {
    const fix = REFUSAL_FIXES[outcome.reason];
    const message = `TWITCH_ACCESS_TOKEN: Twitch refused it (${outcome.reason})`;
    return new Fault(message, { code: "secret", fix });
  }
  const { login } = outcome.identity;
  if (botLogin === null || login === botLogin) return null;
  return new Fault(`TWITCH_ACCESS_TOKEN: it belongs to ${login}, bot.login is ${botLogin}`, {
    code: "config",
    fix: "set bot.login to that account, or a token of the other one",
  });
}

const HELIX_FAULTS_MAX = 2;
const HELIX_REST_MS = 60_000;

/**
 * Makes a function that sends by Helix. It returns `failed` if the channel's id is unknown, or the scope is not known
 * to be there. After two sends in a row without a clear answer it fails for a minute, so that IRC is used.
 */
function helixSender(
  { broadcasterId, now }: TwitchOptions,
  helix: Helix,
  auth: TwitchAuth,
  checked: Promise<unknown> | null,
): (message: OutgoingMessage) => Promise<SendResult> {
  let faults = 0;
  let restUntilMs = Number.NEGATIVE_INFINITY;
  return async ({ channel, text, replyTo }) => {
    if (now() < restUntilMs) return { kind: "failed", reason: "network" };
    if (checked !== null) await waitAtMost(checked, FIRST_CHECK_MS_MAX, undefined);
    const id = broadcasterId(channel);
    if (id === null) return { kind: "failed", reason: "not_found" };
    if (auth.identity()?.scopes.includes(SEND_SCOPE) !== true)
      return { kind: "failed", reason: "missing_scope" };
    const result = await helix.sendMessage({ broadcasterId: id, text, replyTo });
    faults = result.kind === "unknown" ? faults + 1 : 0;
    if (faults >= HELIX_FAULTS_MAX) restUntilMs = now() + HELIX_REST_MS;
    return result;
  };
}

const JOIN_FIXES: Readonly<Record<string, string>> = {
  msg_banned: "the bot is banned there. Type `/unban` and the bot's name in that chat",
  msg_channel_suspended:
    "Twitch suspended that channel. Take it out of `channel` in the configuration",
  no_answer:
    "Twitch gave no answer. Correct `channel` if it is misspelt: `forgetmenot doctor` says whether Twitch knows it",
};
