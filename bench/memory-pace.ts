/**
 * How much of a fast chat memory reads, on a clock of its own, with a model that takes its time for each answer and the
 * caps of a configuration in between. `npm run bench:memory-pace`; ends with exit code 1 where a bar was missed.
 */
import process from "node:process";
import { channelStore } from "../src/chat/channel-store.ts";
import { eventStore } from "../src/chat/event-store.ts";
import { estimateTokens } from "../src/language/tokens.ts";
import { openLog } from "../src/log.ts";
import { configSchema } from "../src/platform/config/schema.ts";
import { noticeBoard } from "../src/platform/database/notices-store.ts";
import { openDatabase } from "../src/platform/database/open-database.ts";
import { counterStore } from "../src/platform/database/runtime-store.ts";
import { llmCallStore } from "../src/platform/models/call-store.ts";
import { openGate } from "../src/platform/models/model-gate.ts";
import type { Adapter } from "../src/platform/models/model-port.ts";
import { openBenchMemory } from "./bench-memory.ts";
import { CHANNEL } from "./bench-names.ts";
import { type Figure, report } from "./figures.ts";
import { generateChat } from "./generated-chat.ts";
import { verboseStub } from "./memory-stubs.ts";
import { spoken } from "./reply-room.ts";

const STARTED_MS = Date.UTC(2026, 0, 1, 18);
const HOURS = 2;
const EXPIRY_MS = 86_100_000;
const LOOK_MS = 180_000;
const CLAIMS_PER_NOTE = 3;
/** As much as five hours of such a stream may cost; the other caps in proportion. */
const RAISED = { callsPerHour: 900, tokensPerDay: 40_000_000, dollarsPerDay: 10 };

interface Pace {
  readonly linesPerMinute: number;
  /** How long the model takes for an answer. */
  readonly answerMs: number;
  readonly caps: Readonly<Record<string, number>>;
}

interface Read {
  readonly written: number;
  readonly read: number;
  /** Counted as never read. */
  readonly told: number;
  readonly notices: readonly string[];
  readonly calls: number;
}

const asked = await follow({ linesPerMinute: 150, answerMs: 3_000, caps: {} });
const raised = await follow({ linesPerMinute: 300, answerMs: 3_000, caps: RAISED });
const behind = await follow({ linesPerMinute: 300, answerMs: 60_000, caps: RAISED });
report([
  ...figures("150 lines a minute, default caps, answers in 3 s", asked, 100),
  ...figures("300 lines a minute, caps raised, answers in 3 s", raised, 100),
  ...figures("300 lines a minute, answers in 60 s", behind, null),
  {
    name: "of what was not read there, told",
    value: (100 * behind.told) / Math.max(1, behind.written - behind.read),
    unit: "%",
    digits: 1,
    bar: { atLeast: 100 },
  },
]);
if (!behind.notices.includes("memory_behind")) process.exitCode = 1;

function figures(name: string, { written, read, calls }: Read, atLeast: number | null): Figure[] {
  const bar = atLeast === null ? null : { atLeast };
  return [
    { name, value: (100 * read) / written, unit: "% read", digits: 1, bar },
    { name: "  questions to the model", value: calls, unit: "", digits: 0, bar: null },
  ];
}

/** Two hours of a stream, and what memory still reads once it has ended. */
async function follow({ linesPerMinute, answerMs, caps }: Pace): Promise<Read> {
  const db = openDatabase(":memory:");
  const clock = { nowMs: STARTED_MS };
  const now = () => clock.nowMs;
  const chat = generateChat(11, 400, "automark");
  const channels = channelStore(db, now);
  channels.ensure(CHANNEL);
  const events = eventStore(db, { now, expiryMs: EXPIRY_MS, streamOf: channels.openSession });
  const endsAtMs = STARTED_MS + HOURS * 3_600_000;
  let written = 0;
  /** Time goes by, and people write meanwhile. */
  const pass = (ms: number): void => {
    const untilMs = clock.nowMs + ms;
    while (clock.nowMs < untilMs) {
      clock.nowMs = Math.min(untilMs, clock.nowMs + 60_000 / linesPerMinute);
      if (clock.nowMs >= endsAtMs) continue;
      events.add(spoken(chat.somebody(), chat.sentence(8), now()));
      written += 1;
    }
  };
  const { llm, calls } = slowModel({ chat, clock, pass, answerMs, caps, db });
  const memory = openBenchMemory(db, {
    ...{ channel: CHANNEL, now, llm },
    flush: () => void events.flush(),
    isOver: (channel) => channels.isLive(channel) === false,
  });
  const facts = { twitchId: "77", title: "lamps", category: "Crafts" };
  channels.refresh(CHANNEL, { ...facts, isLive: true, startedAtMs: STARTED_MS });
  while (clock.nowMs < endsAtMs + 3_600_000) {
    const nextMs = clock.nowMs + LOOK_MS;
    await memory.run();
    pass(Math.max(0, nextMs - clock.nowMs));
    if (clock.nowMs >= endsAtMs) {
      channels.refresh(CHANNEL, { ...facts, isLive: false, startedAtMs: null });
    }
  }
  const told = counterStore(db).read()["memory.lines_unread"] ?? 0;
  const covered = db
    .prepare<[], number>(
      `SELECT count(*) FROM events e JOIN episodes p ON p.id = e.episode_id
       WHERE e.memorable = 1 AND p.stage <> 'claimed' AND p.kind <> 'gap'`,
    )
    .pluck()
    .get();
  const notices = db.prepare<[], string>("SELECT kind FROM notices").pluck().all();
  await memory.close();
  events.close();
  db.close();
  return { written, read: (covered ?? 0) - told, told, notices, calls: calls() };
}

/** A stub behind the caps that a bot has; each of its answers takes so long. */
function slowModel(parts: {
  readonly chat: ReturnType<typeof generateChat>;
  readonly clock: { nowMs: number };
  readonly pass: (ms: number) => void;
  readonly answerMs: number;
  readonly caps: Pace["caps"];
  readonly db: ReturnType<typeof openDatabase>;
}) {
  const { chat, clock, pass, answerMs, caps, db } = parts;
  const log = openLog("silent");
  const now = () => clock.nowMs;
  const { llm: config } = configSchema.parse({ channel: CHANNEL, llm: { caps } });
  let [answer, calls] = ["", 0];
  const writer = verboseStub(chat, CLAIMS_PER_NOTE, (exchange) => {
    answer = exchange.answer;
  });
  const adapter: Adapter = async (call) => {
    calls += 1;
    pass(answerMs);
    await writer.ask(call);
    const usage = {
      promptTokens: call.estimatedTokens,
      cachedTokens: 0,
      outputTokens: estimateTokens(answer),
    };
    return { ok: true, text: answer, finish: "stop", usage };
  };
  const store = llmCallStore(db);
  const llm = openGate({ config, store, now, notices: noticeBoard(db, now, log), adapter, log });
  return { llm, calls: () => calls };
}
