import process from "node:process";
import { expect, test } from "vitest";
import { EventReads } from "../../../src/chat/event-reads-store.ts";
import { openViewerStore } from "../../../src/chat/viewer-store.ts";
import { openDatabase } from "../../../src/database/open-database.ts";
import { RecallStore } from "../../../src/memory/recall/recall-store.ts";
import { createPrefixSnapshots } from "../../../src/memory/recall/snapshot.ts";
import { assemblePrompt } from "../../../src/reply/assemble.ts";
import { readTail } from "../../../src/reply/read.ts";
import { ReplyStore } from "../../../src/reply/reply-store.ts";
import { fence, persona } from "../../reply/prompt/prompt-parts.ts";
import { makeTicket } from "../../reply/queue-rig.ts";
import { addViewer } from "../../stand-ins/rows.ts";
import { addChannel, addNote, NOW_MS } from "./memories.ts";
import {
  CHANNEL_QUESTIONS,
  otherChannelFacts,
  otherNotes,
  QUESTIONS,
  STREAMER_QUESTIONS,
} from "./sixty-questions.ts";

const REGULARS = 40;

test("the needed note is in the prompt of at least 56 of 60 questions, and no other viewer's", () => {
  const { prompt, factsOfOthers } = room();
  const tokens: number[] = [];
  const found = QUESTIONS.filter(({ fact, question }, n) => {
    const regular = n % REGULARS;
    const { text, estimatedTokens } = prompt(regular, question);
    tokens.push(estimatedTokens);
    for (const other of factsOfOthers(regular)) expect(text).not.toContain(other);
    return text.includes(fact);
  });
  const median = tokens.sort((a, b) => a - b)[30] ?? 0;
  process.stdout.write(`needed note in ${found.length} of 60 prompts; median ${median} tokens\n`);
  expect(found.length).toBeGreaterThanOrEqual(56);
  expect(median).toBeLessThanOrEqual(1_900);
});

test("channel facts are in the prompt of at least 11 of 12 questions, the streamer's in all", () => {
  const { prompt } = room();
  const found = (questions: typeof CHANNEL_QUESTIONS) =>
    questions.filter(([fact, question]) => prompt(3, question).text.includes(fact)).length;
  const [channel, streamer] = [found(CHANNEL_QUESTIONS), found(STREAMER_QUESTIONS)];
  process.stdout.write(
    `channel facts in ${channel} of 12 prompts, the streamer's in ${streamer} of 4\n`,
  );
  expect(channel).toBeGreaterThanOrEqual(11);
  expect(streamer).toBe(4);
});

/** Forty regulars with 11 to 52 notes each, a channel with 44, and twenty lines of chat. */
function room() {
  const db = openDatabase(":memory:");
  addChannel(db);
  const facts = new Map<number, string[]>();
  for (let regular = 0; regular < REGULARS; regular += 1) {
    const userId = `${100 + regular}`;
    addViewer(db, userId, `regular${regular}`);
    const needed = QUESTIONS.filter((_, n) => n % REGULARS === regular);
    const notes = [...needed, ...otherNotes(regular)];
    for (const [n, { fact, kind }] of notes.entries()) {
      const ageDays = (n * 13) % 80;
      addNote(db, { scope: "viewer", subjectId: userId, fact, kind, ageDays });
    }
    facts.set(
      regular,
      needed.map(({ fact }) => fact),
    );
  }
  const known = [...CHANNEL_QUESTIONS, ...STREAMER_QUESTIONS].map(([fact]) => fact);
  for (const [n, fact] of [...known, ...otherChannelFacts()].entries()) {
    addNote(db, { fact, kind: "profile", ageDays: 60 - n });
  }
  const say = db.prepare(
    `INSERT INTO events (channel, kind, user_id, text, memorable, created_at, expires_at)
     VALUES ('here', 'message', ?, ?, 1, ?, ?)`,
  );
  for (let n = 0; n < 20; n += 1) {
    say.run(`${130 + n / 2}`, "that was close, nicely done", NOW_MS - 60_000, NOW_MS + 1_000);
  }
  const now = () => NOW_MS;
  const recall = new RecallStore(db);
  const parts = {
    ...{
      events: new EventReads(db),
      viewers: openViewerStore(db, () => undefined),
      recall,
      now,
    },
    ...{ replies: new ReplyStore(db, now), paceOf: () => "normal" as const },
  };
  const settings = { persona, fence, budgetTokens: 4_000, offered: [] };
  const taken = createPrefixSnapshots(recall, now)("here");
  return {
    prompt: (regular: number, question: string) => {
      const ticket = makeTicket({ userId: `${100 + regular}`, question, atMs: NOW_MS });
      const read = readTail(parts, ticket, taken.snapshot);
      const input = { taken, ...read, messageKind: "mention", correction: 1 };
      const { prompt, trail } = assemblePrompt(input, settings);
      return { text: prompt.prefix + prompt.tail, estimatedTokens: trail.estimatedTokens };
    },
    factsOfOthers: (regular: number) =>
      [...facts].flatMap(([other, told]) => (other === regular ? [] : told)),
  };
}
