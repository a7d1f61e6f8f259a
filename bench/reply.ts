import { setTimeout as delay } from "node:timers/promises";
import {
  type Chatter,
  type GeneratedChat,
  generateChat,
} from "../test/stand-ins/generated-chat.ts";
import { BOT, CHANNEL } from "./bench-names.ts";
import { getMedian, getPercentile, type Row } from "./figures.ts";
import { type LoopbackChannel, openLoopbackChannel, type PlainBot } from "./loopback-channel.ts";
import type { Programs } from "./programs.ts";
import { storeChannel } from "./stored-channel.ts";
import { openTimedModel, type TimedModel } from "./timed-model.ts";

const GROWTH_MAX = 2;
const NOTES = { small: 1_000, large: 1_000_000 };
const STORED = { events: 200_000, eventsOfFirst: 25_000, episodes: 100_000, replies: 10_000 };
const STORED_SMALL = { events: 1_000, eventsOfFirst: 100, episodes: 100, replies: 100 };
const REPLIES = 40;
/** Replies of each bot that do not count. */
const WARM_UP = 10;
/** 400 a minute. */
const LINE_EVERY_MS = 150;
/**
 * A lap has one line more for each bot. Then two messages of a bot are 1.1 s apart: Twitch wants a second, and a wait
 * for it would be measured.
 */
const LINES_A_LAP = 7;
const PEOPLE = 300;
/** The first answers come while the daemon checks a database that it never saw. */
const ANSWERED_MS_MAX = 60_000;

/** A bot with its own channel and model. */
interface Contestant {
  readonly channel: LoopbackChannel;
  readonly model: TimedModel;
  readonly bot: PlainBot;
  readonly requesters: readonly Chatter[];
  readonly toModelMs: number[];
  readonly toChatMs: number[];
}

/**
 * Measures the time that a bot adds to a reply, among 400 lines a minute: from the mention to the request at the model,
 * and from the model's answer to the message. Three bots take turns: ours with a million notes and with a thousand, and
 * one that sends the last twenty lines.
 */
export async function measureReply({ daemon, plainBot }: Programs): Promise<Row[]> {
  const contestants: Contestant[] = [];
  try {
    const large = await enterOurs(daemon, { ...STORED, notes: NOTES.large });
    contestants.push(large);
    const small = await enterOurs(daemon, { ...STORED_SMALL, notes: NOTES.small });
    contestants.push(small);
    const plain = await enterPlain(plainBot);
    contestants.push(plain);
    const chat = generateChat(3, PEOPLE, BOT);
    for (let n = 0; n < WARM_UP + REPLIES; n += 1) await takeLap(contestants, chat, n);
    for (const { channel, model } of contestants) {
      const counts = [channel.countSaid(), model.countAsked()];
      if (counts.some((count) => count !== WARM_UP + REPLIES))
        throw new Error(`of ${WARM_UP + REPLIES} questions, said and asked: ${counts.join(", ")}`);
    }
    return makeRows(large, small, plain);
  } finally {
    for (const { bot, channel, model } of contestants) {
      await bot.stop();
      await channel.close();
      model.close();
    }
  }
}

/** No backup or compaction runs among the replies. */
const UNDISTURBED = { backup: { everyHours: false }, memory: { compactionSeconds: 3_600 } };

async function enterOurs(
  daemon: string,
  size: Parameters<typeof storeChannel>[2],
): Promise<Contestant> {
  const model = await openTimedModel();
  const channel = await openLoopbackChannel();
  const config = {
    llm: { provider: "gemini", model: "gemini-3.5-flash-lite", baseUrl: model.url },
    replies: { viewerCooldownSeconds: 0, channelCooldownSeconds: 0, continuationSeconds: 0 },
    ...UNDISTURBED,
  };
  const requesters: Chatter[] = [];
  const fill = (file: string): void => {
    const names = { channel: CHANNEL, botName: BOT, nowMs: Date.now() };
    requesters.push(...storeChannel(file, names, size).people);
  };
  const bot = channel.startDaemon(daemon, { config, fill });
  await bot.joined;
  return { channel, model, bot, requesters, toModelMs: [], toChatMs: [] };
}

async function enterPlain(file: string): Promise<Contestant> {
  const model = await openTimedModel();
  const channel = await openLoopbackChannel();
  const bot = channel.startPlain(file, { kind: "last20", modelUrl: model.url });
  await bot.joined;
  const requesters = generateChat(3, PEOPLE, BOT).people;
  return { channel, model, bot, requesters, toModelMs: [], toChatMs: [] };
}

/** Sends some lines to all channels, and a mention to each bot in between. */
async function takeLap(
  contestants: readonly Contestant[],
  chat: GeneratedChat,
  lap: number,
): Promise<void> {
  for (let n = 0; n < LINES_A_LAP + contestants.length; n += 1) {
    const line = { ...chat.somebody(), text: chat.lively() };
    for (const { channel } of contestants) channel.irc.say(CHANNEL, line);
    await delay(LINE_EVERY_MS / 2);
    // Each lap begins with another bot, so that no bot always gets the machine's other work.
    const asked = n < contestants.length ? contestants[(n + lap) % contestants.length] : undefined;
    if (asked !== undefined) await takeReply(asked, `@${BOT} ${chat.words(6)}?`, lap);
    await delay(LINE_EVERY_MS / 2);
  }
}

/** Spreads the requesters: most have not asked before. */
const STRIDE = 7_919;

async function takeReply(asked: Contestant, text: string, lap: number): Promise<void> {
  const { channel, model, requesters, toModelMs, toChatMs } = asked;
  const requester = requesters[(lap * STRIDE) % requesters.length];
  if (requester === undefined) throw new Error("there is no viewer to ask");
  const answered = channel.nextSaid();
  const limit = new AbortController();
  const late = delay(ANSWERED_MS_MAX, null, { signal: limit.signal }).catch(() => null);
  const spokenAtMs = performance.now();
  channel.irc.say(CHANNEL, { ...requester, text });
  const saidAtMs = await Promise.race([answered, late]);
  limit.abort();
  if (saidAtMs === null) throw new Error("a mention was not answered");
  toModelMs.push(model.askedAtMs() - spokenAtMs);
  toChatMs.push(saidAtMs - model.askedAtMs());
}

/** Returns both times together, ms, of each reply that counts. */
function listAddedMs({ toModelMs, toChatMs }: Contestant): number[] {
  return toModelMs.map((ms, n) => ms + (toChatMs[n] ?? 0)).slice(WARM_UP);
}

function makeRows(large: Contestant, small: Contestant, plain: Contestant): Row[] {
  const peer = "a bot that sends the last 20 lines";
  const ms = (what: string, of: (it: Contestant) => number, rest: Partial<Row> = {}): Row => ({
    what,
    unit: "ms",
    digits: 2,
    ours: of(large),
    peer,
    theirs: of(plain),
    ...rest,
  });
  return [
    ms("added to a reply, 1,000 notes, p50", () => 0, {
      ours: getMedian(listAddedMs(small)),
      theirs: getMedian(listAddedMs(plain)),
    }),
    ms("added to a reply, 1,000,000 notes, p50", (it) => getMedian(listAddedMs(it)), {
      peer: "ours with 1,000 notes",
      theirs: getMedian(listAddedMs(small)),
      goal: { of: "ratio", atMost: GROWTH_MAX },
    }),
    ms("added to a reply, 1,000,000 notes, p90", (it) => getPercentile(listAddedMs(it), 0.9)),
    ms("of it, mention → model, p50", (it) => getMedian(it.toModelMs.slice(WARM_UP))),
    ms("of it, answer → chat, p50", (it) => getMedian(it.toChatMs.slice(WARM_UP))),
  ];
}
