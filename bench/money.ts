import { z } from "zod";
import { estimateTokens } from "../src/language/tokens.ts";
import { toConfig } from "../src/platform/config/load.ts";
import { dollarsOf, priceOf } from "../src/platform/models/models.ts";
import { BOT, CHANNEL } from "./bench-names.ts";
import type { Row } from "./figures.ts";
import { type GeneratedChat, generateChat } from "./generated-chat.ts";
import { type Play, replay } from "./prompt-replay.ts";

const HOURS = 6;
const LINES_AN_HOUR = 1_800;
const REPLIES = 100;
const REPLY_WORDS = 14;
const LINES_SENT = 200;
const PEOPLE = 120;
/** What a model that leaves nothing out writes of the chat. */
export const HAND = {
  habit: "often speaks of",
  summary: { from: 60, to: 110 },
  recap: { from: 40, to: 80 },
  factMax: 8,
  channelFact: { from: 5, to: 14 },
};

interface Tokens {
  in: number;
  out: number;
}

/**
 * What the model costs in a stream of six hours with a hundred replies, memory included, beside a bot that sends the last
 * 200 messages with each question, and one that sends all of the stream. Tokens by our estimate, nothing cached.
 */
export async function measureMoney(): Promise<Row[]> {
  const heard = chatThatCounts(generateChat(9, PEOPLE, BOT));
  const last = { in: 0, out: 0 };
  const everything = { in: 0, out: 0 };
  const memory = { in: 0, out: 0 };
  const play: Play = async (channel) => {
    channel.begin();
    const everyLines = (HOURS * LINES_AN_HOUR) / REPLIES;
    for (let n = 1; n <= HOURS * LINES_AN_HOUR; n += 1) {
      await channel.line();
      if (n % everyLines !== 0) continue;
      await channel.question();
      last.in += sum(heard.tokens.slice(-LINES_SENT));
      everything.in += sum(heard.tokens);
    }
    await channel.end();
  };
  const { sizes } = await replay(play, {
    chat: heard.chat,
    hand: HAND,
    replyWords: REPLY_WORDS,
    onMemory: ({ request: { estimatedTokens, schema }, answer }) => {
      const shape = schema === undefined ? "" : JSON.stringify(z.toJSONSchema(schema));
      memory.in += estimatedTokens + estimateTokens(shape);
      memory.out += estimateTokens(answer);
    },
  });
  if (sizes.length !== REPLIES) throw new Error(`there were ${sizes.length} replies`);
  const replies = { in: sum(sizes.map(({ tokens }) => tokens)), out: 0 };
  const said = REPLIES * estimateTokens(heard.chat.words(REPLY_WORDS));
  for (const one of [replies, last, everything]) one.out = said;
  const all = { in: replies.in + memory.in, out: replies.out + memory.out };
  const cents = (what: string, ours: Tokens, beside: string, theirs: Tokens): Row => ({
    what,
    unit: "¢",
    digits: 2,
    ours: centsOf(ours),
    beside,
    theirs: centsOf(theirs),
  });
  const stream = `a stream of ${HOURS} hours, ${REPLIES} replies`;
  return [
    cents(`${stream}, with memory`, all, `the last ${LINES_SENT} messages each time`, last),
    cents(`${stream}, with memory`, all, "all of the stream each time", everything),
    cents("of it the replies", replies, "of it memory", memory),
  ];
}

/** How many tokens each line of it has, with the name of whoever wrote it. */
function chatThatCounts(chat: GeneratedChat) {
  const tokens: number[] = [];
  const counted = (text: string): string => {
    tokens.push(estimateTokens(`${chat.people[0]?.displayName}: ${text}\n`));
    return text;
  };
  const lively = () => counted(chat.lively());
  const question = () => counted(chat.question());
  return { chat: { ...chat, lively, question }, tokens };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function centsOf(tokens: Tokens): number {
  const { model, prices } = toConfig({ channel: CHANNEL }, ".").llm;
  const price = priceOf(model, prices);
  if (price === null) throw new Error(`the price of ${model} is not known`);
  const usage = { promptTokens: tokens.in, cachedTokens: 0, outputTokens: tokens.out };
  return dollarsOf(price, usage, tokens.in) * 100;
}
