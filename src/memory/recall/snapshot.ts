import { fillNames } from "../../language/people.ts";
import { depthOf, type Pace } from "./depth.ts";
import type { ChannelState, RecalledEpisode, RecallStore } from "./recall-store.ts";
import type { RecalledNote } from "./recalled-note.ts";

/** What the prefix of a channel's prompts is made of, frozen until a memory, the channel's state or the pace changes. */
export interface PrefixSnapshot {
  readonly channel: string;
  readonly version: number;
  readonly pace: Pace;
  readonly state: ChannelState;
  /** The three best first, then the others; by id within each group, so that decay does not reshuffle them. */
  readonly notes: readonly RecalledNote[];
  /** Newest first, names put in. */
  readonly episodes: readonly RecalledEpisode[];
}

export interface SnapshotTaken {
  readonly snapshot: PrefixSnapshot;
  /** False where the database could not be read and the last snapshot served instead. */
  readonly fresh: boolean;
}

const BEST_NOTES = 3;

/**
 * The current snapshot of each channel: the same object until something in it changed.
 * When the database cannot be read the last one serves; throws only where there never was one.
 */
export function prefixSnapshots(
  store: RecallStore,
  now: () => number,
): (channel: string, pace: Pace) => SnapshotTaken {
  const taken = new Map<string, PrefixSnapshot>();
  /** Until then none of the channel's notes runs out. */
  const aliveUntilMs = new Map<string, number>();
  return (channel, pace) => {
    const last = taken.get(channel);
    try {
      const version = store.prefixVersion(channel);
      const nowMs = now();
      const isAlive = nowMs < (aliveUntilMs.get(channel) ?? 0);
      if (last?.version === version && last.pace === pace && isAlive) {
        return { snapshot: last, fresh: true };
      }
      const snapshot = take(store, channel, pace, nowMs);
      taken.set(channel, snapshot);
      aliveUntilMs.set(channel, store.nextExpiry(channel, nowMs) ?? Number.POSITIVE_INFINITY);
      return { snapshot, fresh: true };
    } catch (cause) {
      if (last === undefined) throw cause;
      return { snapshot: last, fresh: false };
    }
  };
}

function take(store: RecallStore, channel: string, pace: Pace, nowMs: number): PrefixSnapshot {
  const depth = depthOf(pace);
  const state = store.state(channel);
  const notes = store.channelNotes(channel, nowMs, depth.channelNotes);
  const named = (text: string) => fillNames(text, store.displayName);
  return {
    channel,
    version: state.prefixVersion,
    pace,
    state: { ...state, recap: state.recap === null ? null : named(state.recap) },
    notes: [...byId(notes.slice(0, BEST_NOTES)), ...byId(notes.slice(BEST_NOTES))].map((note) => ({
      ...note,
      fact: named(note.fact),
      topics: named(note.topics),
    })),
    episodes: store.episodes(channel, depth.episodes).map((episode) => ({
      ...episode,
      summary: named(episode.summary),
      topic: named(episode.topic),
    })),
  };
}

function byId(notes: readonly RecalledNote[]): RecalledNote[] {
  return [...notes].sort((a, b) => a.id - b.id);
}
