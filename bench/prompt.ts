/**
 * Prompt: its size over a simulated stream of six hours and over 500 streams (it must not grow with either), the share
 * of its stable prefix, whether that is the same bytes between two changes of memory and changes no oftener than what
 * it shows, and how many prompts keep an episode and five notes about the speaker; the same of a channel whose prompts
 * do not fit. Episodes and notes are what the program's own memory makes of the chat. `npm run bench:prompt`; exit
 * code 1 where a bar is missed.
 */

import { BOT } from "./bench-names.ts";
import { type Figure, mean, report } from "./figures.ts";
import { generateChat, generateDearChat } from "./generated-chat.ts";
import {
  driftPercent,
  type Play,
  prefixPercent,
  type Replay,
  replay,
  richPercent,
  type Size,
} from "./prompt-replay.ts";
import type { SimulatedChannel } from "./simulated-channel.ts";

const HOURS = 6;
const STREAMS = 500;
const LINES_AN_HOUR = 1_800;
const LINES_A_STREAM = 60;
const LINES_A_QUESTION = 12;
const STREAMS_BEFORE = 15;
const LINES_A_STREAM_BEFORE = 1_200;
const PRESSED_HOURS = 3;
const PRESSED_STREAMS_BEFORE = 10;
/** So many lines begin an hour, three a second: a raid of five minutes. */
const LINES_A_RAID = 1_000;
const RAID_LINE_MS = 300;
const RAID_LINES_A_QUESTION = 40;
const PEOPLE = 25;
const DAY_MS = 86_400_000;
const DRIFT_PERCENT_MAX = 2;
/** What is not confirmed for 180 days is left out: with a stream a day, memory is as full then as it gets. */
const STREAMS_FULL_AFTER_SHARE = 180 / STREAMS;
/** There were streams before: only what a prompt shows of this one is filling up. */
const HOURS_FULL_AFTER_SHARE = 0.15;
const RICH_PERCENT_MIN = 99;

/** Of the same length as real chat; facts about people are rather longer than those of the shipped scenarios (six words). */
const usual = () => ({
  chat: generateChat(5, PEOPLE, BOT),
  hand: {
    habit: "often speaks of",
    summary: { from: 60, to: 110 },
    recap: { from: 40, to: 80 },
    factMax: 8,
    channelFact: { from: 5, to: 14 },
  },
  replyWords: 14,
});

/**
 * Long lines in scripts that cost more, a model that writes about as much as its instructions allow, and one that counts
 * a fifth more tokens than we estimate.
 */
const pressed = () => ({
  chat: generateDearChat(5, PEOPLE, BOT),
  hand: {
    habit: "よく",
    summary: { from: 100, to: 120 },
    recap: { from: 70, to: 80 },
    factMax: 20,
    channelFact: { from: 15, to: 20 },
  },
  replyWords: 30,
  tokensPerEstimated: 1.2,
});

/** Streams in which nobody asks the bot anything, a day apart: long remembered is a channel behind them. */
async function streamsBefore(
  count: number,
  channel: SimulatedChannel,
  clock: { atMs: number },
): Promise<void> {
  for (let stream = 0; stream < count; stream += 1) {
    channel.begin();
    for (let n = 0; n < LINES_A_STREAM_BEFORE; n += 1) await channel.line();
    await channel.end();
    clock.atMs += DAY_MS;
    await channel.sweep();
  }
}

/** A stream of six hours in a channel that has been remembered for long; the sweep runs each hour. */
const oneLongStream: Play = async (channel, clock) => {
  await streamsBefore(STREAMS_BEFORE, channel, clock);
  channel.begin();
  for (let n = 1; n <= HOURS * LINES_AN_HOUR; n += 1) {
    await channel.line();
    if (n % LINES_A_QUESTION === 0) await channel.question();
    if (n % LINES_AN_HOUR === 0) await channel.sweep();
  }
};

/** A short stream a day. */
const manyStreams: Play = async (channel, clock) => {
  for (let stream = 1; stream <= STREAMS; stream += 1) {
    channel.begin();
    for (let n = 1; n <= LINES_A_STREAM; n += 1) {
      await channel.line();
      if (n % LINES_A_QUESTION === 0) await channel.question();
    }
    await channel.end();
    clock.atMs += DAY_MS;
    await channel.sweep();
  }
};

/** Three hours that each begin with a raid. */
const raidedStream: Play = async (channel, clock) => {
  await streamsBefore(PRESSED_STREAMS_BEFORE, channel, clock);
  channel.begin();
  for (let n = 0; n < PRESSED_HOURS * LINES_AN_HOUR; n += 1) {
    const isRaid = n % LINES_AN_HOUR < LINES_A_RAID;
    const every = isRaid ? RAID_LINES_A_QUESTION : LINES_A_QUESTION;
    await channel.line(isRaid ? RAID_LINE_MS : undefined);
    if ((n + 1) % every === 0) await channel.question(isRaid ? RAID_LINE_MS : undefined);
    if ((n + 1) % LINES_AN_HOUR === 0) await channel.sweep();
  }
};

const plain = (name: string, value: number, unit = ""): Figure => ({
  name,
  value,
  unit,
  digits: 0,
  bar: null,
});

function sizeFigures(sizes: readonly Size[]): Figure[] {
  const sections = [...new Set(sizes.flatMap((size) => Object.keys(size.sections)))];
  const tokens = sizes.map((size) => size.tokens);
  return [
    plain("prompt, mean", mean(tokens), "tokens"),
    plain("prompt, largest", Math.max(...tokens), "tokens"),
    ...sections.map((name) =>
      plain(`  of them ${name}`, mean(sizes.map((size) => size.sections[name] ?? 0)), "tokens"),
    ),
  ];
}

function memoryFigures(replays: readonly Replay[]): Figure[] {
  const sum = (of: (replay: Replay) => number) => replays.reduce((n, one) => n + of(one), 0);
  return [
    plain(
      "episodes of the chat",
      sum(({ episodes }) => episodes),
    ),
    plain(
      `notes about ${PEOPLE * replays.length} viewers`,
      sum(({ notesOfViewers }) => notesOfViewers),
    ),
    plain(
      `notes about ${replays.length} channels`,
      sum(({ notesOfChannel }) => notesOfChannel),
    ),
  ];
}

function prefixFigures(replays: readonly Replay[]): Figure[] {
  const sum = (of: (replay: Replay) => number) => replays.reduce((n, one) => n + of(one), 0);
  const changes = sum((one) => one.changes);
  return [
    {
      name: `prefixes unlike the one before (${sum(({ pairs }) => pairs)} pairs)`,
      value: sum(({ unlike }) => unlike),
      unit: "",
      digits: 0,
      bar: { atMost: 0 },
    },
    {
      name: `prefix changes, where memory or state changed ${changes} times`,
      value: sum(({ prefixChanges }) => prefixChanges),
      unit: "",
      digits: 0,
      bar: { atMost: changes },
    },
  ];
}

function richFigure(sizes: readonly Size[], bar: Figure["bar"]): Figure {
  const free = sizes.filter(({ isRichFree }) => isRichFree).length;
  return {
    name: `replies that keep an episode and five notes, of ${free} with as many`,
    value: richPercent(sizes),
    unit: "%",
    digits: 1,
    bar,
  };
}

function driftFigure(name: string, { sizes }: Replay, fullAfterShare: number): Figure {
  return {
    name: `drift over ${name} (${sizes.length} replies), size`,
    value: Math.abs(driftPercent(sizes, fullAfterShare)),
    unit: "%",
    bar: { atMost: DRIFT_PERCENT_MAX },
  };
}

const six = await replay(oneLongStream, usual());
const many = await replay(manyStreams, usual());
const both = [...six.sizes, ...many.sizes];
const fitting = [
  ...sizeFigures(both),
  ...memoryFigures([six, many]),
  driftFigure(`${HOURS} hours`, six, HOURS_FULL_AFTER_SHARE),
  driftFigure(`${STREAMS} streams`, many, STREAMS_FULL_AFTER_SHARE),
  ...prefixFigures([six, many]),
  {
    name: "prefix, of the prompt's tokens",
    value: prefixPercent(both),
    unit: "%",
    digits: 1,
    bar: null,
  },
  plain(`replies cut, of ${both.length}`, both.filter(({ isCut }) => isCut).length),
  richFigure(both, { atLeast: RICH_PERCENT_MIN }),
];
const raided = await replay(raidedStream, pressed());
const cut = raided.sizes.filter(({ isCut }) => isCut);
// Once: a second call would forget what the first one missed.
report([
  ...fitting,
  plain("\nA channel that does not fit: replies", raided.sizes.length),
  plain("  of them in a raid", raided.sizes.filter(({ isRaid }) => isRaid).length),
  ...sizeFigures(raided.sizes),
  ...memoryFigures([raided]),
  ...prefixFigures([raided]),
  { ...plain("prefix, of the prompt's tokens", prefixPercent(raided.sizes), "%"), digits: 1 },
  plain(`replies cut, of ${raided.sizes.length}`, cut.length),
  {
    ...plain("episodes left in what was cut", mean(cut.map(({ keptEpisodes }) => keptEpisodes))),
    digits: 1,
  },
  {
    ...plain("notes about the speaker left in it", mean(cut.map(({ keptLore }) => keptLore))),
    digits: 1,
  },
  // No bar: where the budget is short, the ladder's first rung takes the episodes.
  richFigure(raided.sizes, null),
]);
