import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChannelStore } from "../src/chat/channel-store.ts";
import { EventStore } from "../src/chat/event-store.ts";
import { toConfig } from "../src/config/load.ts";
import { openDatabase } from "../src/database/open-database.ts";
import { estimateTokens } from "../src/language/tokens.ts";
import { toPlainSchema } from "../src/models/json.ts";
import { openClockedMemory } from "../test/stand-ins/clocked-memory.ts";
import { type GeneratedChat, generateChat } from "../test/stand-ins/generated-chat.ts";
import { blocksOf } from "../test/stand-ins/prompt-blocks.ts";
import { scriptedLlm } from "../test/stand-ins/scripted-llm.ts";
import { CHANNEL, type ReplayedLine, readBusyChat, readTalk, spoken } from "./chat-samples.ts";
import type { Row } from "./figures.ts";

const BASELINE = new URL("baseline.json", import.meta.url);
const NOBODY: ReplayedLine = { by: { userId: "0", login: "", displayName: "" }, text: "" };
const HOURS = 4;
const LINES_A_MINUTE = 30;
const PEOPLE = 120;
const MINUTE_MS = 60_000;
const EXPIRY_MS = 23 * 60 * MINUTE_MS;
/** Share of the baseline's tokens. */
const SHARE_MAX = 0.6;

/**
 * Measures memory's tokens in an hour of stream at 30 lines a minute, by our estimate, with the schema of the answer.
 * The model writes as much as one can, so a real one costs less. The goal is for real chat, whose samples are in
 * `chatFolder`; null leaves it out. Generated chat is random words.
 */
export async function measureMemoryCost(chatFolder: string | null): Promise<Row[]> {
  const { memory } = JSON.parse(readFileSync(BASELINE, "utf8"));
  const row = (what: string, ours: number, theirs: number): Row => ({
    what: `memory at ${LINES_A_MINUTE} lines a minute, ${what} an hour`,
    unit: "tokens",
    digits: 0,
    ours: ours / HOURS,
    peer: "the frozen baseline",
    theirs,
  });
  const chat = generateChat(7, PEOPLE, "automark");
  const made = await rememberStream(() => ({ by: chat.somebody(), text: chat.text() }));
  const rows = [
    row("in, generated chat,", made.tokensIn, memory.tokensIn),
    row("out, generated chat,", made.tokensOut, memory.tokensOut),
    row(
      "both, generated chat,",
      made.tokensIn + made.tokensOut,
      memory.tokensIn + memory.tokensOut,
    ),
  ];
  if (chatFolder === null) return rows;
  let tokensIn = 0;
  for (const lines of [readBusyChat(chatFolder), readTalk(chatFolder)]) {
    let at = 0;
    const spent = await rememberStream(() => lines[at++ % lines.length] ?? NOBODY);
    tokensIn += spent.tokensIn;
  }
  const real = row("in, two samples of real chat,", tokensIn, memory.realChatTokensIn);
  return [...rows, { ...real, goal: { of: "ratio", atMost: SHARE_MAX } }];
}

async function rememberStream(next: () => ReplayedLine) {
  const folder = mkdtempSync(join(tmpdir(), "forgetmenot-cost-"));
  try {
    const spent = await runMemory(join(folder, "one.db"), next);
    if (spent.tokensOut === 0) throw new Error("memory asked nothing");
    return spent;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function runMemory(file: string, next: () => ReplayedLine) {
  const db = openDatabase(file);
  let nowMs = Date.UTC(2026, 0, 1, 18);
  const now = () => nowMs;
  const words = generateChat(7, PEOPLE, "automark");
  const channels = new ChannelStore(db, now);
  channels.ensure(CHANNEL);
  const facts = {
    ...{ twitchId: "77", title: "lamps", category: "Crafts" },
    ...{ isLive: true, language: null },
  };
  channels.refresh(CHANNEL, { ...facts, startedAtMs: nowMs });
  const events = new EventStore(db, {
    now,
    expiryMs: EXPIRY_MS,
    streamOf: (channel) => channels.runningStream(channel),
  });
  const spent = { tokensIn: 0, tokensOut: 0 };
  const llm = scriptedLlm((request) => {
    const answer = JSON.stringify(writeMuch(words, request.tail));
    const shape = request.schema === undefined ? "" : JSON.stringify(toPlainSchema(request.schema));
    spent.tokensIn += request.estimatedTokens + estimateTokens(shape);
    spent.tokensOut += estimateTokens(answer);
    return answer;
  });
  const memory = openClockedMemory(db, {
    channel: CHANNEL,
    now,
    llm,
    flush: () => events.flush(),
    isOver: () => channels.isLive(CHANNEL) === false,
  });
  const compactionMs = toConfig({ channel: CHANNEL }, ".").memory.compactionSeconds * 1_000;
  let ranAtMs = nowMs;
  for (let minute = 0; minute < HOURS * 60; minute += 1) {
    for (let line = 0; line < LINES_A_MINUTE; line += 1) {
      nowMs += Math.floor(MINUTE_MS / LINES_A_MINUTE);
      const { by, text, fillsNoWindow = false } = next();
      events.add({ ...spoken(by, text, nowMs), fillsNoWindow });
    }
    if (nowMs - ranAtMs < compactionMs) continue;
    ranAtMs = nowMs;
    events.flush();
    await memory.run();
  }
  events.flush();
  channels.refresh(CHANNEL, { ...facts, isLive: false, startedAtMs: null });
  await memory.run();
  await memory.close();
  events.close();
  db.close();
  return spent;
}

/** A summary of 90 words, a claim for every fifth of the first 40 lines, and a note for every second claim. */
function writeMuch(chat: GeneratedChat, tail: string) {
  const blocks = blocksOf(tail);
  const sentences = (count: number) =>
    Array.from({ length: count }, () => `The chat came back to ${chat.words(12)}.`).join(" ");
  const lines = blocks.get("chat");
  if (lines !== undefined) {
    const claims = lines
      .flatMap((line) => [/^(P\d+)(?: \(known\))?: ((\S+ \S+ \S+).*)$/.exec(line) ?? []])
      .filter(([whole]) => whole !== undefined)
      .slice(0, 40)
      .filter((_, at) => at % 5 === 0)
      .map(([, label = "", text = "", start = ""]) => ({
        subject: label,
        statement: `${label} often speaks of ${start}`,
        how: "plainly",
        quotes: [text.split(" ").slice(0, 6).join(" ")],
      }));
    return { topic: chat.words(4), summary: sentences(6), claims };
  }
  const claims = blocks.get("claims");
  if (claims === undefined) return { recap: sentences(5) };
  const notes = claims
    .flatMap((line) => [/^\[(\d+)\] P\d+: (.+)$/.exec(line) ?? []])
    .filter(([whole]) => whole !== undefined)
    .filter((_, at) => at % 2 === 0)
    .map(([, n, statement = ""]) => ({
      claims: [Number(n)],
      relation: "new",
      kind: "preference",
      confidence: 0.7,
      importance: "low",
      lifetime: "30d",
      topics: statement.split(" ").slice(-2),
    }));
  return { notes };
}
