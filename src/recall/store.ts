import type { Db } from "../db/open.ts";

export interface RecalledNote {
  readonly id: number;
  readonly fact: string;
  readonly topics: string;
  readonly kind: string;
  readonly score: number;
}

export interface RecalledEpisode {
  readonly id: number;
  readonly topic: string;
  readonly summary: string;
  readonly endedAtMs: number;
  readonly sessionId: number | null;
}

export interface ChannelState {
  readonly title: string;
  readonly category: string;
  /** null: not known. */
  readonly isLive: boolean | null;
  readonly prefixVersion: number;
  /** The stream that runs now; null while none does. */
  readonly sessionId: number | null;
  readonly recap: string | null;
}

export interface RecallStore {
  state(channel: string): ChannelState;
  /** The version alone: cheap enough to ask before every reply. */
  prefixVersion(channel: string): number;
  channelNotes(channel: string, nowMs: number, limit: number): RecalledNote[];
  lore(channel: string, userId: string, nowMs: number, limit: number): RecalledNote[];
  /** Newest first. Gaps have no text and do not count. */
  episodes(channel: string, limit: number): RecalledEpisode[];
  displayName(userId: string): string | null;
}

const CONFIDENCE_FLOOR = 0.4;
const DAY_MS = 86_400_000;

/** Age counts from the last confirmation; kinds that do not age have a longer scale. Design part 6, Recall. */
const SCORE = `confidence
  * (1.0 / (1 + max(0, :now - last_confirmed_at) / ${DAY_MS}.0
      / CASE kind WHEN 'profile' THEN 90 WHEN 'constraint' THEN 90 WHEN 'preference' THEN 30 ELSE 7 END))
  + importance`;

const NOTE_COLUMNS = `id, fact, topics, kind, ${SCORE} AS score`;

/** Of a channel without a row: the row, once it is there, begins at 0 and so counts as a change. */
const NO_ROW_VERSION = -1;

const EMPTY_STATE: ChannelState = {
  title: "",
  category: "",
  isLive: null,
  prefixVersion: NO_ROW_VERSION,
  sessionId: null,
  recap: null,
};

/** Reads what a prompt shows of memory. Nothing here depends on the current message. */
export function recallStore(db: Db, persona: string | null = null): RecallStore {
  const state = db.prepare<[string], Omit<ChannelState, "isLive"> & { isLive: number | null }>(
    `SELECT title, category, is_live AS isLive, prefix_version AS prefixVersion,
       (SELECT max(id) FROM stream_sessions s WHERE s.channel = c.channel AND s.ended_at IS NULL) AS sessionId,
       (SELECT recap FROM stream_sessions s WHERE s.channel = c.channel AND recap IS NOT NULL
        ORDER BY id DESC LIMIT 1) AS recap
     FROM channel_state c WHERE channel = ?`,
  );
  const version = db
    .prepare<[string], number>("SELECT prefix_version FROM channel_state WHERE channel = ?")
    .pluck();
  const channelNotes = db.prepare<[NoteQuery], RecalledNote>(
    `SELECT ${NOTE_COLUMNS} FROM semantic_notes
     WHERE channel = :channel AND scope IN ('channel', 'bit') AND subject_id IS NULL
       AND status = 'active' AND persona IS :persona AND confidence >= ${CONFIDENCE_FLOOR}
     ORDER BY score DESC, last_confirmed_at DESC, id DESC LIMIT :limit`,
  );
  const lore = db.prepare<[NoteQuery & { userId: string }], RecalledNote>(
    `SELECT ${NOTE_COLUMNS} FROM semantic_notes
     WHERE channel = :channel AND scope = 'viewer' AND subject_id = :userId
       AND status = 'active' AND persona IS :persona AND confidence >= ${CONFIDENCE_FLOOR}
     ORDER BY score DESC, last_confirmed_at DESC, id DESC LIMIT :limit`,
  );
  const episodes = db.prepare<[string, number], RecalledEpisode>(
    `SELECT id, topic, summary, ended_at AS endedAtMs, session_id AS sessionId FROM episodes
     WHERE channel = ? AND stage <> 'claimed' AND kind <> 'gap' AND summary <> ''
     ORDER BY ended_at DESC, id DESC LIMIT ?`,
  );
  const name = db
    .prepare<[string], string>("SELECT display_name FROM viewers WHERE user_id = ?")
    .pluck();
  return {
    state: (channel) => {
      const row = state.get(channel);
      if (row === undefined) return EMPTY_STATE;
      return { ...row, isLive: row.isLive === null ? null : row.isLive === 1 };
    },
    prefixVersion: (channel) => version.get(channel) ?? NO_ROW_VERSION,
    channelNotes: (channel, now, limit) => channelNotes.all({ channel, now, limit, persona }),
    lore: (channel, userId, now, limit) => lore.all({ channel, userId, now, limit, persona }),
    episodes: (channel, limit) => episodes.all(channel, limit),
    displayName: (userId) => name.get(userId) ?? null,
  };
}

interface NoteQuery {
  channel: string;
  now: number;
  limit: number;
  persona: string | null;
}
