import { existsSync, readFileSync } from "node:fs";
import { normalise, type Spoken } from "../../src/chat/normalise.ts";
import { parseWireLine } from "../../src/twitch/wire.ts";
import type { Chatter } from "../stand-ins/generated-chat.ts";

export const CHANNEL = "replyroom";
const BOT = "replybot";
const FILE = new URL("../../../shared/data/chat-sample.irc", import.meta.url);

/** 400 lines that real people wrote, not shipped; null where the folder is not there. */
export const SAMPLE = existsSync(FILE) ? FILE : null;

/** The lines of the sample, as if they were said in the room of the tests. */
export function readSample(): Spoken[] {
  const context = {
    channels: new Set(["nymn"]),
    botUserId: null,
    botLogin: BOT,
    knownBots: new Set<string>(),
  };
  return readFileSync(FILE, "utf8")
    .split(/\r?\n/)
    .flatMap((raw) => {
      const message = parseWireLine(raw);
      const read = message === null ? null : normalise(message, context);
      return read !== null && "person" in read ? [{ ...read, channel: CHANNEL }] : [];
    });
}

let spokenCount = 0;

/** Returns a message that nobody said before. */
export function spoken(
  { userId, login, displayName }: Chatter,
  text: string,
  atMs: number,
): Spoken {
  spokenCount += 1;
  return {
    kind: "message",
    channel: CHANNEL,
    person: {
      userId,
      login,
      displayName,
      roles: { broadcaster: false, moderator: false, vip: false, subscriber: true },
    },
    messageId: `line-${spokenCount}`,
    parent: null,
    text,
    amount: null,
    sentAtMs: atMs,
    isBotItself: false,
    isKnownBot: false,
    memorable: true,
  };
}
