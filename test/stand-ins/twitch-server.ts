import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { ircVoice, isPrivileged, noticeLine, type TwitchUser, userstateLine } from "./irc-lines.ts";
import {
  type IrcSession,
  ircSession,
  type SessionHost,
  type TwitchServerFaults,
} from "./irc-session.ts";
import { idFor } from "./random.ts";

export interface TwitchServerOptions {
  /** Epoch ms, for `tmi-sent-ts` and the drop rules. */
  readonly now: () => number;
  /** Whether `oauth:…` may log in; everybody may by default. Asked at each log-in. */
  readonly acceptPassword?: (password: string) => boolean;
  /** Accounts that log in, by login, with the badges that each wears in a channel. */
  readonly users?: Readonly<Record<string, Account>>;
  /** A channel's room id is its streamer's user id; one that follows from the name by default. */
  readonly roomIds?: Readonly<Record<string, string>>;
  readonly onPrivmsg?: (message: ReceivedPrivmsg) => void;
  /** Whether floods and repeated texts are dropped, as they are by default. */
  readonly drops?: boolean;
}

interface Account extends Omit<TwitchUser, "login" | "badges"> {
  readonly badgesIn?: Readonly<Record<string, string>>;
}

/** A PRIVMSG as a client sent it. `id` is null where `dropped` says why nobody saw it. */
interface ReceivedPrivmsg {
  readonly atMs: number;
  readonly login: string;
  readonly channel: string;
  readonly text: string;
  readonly replyTo: string | null;
  readonly id: string | null;
  readonly dropped: DropReason | null;
}

export type TwitchServer = Awaited<ReturnType<typeof startTwitchServer>>;

const PING_EVERY_MS = 240_000;
const PING = "PING :tmi.twitch.tv";

/** Starts a stand-in for Twitch's chat on loopback. */
export async function startTwitchServer(options: TwitchServerOptions) {
  const sessions = new Set<IrcSession>();
  const faults: TwitchServerFaults = {
    hangUpgrade: false,
    omitReady: false,
    ignoreJoins: false,
    refuseLogIn: () => false,
    refuseMessage: () => null,
  };
  const roomId = (channel: string) => options.roomIds?.[channel] ?? idFor(channel);
  const userOf: SessionHost["userOf"] = (login, channel) =>
    accountOf(options.users?.[login], login, channel);
  const voice = ircVoice<IrcSession>(
    (channel, line, except) => {
      for (const one of sessions) if (one !== except && one.isIn(channel)) one.send(line);
    },
    (channel) => ({
      channel,
      roomId: roomId(channel),
      id: randomUUID(),
      sentAtMs: options.now(),
    }),
  );
  const hearing = privmsgHandler(options, { userOf, faults, say: voice.say });
  let pongs = 0;
  const http = createServer();
  const sockets = acceptClients(http, sessions, {
    onPong: () => void pongs++,
    faults,
    acceptPassword: options.acceptPassword ?? (() => true),
    userOf,
    roomIdOf: roomId,
    onPrivmsg: hearing.onPrivmsg,
  });
  await once(http.listen(0, "127.0.0.1"), "listening");
  const { port } = http.address() as AddressInfo;
  const toAll = (line: string) => {
    for (const session of sessions) if (session.nick() !== "") session.send(line);
  };
  const pinging = setInterval(() => toAll(PING), PING_EVERY_MS).unref();
  return {
    ...voice,
    url: `ws://127.0.0.1:${port}`,
    faults,
    /** Every PRIVMSG since the start, dropped ones too. */
    received: hearing.received,
    roomId,
    /** Says something as an account of `users`, with its badges, as Twitch does for its API. */
    sayAs: (login: string, channel: string, text: string, replyTo: string | null) =>
      voice.say(channel, { ...userOf(login, channel), text, replyTo }),
    /** How many open connections have joined `channel`. */
    listeners: (channel: string) => [...sessions].filter((one) => one.isIn(channel)).length,
    /** How many TCP connections were accepted so far. */
    connections: sockets.accepted,
    /** Sends raw lines to every client that logged in, many to a frame. */
    inject: (lines: string | readonly string[]) => {
      for (const line of [lines].flat()) toAll(line);
    },
    ping: () => toAll(PING),
    /** How many PONGs came in. */
    pongs: () => pongs,
    reconnectAll: () => toAll(":tmi.twitch.tv RECONNECT"),
    /** Makes every connection of now half-open: it accepts, and answers nothing. Later ones work. */
    freeze: () => {
      for (const session of sessions) session.freeze();
    },
    /** Cuts every connection without a word. */
    cutAll: sockets.destroy,
    /** Takes everybody out of a channel without a word. */
    dropFrom: (channel: string) => {
      for (const session of sessions) session.drop(channel);
    },
    close: async () => {
      clearInterval(pinging);
      const closed = new Promise<void>((resolve) => http.close(() => resolve()));
      sockets.destroy();
      await closed;
    },
  };
}

function acceptClients(http: Server, sessions: Set<IrcSession>, host: SessionHost) {
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

/** Twitch shows a message to everybody in the channel but the connection that sent it. */
function privmsgHandler(
  { now, drops = true, onPrivmsg }: TwitchServerOptions,
  { userOf, faults, say }: Pick<SessionHost, "userOf" | "faults"> & Voice,
) {
  const received: ReceivedPrivmsg[] = [];
  const dropReason = dropFilter(drops);
  const hear: SessionHost["onPrivmsg"] = (session, { params, tags }) => {
    const login = session.nick();
    const channel = (params[0] ?? "").slice(1);
    const text = params[1] ?? "";
    const user = userOf(login, channel);
    const refused = faults.refuseMessage(text);
    if (refused !== null) {
      session.send(noticeLine(channel, refused, "as the test asked"));
      return;
    }
    const sent = { login, channel, text, atMs: now() };
    const dropped = dropReason(sent, isPrivileged(user) ? PRIVILEGED_SENDS_MAX : SENDS_MAX);
    const isShown = dropped === null;
    session.send(
      isShown ? userstateLine(user, channel) : noticeLine(channel, dropped, DROP_NOTICES[dropped]),
    );
    const replyTo = tags["reply-parent-msg-id"] ?? null;
    const id = isShown ? say(channel, { ...user, text, replyTo }, session) : null;
    const privmsg = { ...sent, replyTo, id, dropped };
    received.push(privmsg);
    onPrivmsg?.(privmsg);
  };
  return { received, onPrivmsg: hear };
}

type Voice = Pick<ReturnType<typeof ircVoice<IrcSession>>, "say">;

function accountOf(
  account: Account | undefined,
  login: string,
  channel: string | null,
): TwitchUser {
  if (account === undefined) return { userId: idFor(login), login, displayName: login };
  const { badgesIn, ...person } = account;
  return { ...person, login, badges: channel === null ? "" : (badgesIn?.[channel] ?? "") };
}

/** What Twitch writes in the NOTICE for a drop. */
const DROP_NOTICES = {
  msg_duplicate:
    "Your message was not sent because it is identical to the previous one you sent, less than 30 seconds ago.",
  msg_ratelimit: "Your message was not sent because you are sending messages too quickly.",
  unrecognized_cmd: "Unrecognized command.",
};

type DropReason = keyof typeof DROP_NOTICES;
type SentMessage = Pick<ReceivedPrivmsg, "login" | "channel" | "text" | "atMs">;

const WINDOW_MS = 30_000;
/** In that time, of an ordinary account, and of a moderator or the streamer. */
const SENDS_MAX = 20;
const PRIVILEGED_SENDS_MAX = 100;

/**
 * Why Twitch would drop a message; null lets it through. Keeps the last 30 s of each sender. Commands are always
 * dropped, slash commands over IRC ended in 2023; the rest where `isStrict`.
 */
function dropFilter(isStrict: boolean) {
  const sentBy = new Map<string, SentMessage[]>();
  return (message: SentMessage, sendsMax: number): DropReason | null => {
    const { login, channel, text, atMs } = message;
    if (/^[/.](?!me )\w/.test(text)) return "unrecognized_cmd";
    const recent = (sentBy.get(login) ?? []).filter((sent) => atMs - sent.atMs < WINDOW_MS);
    sentBy.set(login, recent);
    if (isStrict && recent.length >= sendsMax) return "msg_ratelimit";
    const repeats = recent.some((sent) => sent.channel === channel && sent.text === text);
    if (isStrict && repeats) return "msg_duplicate";
    recent.push(message);
    return null;
  };
}
