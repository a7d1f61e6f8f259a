/**
 * What memory asks of the model in an hour of stream, at three paces of chat: questions, tokens by our estimate (the
 * shape of the answer counted in), and dollars at the default model's price, nothing cached. The model writes as much
 * as one can, so a real one costs rather less. `npm run bench:memory-cost`; at 30 lines a minute the bar is 70 % of what
 * the first edition took (81,000 tokens in, 20,000 out).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { channelStore } from "../src/chat/channel-store.ts";
import { eventStore } from "../src/chat/event-store.ts";
import { estimateTokens } from "../src/language/tokens.ts";
import { toConfig } from "../src/platform/config/load.ts";
import { openDatabase } from "../src/platform/database/open-database.ts";
import { dollarsOf, priceOf } from "../src/platform/models/models.ts";
import { openBenchMemory } from "./bench-memory.ts";
import { CHANNEL } from "./bench-names.ts";
import { report } from "./figures.ts";
import { generateChat } from "./generated-chat.ts";
import { type Exchange, verboseStub } from "./memory-stubs.ts";
import { spoken } from "./reply-room.ts";

const STARTED_MS = Date.UTC(2026, 0, 1, 18);
const HOURS = 4;
const MINUTE_MS = 60_000;
const EXPIRY_MS = 23 * 60 * MINUTE_MS;
const LINES_A_MINUTE = [5, 30, 100];
/** So many people share the chat at so many lines a minute. */
const PEOPLE_A_LINE = 4;
const CLAIMS_A_NOTE = 2;
const BARS: ReadonlyMap<string, { readonly atMost: number }> = new Map([
  ["in", { atMost: 57_000 }],
  ["out", { atMost: 14_000 }],
]);

interface Spent {
  questions: number;
  tokensIn: number;
  tokensOut: number;
}

async function spendIn(file: string, linesAMinute: number): Promise<Spent> {
  const db = openDatabase(file);
  let nowMs = STARTED_MS;
  const now = () => nowMs;
  const chat = generateChat(7, linesAMinute * PEOPLE_A_LINE, "automark");
  const channels = channelStore(db, now);
  channels.ensure(CHANNEL);
  const facts = { twitchId: "77", title: "lamps", category: "Crafts", isLive: true };
  channels.refresh(CHANNEL, { ...facts, startedAtMs: nowMs });
  const streamOf = channels.openSession;
  const events = eventStore(db, { now, expiryMs: EXPIRY_MS, streamOf });
  const spent: Spent = { questions: 0, tokensIn: 0, tokensOut: 0 };
  const memory = openBenchMemory(db, {
    channel: CHANNEL,
    now,
    llm: verboseStub(chat, CLAIMS_A_NOTE, (exchange) => count(spent, exchange)),
    flush: () => events.flush(),
    isOver: () => channels.isLive(CHANNEL) === false,
  });
  const compactionMs = toConfig({ channel: CHANNEL }, ".").memory.compactionSeconds * 1_000;
  let ranAtMs = nowMs;
  for (let minute = 0; minute < HOURS * 60; minute += 1) {
    for (let line = 0; line < linesAMinute; line += 1) {
      nowMs += Math.floor(MINUTE_MS / linesAMinute);
      events.add(spoken(chat.somebody(), chat.text(), nowMs));
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

/** As providers count: the prompt, the shape of the answer, the answer. */
function count(spent: Spent, { request, answer }: Exchange): void {
  const shape = request.schema === undefined ? "" : JSON.stringify(z.toJSONSchema(request.schema));
  spent.questions += 1;
  spent.tokensIn += request.estimatedTokens + estimateTokens(shape);
  spent.tokensOut += estimateTokens(answer);
}

const { model, prices } = toConfig({ channel: CHANNEL }, ".").llm;
const price = priceOf(model, prices);
if (price === null) throw new Error(`the price of ${model} is not known`);
const folder = mkdtempSync(join(tmpdir(), "forgetmenot-cost-"));
try {
  for (const lines of LINES_A_MINUTE) {
    const { questions, tokensIn, tokensOut } = await spendIn(join(folder, `${lines}.db`), lines);
    const usage = { promptTokens: tokensIn, cachedTokens: 0, outputTokens: tokensOut };
    const hourly = (name: string, total: number, unit: string, digits = 0) => ({
      name: `${lines} lines a minute: ${name} an hour`,
      value: total / HOURS,
      unit,
      digits,
      bar: lines === 30 ? (BARS.get(name) ?? null) : null,
    });
    report([
      hourly("questions", questions, ""),
      hourly("in", tokensIn, "tokens"),
      hourly("out", tokensOut, "tokens"),
      hourly("cost", dollarsOf(price, usage, tokensIn), "$", 4),
    ]);
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
