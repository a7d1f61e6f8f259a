import { fillNames } from "../../language/people.ts";
import type { ChannelNote, ChannelState, RecalledEpisode, RecallStore } from "./recall-store.ts";
import type { RecalledNote } from "./weigh.ts";
import { BIT_PLACES, CHANNEL_NOTES, EPISODES } from "./weigh.ts";

/** What the prefix of a channel's prompts is made of, frozen until a memory or the channel's state changes. */
export interface PrefixSnapshot {
  readonly channel: string;
  readonly version: number;
  readonly state: ChannelState;
  /** The three best first, then the others; by id within each group, so that decay does not reshuffle them. */
  readonly notes: readonly RecalledNote[];
  /** Newest first, names put in. */
  readonly episodes: readonly RecalledEpisode[];
}

interface WeighedSnapshot extends PrefixSnapshot {
  /** What was weighed for it, best first: more than is shown. */
  readonly weighed: {
    readonly notes: readonly ChannelNote[];
    readonly episodes: readonly RecalledEpisode[];
  };
  /** When the first of its notes runs out, epoch ms. */
  readonly untilMs: number;
}

export interface SnapshotTaken {
  readonly snapshot: WeighedSnapshot;
  /** False where the database could not be read and the last snapshot served instead. */
  readonly fresh: boolean;
}

const BEST_NOTES = 3;
/** How much more than is shown is weighed, for the trail. */
const RUNNERS_UP = 3;

/**
 * The current snapshot of each channel: the same object until something in it changed, or ran out.
 * When the database cannot be read the last one serves; throws only where there never was one.
 */
export function prefixSnapshots(
  store: RecallStore,
  now: () => number,
): (channel: string) => SnapshotTaken {
  const taken = new Map<string, WeighedSnapshot>();
  return (channel) => {
    const last = taken.get(channel);
    try {
      const version = store.prefixVersion(channel);
      if (last?.version === version && now() < last.untilMs) return { snapshot: last, fresh: true };
      const snapshot = take(store, channel, now());
      taken.set(channel, snapshot);
      return { snapshot, fresh: true };
    } catch (cause) {
      if (last === undefined) throw cause;
      return { snapshot: last, fresh: false };
    }
  };
}

function take(store: RecallStore, channel: string, nowMs: number): WeighedSnapshot {
  const state = store.state(channel);
  const limit = CHANNEL_NOTES + RUNNERS_UP;
  const facts = store.channelNotes({ channel, scope: "channel", nowMs, limit });
  const bits = store.channelNotes({ channel, scope: "bit", nowMs, limit });
  const shown = chosen(facts, bits);
  const episodes = store.episodes(channel, EPISODES + RUNNERS_UP);
  const named = (text: string) => fillNames(text, store.displayName);
  return {
    channel,
    version: state.prefixVersion,
    state: { ...state, recap: state.recap === null ? null : named(state.recap) },
    notes: [...byId(shown.slice(0, BEST_NOTES)), ...byId(shown.slice(BEST_NOTES))].map((note) => ({
      ...note,
      fact: named(note.fact),
      topics: named(note.topics),
    })),
    episodes: episodes.slice(0, EPISODES).map((episode) => ({
      ...episode,
      summary: named(episode.summary),
      topic: named(episode.topic),
    })),
    weighed: { notes: byScore([...facts, ...bits]), episodes },
    untilMs: store.nextExpiry(channel, nowMs) ?? Number.POSITIVE_INFINITY,
  };
}

/** Five notes, best first. Two places are for bits; what one sort leaves empty the other takes. */
function chosen(
  facts: readonly ChannelNote[],
  bits: readonly ChannelNote[],
): readonly ChannelNote[] {
  const bitCount = Math.min(bits.length, Math.max(BIT_PLACES, CHANNEL_NOTES - facts.length));
  return byScore([...facts.slice(0, CHANNEL_NOTES - bitCount), ...bits.slice(0, bitCount)]);
}

function byScore(notes: readonly ChannelNote[]): ChannelNote[] {
  return [...notes].sort((a, b) => b.score - a.score || b.id - a.id);
}

function byId(notes: readonly ChannelNote[]): ChannelNote[] {
  return [...notes].sort((a, b) => a.id - b.id);
}
