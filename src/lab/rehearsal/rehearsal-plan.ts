import { LONG, type Mood } from "./lines.ts";
import type { Random } from "./random.ts";

type Part = readonly [
  mood: Mood,
  seconds: number,
  boss?: string | undefined,
  won?: boolean | undefined,
];

export const RAID_MS = 120_000;
const RAID_AT_MS = 240_000;
const RAID_TAIL_MS = 20_000;
const ENDING_MS = 85_000;
const TURNIPS_MS = 80_000;

export type StreamPlan = ReturnType<typeof planStream>;
type Phase = StreamPlan["phases"][number];

/**
 * What a stream of `lengthMs` goes through. The first two have parts of their own; after them, and in every
 * later stream, areas, fights and breaks follow each other until the goodbyes.
 */
export function planStream(stream: number, lengthMs: number, random: Random) {
  const endFromMs = Math.max(Math.round(lengthMs / 2), lengthMs - ENDING_MS);
  const turnipsMs = endFromMs - TURNIPS_MS;
  const turnipsFromMs = stream > 1 && turnipsMs >= TURNIPS_MS ? turnipsMs : null;
  const raidFits = RAID_AT_MS + RAID_MS + RAID_TAIL_MS <= lengthMs;
  const raidAtMs = stream === 1 && raidFits ? RAID_AT_MS : null;
  const parts = partsUntil(stream, turnipsFromMs ?? endFromMs, random);
  if (turnipsFromMs !== null) parts.push(["turnips", TURNIPS_MS / 1_000]);
  parts.push(["end", (lengthMs - endFromMs) / 1_000]);
  const phases = toPhases(parts);
  /** When the goodbyes, the other game and the raid begin; null where a stream has none. Since it began. */
  return { lengthMs, endFromMs, turnipsFromMs, raidAtMs, phases };
}

/** The phase at that time; the last one after the end. */
export function phaseAt(plan: StreamPlan, streamMs: number): Phase {
  const phase = plan.phases.find(({ toMs }) => streamMs < toMs) ?? plan.phases.at(-1);
  if (phase === undefined) throw new RangeError("a plan without phases");
  return phase;
}

function partsUntil(stream: number, untilMs: number, random: Random): Part[] {
  const own: readonly Part[] = LONG.parts[stream - 1] ?? [["open", 60]];
  const bosses = random.deck(LONG.bosses);
  const parts: Part[] = [];
  let leftSeconds = untilMs / 1_000;
  for (let at = 0; leftSeconds > 0; at += 1) {
    const [mood, seconds, boss, won] = own[at] ?? laterPart(at - own.length, bosses, random);
    parts.push([mood, Math.min(seconds, leftSeconds), boss, won]);
    leftSeconds -= seconds;
  }
  return parts;
}

function laterPart(at: number, bosses: () => string, random: Random): Part {
  switch (at % 4) {
    case 0:
      return ["explore", random.int(80, 130)];
    case 1:
      return ["boss", random.int(50, 90), bosses(), random.chance(0.4)];
    case 2:
      return ["explore", random.int(60, 110)];
    default:
      return random.chance(0.5) ? ["break", 45] : ["lull", 35];
  }
}

/**
 * Stretches of one mood each, in milliseconds since the stream began. Between fights people talk of the last boss; before
 * the first, of the one to come. `won`: how a fight ends, null where there is none.
 */
function toPhases(parts: readonly Part[]) {
  let fromMs = 0;
  let lastBoss = parts.find(([, , boss]) => boss !== undefined)?.[2] ?? LONG.bosses[0] ?? "";
  return parts.map(([mood, seconds, boss = lastBoss, won = null as boolean | null]) => {
    const phase = { mood, fromMs, toMs: fromMs + Math.round(seconds * 1_000), boss, won };
    fromMs = phase.toMs;
    lastBoss = boss;
    return phase;
  });
}
