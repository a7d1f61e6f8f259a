import type { Draft } from "./beat.ts";
import { type Cast, type Person, person } from "./cast.ts";
import { LONG } from "./lines.ts";
import type { Random } from "./random.ts";
import { RAID_MS } from "./rehearsal-plan.ts";

const RAIDERS = 60;
/** Messages a minute while everybody shouts; what Twitch channels of this size see in a raid. */
const PEAK_PER_MINUTE = 400;
const CALM_PER_MINUTE = 40;
const RISE_MS = 12_000;
const PEAK_UNTIL_MS = 76_000;
const FIRST_SHOUT_MS = 600;

export interface RaidInput {
  readonly cast: Cast;
  readonly stream: number;
  readonly startMs: number;
  readonly random: Random;
  /** A shout by this person that has not been heard too often. */
  word(templates: readonly string[], person: Person, atMs: number): string;
}

/** Sixty people in two minutes: the notice, then a rise to 400 messages a minute, held for a minute, and its ebb. */
export function raidWave({ cast, stream, startMs, random, word }: RaidInput): Draft[] {
  const raiders = [cast.captain, cast.crumb, cast.brioche, ...strangers(random)];
  const drafts: Draft[] = [
    { kind: "raid", person: cast.captain, viewers: raiders.length, atMs: startMs, stream },
  ];
  let shouter = random.deck(raiders);
  for (let sinceMs = FIRST_SHOUT_MS; sinceMs < RAID_MS; sinceMs += gapMs(sinceMs, random)) {
    const who = shouter();
    const atMs = startMs + Math.round(sinceMs);
    const text = word(LONG.raidShouts, who, atMs);
    drafts.push({
      kind: "message",
      person: who,
      text,
      addressed: null,
      replyTo: null,
      atMs,
      stream,
    });
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

function strangers(random: Random): Person[] {
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
