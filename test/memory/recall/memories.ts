import type { Db } from "../../../src/database/open-database.ts";
import { readStems } from "../../../src/language/stems.ts";
import type { LoreAsked } from "../../../src/memory/recall/recall-store.ts";

export const NOW_MS = Date.UTC(2026, 5, 1, 20);
export const DAY_MS = 86_400_000;

export interface NoteSeed {
  readonly id?: number;
  readonly channel?: string;
  readonly scope?: "viewer" | "channel" | "bit";
  readonly subjectId?: string | null;
  readonly kind?: string;
  readonly fact?: string;
  readonly topics?: string;
  readonly persona?: string;
  readonly confidence?: number;
  readonly importance?: number;
  readonly status?: string;
  readonly ageDays?: number;
  readonly pinned?: boolean;
}

/** Writes a note; what is not said is an active fact of the channel's own, confirmed now. */
export function addNote(db: Db, seed: NoteSeed): void {
  const {
    channel = "here",
    scope = "channel",
    subjectId = null,
    kind = "event",
    fact = "a fact",
  } = seed;
  const { confidence = 0.9, importance = 0, status = "active", ageDays = 0, topics = "" } = seed;
  db.prepare(
    `INSERT INTO semantic_notes (id, channel, scope, subject_id, kind, fact, topics, words, persona, confidence,
       importance, status, source_kind, created_at, last_confirmed_at, pinned)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'extracted', 1, ?, ?)`,
  ).run(
    seed.id ?? null,
    channel,
    scope,
    subjectId,
    kind,
    fact,
    topics,
    readStems(`${fact} ${topics.replaceAll(",", " ")}`).join(" "),
    seed.persona ?? null,
    confidence,
    importance,
    status,
    NOW_MS - ageDays * DAY_MS,
    seed.pinned === true ? 1 : 0,
  );
}

/** What viewer 7 asks in the channel `here`. */
export function asking(
  message: string,
  more: Partial<Omit<LoreAsked, "conversation"> & LoreAsked["conversation"]> = {},
): LoreAsked {
  const { channel = "here", userId = "7", nowMs = NOW_MS, limit = 20 } = more;
  const { recent = [], category = "", others = [] } = more;
  const conversation = { message: { text: message }, recent, category, others };
  return { channel, userId, nowMs, limit, conversation };
}

export interface EpisodeSeed {
  readonly channel?: string;
  readonly kind?: string;
  readonly stage?: string;
  readonly endedAtMs: number;
  readonly summary?: string;
  readonly sessionId?: number;
}

export function addEpisode(db: Db, seed: EpisodeSeed): void {
  const { channel = "here", kind = "window", stage = "summarised", summary = "they talked" } = seed;
  db.prepare(
    `INSERT INTO episodes (channel, kind, session_id, event_count, started_at, ended_at, topic, summary, stage, created_at)
     VALUES (?, ?, ?, 25, 1, ?, 'a topic', ?, ?, 1)`,
  ).run(channel, kind, seed.sessionId ?? null, seed.endedAtMs, summary, stage);
}

export function addViewer(db: Db, userId: string, name: string): void {
  db.prepare(
    "INSERT INTO viewers (user_id, login, display_name, first_seen_at, last_seen_at) VALUES (?, ?, ?, 1, 1)",
  ).run(userId, name.toLowerCase(), name);
  db.prepare(
    "INSERT INTO viewer_channels (channel, user_id, first_seen_at, last_seen_at) VALUES ('here', ?, 1, 1)",
  ).run(userId);
}

export function addChannel(db: Db, channel = "here"): void {
  db.prepare("INSERT INTO channel_state (channel, title) VALUES (?, 'a title')").run(channel);
}
