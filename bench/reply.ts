import { setTimeout as delay } from "node:timers/promises";
import {
  type Chatter,
  type GeneratedChat,
  generateChat,
} from "../test/stand-ins/generated-chat.ts";
import { BOT, CHANNEL } from "./bench-names.ts";
import { median, percentile, type Row } from "./figures.ts";
import { type LoopbackChannel, openLoopbackChannel, type PlainBot } from "./loopback-channel.ts";
import type { Programs } from "./programs.ts";
import { storeChannel } from "./stored-channel.ts";
import { openTimedModel, type TimedModel } from "./timed-model.ts";

const GROWTH_MAX = 2;
const NOTES = { small: 1_000, large: 1_000_000 };
const STORED = { events: 200_000, eventsOfFirst: 25_000, episodes: 100_000, replies: 10_000 };
const STORED_SMALL = { events: 1_000, eventsOfFirst: 100, episodes: 100, replies: 100 };
const REPLIES = 40;
/** Of each bot, not counted. */
const WARM_UP = 10;
/** 400 a minute. */
const LINE_EVERY_MS = 150;
/**
 * And one more for each bot. Who comes first of three in one lap and last in the lap before has 1.1 s in between: Twitch
 * wants a second between two messages of a channel, and waiting for it would be measured.
 */
const LINES_A_LAP = 7;
const PEOPLE = 300;
/** The first ones come while the daemon looks after a database that it never saw. */
const ANSWERED_MS_MAX = 60_000;

/** A bot in a channel of its own, with a model of its own. */
interface Contestant {
  readonly channel: LoopbackChannel;
  readonly model: TimedModel;
  readonly bot: PlainBot;
  readonly askers: readonly Chatter[];
  readonly toModelMs: number[];
  readonly toChatMs: number[];
}

/**
 * What a bot adds to a reply, over the wire among 400 lines a minute: from the mention to the request at the model, and
 * from the model's answer to the message. Three bots by turns: ours with a million notes and with a thousand, and one
 * that sends the last twenty lines.
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
      const counts = [channel.said(), model.asked()];
      if (counts.some((count) => count !== WARM_UP + REPLIES))
        throw new Error(`of ${WARM_UP + REPLIES} questions, said and asked: ${counts.join(", ")}`);
    }
    return rowsOf(large, small, plain);
  } finally {
    for (const { bot, channel, model } of contestants) {
      await bot.stop();
      await channel.close();
      model.close();
    }
  }
}

/** A backup at the first start would fall into the first replies, and memory asks the same model. */
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
  const askers: Chatter[] = [];
  const fill = (file: string): void => {
    const names = { channel: CHANNEL, botName: BOT, nowMs: Date.now() };
    askers.push(...storeChannel(file, names, size).people);
  };
  const bot = channel.startDaemon(daemon, { config, fill });
  await bot.joined;
  return { channel, model, bot, askers, toModelMs: [], toChatMs: [] };
}

async function enterPlain(file: string): Promise<Contestant> {
  const model = await openTimedModel();
  const channel = await openLoopbackChannel();
  const bot = channel.startPlain(file, { kind: "last20", modelUrl: model.url });
  await bot.joined;
  const askers = generateChat(3, PEOPLE, BOT).people;
  return { channel, model, bot, askers, toModelMs: [], toChatMs: [] };
}

/** Some lines of chat for everybody, and a mention for each bot in between. */
async function takeLap(
  contestants: readonly Contestant[],
  chat: GeneratedChat,
  lap: number,
): Promise<void> {
  for (let n = 0; n < LINES_A_LAP + contestants.length; n += 1) {
    const line = { ...chat.somebody(), text: chat.lively() };
    for (const { channel } of contestants) channel.irc.say(CHANNEL, line);
    await delay(LINE_EVERY_MS / 2);
    // Another one first each lap: what the machine does meanwhile must not fall on the same one.
    const asked = n < contestants.length ? contestants[(n + lap) % contestants.length] : undefined;
    if (asked !== undefined) await takeReply(asked, `@${BOT} ${chat.words(6)}?`, lap);
    await delay(LINE_EVERY_MS / 2);
  }
}

/** Spreads askers over all of them: most have not asked before. */
const STRIDE = 7_919;

async function takeReply(asked: Contestant, text: string, lap: number): Promise<void> {
  const { channel, model, askers, toModelMs, toChatMs } = asked;
  const asker = askers[(lap * STRIDE) % askers.length];
  if (asker === undefined) throw new Error("there is nobody to ask");
  const answered = channel.nextSaid();
  const limit = new AbortController();
  const late = delay(ANSWERED_MS_MAX, null, { signal: limit.signal }).catch(() => null);
  const spokenAtMs = performance.now();
  channel.irc.say(CHANNEL, { ...asker, text });
  const saidAtMs = await Promise.race([answered, late]);
  limit.abort();
  if (saidAtMs === null) throw new Error("a mention was not answered");
  toModelMs.push(model.askedAtMs() - spokenAtMs);
  toChatMs.push(saidAtMs - model.askedAtMs());
}

/** Both times together, ms, of each reply that counts. */
function added({ toModelMs, toChatMs }: Contestant): number[] {
  return toModelMs.map((ms, n) => ms + (toChatMs[n] ?? 0)).slice(WARM_UP);
}

function rowsOf(large: Contestant, small: Contestant, plain: Contestant): Row[] {
  const beside = "a bot that sends the last 20 lines";
  const ms = (what: string, of: (it: Contestant) => number, rest: Partial<Row> = {}): Row => ({
    what,
    unit: "ms",
    digits: 2,
    ours: of(large),
    beside,
    theirs: of(plain),
    ...rest,
  });
  return [
    ms("added to a reply, 1,000 notes, p50", () => 0, {
      ours: median(added(small)),
      theirs: median(added(plain)),
    }),
    ms("added to a reply, 1,000,000 notes, p50", (it) => median(added(it)), {
      beside: "ours with 1,000 notes",
      theirs: median(added(small)),
      goal: { of: "ratio", atMost: GROWTH_MAX },
    }),
    ms("added to a reply, 1,000,000 notes, p90", (it) => percentile(added(it), 0.9)),
    ms("of it, mention → model, p50", (it) => median(it.toModelMs.slice(WARM_UP))),
    ms("of it, answer → chat, p50", (it) => median(it.toChatMs.slice(WARM_UP))),
  ];
}
