import type { WebSocket } from "ws";
import { parseWireLine, type WireMessage } from "../../src/twitch/wire.ts";
import { roomstateLine, type TwitchUser, userstateLine } from "./irc-lines.ts";

/** What can be made to go wrong with connections. Changes hold for what happens after them. */
export interface TwitchServerFaults {
  /** Accept TCP, and never answer the WebSocket upgrade. */
  hangUpgrade: boolean;
  /** Log in without ever sending 376. */
  omitReady: boolean;
  ignoreJoins: boolean;
  /** Whether a log-in is refused although its password is good, as Twitch's chat does in bad moments. */
  refuseLogIn: () => boolean | string;
  /** Twitch's code for a message that it does not show; null shows it. */
  refuseMessage: (text: string) => string | null;
}

/** What a session asks of the server it belongs to. */
export interface SessionHost {
  readonly faults: TwitchServerFaults;
  acceptPassword(password: string): boolean;
  userOf(login: string, channel: string | null): TwitchUser;
  roomIdOf(channel: string): string;
  onPong(): void;
  /** A PRIVMSG of a logged-in account. */
  onPrivmsg(session: IrcSession, message: WireMessage): void;
}

/** One client's connection, from its log-in on. */
export type IrcSession = ReturnType<typeof ircSession>;

const FRAME_CHARACTERS_MAX = 65_536;
const ANONYMOUS = /^justinfan\d+$/;

/** Serves Twitch's side of IRC on `socket`. */
export function ircSession(socket: WebSocket, host: SessionHost) {
  const state = { nick: "", password: "", frozen: false };
  const channels = new Set<string>();
  const send = frameWriter(socket, () => state.frozen);
  const session = {
    /** "" until logged in. */
    nick: (): string => state.nick,
    /** Takes it out of a channel without a word. */
    drop: (channel: string): void => void channels.delete(channel),
    isIn: (channel: string): boolean => !state.frozen && channels.has(channel),
    /** Sends a line, in one WebSocket frame with the others of this tick. */
    send,
    /** From here on nothing is read, answered or sent, and the TCP connection stays open. */
    freeze(): void {
      state.frozen = true;
      socket.pause();
    },
  };
  const join = (channel: string) => {
    if (channels.has(channel)) return;
    const { nick } = state;
    channels.add(channel);
    send(`${clientPrefix(nick)} JOIN #${channel}`);
    send(`:${nick}.tmi.twitch.tv 353 ${nick} = #${channel} :${nick}`);
    send(`:${nick}.tmi.twitch.tv 366 ${nick} #${channel} :End of /NAMES list`);
    if (!ANONYMOUS.test(nick)) send(userstateLine(host.userOf(nick, channel), channel));
    send(roomstateLine(channel, host.roomIdOf(channel)));
  };
  const handlers: Readonly<Record<string, (message: WireMessage) => void>> = {
    CAP: (message) => send(`:tmi.twitch.tv CAP * ACK :${message.params.at(-1) ?? ""}`),
    PASS(message) {
      state.password = message.params[0] ?? "";
    },
    NICK(message) {
      state.nick = logIn((message.params[0] ?? "").toLowerCase(), state.password, host, send);
      if (state.nick === "") setImmediate(() => socket.close());
    },
    JOIN: (message) => {
      if (state.nick === "" || host.faults.ignoreJoins) return;
      for (const channel of joinedBy(message)) join(channel);
    },
    PART(message) {
      const channel = (message.params[0] ?? "").slice(1);
      if (channels.delete(channel)) send(`${clientPrefix(state.nick)} PART #${channel}`);
    },
    PING: (message) =>
      send(message.params[0] === undefined ? "PONG" : `PONG :${message.params[0]}`),
    PONG: () => host.onPong(),
    PRIVMSG(message) {
      if (state.nick !== "" && !ANONYMOUS.test(state.nick)) host.onPrivmsg(session, message);
    },
  };
  socket.on("message", (data) => {
    if (state.frozen) return;
    for (const line of String(data).split("\r\n")) {
      const message = parseWireLine(line);
      if (message !== null) handlers[message.command]?.(message);
    }
  });
  socket.on("error", () => socket.terminate());
  return session;
}

function frameWriter(socket: WebSocket, frozen: () => boolean): (line: string) => void {
  let frame = "";
  const flush = () => {
    const text = frame;
    frame = "";
    if (text !== "" && !frozen() && socket.readyState === socket.OPEN) socket.send(text);
  };
  return (line) => {
    if (frame === "") queueMicrotask(flush);
    frame += `${line}\r\n`;
    if (frame.length >= FRAME_CHARACTERS_MAX) flush();
  };
}

/** Answers a log-in and gives the nick, or "" when it was refused. */
function logIn(
  nick: string,
  password: string,
  host: SessionHost,
  send: (line: string) => void,
): string {
  const anonymous = ANONYMOUS.test(nick);
  if (!anonymous && !/^oauth:./.test(password)) return refuse("Improperly formatted auth", send);
  const refusal = !anonymous && host.faults.refuseLogIn();
  if (refusal !== false) return refuse(refusal === true ? "Login unsuccessful" : refusal, send);
  if (!anonymous && !host.acceptPassword(password)) {
    return refuse("Login authentication failed", send);
  }
  send(`:tmi.twitch.tv 001 ${nick} :Welcome, GLHF!`);
  send(`:tmi.twitch.tv 002 ${nick} :Your host is tmi.twitch.tv`);
  send(`:tmi.twitch.tv 003 ${nick} :This server is rather new`);
  send(`:tmi.twitch.tv 004 ${nick} :-`);
  send(`:tmi.twitch.tv 375 ${nick} :-`);
  send(`:tmi.twitch.tv 372 ${nick} :You are in a maze of twisty passages, all alike.`);
  if (!host.faults.omitReady) send(`:tmi.twitch.tv 376 ${nick} :>`);
  if (!anonymous) send(userstateLine(host.userOf(nick, null), null));
  return nick;
}

function refuse(text: string, send: (line: string) => void): string {
  send(`:tmi.twitch.tv NOTICE * :${text}`);
  return "";
}

/** `#one,#two` */
function joinedBy({ params: [list = ""] }: WireMessage): string[] {
  const names = list.toLowerCase().split(",");
  return names.filter((name) => name.startsWith("#")).map((name) => name.slice(1));
}

function clientPrefix(nick: string): string {
  return `:${nick}!${nick}@${nick}.tmi.twitch.tv`;
}
