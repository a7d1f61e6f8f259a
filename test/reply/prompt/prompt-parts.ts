import type { ChannelState } from "../../../src/chat/channel-store.ts";
import { makeFence } from "../../../src/language/fence.ts";
import type { PrefixSnapshot } from "../../../src/memory/recall/snapshot.ts";
import {
  type ChatLine,
  EMPTY_TAIL as NO_LINES,
  type Persona,
  type TailInput,
} from "../../../src/reply/prompt/sections.ts";

export const MARK = "k3v9x2m7q1p5";
export const fence = makeFence(MARK);
export const persona: Persona = { name: "Mark", voice: "Warm, dry, brief." };

export const STATE: ChannelState = {
  title: "",
  category: "",
  isLive: true,
  prefixVersion: 1,
  sessionId: null,
  liveSinceMs: null,
  recap: null,
  lastSessionId: null,
  streamerId: null,
};

/** A tail that shows nothing but a message by Ann. */
export const EMPTY_TAIL: TailInput = {
  pace: "normal",
  nowMs: Date.UTC(2026, 10, 5, 12),
  liveSinceMs: null,
  speaker: {
    name: "Ann",
    standing: "viewer",
    visits: null,
    calledName: null,
    pronouns: null,
    moments: [],
  },
  ...NO_LINES,
  loreTokensMax: 800,
  hasMoreLore: true,
  current: { id: 9, name: "Ann", text: "hi" },
  continues: false,
  isAddressed: true,
};

/** A snapshot with the same text in every place where text can stand. */
export function snapshotOf(
  text: string,
  counts: { readonly notes: number; readonly episodes: number },
): PrefixSnapshot {
  return {
    channel: "some_channel",
    version: 1,
    state: { ...STATE, title: text, category: text, sessionId: 4, recap: text },
    notes: Array.from({ length: counts.notes }, (_, index) => ({
      ...noteOf(100 + index, text),
      scope: "channel",
    })),
    episodes: Array.from({ length: counts.episodes }, (_, index) => ({
      id: 200 + index,
      topic: text,
      summary: text,
      endedAtMs: index,
      sessionId: 4 - index,
    })),
  };
}

/** A tail with the same text in every place where text can stand, names too. */
export function tailOf(
  text: string,
  counts: {
    readonly lore: number;
    readonly own: number;
    readonly chat: number;
    readonly replies: number;
    readonly thread: number;
  },
): TailInput {
  const lines = (count: number, from: number): ChatLine[] =>
    Array.from({ length: count }, (_, index) => ({ id: from + index, name: text, text }));
  return {
    ...EMPTY_TAIL,
    pace: "busy",
    speaker: {
      name: text,
      standing: "regular",
      visits: { sinceMs: 0, streams: 12, lastHereMs: 0 },
      calledName: text,
      pronouns: text,
      moments: [{ text, atMs: 0 }],
    },
    related: (["channel", "bit", "moment", "episode"] as const).map((kind, at) => ({
      ...{ kind, id: 800 + at, text, words: [], atMs: 0 },
    })),
    oldLines: lines(2, 850),
    lore: Array.from({ length: counts.lore }, (_, index) => noteOf(300 + index, text)),
    own: lines(counts.own, 400),
    chat: lines(counts.chat, 500).map((line, n) =>
      n % 3 === 0 ? { ...line, answers: text } : line,
    ),
    thread: lines(counts.thread, 650).map((line, n) => ({
      ...line,
      ...(n % 2 === 0 ? {} : { answers: text }),
      isRepliedTo: n === 1,
    })),
    replies: lines(counts.replies, 600).map(({ id }) => ({ id, text })),
    current: { id: 700, name: text, text },
  };
}

function noteOf(id: number, text: string) {
  return { id, fact: text, topics: text, kind: "profile", score: 0.5, createdAtMs: 0 };
}
