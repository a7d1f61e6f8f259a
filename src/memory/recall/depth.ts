// Pure: values in, values out.
/** How fast a chat is, in four tiers, the slowest first. */
export const PACES = ["quiet", "normal", "busy", "raid"] as const;
export type Pace = (typeof PACES)[number];

/** How many lines of each kind a prompt may ask for. The ladder alone trims what does not fit. */
export interface Depth {
  readonly lore: number;
  readonly own: number;
  readonly chat: number;
  readonly replies: number;
}

interface Tier {
  readonly pace: Pace;
  /** Messages a minute from which the tier holds. */
  readonly from: number;
  readonly depth: Depth;
}

/** What of the channel's memory stands in each prefix, whatever the pace: two of its places are for running jokes. */
export const CHANNEL_NOTES = 5;
export const BIT_PLACES = 2;
export const EPISODES = 3;
/** Lines of other people that a prompt goes back for, however old, as long as they are kept. */
export const CHAT_LINES_MIN = 12;

/** A dead chat gets more memory; a raid gets fewer lines of others and more of the speaker's own. */
const TIERS: readonly Tier[] = [
  {
    pace: "quiet",
    from: 0,
    depth: { lore: 12, own: 5, chat: 30, replies: 5 },
  },
  {
    pace: "normal",
    from: 5,
    depth: { lore: 10, own: 5, chat: 30, replies: 5 },
  },
  {
    pace: "busy",
    from: 30,
    depth: { lore: 10, own: 6, chat: 30, replies: 5 },
  },
  {
    pace: "raid",
    from: 150,
    depth: { lore: 8, own: 8, chat: 20, replies: 4 },
  },
];

const HYSTERESIS = 0.2;

export const OWN_LINES_MAX = Math.max(...TIERS.map(({ depth }) => depth.own));

/**
 * The tier for a number of messages a minute. A tier is entered or left only when the pace is 20 % beyond its border,
 * so that a chat on the border does not rebuild the prefix with every message.
 */
export function nextPace(current: Pace, perMinute: number): Pace {
  const at = TIERS.findIndex(({ pace }) => pace === current);
  const reached = TIERS.findLastIndex(({ from }) => perMinute >= from * (1 + HYSTERESIS));
  const held = TIERS.findLastIndex(({ from }) => perMinute >= from * (1 - HYSTERESIS));
  return TIERS[Math.min(Math.max(at, reached), held)]?.pace ?? "quiet";
}

export function depthOf(pace: Pace): Depth {
  const tier = TIERS.find((candidate) => candidate.pace === pace);
  if (tier === undefined) throw new Error(`no tier for pace ${pace}`);
  return tier.depth;
}

/** The pace of each channel now, from its messages a minute; remembers the last tier, for hysteresis. */
export function paceReader(perMinute: (channel: string) => number): (channel: string) => Pace {
  const current = new Map<string, Pace>();
  return (channel) => {
    const pace = nextPace(current.get(channel) ?? "quiet", perMinute(channel));
    current.set(channel, pace);
    return pace;
  };
}
