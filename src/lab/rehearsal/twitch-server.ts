import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import {
  chatMessageLine,
  type IrcVoice,
  ircVoice,
  isPrivileged,
  noticeLine,
  type PlayedLine,
  type ReplyParent,
  type TwitchUser,
  userstateLine,
  type VoiceHost,
} from "./irc-lines.ts";
import {
  type IrcSession,
  ircSession,
  type SessionHost,
  type TwitchServerFaults,
} from "./irc-session.ts";
import { hashOf } from "./random.ts";

export interface TwitchServerOptions {
  /** Epoch ms, for `tmi-sent-ts` and the drop rules. */
  readonly now: () => number;
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** Whether `oauth:…` may log in; everybody may by default. Asked at each log-in. */
  readonly acceptPassword?: (password: string) => boolean;
  /** Accounts that log in, by login, with the badges that each wears in a channel. */
  readonly users?: Readonly<Record<string, Account>>;
  /** A channel's room id is its streamer's user id; one that follows from the name by default. */
  readonly roomIds?: Readonly<Record<string, string>>;
  readonly onPrivmsg?: (message: ReceivedPrivmsg) => void;
  /** All on by default. */
  readonly drops?: Partial<DropRules>;
  /** Gives message ids; random UUIDs by default. */
  readonly newId?: () => string;
}

interface Account extends Omit<TwitchUser, "login" | "badges"> {
  readonly badgesIn?: Readonly<Record<string, string>>;
}

/** A PRIVMSG as a client sent it. `id` is null where `dropped` says why nobody saw it. */
export interface ReceivedPrivmsg {
  readonly atMs: number;
  readonly login: string;
  readonly channel: string;
  readonly text: string;
  readonly replyTo: string | null;
  readonly id: string | null;
  readonly dropped: DropReason | null;
}

export interface TwitchServer extends IrcVoice {
  /** `ws://127.0.0.1:PORT`. */
  readonly url: string;
  readonly faults: TwitchServerFaults;
  /** Every PRIVMSG since the start, dropped ones too. */
  readonly received: readonly ReceivedPrivmsg[];
  roomId(channel: string): string;
  /** How many open connections have joined `channel`. */
  listeners(channel: string): number;
  /** How many TCP connections were accepted so far. */
  connections(): number;
  /** Sends raw lines to every client that logged in, many to a frame. */
  inject(lines: string | readonly string[]): void;
  ping(): void;
  /** How many PONGs came in. */
  pongs(): number;
  reconnectAll(): void;
  /** Makes every connection of now half-open: it accepts, and answers nothing. Later ones work. */
  freeze(): void;
  /** Cuts every connection without a word. */
  cutAll(): void;
  /** Takes everybody out of a channel without a word. */
  dropFrom(channel: string): void;
  close(): Promise<void>;
}

const PING_EVERY_MS = 240_000;
/** Messages that replies can still find. */
const REMEMBERED_MAX = 2_000;
const ID_MIN = 100_000_000;
const ID_SPAN = 800_000_000;

/** Starts a stand-in for Twitch's chat on loopback; rejects when the port is taken. */
export async function startTwitchServer(options: TwitchServerOptions): Promise<TwitchServer> {
  const sessions = new Set<IrcSession>();
  const received: ReceivedPrivmsg[] = [];
  const faults: TwitchServerFaults = {
    hangUpgrade: false,
    omitReady: false,
    ignoreJoins: false,
    joinAckDelayMs: 0,
    refuseLogIn: () => false,
    refuseMessage: () => null,
  };
  const roomId = (channel: string) => options.roomIds?.[channel] ?? idOf(channel);
  const voices = voiceHost(sessions, options, roomId);
  let pongs = 0;
  const host: SessionHost = {
    onPong: () => void pongs++,
    faults,
    acceptPassword: options.acceptPassword ?? (() => true),
    userOf: (login, channel) => accountOf(options.users?.[login], login, channel),
    roomIdOf: roomId,
    onPrivmsg: privmsgHandler({ sessions, voices }, { options, faults }, received),
  };
  const http = createServer();
  const sockets = acceptClients(http, sessions, host);
  await listening(http, options.port ?? 0);
  const address = http.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const toAll = (line: string) => {
    for (const session of sessions) if (session.nick() !== "") session.send(line);
  };
  const pinging = setInterval(() => toAll("PING :tmi.twitch.tv"), PING_EVERY_MS).unref();
  return {
    ...ircVoice(voices),
    url: `ws://127.0.0.1:${port}`,
    faults,
    received,
    roomId,
    listeners: (channel) => [...sessions].filter((session) => session.isIn(channel)).length,
    connections: () => sockets.accepted(),
    inject(lines) {
      for (const line of typeof lines === "string" ? [lines] : lines) toAll(line);
    },
    ping: () => toAll("PING :tmi.twitch.tv"),
    pongs: () => pongs,
    reconnectAll: () => toAll(":tmi.twitch.tv RECONNECT"),
    freeze() {
      for (const session of sessions) session.freeze();
    },
    cutAll: () => sockets.destroy(),
    dropFrom(channel) {
      for (const session of sessions) session.drop(channel);
    },
    async close() {
      clearInterval(pinging);
      const closed = new Promise<void>((resolve) => http.close(() => resolve()));
      sockets.destroy();
      await closed;
    },
  };
}

function listening(http: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once("error", reject);
    http.listen(port, "127.0.0.1", () => {
      http.off("error", reject);
      resolve();
    });
  });
}

interface Sockets {
  accepted(): number;
  destroy(): void;
}

function acceptClients(http: Server, sessions: Set<IrcSession>, host: SessionHost): Sockets {
  const sockets = new Set<Duplex>();
  let accepted = 0;
  http.on("connection", (socket) => {
    accepted++;
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => sockets.delete(socket));
  });
  const upgrades = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  http.on("upgrade", (request, socket, head) => {
    if (host.faults.hangUpgrade) return;
    upgrades.handleUpgrade(request, socket, head, (webSocket) => {
      const session = ircSession(webSocket, host);
      sessions.add(session);
      webSocket.once("close", () => sessions.delete(session));
    });
  });
  return {
    accepted: () => accepted,
    destroy() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function voiceHost(
  sessions: ReadonlySet<IrcSession>,
  options: TwitchServerOptions,
  roomId: (channel: string) => string,
): VoiceHost {
  const said = new Map<string, ReplyParent>();
  const newId = options.newId ?? randomUUID;
  return {
    broadcast(channel, line) {
      for (const session of sessions) if (session.isIn(channel)) session.send(line);
    },
    stamp: (channel, chosen) => ({
      channel,
      roomId: roomId(channel),
      id: chosen.id ?? newId(),
      sentAtMs: chosen.sentAtMs ?? options.now(),
    }),
    find: (id) => said.get(id) ?? null,
    remember(message) {
      said.set(message.id, message);
      const oldest = said.keys().next();
      if (said.size > REMEMBERED_MAX && oldest.done !== true) said.delete(oldest.value);
    },
  };
}

/** Twitch shows a message to everybody in the channel but the connection that sent it. */
function privmsgHandler(
  { sessions, voices }: { sessions: ReadonlySet<IrcSession>; voices: VoiceHost },
  { options, faults }: { options: TwitchServerOptions; faults: TwitchServerFaults },
  received: ReceivedPrivmsg[],
): SessionHost["onPrivmsg"] {
  const dropReason = dropFilter({ duplicates: true, rate: true, ...options.drops });
  const distribute = (
    from: IrcSession,
    channel: string,
    line: PlayedLine,
    replyTo: string | null,
  ): string => {
    const stamp = voices.stamp(channel, {});
    const parent = replyTo === null ? null : voices.find(replyTo);
    voices.remember({ id: stamp.id, author: line, text: line.text });
    const onWire = chatMessageLine(stamp, line, parent);
    for (const session of sessions) {
      if (session !== from && session.isIn(channel)) session.send(onWire);
    }
    return stamp.id;
  };
  return (session, message) => {
    const login = session.nick();
    const channel = (message.params[0] ?? "").slice(1);
    const text = message.params[1] ?? "";
    const user = accountOf(options.users?.[login], login, channel);
    const atMs = options.now();
    const refused = faults.refuseMessage(text);
    if (refused !== null) {
      session.send(noticeLine(channel, refused, "as the test asked"));
      return;
    }
    const dropped = dropReason({ login, channel, text, atMs, privileged: isPrivileged(user) });
    session.send(
      dropped === null
        ? userstateLine(user, channel)
        : noticeLine(channel, dropped, DROP_NOTICES[dropped]),
    );
    const replyTo = message.tags["reply-parent-msg-id"] ?? null;
    const id = dropped === null ? distribute(session, channel, { ...user, text }, replyTo) : null;
    const privmsg = { atMs, login, channel, text, replyTo, id, dropped };
    received.push(privmsg);
    options.onPrivmsg?.(privmsg);
  };
}

function accountOf(
  account: Account | undefined,
  login: string,
  channel: string | null,
): TwitchUser {
  if (account === undefined) return { userId: idOf(login), login, displayName: login };
  const { badgesIn, ...person } = account;
  return { ...person, login, badges: channel === null ? "" : (badgesIn?.[channel] ?? "") };
}

/** An id that follows from the name, for accounts and rooms whose id nobody gave. */
function idOf(name: string): string {
  return String(ID_MIN + (hashOf(name) % ID_SPAN));
}

/** Which of Twitch's rules on sent messages the simulated server applies. */
interface DropRules {
  /** The same text by the same account in the same channel within 30 s. */
  readonly duplicates: boolean;
  /** 20 messages in 30 s, 100 for a moderator or the streamer; what goes over is dropped. */
  readonly rate: boolean;
}

type DropReason = "msg_duplicate" | "msg_ratelimit" | "unrecognized_cmd";

/** What a sender's message is judged by. */
interface SentMessage {
  readonly login: string;
  readonly channel: string;
  readonly text: string;
  readonly privileged: boolean;
  readonly atMs: number;
}

/** What Twitch writes in the NOTICE for a drop. */
const DROP_NOTICES: Readonly<Record<DropReason, string>> = {
  msg_duplicate:
    "Your message was not sent because it is identical to the previous one you sent, less than 30 seconds ago.",
  msg_ratelimit: "Your message was not sent because you are sending messages too quickly.",
  unrecognized_cmd: "Unrecognized command.",
};

const WINDOW_MS = 30_000;
const SENDS_MAX = 20;
const PRIVILEGED_SENDS_MAX = 100;

/**
 * Why Twitch would drop a message by `rules`; null lets it through. Keeps the last 30 s of each sender. Commands are
 * always dropped: slash commands over IRC ended in 2023.
 */
function dropFilter(rules: DropRules): (message: SentMessage) => DropReason | null {
  const sentBy = new Map<string, SentMessage[]>();
  return (message) => {
    const recent = (sentBy.get(message.login) ?? []).filter(
      (sent) => message.atMs - sent.atMs < WINDOW_MS,
    );
    sentBy.set(message.login, recent);
    const reason = reasonFor(message, recent, rules);
    if (reason === null) recent.push(message);
    return reason;
  };
}

function reasonFor(
  message: SentMessage,
  recent: readonly SentMessage[],
  rules: DropRules,
): DropReason | null {
  if (/^[/.](?!me )\w/.test(message.text)) return "unrecognized_cmd";
  const sendsMax = message.privileged ? PRIVILEGED_SENDS_MAX : SENDS_MAX;
  if (rules.rate && recent.length >= sendsMax) return "msg_ratelimit";
  const repeats = recent.some(
    (sent) => sent.channel === message.channel && sent.text === message.text,
  );
  return rules.duplicates && repeats ? "msg_duplicate" : null;
}
