/**
 * Footprint: memory and processor time of the daemon's process in a channel with 400 messages a minute, one in twenty
 * of them to the bot, answered by the offline model. `npm run bench:footprint -- --minutes 1`; exit code 1 over the bar.
 */
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { buildProgram } from "./built-program.ts";
import { median, report } from "./figures.ts";
import { generateChat } from "./generated-chat.ts";
import {
  BOT,
  type Bot,
  CHANNEL,
  type LoopbackChannel,
  openLoopbackChannel,
} from "./loopback-channel.ts";

const MESSAGES_A_MINUTE = 400;
const ONE_IN_TO_BOT = 20;
const PEOPLE = 300;
const RESIDENT_MB_MAX = 120;
const PROCESSOR_PERCENT_MAX = 3;
const SAMPLE_EVERY_MS = 1_000;
const MINUTE_MS = 60_000;
const BYTES_A_MB = 1024 * 1024;

/** Lets the channel chat at its pace until told to stop; gives the count of lines so far. */
function startChatting({ irc }: LoopbackChannel): {
  readonly lines: () => number;
  readonly stop: () => void;
} {
  const chat = generateChat(7, PEOPLE, BOT);
  let lines = 0;
  const timer = setInterval(() => {
    lines += 1;
    const text = lines % ONE_IN_TO_BOT === 0 ? chat.question() : chat.text();
    irc.say(CHANNEL, { ...chat.somebody(), text });
  }, MINUTE_MS / MESSAGES_A_MINUTE);
  return { lines: () => lines, stop: () => clearInterval(timer) };
}

interface Sample {
  readonly atMs: number;
  readonly residentMb: number;
  readonly processorMs: number;
}

async function watch(bot: Bot, forMs: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  const endsAtMs = performance.now() + forMs;
  while (performance.now() < endsAtMs) {
    await delay(SAMPLE_EVERY_MS);
    const pulse = bot.pulse();
    if (pulse === null) continue;
    samples.push({
      atMs: performance.now(),
      residentMb: pulse.residentBytes / BYTES_A_MB,
      processorMs: pulse.processorUs / 1_000,
    });
  }
  return samples;
}

const { values } = parseArgs({ options: { minutes: { type: "string", default: "1" } } });
const program = buildProgram();
const channel = await openLoopbackChannel();
try {
  const bot = channel.startBot(program.main);
  await bot.joined;
  const chatting = startChatting(channel);
  const samples = await watch(bot, Number(values.minutes) * MINUTE_MS);
  chatting.stop();
  const shutdownMs = await bot.stop();
  const resident = samples.map(({ residentMb }) => residentMb);
  const first = samples[0];
  const last = samples.at(-1);
  if (first === undefined || last === undefined)
    throw new Error("the daemon said nothing of itself");
  const replies = channel.helix.messages.length;
  if (replies === 0) throw new Error("the daemon answered nobody");
  report([
    { name: "lines said", value: chatting.lines(), unit: "", digits: 0, bar: null },
    { name: "replies sent", value: replies, unit: "", digits: 0, bar: null },
    { name: "resident, median", value: median(resident), unit: "MB", digits: 1, bar: null },
    {
      name: "resident, most",
      value: Math.max(...resident),
      unit: "MB",
      digits: 1,
      bar: { atMost: RESIDENT_MB_MAX },
    },
    {
      name: "processor, of one core",
      value: (100 * (last.processorMs - first.processorMs)) / (last.atMs - first.atMs),
      unit: "%",
      bar: { atMost: PROCESSOR_PERCENT_MAX },
    },
    { name: "SIGTERM → ended", value: shutdownMs, unit: "ms", digits: 0, bar: null },
  ]);
} finally {
  await channel.close();
  program.remove();
}
