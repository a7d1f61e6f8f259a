import tmi, { type Client } from "tmi.js";
import type WebSocket from "ws";

/** One IRC message from Twitch. Tag values are unescaped; "" is an empty value. A missing prefix is "". */
export interface WireMessage {
  readonly command: string;
  readonly prefix: string;
  readonly params: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
}

/** A message as tmi.js parses it: `true` is an empty tag value, and values are still escaped. */
export interface TmiMessage {
  readonly tags: Record<string, string | true>;
  readonly prefix: string | null;
  readonly command: string;
  readonly params: string[];
}

interface TmiParser {
  handleMessage(message: TmiMessage): void;
}

/** Private members of tmi.js 1.8.5 that we use. */
interface TmiInternals extends TmiParser {
  ws: WebSocket | null;
  readonly pingLoop: NodeJS.Timeout | null;
  readonly pingTimeout: NodeJS.Timeout | null;
  _openConnection(): void;
  _onOpen(): void;
  _onMessage(this: TmiParser, event: { readonly data: string }): void;
}

export type TmiClient = Client & TmiInternals;

/**
 * Makes a client of tmi.js for one log-in; anonymous if one of the two is null. It neither joins, nor reconnects, nor
 * calls Twitch's API, nor prints.
 */
export function makeTmiClient(login: string | null, token: string | null): TmiClient {
  const identity =
    login === null || token === null
      ? {}
      : { identity: { username: login, password: () => token } };
  return new tmi.Client({
    options: { skipMembership: true, skipUpdatingEmotesets: true },
    connection: { reconnect: false },
    logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
    ...identity,
  }) as TmiClient;
}

/** Is added to a frame before tmi.js parses it: tmi.js trims the end, and this keeps the text before it whole. */
export const TRIM_STOP = "\r\n:";

const ESCAPED = /\\(.?)/gs;
const UNESCAPES: Readonly<Record<string, string>> = { ":": ";", s: " ", r: "\r", n: "\n" };

/** Converts a message of tmi.js to ours, and unescapes every tag value as IRCv3's message-tags say. */
export function toWire({ tags, prefix, command, params }: TmiMessage): WireMessage {
  const plain: Record<string, string> = {};
  for (const name in tags) {
    const value = tags[name];
    const text = value === undefined || value === true ? "" : value;
    plain[name] = text.replace(ESCAPED, (_, char: string) => UNESCAPES[char] ?? char);
  }
  return { command, prefix: prefix ?? "", params, tags: plain };
}

/** Parses one raw line. Returns null if it is no IRC message. */
export function parseWireLine(line: string): WireMessage | null {
  const prototype: TmiInternals = tmi.Client.prototype;
  let found: WireMessage | null = null;
  const parser = {
    handleMessage: (message: TmiMessage): void => {
      found = toWire(message);
    },
  };
  prototype._onMessage.call(parser, { data: `${line}${TRIM_STOP}` });
  return found;
}

/** Returns the nick of a prefix `nick!user@host`, or the whole prefix of a server. */
export function getNick(prefix: string): string {
  const end = prefix.indexOf("!");
  return end === -1 ? prefix : prefix.slice(0, end);
}

/** Returns the channel of a message, without `#`; "" if it has none. */
export function getChannel({ params }: WireMessage): string {
  const target = params[0] ?? "";
  return target.startsWith("#") ? target.slice(1) : "";
}

/** A message that the bot sends. `channel` is a login; `replyTo` is the id of a message or null. */
export interface OutgoingMessage {
  readonly channel: string;
  readonly text: string;
  readonly replyTo: string | null;
}

/** Twitch's limit on a chat message, in characters. */
const TEXT_CHARACTERS_MAX = 500;
const CONTROL = /[\p{Cc}\u2028\u2029]/u;
const COMMAND_START = /^[/.\\]/;
const CHANNEL = /^[a-z0-9_]{1,25}$/;
/** Twitch's ids are UUIDs. An id of this shape cannot end a tag or a line. */
const MESSAGE_ID = /^[A-Za-z0-9-]{1,64}$/;

/**
 * Returns the IRC line for a message; null if its text, channel or reply id is unsafe. An unsafe text hides a second
 * line, begins like a command of Twitch, is empty, or has over 500 characters. No other check comes after this one.
 */
export function makePrivmsg({ channel, text, replyTo }: OutgoingMessage): string | null {
  const shown = text.trim();
  if (shown === "" || COMMAND_START.test(shown) || CONTROL.test(text)) return null;
  if (text.length > TEXT_CHARACTERS_MAX && [...text].length > TEXT_CHARACTERS_MAX) return null;
  if (!CHANNEL.test(channel) || (replyTo !== null && !MESSAGE_ID.test(replyTo))) return null;
  const tag = replyTo === null ? "" : `@reply-parent-msg-id=${replyTo} `;
  return `${tag}PRIVMSG #${channel} :${text}`;
}
