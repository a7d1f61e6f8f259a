import { setTimeout as delay } from "node:timers/promises";
import { chromium } from "playwright-core";
import { CHROMIUM } from "../test/stand-ins/chromium.ts";
import { BOT, CHANNEL } from "./bench-names.ts";
import type { Pulse } from "./bot-process.ts";
import type { Row } from "./figures.ts";
import { generateChat } from "./generated-chat.ts";
import { type Daemon, type LoopbackChannel, openLoopbackChannel } from "./loopback-channel.ts";
import type { Programs } from "./programs.ts";

const PEOPLE = 300;
const SETTLE_MS = 10_000;
const CHAT_MS = 60_000;
/** 400 a minute. */
const LINE_EVERY_MS = 150;
const SAMPLE_EVERY_MS = 2_000;
const BYTES_A_MB = 1024 * 1024;

interface Taken {
  readonly processorPercent: number;
  readonly residentMbMost: number;
}

/**
 * What an open page takes of the daemon: two of them hear the same 400 lines a minute, and a real browser shows the first
 * view of one. The browser's own work is not counted.
 */
export async function measureOpenPage({ daemon }: Programs): Promise<Row[]> {
  const channels = [await openLoopbackChannel(), await openLoopbackChannel()];
  const bots = channels.map((channel) =>
    channel.startDaemon(daemon, {
      config: { llm: { provider: "offline" }, dashboard: { port: 0 } },
    }),
  );
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  try {
    await Promise.all(bots.map(({ joined }) => joined));
    const page = await browser.newPage();
    const { url } = JSON.parse(bots[0]?.command("page", "--json").output ?? "{}") as {
      url: string;
    };
    await page.goto(url);
    await page.locator("#main").waitFor();
    await delay(SETTLE_MS);
    const [open, shut] = await chat(channels, bots);
    if (open === undefined || shut === undefined) throw new Error("nobody ran");
    if ((await page.locator("svg.chart").count()) === 0) throw new Error("the page shows nothing");
    return [
      {
        what: "an open page, of a core",
        unit: "%",
        digits: 2,
        ours: open.processorPercent - shut.processorPercent,
        beside: "all of the daemon without it",
        theirs: shut.processorPercent,
        goal: { of: "ours", atMost: 1 },
      },
      {
        what: "an open page, resident, most",
        unit: "MB",
        ours: open.residentMbMost - shut.residentMbMost,
        beside: "all of the daemon without it",
        theirs: shut.residentMbMost,
        goal: { of: "ours", atMost: 20 },
      },
    ];
  } finally {
    await browser.close();
    for (const bot of bots) await bot.stop();
    for (const channel of channels) await channel.close();
  }
}

/** The same lines to both. */
async function chat(
  channels: readonly LoopbackChannel[],
  bots: readonly Daemon[],
): Promise<Taken[]> {
  const said = generateChat(7, PEOPLE, BOT);
  const before = await Promise.all(bots.map((bot) => bot.pulse(true)));
  const samples: Pulse[][] = bots.map(() => []);
  const begunAtMs = performance.now();
  for (let lines = 0; performance.now() - begunAtMs < CHAT_MS; lines += 1) {
    await delay(Math.max(0, begunAtMs + lines * LINE_EVERY_MS - performance.now()));
    const line = { ...said.somebody(), text: said.text() };
    for (const { irc } of channels) irc.say(CHANNEL, line);
    if ((lines * LINE_EVERY_MS) % SAMPLE_EVERY_MS >= LINE_EVERY_MS) continue;
    for (const [n, bot] of bots.entries()) samples[n]?.push(await bot.pulse());
  }
  const after = await Promise.all(bots.map((bot) => bot.pulse()));
  return bots.map((_, n) => {
    const [first, last] = [before[n], after[n]];
    if (first === undefined || last === undefined) throw new Error("a bot said nothing of itself");
    const resident = [...(samples[n] ?? []), last].map(({ residentBytes }) => residentBytes);
    return {
      processorPercent: (last.processorUs - first.processorUs) / (last.atMs - first.atMs) / 10,
      residentMbMost: Math.max(...resident) / BYTES_A_MB,
    };
  });
}
