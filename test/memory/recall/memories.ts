import type { Db } from "../../../src/database/open-database.ts";
import { readStems } from "../../../src/language/stems.ts";
import { type Conversation, readQuery } from "../../../src/memory/recall/query.ts";
import type { LoreAsked, RecallStore } from "../../../src/memory/recall/recall-store.ts";
import { addRow } from "../../stand-ins/rows.ts";

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
  const { channel = "here", scope = "channel", subjectId = null, kind = "event" } = seed;
  const { fact = "a fact", topics = "", importance = 0, ageDays = 0 } = seed;
  addRow(db, "semantic_notes", {
    ...{ channel, scope, subject_id: subjectId, kind, fact, topics, importance },
    ...{ id: seed.id ?? null, persona: seed.persona ?? null, status: seed.status ?? "active" },
    words: readStems(`${fact} ${topics.replaceAll(",", " ")}`).join(" "),
    confidence: seed.confidence ?? 0.9,
    last_confirmed_at: NOW_MS - ageDays * DAY_MS,
    pinned: seed.pinned === true ? 1 : 0,
  });
}

/** What viewer 7 asks in the channel `here`. */
export function asking(message: string, more: Partial<LoreAsked & Conversation> = {}): LoreAsked {
  const { channel = "here", userId = "7", nowMs = NOW_MS } = more;
  const { recent = [], category = "", others = [] } = more;
  const query = readQuery({ message: { text: message }, recent, category, others });
  return { channel, userId, nowMs, query };
}

/** The ids of the channel's notes, best first. */
export function channelNoteIds(recall: RecallStore, limit: number, nowMs = NOW_MS): number[] {
  const asked = { channel: "here", scope: "channel", nowMs, limit } as const;
  return recall.channelNotes(asked).map(({ id }) => id);
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
  addRow(db, "episodes", {
    ...{ channel, kind, stage, summary, topic: "a topic", status: "pending" },
    ...{ session_id: seed.sessionId ?? null, ended_at: seed.endedAtMs },
  });
}

export function addChannel(db: Db, channel = "here"): void {
  addRow(db, "channel_state", { channel, title: "a title" });
}
