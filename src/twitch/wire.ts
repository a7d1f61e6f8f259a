import type { WireMessage } from "./chat.ts";

/** A line as tmi.js parses it: `true` stands for an empty tag value, and values are still escaped. */
export interface TmiMessage {
  readonly tags: Record<string, string | true>;
  readonly prefix: string | null;
  readonly command: string;
  readonly params: string[];
}

/** The same line with every tag value a plain string, unescaped as IRCv3's message-tags say. */
export function toWire(message: TmiMessage): WireMessage {
  const tags: Record<string, string> = {};
  for (const key in message.tags) {
    const value = message.tags[key];
    tags[key] = value === undefined || value === true ? "" : unescapeTag(value);
  }
  return { command: message.command, prefix: message.prefix ?? "", params: message.params, tags };
}

/** The nick in a prefix `nick!user@host`, or the whole prefix of a server. */
export function nickOf(prefix: string): string {
  const end = prefix.indexOf("!");
  return end === -1 ? prefix : prefix.slice(0, end);
}

/** The channel a line is about, without `#`; "" for a line about none. */
export function channelOf(message: WireMessage): string {
  const target = message.params[0] ?? "";
  return target.startsWith("#") ? target.slice(1) : "";
}

const UNESCAPES: Readonly<Record<string, string>> = { ":": ";", s: " ", r: "\r", n: "\n" };

function unescapeTag(value: string): string {
  if (!value.includes("\\")) return value;
  return value.replace(/\\(.?)/gs, (_, char: string) => UNESCAPES[char] ?? char);
}
