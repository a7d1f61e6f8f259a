// Pure: values in, values out.

/** The tiers of a chat's speed, the slowest first. */
export const PACES = ["quiet", "normal", "busy", "raid"] as const;
export type Pace = (typeof PACES)[number];

/** Number of lines of each kind that a prompt requests. The ladder trims the rest. */
export interface Depth {
  /** True if the notes after the first ten are shown too, in one line. */
  readonly hasMoreLore: boolean;
  readonly own: number;
  readonly chat: number;
  readonly replies: number;
}

/** Notes about the speaker that get one line each. */
export const LORE_LINES = 10;
/** Notes, jokes and episodes of the channel in each prefix. */
export const CHANNEL_NOTES = 3;
export const BITS = 2;
export const EPISODES = 3;
/** A prompt shows this many messages of other viewers, however old, while their texts live. */
export const CHAT_LINES_MIN = 12;

/**
 * Each pace begins at `from` messages a minute. In a raid the prompt has less chat and more of the speaker's own
 * messages.
 */
const TIERS: Readonly<Record<Pace, Depth & { readonly from: number }>> = {
  quiet: { from: 0, hasMoreLore: true, own: 5, chat: 30, replies: 5 },
  normal: { from: 5, hasMoreLore: true, own: 5, chat: 30, replies: 5 },
  busy: { from: 30, hasMoreLore: false, own: 6, chat: 30, replies: 5 },
  raid: { from: 150, hasMoreLore: false, own: 8, chat: 20, replies: 4 },
};

const HYSTERESIS = 0.2;

export const OWN_LINES_MAX = Math.max(...PACES.map((pace) => TIERS[pace].own));

/**
 * Returns the tier for a number of messages a minute. The tier changes only 20 % beyond a limit, so that a chat at
 * the limit does not rebuild the prefix with each message.
 */
export function nextPace(current: Pace, perMinute: number): Pace {
  const at = PACES.indexOf(current);
  const reached = PACES.findLastIndex((pace) => perMinute >= TIERS[pace].from * (1 + HYSTERESIS));
  const held = PACES.findLastIndex((pace) => perMinute >= TIERS[pace].from * (1 - HYSTERESIS));
  return PACES[Math.min(Math.max(at, reached), held)] ?? "quiet";
}

export function getDepth(pace: Pace): Depth {
  return TIERS[pace];
}

/** Returns a function that moves a channel's pace by its messages a minute now, and returns it. Begins at `quiet`. */
export function createPaceReader(
  perMinute: (channel: string) => number,
): (channel: string) => Pace {
  const current = new Map<string, Pace>();
  return (channel) => {
    const pace = nextPace(current.get(channel) ?? "quiet", perMinute(channel));
    current.set(channel, pace);
    return pace;
  };
}
