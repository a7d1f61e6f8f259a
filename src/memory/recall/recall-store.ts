import { memorySchema, type RecallPolicy } from "../../platform/config/memory-schema.ts";
import type { TopicMode } from "../../platform/config/names.ts";
import type { Db } from "../../platform/database/open-database.ts";
import { type LoreNote, loreRanking } from "./lore-store.ts";
import type { Conversation } from "./recall-query.ts";
import type { RecalledNote } from "./recalled-note.ts";
import { type BaseScore, baseScores } from "./score.ts";
import { scalesOf } from "./sql-functions.ts";
import type { WordHasher } from "./word-hasher.ts";

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
  /** The last stream that ended; null where none did. */
  readonly lastSessionId?: number | null;
}

/** Whose lore, for which message. */
export interface LoreAsked {
  readonly channel: string;
  readonly userId: string;
  readonly nowMs: number;
  readonly limit: number;
  /** How many of them a prompt shows, where that is fewer than `limit`: the newest have their places among these. */
  readonly shown?: number;
  readonly conversation: Conversation;
}

export type ChannelScope = "channel" | "bit";

/** What the channel established, or a joke that it carries. */
export interface ChannelNote extends RecalledNote {
  readonly scope: ChannelScope;
  /** null: it does not run out. */
  readonly expiresAtMs: number | null;
}

export interface RecallStore {
  state(channel: string): ChannelState;
  /** The version alone: cheap enough to ask before every reply. */
  prefixVersion(channel: string): number;
  /** Of one scope, best first; what ran out counts no more. */
  channelNotes(asked: {
    readonly channel: string;
    readonly scope: ChannelScope;
    readonly nowMs: number;
    readonly limit: number;
  }): ChannelNote[];
  /** What is known about a person, from all their accounts, best first. */
  lore(asked: LoreAsked): LoreNote[];
  /** Newest first. Gaps have no text and do not count. */
  episodes(channel: string, limit: number): RecalledEpisode[];
  displayName(userId: string): string | null;
  /**
   * How people are called in what is known about a speaker: all of the speaker's accounts by the name of the one that
   * speaks, since two names would be two people.
   */
  namesFor(speakerId: string): (userId: string) => string | null;
  /** What all lore of one prompt may take. */
  loreTokensMax(): number;
}

export interface RecallSettings {
  readonly recall: RecallPolicy;
  readonly topics: TopicMode;
}

export interface RecallParts {
  /** As they are now. */
  readonly settings?: () => RecallSettings;
  readonly personaOf?: (channel: string) => string | null;
  /** Every account of the person who has this one. */
  readonly accountsOf?: (userId: string) => readonly string[];
  /** What hashed the words of notes. Without it they are hashed as they are compared, which takes longer. */
  readonly hasher?: WordHasher;
}

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

/** Reads what a prompt shows of memory. Only lore depends on the current message. */
export function recallStore(db: Db, parts: RecallParts = {}): RecallStore {
  const standard = memorySchema.parse({});
  const {
    settings = () => standard,
    personaOf = () => null,
    accountsOf = (userId) => [userId],
  } = parts;
  const state = db.prepare<[string], Omit<ChannelState, "isLive"> & { isLive: number | null }>(
    `SELECT title, category, is_live AS isLive, prefix_version AS prefixVersion,
       (SELECT max(id) FROM stream_sessions s WHERE s.channel = c.channel AND s.ended_at IS NULL) AS sessionId,
       (SELECT max(id) FROM stream_sessions s WHERE s.channel = c.channel AND s.ended_at IS NOT NULL) AS lastSessionId,
       (SELECT recap FROM stream_sessions s WHERE s.channel = c.channel AND recap IS NOT NULL
        ORDER BY id DESC LIMIT 1) AS recap
     FROM channel_state c WHERE channel = ?`,
  );
  const version = db
    .prepare<[string], number>("SELECT prefix_version FROM channel_state WHERE channel = ?")
    .pluck();
  const withScales = scalesOf(db);
  const channelNotes = db.prepare<[NoteQuery], ChannelRow>(
    `SELECT id, fact, topics, kind, scope, confidence, pinned, last_confirmed_at AS lastConfirmedAtMs, importance,
       created_at AS createdAtMs, expires_at AS expiresAtMs
     FROM semantic_notes
     WHERE channel = :channel AND scope = :scope AND subject_id IS NULL
       AND status = 'active' AND (expires_at IS NULL OR expires_at > :nowMs) AND (persona IS NULL OR persona = :persona) AND confidence >= :floor
     ORDER BY note_base(kind, confidence, pinned, last_confirmed_at) + importance DESC, last_confirmed_at DESC, id DESC
     LIMIT :limit`,
  );
  const rankLore = loreRanking(db, parts.hasher);
  const episodes = db.prepare<[string, number], RecalledEpisode>(
    `SELECT id, topic, summary, ended_at AS endedAtMs, session_id AS sessionId FROM episodes
     WHERE channel = ? AND stage <> 'claimed' AND kind <> 'gap' AND summary <> ''
     ORDER BY ended_at DESC, id DESC LIMIT ?`,
  );
  const name = db
    .prepare<[string], string>("SELECT display_name FROM viewers WHERE user_id = ?")
    .pluck();
  const displayName = (userId: string): string | null => name.get(userId) ?? null;
  return {
    state: (channel) => {
      const row = state.get(channel);
      if (row === undefined) return EMPTY_STATE;
      return { ...row, isLive: row.isLive === null ? null : row.isLive === 1 };
    },
    prefixVersion: (channel) => version.get(channel) ?? NO_ROW_VERSION,
    channelNotes: ({ channel, scope, nowMs, limit }) => {
      const { scales, readFloor } = settings().recall;
      const persona = personaOf(channel);
      const base = baseScores(nowMs, scales);
      return withScales({ base }, () =>
        channelNotes.all({ channel, scope, nowMs, limit, persona, floor: readFloor }),
      ).map((row) => channelNote(row, base));
    },
    lore: ({ userId, ...asked }) => {
      const { recall, topics } = settings();
      return rankLore({
        ...asked,
        accounts: accountsOf(userId),
        persona: personaOf(asked.channel),
        isStrict: topics === "strict",
        policy: recall,
      });
    },
    episodes: (channel, limit) => episodes.all(channel, limit),
    displayName,
    namesFor: (speakerId) => {
      const own = new Set(accountsOf(speakerId));
      return (userId) => displayName(own.has(userId) ? speakerId : userId);
    },
    loreTokensMax: () => settings().recall.loreTokens,
  };
}

interface ChannelRow extends Omit<ChannelNote, "score" | "terms"> {
  readonly confidence: number;
  readonly pinned: number;
  readonly lastConfirmedAtMs: number;
  readonly importance: number;
}

function channelNote(
  { confidence, pinned, lastConfirmedAtMs, importance, ...note }: ChannelRow,
  baseOf: BaseScore,
): ChannelNote {
  const base = baseOf(note.kind, confidence, pinned, lastConfirmedAtMs);
  const terms = { base, importance, lexical: 0, topic: 0 };
  return { ...note, score: base + importance, terms };
}

interface NoteQuery {
  readonly channel: string;
  readonly scope: ChannelScope;
  readonly nowMs: number;
  readonly limit: number;
  readonly persona: string | null;
  readonly floor: number;
}
