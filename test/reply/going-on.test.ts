import { expect, test } from "vitest";
import type { Spoken } from "../../src/chat/normalise.ts";
import { generateChat } from "../stand-ins/generated-chat.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { readSample, SAMPLE } from "./chat-sample.ts";
import { BOT, openReplyRoom, spoken } from "./reply-room.ts";

const PEOPLE = 60;
const ASKED_EVERY = 3;
const RIGHT_AFTER_PERCENT_MAX = 3;
const QUIET_MS = 3_000;

/**
 * Returns the share of lines that the bot takes for going on with it though nobody said them to it, in percent. It
 * answered the writer of every third line right before.
 */
async function takenForGoingOn(lines: readonly Spoken[]): Promise<number> {
  const folder = temporaryFolder();
  let nowMs = lines[0]?.sentAtMs ?? 0;
  const replies = { viewerCooldownSeconds: 0, channelCooldownSeconds: 0 };
  const room = openReplyRoom({ folder, now: () => nowMs, answer: () => `hm ${nowMs}`, replies });
  for (const [n, line] of lines.entries()) {
    if (n % ASKED_EVERY === 0) {
      await room.hear(spoken(line.person, `@${BOT} what do you say?`, nowMs));
      await room.idle();
    }
    nowMs += QUIET_MS;
    await room.hear(line);
    await room.idle();
  }
  const taken = room.stores.db
    .prepare<[], number>(`SELECT count(*) FROM replies WHERE "trigger" = 'continuation'`)
    .pluck();
  const percent = (100 * ASKED_EVERY * (taken.get() ?? 0)) / lines.length;
  await room.close();
  return percent;
}

test("few lines of generated chat are taken for going on with the bot, through the whole path", {
  timeout: 120_000,
}, async () => {
  const chat = generateChat(17, PEOPLE, BOT);
  const lines = Array.from({ length: 150 }, (_, n) =>
    spoken(chat.somebody(), chat.lively(), Date.UTC(2026, 9, 3, 18) + n),
  );
  expect(await takenForGoingOn(lines)).toBeLessThanOrEqual(RIGHT_AFTER_PERCENT_MAX);
});

test.skipIf(SAMPLE === null)(
  "nor of chat that real people wrote (runs where shared/data is beside the project)",
  { timeout: 120_000 },
  async () => {
    expect(await takenForGoingOn(readSample())).toBeLessThanOrEqual(RIGHT_AFTER_PERCENT_MAX);
  },
);
