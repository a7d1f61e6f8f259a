/**
 * Prompt: its size over a simulated stream of six hours and over 500 streams (it must not grow with either), the share
 * of its stable prefix, whether that is the same bytes between two changes of memory and changes no oftener than they,
 * and how many prompts keep an episode and five notes about the speaker. `npm run bench:prompt`;
 * exit code 1 where a bar is missed.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Trail, trailSchema } from "../src/reply/trail.ts";
import { BOT, type DeskRoom, openDeskRoom } from "./desk-room.ts";
import { mean, report } from "./figures.ts";
import { generateChat } from "./generated-chat.ts";
import { type Clock, type SimulatedChannel, simulateChannel } from "./simulated-channel.ts";

const HOURS = 6;
const STREAMS = 500;
const LINES_AN_HOUR = 1_800;
const LINES_A_STREAM = 60;
const LINES_A_QUESTION = 12;
const LINES_AN_EPISODE = 90;
const LINES_AN_EPISODE_SHORT = 20;
const EPISODES_BEFORE = 250;
const PEOPLE = 25;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Memory, or the chat that is shown, is filling up until then: a prompt's size is bounded, not the same from the first. */
const FILLED_AFTER_SHARE = 0.15;
const DRIFT_PERCENT_MAX = 2;
const PREFIX_PERCENT_MIN = 60;
const LORE_WANTED = 5;
const RICH_PERCENT_MIN = 99;

/** One reply's prompt, as its trail has it. */
interface Size {
  readonly atMs: number;
  readonly tokens: number;
  readonly prefixTokens: number;
  readonly sections: Readonly<Record<string, number>>;
  /** Whether it kept an episode and five of the speaker's notes, or all where there are fewer. */
  readonly isRich: boolean;
}

interface Replay {
  readonly sizes: readonly Size[];
  /** Pairs of prompts with the same version and pace, and those among them whose prefixes are not a run of each other. */
  readonly pairs: number;
  readonly unlike: number;
  /** How often a prefix was not the one before, cut or whole; and how often memory, state or pace changed. */
  readonly prefixChanges: number;
  readonly changes: number;
}

type Play = (
  channel: SimulatedChannel,
  room: { readonly desk: DeskRoom; readonly clock: Clock },
) => Promise<void>;

async function replay(play: Play): Promise<Replay> {
  const folder = mkdtempSync(join(tmpdir(), "forgetmenot-prompt-"));
  const clock = { atMs: Date.now() };
  const chat = generateChat(9, 2, BOT);
  const prefixes: string[] = [];
  const desk = openDeskRoom({
    folder,
    now: () => Math.floor(clock.atMs),
    answer: ({ prefix }) => {
      prefixes.push(prefix);
      return `ha, ${chat.words(14)}`;
    },
  });
  try {
    const done = { changes: 0 };
    const channel = simulateChannel({ desk, clock }, { people: PEOPLE, botName: BOT });
    await play(counted(channel, done), { desk, clock });
    return readReplay(desk, prefixes, done.changes);
  } finally {
    await desk.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Counts what changes memory or the channel's state: each once, however many rows it writes. */
function counted(channel: SimulatedChannel, done: { changes: number }): SimulatedChannel {
  const counting = (act: () => void) => (): void => {
    done.changes += 1;
    act();
  };
  const { begin, end, remember } = channel;
  return { ...channel, begin: counting(begin), end: counting(end), remember: counting(remember) };
}

/** A stream of six hours in a channel that has been remembered for long; the sweep runs each hour. */
const oneLongStream: Play = async (channel, { desk, clock }) => {
  channel.begin();
  for (let n = 0; n < EPISODES_BEFORE; n += 1) channel.remember();
  channel.end();
  clock.atMs += DAY_MS;
  channel.begin();
  for (let n = 1; n <= HOURS * LINES_AN_HOUR; n += 1) {
    await channel.line();
    if (n % LINES_A_QUESTION === 0) await channel.question();
    if (n % LINES_AN_EPISODE === 0) channel.remember();
    if (n % LINES_AN_HOUR === 0) await desk.stores.sweep();
  }
};

/** A short stream a day. */
const manyStreams: Play = async (channel, { desk, clock }) => {
  for (let stream = 1; stream <= STREAMS; stream += 1) {
    channel.begin();
    for (let n = 1; n <= LINES_A_STREAM; n += 1) {
      await channel.line();
      if (n % LINES_A_QUESTION === 0) await channel.question();
      if (n % LINES_AN_EPISODE_SHORT === 0) channel.remember();
    }
    channel.end();
    clock.atMs += DAY_MS;
    await desk.stores.sweep();
  }
};

interface ReplyRow {
  readonly atMs: number;
  readonly trail: string;
}

function readReplay(
  { stores, turns }: DeskRoom,
  prefixes: readonly string[],
  changesMade: number,
): Replay {
  if (turns.refused > 0) throw new Error(`${turns.refused} turns were refused`);
  const rows = stores.db
    .prepare<[], ReplyRow>(
      "SELECT created_at AS atMs, token_usage_json AS trail FROM replies WHERE state = 'sent' ORDER BY id",
    )
    .all()
    .map(({ atMs, trail }) => ({ atMs, trail: trailSchema.parse(JSON.parse(trail)) }));
  if (rows.length !== prefixes.length) throw new Error("not every prompt led to a reply");
  const steps = rows.slice(1).map(({ trail }, n) => ({
    isSame: isRun(prefixes[n] ?? "", prefixes[n + 1] ?? ""),
    isSamePace: rows[n]?.trail.pace === trail.pace,
    isSameVersion: rows[n]?.trail.prefix.version === trail.prefix.version,
  }));
  const pairs = steps.filter(({ isSamePace, isSameVersion }) => isSamePace && isSameVersion);
  const sizes = rows.map(({ atMs, trail }) => ({
    atMs,
    tokens: trail.estimatedTokens,
    prefixTokens: trail.prefix.tokens,
    sections: trail.sections,
    isRich: isRich(trail),
  }));
  return {
    sizes,
    pairs: pairs.length,
    unlike: pairs.filter(({ isSame }) => !isSame).length,
    prefixChanges: steps.filter(({ isSame }) => !isSame).length,
    changes: changesMade + steps.filter(({ isSamePace }) => !isSamePace).length,
  };
}

function isRich({ episodes, ids, notes }: Trail): boolean {
  const hasEpisode = episodes.kept.length > 0 || episodes.dropped.length === 0;
  const lore = ids["lore"] ?? [];
  const cut = notes.dropped.length > 0;
  return hasEpisode && (lore.length >= LORE_WANTED || !cut);
}

function isRun(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}

/** By how much a prompt grew from when memory was full to the end, by the line of least squares; % of its mean. */
function driftPercent(sizes: readonly Size[]): number {
  const first = sizes[0]?.atMs ?? 0;
  const last = sizes.at(-1)?.atMs ?? 0;
  const full = sizes.filter(({ atMs }) => atMs >= first + (last - first) * FILLED_AFTER_SHARE);
  const meanAt = mean(full.map(({ atMs }) => atMs));
  const meanTokens = mean(full.map(({ tokens }) => tokens));
  const covariance = mean(full.map(({ atMs, tokens }) => (atMs - meanAt) * (tokens - meanTokens)));
  const variance = mean(full.map(({ atMs }) => (atMs - meanAt) ** 2));
  const spanMs = last - (full[0]?.atMs ?? 0);
  return (100 * (covariance / variance) * spanMs) / meanTokens;
}

const six = await replay(oneLongStream);
const many = await replay(manyStreams);
const both = [...six.sizes, ...many.sizes];
const sections = [...new Set(both.flatMap((size) => Object.keys(size.sections)))];
const shareOf = (sizes: readonly Size[]) =>
  (100 * mean(sizes.map(({ prefixTokens }) => prefixTokens))) /
  mean(sizes.map(({ tokens }) => tokens));
report([
  {
    name: "prompt, mean",
    value: mean(both.map(({ tokens }) => tokens)),
    unit: "tokens",
    digits: 0,
    bar: null,
  },
  {
    name: "prompt, largest",
    value: Math.max(...both.map(({ tokens }) => tokens)),
    unit: "tokens",
    digits: 0,
    bar: null,
  },
  ...sections.map((name) => ({
    name: `  of them ${name}`,
    value: mean(both.map((size) => size.sections[name] ?? 0)),
    unit: "tokens",
    digits: 0,
    bar: null,
  })),
  {
    name: `drift over ${HOURS} hours (${six.sizes.length} replies), size`,
    value: Math.abs(driftPercent(six.sizes)),
    unit: "%",
    bar: { atMost: DRIFT_PERCENT_MAX },
  },
  {
    name: `drift over ${STREAMS} streams (${many.sizes.length} replies), size`,
    value: Math.abs(driftPercent(many.sizes)),
    unit: "%",
    bar: { atMost: DRIFT_PERCENT_MAX },
  },
  {
    name: `prefixes unlike the one before (${six.pairs + many.pairs} pairs)`,
    value: six.unlike + many.unlike,
    unit: "",
    digits: 0,
    bar: { atMost: 0 },
  },
  {
    name: "prefix, of the prompt's tokens",
    value: shareOf(both),
    unit: "%",
    digits: 1,
    bar: { atLeast: PREFIX_PERCENT_MIN },
  },
  {
    name: `prefix changes, of ${six.changes + many.changes} changes of memory, state and pace`,
    value: six.prefixChanges + many.prefixChanges,
    unit: "",
    digits: 0,
    bar: { atMost: six.changes + many.changes },
  },
  {
    name: "replies with an episode and five notes, where there are",
    value: (100 * both.filter(({ isRich }) => isRich).length) / both.length,
    unit: "%",
    digits: 1,
    bar: { atLeast: RICH_PERCENT_MIN },
  },
]);
