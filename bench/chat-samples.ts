import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isWindowFiller, normalise, type Spoken } from "../src/chat/normalise.ts";
import { parseWireLine } from "../src/twitch/wire.ts";
import type { Chatter } from "../test/stand-ins/generated-chat.ts";

export const CHANNEL = "replyroom";
const BOT = "replybot";

/** A message of the replayed chat. */
export interface ReplayedLine {
  readonly by: Chatter;
  readonly text: string;
  readonly fillsNoWindow?: boolean;
}

/** Reads the lines of one busy channel from `chat-sample.irc`, as if they were said in the room of the tests. */
export function readBusyChat(folder: string): ReplayedLine[] {
  const context = {
    channels: new Set(["nymn"]),
    botUserId: null,
    botLogin: BOT,
    knownBots: new Set<string>(),
  };
  return readFileSync(join(folder, "chat-sample.irc"), "utf8")
    .split(/\r?\n/)
    .flatMap((raw) => {
      const message = parseWireLine(raw);
      const read = message === null ? null : normalise(message, context);
      return read !== null && "person" in read ? [{ ...read, by: read.person }] : [];
    });
}

/** Reads the lines of one talkative channel from `talk-windows.jsonl`. */
export function readTalk(folder: string): ReplayedLine[] {
  const rows = readFileSync(join(folder, "talk-windows.jsonl"), "utf8").trim().split("\n");
  return rows.map((row) => {
    const { user, text }: { user: string; text: string } = JSON.parse(row);
    const by = { userId: `talk-${user}`, login: user, displayName: user };
    return { by, text, fillsNoWindow: isWindowFiller(text, undefined) };
  });
}

let spokenCount = 0;

/** Returns a new message. */
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
