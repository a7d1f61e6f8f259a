import {
  type ChatContext,
  type NormalisedMessage,
  normalise,
  type Spoken,
} from "../../src/chat/normalise.ts";
import { parseWireLine } from "../../src/twitch/wire.ts";

/** The channel `den`, where the bot is `automark`. */
export const CONTEXT: ChatContext = {
  channels: new Set(["den"]),
  botUserId: "900",
  botLogin: "automark",
  knownBots: new Set(["nightbot"]),
};

/** A raw line as `normalise` reads it. */
export function read(line: string, context: ChatContext = CONTEXT): NormalisedMessage {
  const message = parseWireLine(line);
  if (message === null) throw new Error("no line");
  return normalise(message, context);
}

interface Said {
  readonly tags?: Readonly<Record<string, string>>;
  readonly login?: string;
  readonly command?: string;
}

/** A raw line by `wren`, user id 42, unless told otherwise. */
export function line(
  text: string | null,
  { tags = {}, login = "wren", command = "PRIVMSG" }: Said = {},
): string {
  const all: Record<string, string> = {
    badges: "",
    "display-name": "Wren",
    id: "m-1",
    "room-id": "77",
    "tmi-sent-ts": "1760000000123",
    "user-id": "42",
    ...tags,
  };
  const written = Object.entries(all).map(([key, value]) => `${key}=${value}`);
  const body = text === null ? "" : ` :${text}`;
  return `@${written.join(";")} :${login}!${login}@${login}.tmi.twitch.tv ${command} #den${body}`;
}

export function spoken(text: string | null, said: Said = {}): Spoken {
  const event = read(line(text, said));
  if (!("person" in event)) throw new Error(`read as ${JSON.stringify(event)}`);
  return event;
}

export function notice(
  id: string,
  text: string | null,
  tags: Readonly<Record<string, string>> = {},
): NormalisedMessage {
  return read(
    line(text, { command: "USERNOTICE", tags: { login: "wren", "msg-id": id, ...tags } }),
  );
}
