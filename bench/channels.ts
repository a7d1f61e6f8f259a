import { setTimeout as delay } from "node:timers/promises";
import { BOT } from "./bench-names.ts";
import { growthRow, median, type Row } from "./figures.ts";
import { generateChat } from "./generated-chat.ts";
import { goLive, openLoopbackChannel } from "./loopback-channel.ts";
import type { Programs } from "./programs.ts";
import { openTimedModel } from "./timed-model.ts";

const COUNTS = [1, 10, 100];
const PEOPLE = 300;
const CHAT_MS = 12_000;
/** 400 a minute in each channel. */
const LINE_EVERY_MS = 150;
const QUESTION_EVERY_MS = 1_500;
const JOINED_MS_MAX = 90_000;
const ANSWERED_MS_MAX = 10_000;
const BYTES_A_MB = 1024 * 1024;

interface Load {
  readonly channels: number;
  readonly allJoinedMs: number;
  readonly processorPercent: number;
  readonly residentMb: number;
  /** Median of what was added to a reply. */
  readonly addedMs: number;
}

/** One daemon in so many channels, each with 400 lines a minute, and somebody in one of them who asks. */
export async function measureChannels({ daemon }: Programs): Promise<Row[]> {
  const loads: Load[] = [];
  for (const count of COUNTS) loads.push(await measureLoad(daemon, count));
  const row = (what: string, unit: string, of: (load: Load) => number, digits = 1) =>
    growthRow(
      { what, unit, digits },
      "channels",
      loads.map((load) => [load.channels, of(load)]),
    );
  return [
    row("run → every channel joined", "s", ({ allJoinedMs }) => allJoinedMs / 1_000),
    row("processor, 400 lines a minute in each", "%", ({ processorPercent }) => processorPercent),
    row("resident there", "MB", ({ residentMb }) => residentMb),
    row("added to a reply there, p50", "ms", ({ addedMs }) => addedMs, 2),
  ];
}

async function measureLoad(daemon: Programs["daemon"], count: number): Promise<Load> {
  const names = Array.from({ length: count }, (_, n) => `benchroom${n}`);
  const model = await openTimedModel();
  const channel = await openLoopbackChannel();
  const { irc } = channel;
  for (const name of names) goLive(channel, name);
  const config = {
    channel: names,
    llm: { provider: "gemini", model: "gemini-3.5-flash-lite", baseUrl: model.url },
    replies: { viewerCooldownSeconds: 0, channelCooldownSeconds: 0, continuationSeconds: 0 },
  };
  const bot = channel.startDaemon(daemon, { config });
  try {
    await bot.joined;
    while (names.some((name) => irc.listeners(name) === 0)) {
      if (performance.now() - bot.startedAtMs > JOINED_MS_MAX) throw new Error("no JOIN came");
      await delay(20);
    }
    const allJoinedMs = performance.now() - bot.startedAtMs;
    const chat = generateChat(5, PEOPLE, BOT);
    const addedMs: number[] = [];
    const ask = async (): Promise<void> => {
      const answered = channel.nextSaid();
      const askedAtMs = performance.now();
      irc.say(names[0] ?? "", { ...chat.somebody(), text: chat.question() });
      const late = delay(ANSWERED_MS_MAX, null, { ref: false });
      const saidAtMs = await Promise.race([answered, late]);
      if (saidAtMs === null) throw new Error("a mention was not answered");
      addedMs.push(saidAtMs - askedAtMs);
    };
    const before = await bot.pulse(true);
    const begunAtMs = performance.now();
    let lines = 0;
    for (let passedMs = 0; passedMs < CHAT_MS; passedMs = performance.now() - begunAtMs) {
      for (; lines < (passedMs / LINE_EVERY_MS) * count; lines += 1) {
        const name = names[lines % count] ?? "";
        irc.say(name, { ...chat.somebody(), text: chat.text() });
      }
      if (passedMs > (addedMs.length + 1) * QUESTION_EVERY_MS) await ask();
      await delay(10);
    }
    const after = await bot.pulse();
    return {
      channels: count,
      allJoinedMs,
      processorPercent: (after.processorUs - before.processorUs) / (after.atMs - before.atMs) / 10,
      residentMb: after.residentBytes / BYTES_A_MB,
      addedMs: median(addedMs),
    };
  } finally {
    await bot.stop();
    await channel.close();
    model.close();
  }
}
