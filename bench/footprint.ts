import { setTimeout as delay } from "node:timers/promises";
import { generateChat } from "../test/stand-ins/generated-chat.ts";
import { BOT, CHANNEL } from "./bench-names.ts";
import type { Pulse } from "./bot-process.ts";
import type { Row } from "./figures.ts";
import { type LoopbackChannel, openLoopbackChannel, type PlainBot } from "./loopback-channel.ts";
import type { Programs } from "./programs.ts";
import { openTimedModel } from "./timed-model.ts";

const PEOPLE = 300;
const ONE_IN_TO_BOT = 20;
const SETTLE_MS = 12_000;
const IDLE_MS = 30_000;
const CHAT_MS = 45_000;
const SAMPLE_EVERY_MS = 1_000;
/** 400 a minute. */
const LINE_EVERY_MS = 150;
const BYTES_A_MB = 1024 * 1024;
const RESIDENT_MB_MAX = 80;
const IDLE_PERCENT_MAX = 0.15;

interface Contestant {
  readonly channel: LoopbackChannel;
  readonly bot: PlainBot;
}

/** Measures memory and processor time of the bots on the same chat: idle, then at 400 lines a minute with questions. */
export async function measureFootprint({ daemon, plainBot }: Programs): Promise<Row[]> {
  const model = await openTimedModel();
  const llm = { provider: "gemini", model: "gemini-3.5-flash-lite", baseUrl: model.url };
  const contestants: Contestant[] = [];
  try {
    for (const start of [
      (channel: LoopbackChannel) => channel.startDaemon(daemon, { config: { llm } }),
      (channel: LoopbackChannel) =>
        channel.startPlain(plainBot, { kind: "last20", modelUrl: model.url }),
    ]) {
      const channel = await openLoopbackChannel();
      const bot = start(channel);
      contestants.push({ channel, bot });
      await bot.joined;
    }
    await delay(SETTLE_MS);
    // A question wakes a process, so an idle one is asked only before and after.
    const before = await readPulses(contestants);
    await delay(IDLE_MS);
    const after = await readPulses(contestants);
    const samples = await sampleInChat(contestants);
    if (contestants.some(({ channel }) => channel.countSaid() === 0))
      throw new Error("a bot was silent");
    const [idleOurs = 0, idlePlain] = contestants.map((_, n) =>
      calculateBusyPercent(before[n], after[n]),
    );
    const [chatOurs = 0, chatPlain] = samples.map((all) =>
      calculateBusyPercent(all[0], all.at(-1)),
    );
    const [mbOurs = 0, mbPlain] = samples.map(
      (all) => Math.max(...all.map(({ residentBytes }) => residentBytes)) / BYTES_A_MB,
    );
    const peer = "a bot that sends the last 20 lines";
    const makeRow = (what: string, unit: string, ours: number, theirs = 0): Row => ({
      ...{ what, unit, digits: 2, ours, peer, theirs },
    });
    return [
      {
        ...makeRow("resident at 400 lines a minute, most", "MB", mbOurs, mbPlain),
        goal: { of: "ours", atMost: RESIDENT_MB_MAX },
      },
      {
        ...makeRow("processor, idle, of a core", "%", idleOurs, idlePlain),
        goal: { of: "ours", atMost: IDLE_PERCENT_MAX },
      },
      makeRow("processor at 400 lines a minute, of a core", "%", chatOurs, chatPlain),
    ];
  } finally {
    for (const { bot, channel } of contestants) {
      await bot.stop();
      await channel.close();
    }
    model.close();
  }
}

function readPulses(contestants: readonly Contestant[]): Promise<Pulse[]> {
  return Promise.all(contestants.map(({ bot }) => bot.pulse()));
}

/** Sends chat to all for 45 s. Returns the samples of each bot, one a second. */
async function sampleInChat(contestants: readonly Contestant[]): Promise<Pulse[][]> {
  const chat = generateChat(7, PEOPLE, BOT);
  const samples = (await readPulses(contestants)).map((pulse) => [pulse]);
  const begunAtMs = performance.now();
  let lines = 0;
  let sampledAtMs = begunAtMs;
  while (performance.now() - begunAtMs < CHAT_MS) {
    await delay(LINE_EVERY_MS);
    for (; lines < Math.floor((performance.now() - begunAtMs) / LINE_EVERY_MS); lines += 1) {
      const text = lines % ONE_IN_TO_BOT === 1 ? chat.question() : chat.text();
      const line = { ...chat.somebody(), text };
      for (const { channel } of contestants) channel.irc.say(CHANNEL, line);
    }
    if (performance.now() - sampledAtMs < SAMPLE_EVERY_MS) continue;
    sampledAtMs = performance.now();
    for (const [n, pulse] of (await readPulses(contestants)).entries()) samples[n]?.push(pulse);
  }
  return samples;
}

function calculateBusyPercent(first: Pulse | undefined, last: Pulse | undefined): number {
  if (first === undefined || last === undefined) throw new Error("a bot was not sampled");
  return (last.processorUs - first.processorUs) / (last.atMs - first.atMs) / 10;
}
