import { Fault } from "../errors.ts";
import type { Log } from "../log.ts";
import type { NoticeBoard } from "../platform/database/notices-store.ts";
import { openAuth, type TwitchAuth } from "./auth.ts";
import { type Chat, type ChatState, openChat, type WireMessage } from "./chat.ts";
import { type ChannelInfo, type Helix, openHelix } from "./helix.ts";
import { type HelixCaller, helixCaller } from "./helix-call.ts";
import { ircVerdicts } from "./irc-verdict.ts";
import { pollLive } from "./live-poll.ts";
import { troubleTeller } from "./live-trouble.ts";
import { type Outbox, openOutbox } from "./outbox.ts";
import type { OutgoingMessage } from "./privmsg.ts";
import { readiness } from "./readiness.ts";
import { READ_SCOPE, SEND_SCOPE, WRITE_SCOPE } from "./scopes.ts";
import type { SendResult } from "./send-result.ts";
import {
  openStreamerLogin,
  type StreamerLogin,
  type StreamerLoginOptions,
} from "./streamer-login.ts";
import { REFUSAL_MENDS, type TwitchTokens } from "./token-keeper.ts";
import { type Wait, within } from "./wait.ts";

export interface TwitchOptions {
  readonly chatUrl: string;
  readonly channels: readonly string[];
  /** null: anonymous. */
  readonly botLogin: string | null;
  /** null: anonymous. */
  readonly tokens: TwitchTokens | null;
  /** The streamer's own log-in; absent or null: none. */
  readonly streamer?: Pick<StreamerLoginOptions, "tokens" | "saveTokens"> | null;
  /** False where the token belongs to a chat server of the operator's own: Twitch must not see it. */
  readonly useHelix: boolean;
  readonly saveTokens: (tokens: TwitchTokens) => void;
  /** The channel's user id, once chat or Helix named it. */
  readonly broadcasterId: (channel: string) => string | null;
  readonly onMessage: (message: WireMessage) => void;
  readonly onInfo: (channel: string, info: ChannelInfo) => void;
  readonly notices: NoticeBoard;
  readonly now: () => number;
  /** For the outbox; waits in the time of `now`. */
  readonly wait: Wait;
  readonly random: () => number;
  readonly log: Log;
}

/** Twitch's API, for what is done there besides speaking. */
export interface TwitchApi {
  readonly findUser: Helix["userByLogin"];
  readonly caller: Pick<HelixCaller, "call">;
  /** Whose token it is and what it may do; null as long as Twitch has not said. */
  readonly identity: TwitchAuth["identity"];
  /** The streamer's own log-in, where there is one. */
  readonly streamer: StreamerLogin | null;
}

export interface TwitchSession {
  readonly chat: Chat;
  readonly outbox: Outbox;
  /** null without a token that Twitch may see. */
  readonly api: TwitchApi | null;
  /** Resolves when one channel is joined and every other was tried; rejects with a Fault where Twitch refuses the bot. */
  readonly ready: Promise<void>;
  botUserId(): string | null;
  close(): Promise<void>;
}

/** How long the first answer waits to hear what the token may do; after that chat's own way serves. */
const FIRST_CHECK_MS_MAX = 1_000;
const ACTION_TIMEOUT_MS = 8_000;

/** Everything between this program and Twitch: log-in, chat, the API, and what is sent. */
export function openTwitch(options: TwitchOptions): TwitchSession {
  const auth = authOf(options);
  const helix = auth === null ? null : openHelix({ auth });
  const caller = auth === null ? null : helixCaller({ auth, timeoutMs: ACTION_TIMEOUT_MS });
  const streamer = streamerOf(options);
  const self = { userId: null as string | null };
  const { joined, settle, fail } = readiness(options.channels.length);
  const chat = openChat({
    url: options.chatUrl,
    login: options.botLogin,
    password: () => passwordOf(options, auth),
    channels: options.channels,
    onMessage: (message) => {
      noteSelf(message, self, outbox);
      verdicts.receive(message);
      options.onMessage(message);
    },
    onState: (state) => {
      tellState(options.notices, state);
      if (state.kind === "disconnected") verdicts.lost();
      if (state.kind === "joined" || state.kind === "join_failed") settle(state);
      if (state.kind === "refused") void judgeRefusal(auth).then((fault) => fault && fail(fault));
    },
    log: options.log,
    now: options.now,
    random: options.random,
  });
  const verdicts = ircVerdicts(chat.send, options.wait);
  const outbox: Outbox = openOutbox({
    sendHelix:
      helix === null ? null : (message) => sendByHelix(options, { auth, helix, checked }, message),
    sendIrc: verdicts.send,
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
  const poll =
    helix === null
      ? null
      : pollLive({ ...options, helix, onTrouble: troubleTeller(options.notices) });
  return {
    chat,
    outbox: tellingRefusals(outbox, options.notices),
    api:
      auth === null || helix === null || caller === null
        ? null
        : { findUser: helix.userByLogin, caller, identity: auth.identity, streamer },
    ready,
    botUserId: () => auth?.identity()?.userId ?? self.userId,
    close: async () => {
      poll?.close();
      helix?.close();
      caller?.close();
      verdicts.close();
      await outbox.close();
      await Promise.all([chat.close(), auth?.close(), streamer?.close()]);
    },
  };
}

function authOf(options: TwitchOptions): TwitchAuth | null {
  if (options.tokens === null || !options.useHelix) return null;
  const { tokens, saveTokens, notices, now, log } = options;
  return openAuth({ tokens, saveTokens, notices, now, log });
}

function streamerOf(options: TwitchOptions): StreamerLogin | null {
  if (!options.streamer || !options.useHelix) return null;
  return openStreamerLogin({ ...options, ...options.streamer, timeoutMs: ACTION_TIMEOUT_MS });
}

async function passwordOf(options: TwitchOptions, auth: TwitchAuth | null): Promise<string> {
  return auth === null ? `oauth:${options.tokens?.accessToken ?? ""}` : auth.password();
}

/** Chat refused the token. Where the log-in could renew it there is nothing to say: chat tries again by itself. */
async function judgeRefusal(auth: TwitchAuth | null): Promise<Fault | null> {
  if (auth !== null) {
    const used = await auth.password().catch(() => null);
    const outcome = await auth.check();
    const current = await auth.password().catch(() => null);
    if (outcome.kind === "ok" && current !== used) return null;
  }
  return new Fault("TWITCH_ACCESS_TOKEN: chat refused it", {
    code: "secret",
    mend: `set a token of the bot's account with the scopes ${READ_SCOPE} and ${WRITE_SCOPE}`,
  });
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

/** Who the bot is, and whether Twitch lets it speak faster: said on the wire after log-in and after each join. */
function noteSelf(message: WireMessage, self: { userId: string | null }, outbox: Outbox): void {
  const { command, params, tags } = message;
  if (command === "GLOBALUSERSTATE") self.userId = tags["user-id"] || self.userId;
  if (command !== "USERSTATE") return;
  const badges = tags["badges"] ?? "";
  const elevated = tags["mod"] === "1" || /\b(moderator|broadcaster)\//.test(badges);
  outbox.setRole((params[0] ?? "").replace(/^#/, ""), elevated);
}

/** The outbox, where the streamer is told that Twitch drops what the bot says, until something is let through. */
function tellingRefusals(outbox: Outbox, notices: NoticeBoard): Outbox {
  return {
    ...outbox,
    offer: async (offer) => {
      const outcome = await outbox.offer(offer);
      if (outcome.kind === "sent") notices.clear("chat_refused");
      if (outcome.kind === "refused") {
        notices.raise(
          "chat_refused",
          "warning",
          `Twitch does not show what the bot says in #${offer.channel} (${outcome.reason})`,
        );
      }
      return outcome;
    },
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

function tellState(notices: NoticeBoard, state: ChatState): void {
  switch (state.kind) {
    case "connecting":
      return;
    case "connected":
      notices.clear("chat_connection");
      return;
    case "joined":
      notices.clear(`chat_join_${state.channel}`);
      return;
    case "join_failed":
      notices.raise(
        `chat_join_${state.channel}`,
        "error",
        `cannot join #${state.channel} (${state.reason}); it is tried again`,
      );
      return;
    case "refused":
      notices.raise(
        "chat_connection",
        "error",
        "chat refused the log-in: the bot needs a new token",
      );
      return;
    case "disconnected":
      notices.raise(
        "chat_connection",
        "warning",
        `chat was lost (${state.reason}); connecting again`,
      );
  }
}
