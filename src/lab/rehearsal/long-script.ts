import { type Beat, type Draft, toBeats } from "./beat.ts";
import { gatherCast } from "./cast.ts";
import { fillOffline, fillStream } from "./chatter.ts";
import type { Line, Scene } from "./lines.ts";
import { LONG } from "./lines.ts";
import { raidWave } from "./raid-wave.ts";
import { type Random, randomFrom } from "./random.ts";
import { planStream } from "./rehearsal-plan.ts";
import { play } from "./scene.ts";
import { CHATTERS, type SmallTalk, type StreamStage, smallTalk } from "./small-talk.ts";
import { wordingOf } from "./wording.ts";

export interface ScriptInput {
  /** The same seed (and the rest) gives the same script, byte for byte. */
  readonly seed: number;
  /** Length of each stream; at least one minute, by default twelve. The raid needs seven. */
  readonly minutes?: number;
  /** How many streams, one after the other with the same people; by default one. */
  readonly streams?: number;
  /** The channel's login, without `#`. It is the streamer's too. */
  readonly channel: string;
  /** What people call the bot: its login, as in `@login`. */
  readonly botName: string;
}

const MINUTES_DEFAULT = 12;
const MINUTES_MIN = 1;
const OFFLINE_GAP_MS = 120_000;
const SCENE_JITTER_MS = 1_500;
/** A scene that would end later than this before the stream's end is left out. */
const SCENE_TAIL_MS = 4_000;

/**
 * Everything that happens in a simulated channel, in order of time, from going live to the last goodbye. Starts at
 * 0 ms; the bot is first spoken to within five seconds.
 */
export function writeScript(input: ScriptInput): readonly Beat[] {
  const random = randomFrom(input.seed);
  const talk = smallTalk(random.fork("talk"));
  const lengthMs = Math.round(Math.max(MINUTES_MIN, input.minutes ?? MINUTES_DEFAULT) * 60_000);
  const streams = Math.max(1, Math.floor(input.streams ?? 1));
  const drafts: Draft[] = [];
  for (let stream = 1; stream <= streams; stream += 1) {
    const startMs = (stream - 1) * (lengthMs + OFFLINE_GAP_MS);
    const stage = setStage(input, { stream, startMs, lengthMs, random: random.fork(`${stream}`) });
    drafts.push(...writeStream(stage, talk));
    if (stream < streams) drafts.push(...fillOffline(talk, stage, startMs + lengthMs));
  }
  return toBeats(drafts);
}

interface StreamInput {
  readonly stream: number;
  readonly startMs: number;
  readonly lengthMs: number;
  readonly random: Random;
}

function setStage(
  input: ScriptInput,
  { stream, startMs, lengthMs, random }: StreamInput,
): StreamStage {
  const cast = gatherCast(input.channel, stream);
  const plan = planStream(stream, lengthMs, random.fork("plan"));
  const friends = CHATTERS.map((key) => cast[key]);
  const words = wordingOf({
    cast,
    friends,
    stream,
    plan,
    random,
    streamStartMs: startMs,
    botName: input.botName,
  });
  return { cast, plan, stream, random, botName: input.botName, streamStartMs: startMs, ...words };
}

function writeStream(stage: StreamStage, talk: SmallTalk): Draft[] {
  const { stream, streamStartMs, plan } = stage;
  const { title, scenes, ending } = storyOf(stream);
  const endMs = streamStartMs + plan.lengthMs;
  const playFrom = (lines: readonly Line[], sinceStartMs: number) => {
    const fromMs = streamStartMs + sinceStartMs + stage.random.int(0, SCENE_JITTER_MS);
    return play(lines, fromMs, stage, talk.partsFor(lines));
  };
  const story = scenes
    .map(({ at, lines }) => playFrom(lines, at * 1_000))
    .filter((drafts) => drafts.every(({ atMs }) => atMs < endMs - SCENE_TAIL_MS));
  const turnips = plan.turnipsFromMs === null ? [] : playFrom(LONG.turnips, plan.turnipsFromMs);
  const goodbyes = playFrom(ending, plan.endFromMs).filter(({ atMs }) => atMs < endMs);
  const fixed = [...story.flat(), ...turnips, ...goodbyes];
  return [
    { kind: "live", title, category: LONG.category, atMs: streamStartMs, stream },
    ...fixed,
    ...writeRaid(stage, talk),
    ...fillStream(talk, stage, fixed),
    { kind: "offline", atMs: endMs, stream },
  ];
}

function writeRaid(stage: StreamStage, talk: SmallTalk): Draft[] {
  const { cast, stream, plan } = stage;
  if (plan.raidAtMs === null) return [];
  return raidWave({
    cast,
    stream,
    startMs: stage.streamStartMs + plan.raidAtMs,
    random: stage.random.fork("raid"),
    word: (templates, person, atMs) =>
      talk.word(templates, (template) => stage.fill(template, person, atMs)),
  });
}

interface Story {
  readonly title: string;
  readonly scenes: readonly Scene[];
  readonly ending: readonly Line[];
}

function storyOf(stream: number): Story {
  if (stream === 1)
    return { title: LONG.firstTitle, scenes: LONG.firstStream, ending: LONG.firstEnding };
  const title = stream === 2 ? LONG.secondTitle : `Lanternfall, part ${stream} | send soup`;
  const scenes = stream === 2 ? LONG.secondStream : [];
  return { title, scenes, ending: LONG.secondEnding };
}
