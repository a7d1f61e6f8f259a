import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Spoken } from "../../src/chat/normalise.ts";
import { generateChat } from "../stand-ins/generated-chat.ts";
import { readSample, SAMPLE } from "./chat-sample.ts";
import { BOT, openReplyRoom, spoken } from "./reply-room.ts";

const PEOPLE = 60;
const ASKED_EVERY = 12;
const QUIET_MS = 3_000;

/**
 * Of lines that nobody said to the bot, how many it takes for going on with it: of those whose writer it answered just
 * before, every third one, and of all, where it answered the writer of every twelfth. In percent.
 */
async function takenForGoingOn(lines: readonly Spoken[]) {
  const percent = async (askedEvery: number, of: number): Promise<number> => {
    const folder = mkdtempSync(join(tmpdir(), "forgetmenot-going-on-"));
    let nowMs = lines[0]?.sentAtMs ?? 0;
    const replies = { viewerCooldownSeconds: 0, channelCooldownSeconds: 0 };
    const room = openReplyRoom({ folder, now: () => nowMs, answer: () => `hm ${nowMs}`, replies });
    try {
      for (const [n, line] of lines.entries()) {
        if (n % askedEvery === 0) {
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
      return Math.round((1_000 * (taken.get() ?? 0)) / of) / 10;
    } finally {
      await room.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  };
  return {
    lines: lines.length,
    rightAfterPercent: await percent(3, lines.length / 3),
    asTheyComePercent: await percent(ASKED_EVERY, lines.length),
  };
}

test("few lines of generated chat are taken for going on with the bot, through the whole path", {
  timeout: 120_000,
}, async () => {
  const chat = generateChat(17, PEOPLE, BOT);
  const lines = Array.from({ length: 150 }, (_, n) =>
    spoken(chat.somebody(), chat.lively(), Date.UTC(2026, 9, 3, 18) + n),
  );
  const taken = await takenForGoingOn(lines);
  process.stdout.write(`going on in generated chat: ${JSON.stringify(taken)}\n`);
  expect(taken.asTheyComePercent).toBeLessThanOrEqual(1);
});

test.skipIf(SAMPLE === null)(
  "nor of chat that real people wrote (runs where shared/data is beside the project)",
  { timeout: 120_000 },
  async () => {
    const taken = await takenForGoingOn(readSample());
    process.stdout.write(`going on in real chat: ${JSON.stringify(taken)}\n`);
    expect(taken.rightAfterPercent).toBeLessThanOrEqual(3);
    expect(taken.asTheyComePercent).toBeLessThanOrEqual(0.5);
  },
);
