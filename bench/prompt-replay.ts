import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Db } from "../src/platform/database/open-database.ts";
import { type Trail, trailSchema } from "../src/reply/trail.ts";
import { CHANNEL } from "./bench-names.ts";
import { mean } from "./figures.ts";
import type { GeneratedChat } from "./generated-chat.ts";
import type { Hand } from "./memory-stubs.ts";
import { openReplyRoom, type ReplyRoom } from "./reply-room.ts";
import { type Clock, type SimulatedChannel, simulateChannel } from "./simulated-channel.ts";

/** One reply's prompt, as its trail has it. */
export interface Size {
  readonly atMs: number;
  readonly tokens: number;
  readonly prefixTokens: number;
  readonly sections: Readonly<Record<string, number>>;
  readonly isRaid: boolean;
  /** Whether the ladder cut it. */
  readonly isCut: boolean;
  /** Whether there was an episode, and five notes about the speaker; and whether the prompt kept as many. */
  readonly isRichFree: boolean;
  readonly isRich: boolean;
  readonly keptEpisodes: number;
  readonly keptLore: number;
}

export interface Replay {
  readonly sizes: readonly Size[];
  /** Pairs of prompts with the same version and pace, and those among them whose prefixes are not a run of each other. */
  readonly pairs: number;
  readonly unlike: number;
  /** How often a prefix was not the one before, cut or whole; and before how many prompts what it shows changed. */
  readonly prefixChanges: number;
  readonly changes: number;
  /** What compaction made. */
  readonly episodes: number;
  readonly notesOfViewers: number;
  readonly notesOfChannel: number;
}

export type Play = (channel: SimulatedChannel, clock: Clock, desk: ReplyRoom) => Promise<void>;

interface Channel {
  readonly chat: GeneratedChat;
  readonly hand: Hand;
  readonly onMemory?: Parameters<typeof simulateChannel>[1]["onMemory"];
  /** Words of a reply. */
  readonly replyWords: number;
  readonly tokensPerEstimated?: number;
}

/** What was asked of the model for one reply. */
interface Asked {
  readonly prefix: string;
  /** What a prefix may show just then, as the database has it. */
  readonly shown: string;
}

const LORE_WANTED = 5;

/** Plays a channel from an empty database on, every part of the program real but the model and Twitch. */
export async function replay(play: Play, channel: Channel): Promise<Replay> {
  const { chat, hand, onMemory, replyWords, ...counting } = channel;
  const folder = mkdtempSync(join(tmpdir(), "forgetmenot-prompt-"));
  const clock = { atMs: Date.UTC(2026, 0, 1, 18) };
  const asked: Asked[] = [];
  const desk = openReplyRoom({
    ...counting,
    folder,
    now: () => Math.floor(clock.atMs),
    answer: ({ prefix }) => {
      asked.push({ prefix, shown: shownNow() });
      return `ha, ${chat.words(replyWords)}`;
    },
  });
  const shownNow = whatPrefixShows(desk.stores.db);
  try {
    const simulated = simulateChannel({ desk, clock }, { chat, hand, onMemory });
    await play(simulated, clock, desk);
    await simulated.close();
    return readReplay(desk, asked);
  } finally {
    await desk.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Asked of the tables alone, not of what the program thinks has changed. */
export function whatPrefixShows(db: Db): () => string {
  const query = db
    .prepare<[{ channel: string }], string>(
      `SELECT json_array(
         (SELECT json_group_array(json_array(id, fact, topics, confidence, importance, pinned, last_confirmed_at))
          FROM (SELECT * FROM semantic_notes WHERE channel = :channel AND scope IN ('channel', 'bit')
                AND subject_id IS NULL AND status = 'active' ORDER BY id)),
         (SELECT json_group_array(json_array(id, topic, summary))
          FROM (SELECT * FROM episodes WHERE channel = :channel AND stage <> 'claimed' AND kind <> 'gap'
                AND summary <> '' ORDER BY ended_at DESC, id DESC LIMIT 5)),
         (SELECT max(id) FROM stream_sessions WHERE channel = :channel AND ended_at IS NULL),
         (SELECT recap FROM stream_sessions WHERE channel = :channel AND recap IS NOT NULL ORDER BY id DESC LIMIT 1),
         (SELECT json_array(title, category, is_live) FROM channel_state WHERE channel = :channel))`,
    )
    .pluck();
  return () => query.get({ channel: CHANNEL }) ?? "";
}

interface ReplyRow {
  readonly atMs: number;
  readonly trail: string;
}

function readReplay({ stores, turns }: ReplyRoom, asked: readonly Asked[]): Replay {
  if (turns.refused > 0) throw new Error(`${turns.refused} turns were refused`);
  const rows = stores.db
    .prepare<[], ReplyRow>(
      "SELECT created_at AS atMs, token_usage_json AS trail FROM replies WHERE state = 'sent' ORDER BY id",
    )
    .all()
    .map(({ atMs, trail }) => ({ atMs, trail: trailSchema.parse(JSON.parse(trail)) }));
  if (rows.length !== asked.length) throw new Error("not every prompt led to a reply");
  const steps = rows.slice(1).map(({ trail }, n) => ({
    isSame: isRun(asked[n]?.prefix ?? "", asked[n + 1]?.prefix ?? ""),
    isSameVersion: rows[n]?.trail.prefix.version === trail.prefix.version,
    isSameShown: asked[n]?.shown === asked[n + 1]?.shown,
  }));
  const pairs = steps.filter(({ isSameVersion }) => isSameVersion);
  const count = (sql: string) => Number(stores.db.prepare(`SELECT count(*) ${sql}`).pluck().get());
  return {
    sizes: rows.map(({ atMs, trail }) => ({ atMs, ...sizeOf(trail) })),
    pairs: pairs.length,
    unlike: pairs.filter(({ isSame }) => !isSame).length,
    prefixChanges: steps.filter(({ isSame }) => !isSame).length,
    changes: steps.filter(({ isSameShown }) => !isSameShown).length,
    episodes: count("FROM episodes WHERE summary <> ''"),
    notesOfViewers: count("FROM semantic_notes WHERE scope = 'viewer' AND status = 'active'"),
    notesOfChannel: count("FROM semantic_notes WHERE scope <> 'viewer' AND status = 'active'"),
  };
}

function sizeOf(trail: Trail): Omit<Size, "atMs"> {
  const { correction, episodes, ids, ladder, notes } = trail;
  const ofChannel = new Set([
    ...(ids["channelNotes"] ?? []),
    ...ladder.flatMap((step) => (step.section === "channelNotes" ? step.droppedIds : [])),
  ]);
  const lore = [...notes.kept, ...notes.dropped].filter((id) => !ofChannel.has(id));
  const keptLore = (ids["lore"] ?? []).length;
  const isRichFree =
    episodes.kept.length + episodes.dropped.length > 0 && lore.length >= LORE_WANTED;
  return {
    tokens: trail.estimatedTokens,
    prefixTokens: trail.prefix.tokens * correction,
    sections: Object.fromEntries(
      Object.entries(trail.sections).map(([name, tokens]) => [name, tokens * correction]),
    ),
    isRaid: trail.pace === "raid",
    isCut: ladder.length > 0,
    isRichFree,
    isRich: episodes.kept.length > 0 && keptLore >= LORE_WANTED,
    keptEpisodes: episodes.kept.length,
    keptLore,
  };
}

function isRun(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}

/** Of the prompts for which there were an episode and five notes, the share that kept as many, in %. */
export function richPercent(sizes: readonly Size[]): number {
  const free = sizes.filter(({ isRichFree }) => isRichFree);
  return (100 * free.filter(({ isRich }) => isRich).length) / free.length;
}

/** The prefix's share of all prompts' tokens, in %. */
export function prefixPercent(sizes: readonly Size[]): number {
  const prefix = mean(sizes.map(({ prefixTokens }) => prefixTokens));
  return (100 * prefix) / mean(sizes.map(({ tokens }) => tokens));
}

/**
 * By how much a prompt grew to the end from when memory was full, a share of the whole time, by the line of least
 * squares; % of its mean.
 */
export function driftPercent(sizes: readonly Size[], fullAfterShare: number): number {
  const first = sizes[0]?.atMs ?? 0;
  const last = sizes.at(-1)?.atMs ?? 0;
  const full = sizes.filter(({ atMs }) => atMs >= first + (last - first) * fullAfterShare);
  const meanAt = mean(full.map(({ atMs }) => atMs));
  const meanTokens = mean(full.map(({ tokens }) => tokens));
  const covariance = mean(full.map(({ atMs, tokens }) => (atMs - meanAt) * (tokens - meanTokens)));
  const variance = mean(full.map(({ atMs }) => (atMs - meanAt) ** 2));
  const spanMs = last - (full[0]?.atMs ?? 0);
  return (100 * (covariance / variance) * spanMs) / meanTokens;
}
