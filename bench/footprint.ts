import { setTimeout as delay } from "node:timers/promises";
import { BOT, CHANNEL } from "./bench-names.ts";
import { BLOCK_BYTES, type Pulse } from "./bot-process.ts";
import type { Row } from "./figures.ts";
import { generateChat } from "./generated-chat.ts";
import { type LoopbackChannel, openLoopbackChannel, type PlainBot } from "./loopback-channel.ts";
import type { Programs } from "./programs.ts";
import { openTimedModel, type TimedModel } from "./timed-model.ts";

const PEOPLE = 300;
const ONE_IN_TO_BOT = 20;
const SETTLE_MS = 12_000;
const IDLE_MS = 30_000;
const CHAT_MS = 45_000;
const MINUTE_MS = 60_000;
const BUSY_MS = 25_000;
const SAMPLE_EVERY_MS = 1_000;
/** 400 a minute. */
const LINE_EVERY_MS = 150;
/** 100 a second. */
const BUSY_LINE_EVERY_MS = 10;
const BYTES_A_MB = 1024 * 1024;
const BYTES_A_KB = 1024;

interface Contestant {
  readonly channel: LoopbackChannel;
  readonly bot: PlainBot;
}

/** What a bot took of the machine in one part of the run. */
interface Phase {
  readonly lines: number;
  readonly replies: number;
  readonly residentMbMost: number;
  readonly processorPercent: number;
  readonly kbWritten: number;
  readonly heapMb: number;
}

type Phases = Readonly<Record<"idle" | "chat" | "asked" | "busy", Phase>>;

/**
 * What the bots take of the machine, side by side in channels of their own that hear the same: without chat, at 400
 * lines a minute, at 400 with one in twenty to the bot (`minutes` of them), and at 100 a second.
 */
export async function measureFootprint(
  { daemon, plainBot }: Programs,
  minutes: number,
): Promise<Row[]> {
  const model = await openTimedModel();
  const contestants: Contestant[] = [];
  try {
    contestants.push(await enterOurs(daemon, model));
    contestants.push(await enterPlain(plainBot, "last20", model));
    contestants.push(await enterPlain(plainBot, "batched", model));
    await delay(SETTLE_MS);
    const chat = generateChat(7, PEOPLE, BOT);
    const run = (ms: number, lineEveryMs: number | null, isAsked: boolean) =>
      runPhase(contestants, {
        ms,
        lineEveryMs,
        nextText: isAsked ? asking(chat) : chat.text,
        somebody: chat.somebody,
      });
    const idle = await run(IDLE_MS, null, false);
    // First without questions: what comes of replies is written for minutes after them.
    const calm = await run(CHAT_MS, LINE_EVERY_MS, false);
    const asked = await run(minutes * MINUTE_MS, LINE_EVERY_MS, true);
    const busy = await run(BUSY_MS, BUSY_LINE_EVERY_MS, true);
    const [ours, last20, batched] = contestants.map((_, n) =>
      phasesOf({ idle, chat: calm, asked, busy }, n),
    );
    if (ours === undefined || last20 === undefined || batched === undefined)
      throw new Error("nobody ran");
    if (ours.asked.replies === 0) throw new Error("the daemon answered nobody");
    return rowsOf(ours, last20, batched);
  } finally {
    for (const { bot, channel } of contestants) {
      await bot.stop();
      await channel.close();
    }
    model.close();
  }
}

async function enterOurs(daemon: Programs["daemon"], model: TimedModel): Promise<Contestant> {
  const channel = await openLoopbackChannel();
  const llm = { provider: "gemini", model: "gemini-3.5-flash-lite", baseUrl: model.url };
  const bot = channel.startDaemon(daemon, { config: { llm } });
  await bot.joined;
  return { channel, bot };
}

async function enterPlain(
  file: string,
  kind: "last20" | "batched",
  { url }: TimedModel,
): Promise<Contestant> {
  const channel = await openLoopbackChannel();
  const bot = channel.startPlain(file, { kind, modelUrl: url });
  await bot.joined;
  return { channel, bot };
}

function asking(chat: ReturnType<typeof generateChat>): () => string {
  let lines = 0;
  return () => {
    lines += 1;
    return lines % ONE_IN_TO_BOT === 0 ? chat.question() : chat.text();
  };
}

interface PhasePlan {
  readonly ms: number;
  /** null: nobody says anything. */
  readonly lineEveryMs: number | null;
  readonly nextText: () => string;
  readonly somebody: ReturnType<typeof generateChat>["somebody"];
}

async function runPhase(contestants: readonly Contestant[], plan: PhasePlan): Promise<Phase[]> {
  const before = await Promise.all(contestants.map(({ bot }) => bot.pulse(true)));
  const saidBefore = contestants.map(({ channel }) => channel.said());
  const { lines, samples } = await play(contestants, plan);
  const after = await Promise.all(contestants.map(({ bot }) => bot.pulse()));
  const collected = await Promise.all(contestants.map(({ bot }) => bot.pulse(true)));
  return contestants.map(({ channel }, n) => {
    const [first, last] = [before[n], after[n]];
    if (first === undefined || last === undefined) throw new Error("a bot said nothing of itself");
    const resident = [...(samples[n] ?? []), last].map(({ residentBytes }) => residentBytes);
    return {
      lines,
      replies: channel.said() - (saidBefore[n] ?? 0),
      residentMbMost: Math.max(...resident) / BYTES_A_MB,
      processorPercent: (last.processorUs - first.processorUs) / (last.atMs - first.atMs) / 10,
      kbWritten: ((last.blocksWritten - first.blocksWritten) * BLOCK_BYTES) / BYTES_A_KB,
      heapMb: (collected[n]?.heapBytes ?? 0) / BYTES_A_MB,
    };
  });
}

/** Says the lines of a phase at their pace, and asks each bot how it is meanwhile. */
async function play(
  contestants: readonly Contestant[],
  { ms, lineEveryMs, nextText, somebody }: PhasePlan,
): Promise<{ readonly lines: number; readonly samples: readonly Pulse[][] }> {
  const samples: Pulse[][] = contestants.map(() => []);
  let lines = 0;
  if (lineEveryMs === null) {
    // Being asked wakes a process, so an idle one is asked only before and after.
    await delay(ms);
    return { lines, samples };
  }
  const begunAtMs = performance.now();
  const passedMs = () => performance.now() - begunAtMs;
  while (passedMs() < ms) {
    await delay(lineEveryMs);
    for (; lines < Math.floor(passedMs() / lineEveryMs); lines += 1) {
      const line = { ...somebody(), text: nextText() };
      for (const { channel } of contestants) channel.irc.say(CHANNEL, line);
    }
    if (passedMs() < ((samples[0]?.length ?? 0) + 1) * SAMPLE_EVERY_MS) continue;
    for (const [n, { bot }] of contestants.entries()) samples[n]?.push(await bot.pulse());
  }
  return { lines, samples };
}

function phasesOf(all: Readonly<Record<keyof Phases, readonly Phase[]>>, n: number): Phases {
  const of = (name: keyof Phases): Phase => {
    const phase = all[name][n];
    if (phase === undefined) throw new Error("a bot is missing");
    return phase;
  };
  return { idle: of("idle"), chat: of("chat"), asked: of("asked"), busy: of("busy") };
}

function rowsOf(ours: Phases, last20: Phases, batched: Phases): Row[] {
  const perLine = ({ chat }: Phases) => chat.kbWritten / chat.lines;
  const perReply = (it: Phases) =>
    (it.asked.kbWritten - perLine(it) * it.asked.lines) / Math.max(1, it.asked.replies);
  const last20Beside = (of: (it: Phases) => number) => ({
    beside: "a bot that sends the last 20 lines",
    theirs: of(last20),
  });
  const row = (
    what: string,
    unit: string,
    of: (it: Phases) => number,
    rest: Partial<Row> = {},
  ): Row => ({
    what,
    unit,
    ours: of(ours),
    ...last20Beside(of),
    ...rest,
  });
  return [
    row(
      "resident at 400 lines a minute, most",
      "MB",
      ({ chat, asked }) => Math.max(chat.residentMbMost, asked.residentMbMost),
      {
        goal: { of: "ours", atMost: 90 },
      },
    ),
    row("resident at 100 lines a second, most", "MB", ({ busy }) => busy.residentMbMost, {
      goal: { of: "ours", atMost: 110 },
    }),
    row("processor, idle, of a core", "%", ({ idle }) => idle.processorPercent, {
      digits: 2,
      goal: { of: "ours", atMost: 0.2 },
    }),
    row("processor at 400 lines a minute, of a core", "%", ({ asked }) => asked.processorPercent, {
      digits: 2,
    }),
    row("processor at 100 lines a second, of a core", "%", ({ busy }) => busy.processorPercent, {
      digits: 2,
      goal: { of: "ours", atMost: 2 },
    }),
    row("written a line at 400 lines a minute", "KB", perLine, {
      beside: "bare tmi.js + batched insert",
      theirs: perLine(batched),
      goal: { of: "ours", atMost: 8 },
    }),
    row("written a reply", "KB", perReply),
    row("live heap after it, to before", "MB", ({ busy }) => busy.heapMb, {
      beside: "ours, after 400 lines",
      theirs: ours.chat.heapMb,
    }),
    row("replies of it", "", ({ asked, busy }) => asked.replies + busy.replies, { digits: 0 }),
  ];
}
