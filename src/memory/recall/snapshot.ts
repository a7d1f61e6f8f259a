import type { ChannelState } from "../../chat/channel-store.ts";
import { fillNames } from "../../language/people.ts";
import { readStems } from "../../language/stems.ts";
import type { RecalledEpisode } from "../episode-store.ts";
import { BITS, CHANNEL_NOTES, EPISODES } from "./pace.ts";
import { foldWords } from "./query.ts";
import type { ChannelNote, RecallStore } from "./recall-store.ts";
import { indexKnown, type KnownIndex, type KnownItem } from "./related.ts";

/** Content of a channel's prompt prefix. It stays the same until memory or the channel's state changes. */
export interface PrefixSnapshot {
  readonly channel: string;
  readonly version: number;
  readonly state: ChannelState;
  /** The best channel notes, then the best jokes, each by id: decay does not reorder them. */
  readonly notes: readonly ChannelNote[];
  /** Newest first, with names. */
  readonly episodes: readonly RecalledEpisode[];
}

export interface WeighedSnapshot extends PrefixSnapshot {
  /** The candidates for the prefix, best first. */
  readonly weighed: {
    readonly notes: readonly ChannelNote[];
    readonly episodes: readonly RecalledEpisode[];
  };
  /** Other channel knowledge, of which a prompt's tail shows the related part. */
  readonly known: KnownIndex;
  /** When the first of its notes expires, epoch ms. */
  readonly untilMs: number;
}

export interface SnapshotTaken {
  readonly snapshot: WeighedSnapshot;
  /** False if the database could not be read and the last snapshot serves. */
  readonly fresh: boolean;
}

/** The trail also names this many notes and episodes that just missed the prefix. */
const RUNNERS_UP = 3;
/** Notes of one scope. The cap is 200, and the streamer may write 200 more. */
const NOTES_READ_MAX = 500;
const EPISODES_READ_MAX = 120;

/**
 * Returns a function that returns a channel's current snapshot: the same object until something in it changes or
 * expires. If the database cannot be read, the last one serves; throws if there is none.
 */
export function createPrefixSnapshots(
  store: RecallStore,
  now: () => number,
): (channel: string) => SnapshotTaken {
  const taken = new Map<string, WeighedSnapshot>();
  const memories = new Map<string, () => WordsOf>();
  return (channel) => {
    const last = taken.get(channel);
    try {
      const version = store.prefixVersion(channel);
      if (last?.version === version && now() < last.untilMs) return { snapshot: last, fresh: true };
      const memory = memories.get(channel) ?? createWordMemory();
      memories.set(channel, memory);
      const snapshot = readSnapshot(store, channel, now(), memory());
      taken.set(channel, snapshot);
      return { snapshot, fresh: true };
    } catch (cause) {
      if (last === undefined) throw cause;
      return { snapshot: last, fresh: false };
    }
  };
}

function readSnapshot(
  store: RecallStore,
  channel: string,
  nowMs: number,
  wordsOf: WordsOf,
): WeighedSnapshot {
  const fill = (text: string) => fillNames(text, store.displayName);
  const readNotes = (scope: "channel" | "bit") =>
    store
      .channelNotes({ channel, scope, nowMs, limit: NOTES_READ_MAX })
      .map((note) => ({ ...note, fact: fill(note.fact), topics: fill(note.topics) }));
  const state = store.state(channel);
  const [facts, bits] = [readNotes("channel"), readNotes("bit")];
  const episodes = store
    .episodes(channel, EPISODES_READ_MAX)
    .map((one) => ({ ...one, summary: fill(one.summary), topic: fill(one.topic) }));
  const candidates = [
    ...facts.slice(0, CHANNEL_NOTES + RUNNERS_UP),
    ...bits.slice(0, BITS + RUNNERS_UP),
  ];
  // A stored note's words have no names, and messages ask by name.
  const otherNotes = [...facts.slice(CHANNEL_NOTES), ...bits.slice(BITS)].map((note) => ({
    ...{ kind: note.scope, id: note.id, text: note.fact, atMs: note.createdAtMs },
    words: wordsOf(`${note.fact} ${note.topics}`),
    happensOn: note.happensOn ?? null,
  }));
  const sentences = episodes.slice(EPISODES).flatMap((one) => toKnownSentences(one, wordsOf));
  return {
    channel,
    version: state.prefixVersion,
    state: { ...state, recap: state.recap && fill(state.recap) },
    notes: [...sortById(facts.slice(0, CHANNEL_NOTES)), ...sortById(bits.slice(0, BITS))],
    episodes: episodes.slice(0, EPISODES),
    weighed: {
      notes: candidates.sort((one, other) => other.score - one.score || other.id - one.id),
      episodes: episodes.slice(0, EPISODES + RUNNERS_UP),
    },
    known: indexKnown([...otherNotes, ...sentences]),
    untilMs: store.nextExpiry(channel, nowMs) ?? Number.POSITIVE_INFINITY,
  };
}

function sortById(notes: readonly ChannelNote[]): ChannelNote[] {
  return [...notes].sort((one, other) => one.id - other.id);
}

type WordsOf = (text: string) => readonly string[];

/**
 * Returns a function to call once a snapshot. It returns a function that splits a text into folded stems, and reuses
 * the result of the last snapshot: most texts are in both.
 */
function createWordMemory(): () => WordsOf {
  let last = new Map<string, readonly string[]>();
  return () => {
    const before = last;
    const now = new Map<string, readonly string[]>();
    last = now;
    return (text) => {
      const words = before.get(text) ?? foldWords(readStems(text).join(" "));
      now.set(text, words);
      return words;
    };
  };
}

const SENTENCE_END = /(?<=[.!?…。！？])\s+/u;

function toKnownSentences(
  { id, topic, summary, endedAtMs }: RecalledEpisode,
  wordsOf: WordsOf,
): KnownItem[] {
  const topicWords = wordsOf(topic);
  return summary.split(SENTENCE_END).map((text) => ({
    ...{ kind: "episode", id, text, words: [...wordsOf(text), ...topicWords], atMs: endedAtMs },
  }));
}
