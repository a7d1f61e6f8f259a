/**
 * What the bot adds to a reply, over the wire: from the mention on the wire to the request at the model, and from the
 * model's answer to the message on the wire. The daemon as a release runs it, in a process of its own, among 400 lines
 * of chat a minute; Twitch and the model are stand-ins in this one, on empty databases. `npm run bench:reply -- --other
 * FILE` measures another built edition, by its main file, beside it, by turns; exit code 1 over the bar.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { buildProgram } from "./built-program.ts";
import { type Figure, median, percentile, report } from "./figures.ts";
import { type GeneratedChat, generateChat } from "./generated-chat.ts";
import {
  BOT,
  type Bot,
  CHANNEL,
  type LoopbackChannel,
  openLoopbackChannel,
} from "./loopback-channel.ts";

const P50_MS_MAX = 5;
const P99_MS_MAX = 12;
const RATIO_MAX = 1.1;
/** Replies of each edition that are not counted: first uses are compiled in them. */
const WARM_UP = 20;
/** 400 a minute. */
const LINE_EVERY_MS = 150;
/** A mention for so many lines: more seldom than Twitch's limit of a message a second. */
const LINES_BETWEEN = 8;
const PEOPLE = 300;
const ANSWERED_MS_MAX = 10_000;

/** A stand-in for Gemini that answers at once, and knows when it was asked. */
interface TimedModel {
  readonly url: string;
  readonly askedAtMs: () => number;
  close(): void;
}

/** A running edition of the bot, in a channel of its own. */
interface Edition {
  readonly name: string;
  readonly channel: LoopbackChannel;
  readonly model: TimedModel;
  readonly bot: Bot;
  readonly toModelMs: number[];
  readonly toChatMs: number[];
}

async function openTimedModel(): Promise<TimedModel> {
  let askedAtMs = 0;
  let count = 0;
  const server = createServer((request, response) => {
    askedAtMs = performance.now();
    request.resume().on("end", () => {
      count += 1;
      const parts = [{ text: `that would be lamp number ${count}, I believe` }];
      const candidates = [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }];
      const usageMetadata = { promptTokenCount: 1_500, candidatesTokenCount: 12 };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ candidates, usageMetadata }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    askedAtMs: () => askedAtMs,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function startEdition(name: string, main: string): Promise<Edition> {
  const model = await openTimedModel();
  const channel = await openLoopbackChannel({
    llm: { provider: "gemini", model: "gemini-3.5-flash-lite", baseUrl: model.url },
    replies: { viewerCooldownSeconds: 0, channelCooldownSeconds: 0, continuationSeconds: 0 },
  });
  const bot = channel.startBot(main);
  await bot.joined;
  return { name, channel, model, bot, toModelMs: [], toChatMs: [] };
}

/** Some lines of chat for everybody, and then one mention for one of them. */
async function takeReply(
  editions: readonly Edition[],
  asked: Edition,
  chat: GeneratedChat,
): Promise<void> {
  for (let n = 0; n < LINES_BETWEEN; n += 1) {
    const line = { ...chat.somebody(), text: chat.lively() };
    for (const { channel } of editions) channel.irc.say(CHANNEL, line);
    await delay(LINE_EVERY_MS);
  }
  const { channel, model } = asked;
  const answered = channel.nextSaid();
  const text = `@${BOT} ${chat.words(6)}?`;
  const spokenAtMs = performance.now();
  channel.irc.say(CHANNEL, { ...chat.somebody(), text });
  const limit = new AbortController();
  const late = delay(ANSWERED_MS_MAX, null, { signal: limit.signal }).catch(() => null);
  const saidAtMs = await Promise.race([answered, late]);
  limit.abort();
  if (saidAtMs === null) throw new Error(`a mention was not answered: ${asked.name}`);
  asked.toModelMs.push(model.askedAtMs() - spokenAtMs);
  asked.toChatMs.push(saidAtMs - model.askedAtMs());
}

function figuresOf({ name, ...times }: Edition, isBarred: boolean): Figure[] {
  const toModelMs = times.toModelMs.slice(WARM_UP);
  const toChatMs = times.toChatMs.slice(WARM_UP);
  const both = toModelMs.map((ms, n) => ms + (toChatMs[n] ?? 0));
  const ms = (what: string, value: number, bar: Figure["bar"] = null): Figure => ({
    name: `${name}: ${what}`,
    value,
    unit: "ms",
    bar,
  });
  return [
    ms("mention → request at the model, p50", median(toModelMs)),
    ms("mention → request at the model, p99", percentile(toModelMs, 0.99)),
    ms("answer → message on the wire, p50", median(toChatMs)),
    ms("answer → message on the wire, p99", percentile(toChatMs, 0.99)),
    ms("together, p50", median(both), isBarred ? { atMost: P50_MS_MAX } : null),
    ms("together, p99", percentile(both, 0.99), isBarred ? { atMost: P99_MS_MAX } : null),
  ];
}

/** Both times together, the middle one. */
function middle({ toModelMs, toChatMs }: Edition): number {
  return median(toModelMs.map((ms, n) => ms + (toChatMs[n] ?? 0)).slice(WARM_UP));
}

const { values } = parseArgs({
  options: {
    /** The main file of another edition that is built. */
    other: { type: "string" },
    replies: { type: "string", default: "100" },
  },
});
const program = buildProgram();
const editions: Edition[] = [];
try {
  editions.push(await startEdition("this edition", program.main));
  if (values.other !== undefined) editions.push(await startEdition("the other one", values.other));
  const chat = generateChat(3, PEOPLE, BOT);
  for (let n = 0; n < WARM_UP + Number(values.replies); n += 1) {
    for (const edition of editions) await takeReply(editions, edition, chat);
  }
  const [own, other] = editions;
  if (own === undefined) throw new Error("nothing was started");
  const ratio: Figure[] =
    other === undefined
      ? []
      : [
          {
            name: "this edition to the other one, together, p50",
            value: middle(own) / middle(other),
            unit: "×",
            bar: { atMost: RATIO_MAX },
          },
        ];
  report([...editions.flatMap((edition) => figuresOf(edition, edition === own)), ...ratio]);
} finally {
  for (const { bot, channel, model } of editions) {
    await bot.stop();
    await channel.close();
    model.close();
  }
  program.remove();
}
