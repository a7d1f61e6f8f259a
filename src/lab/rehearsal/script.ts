import { type CastMember, gatherCast, person } from "./cast.ts";
import { EVENINGS, LONG, type ScriptLine } from "./lines.ts";
import { type Random, randomFrom } from "./random.ts";
import { RAID_MS } from "./rehearsal-plan.ts";
import { type Beat, type Draft, plainLine, play, toBeats } from "./scene.ts";
import { fillOffline, fillStream, type SmallTalk, smallTalk } from "./small-talk.ts";
import { fillTemplate, namesOf, type StreamStage, setStage } from "./wording.ts";

interface ScriptInput {
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
    const stage = setStage(input, stream, { startMs, lengthMs }, random.fork(`${stream}`));
    drafts.push(...writeStream(stage, talk));
    if (stream < streams) drafts.push(...fillOffline(talk, stage, startMs + lengthMs));
  }
  return toBeats(drafts);
}

function writeStream(stage: StreamStage, talk: SmallTalk): Draft[] {
  const { stream, startMs, plan } = stage;
  const { title, scenes, ending } = storyOf(stream);
  const endMs = startMs + plan.lengthMs;
  const playFrom = (lines: readonly ScriptLine[], sinceStartMs: number) =>
    play(lines, startMs + sinceStartMs + stage.random.int(0, SCENE_JITTER_MS), stage);
  const story = scenes
    .map(({ at, lines }) => playFrom(lines, at * 1_000))
    .filter((drafts) => drafts.every(({ atMs }) => atMs < endMs - SCENE_TAIL_MS));
  const turnips = plan.turnipsFromMs === null ? [] : playFrom(LONG.turnips, plan.turnipsFromMs);
  const goodbyes = playFrom(ending, plan.endFromMs).filter(({ atMs }) => atMs < endMs);
  const fixed = [...story.flat(), ...turnips, ...goodbyes];
  return [
    { kind: "live", title, category: LONG.category, atMs: startMs, stream },
    ...fixed,
    ...(plan.raidAtMs === null ? [] : raidWave(stage, talk, startMs + plan.raidAtMs)),
    ...fillStream(talk, stage, fixed),
    { kind: "offline", atMs: endMs, stream },
  ];
}

function storyOf(stream: number) {
  if (stream === 1) {
    return { title: LONG.firstTitle, scenes: LONG.firstStream, ending: LONG.firstEnding };
  }
  const title = stream === 2 ? LONG.secondTitle : `Lanternfall, part ${stream} | send soup`;
  return { title, scenes: stream === 2 ? LONG.secondStream : [], ending: LONG.secondEnding };
}

const RAIDERS = 60;
/** Messages a minute while everybody shouts; what Twitch channels of this size see in a raid. */
const PEAK_PER_MINUTE = 400;
const CALM_PER_MINUTE = 40;
const RISE_MS = 12_000;
const PEAK_UNTIL_MS = 76_000;
const FIRST_SHOUT_MS = 600;

/** Sixty people in two minutes: the notice, then a rise to 400 messages a minute, held for a minute, and its ebb. */
function raidWave(stage: StreamStage, talk: SmallTalk, fromMs: number): Draft[] {
  const { cast, stream } = stage;
  const random = stage.random.fork("raid");
  const raiders = [cast.captain, cast.crumb, cast.brioche, ...strangers(random)];
  const drafts: Draft[] = [
    { kind: "raid", person: cast.captain, viewers: raiders.length, atMs: fromMs, stream },
  ];
  let shouter = random.deck(raiders);
  for (let sinceMs = FIRST_SHOUT_MS; sinceMs < RAID_MS; sinceMs += gapMs(sinceMs, random)) {
    const who = shouter();
    const atMs = fromMs + Math.round(sinceMs);
    const text = talk.word(LONG.raidShouts, (template) => stage.fill(template, who, atMs));
    drafts.push(plainLine(who, text, stage, atMs));
    if (random.chance(0.02)) shouter = random.deck(raiders);
  }
  return drafts;
}

function gapMs(sinceMs: number, random: Random): number {
  const meanMs = 60_000 / ratePerMinute(sinceMs);
  return (meanMs * random.int(50, 150)) / 100;
}

function ratePerMinute(sinceMs: number): number {
  if (sinceMs < RISE_MS) {
    return CALM_PER_MINUTE + ((PEAK_PER_MINUTE - CALM_PER_MINUTE) * sinceMs) / RISE_MS;
  }
  if (sinceMs < PEAK_UNTIL_MS) return PEAK_PER_MINUTE;
  const ebb = (RAID_MS - sinceMs) / (RAID_MS - PEAK_UNTIL_MS);
  return CALM_PER_MINUTE + (PEAK_PER_MINUTE - CALM_PER_MINUTE) * ebb;
}

function strangers(random: Random): CastMember[] {
  const names = LONG.raiderFronts.flatMap((front) =>
    LONG.raiderBacks.map((back) => `${front}${back}`),
  );
  return random
    .shuffled(names)
    .slice(0, RAIDERS - 3)
    .map((name) => {
      const displayName = random.chance(0.4) ? `${name}${random.int(2, 99)}` : name;
      return person(displayName, { displayName, role: "raider", subscribedMonths: 0 });
    });
}

const SEED = 1;
/** From the last line to the end of the stream: the last answer is said by then. */
const ENDING_MS = 2_500;
/** The first stream begins as the rehearsal does; the bot joins within this. */
const FIRST_LINE_MS = 1_000;

/**
 * The rehearsal of two minutes: two short streams, in the first of which people tell things, and in the second of which
 * they ask for them. The same beats every time.
 */
export function writeEvenings(channel: string, botName: string): readonly Beat[] {
  const drafts: Draft[] = [];
  let startMs = 0;
  for (const [index, { title, category, lines }] of EVENINGS.streams.entries()) {
    const stream = index + 1;
    const cast = gatherCast(channel, stream);
    const slots = namesOf(cast, botName);
    const random = randomFrom(SEED);
    const fill = (template: string) => fillTemplate(template, slots, random);
    const played = play(lines, startMs + FIRST_LINE_MS, { cast, stream, botName, random, fill });
    const endMs = Math.max(...played.map(({ atMs }) => atMs)) + ENDING_MS;
    drafts.push({ kind: "live", title, category, atMs: startMs, stream }, ...played, {
      kind: "offline",
      atMs: endMs,
      stream,
    });
    startMs = endMs;
  }
  return toBeats(drafts);
}
