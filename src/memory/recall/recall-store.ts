import { BoundedMap } from "../../bounded-map.ts";
import { type ChannelState, channelStateReader } from "../../chat/channel-store.ts";
import { MomentStore, type StoredMoment } from "../../chat/moment-store.ts";
import { prepareNameRead } from "../../chat/viewer-store.ts";
import type { TopicMode } from "../../config/names.ts";
import { memorySchema, type RecallPolicy } from "../../config/schema.ts";
import type { Db } from "../../database/open-database.ts";
import { prepareStatements } from "../../database/statements.ts";
import { fillNames } from "../../language/people.ts";
import { recalledEpisodes } from "../episode-store.ts";
import { SELECT_CHANNEL_NOTES, SELECT_LORE, SELECT_NEXT_EXPIRY } from "../note-reads-store.ts";
import { type Conversation, foldWords, type Query, readQuery } from "./query.ts";
import type { KnownItem } from "./related.ts";
import { type LoreNote, type LoreRow, type RecalledNote, rankLore } from "./weigh.ts";

/** A request for the lore of one message. */
export interface LoreAsked {
  readonly channel: string;
  readonly userId: string;
  readonly nowMs: number;
  readonly limit: number;
  readonly conversation: Conversation;
  /** The words of the conversation without others' messages, if they were read before. */
  readonly query?: Query;
}

/** The notes about a speaker, and whether they were read now. */
export interface LoreTaken {
  readonly notes: readonly LoreNote[];
  /** False if the database could not be read and an earlier read was used. */
  readonly fresh: boolean;
}

type ChannelScope = "channel" | "bit";

/** A fact or joke of the channel. */
export interface ChannelNote extends RecalledNote {
  readonly scope: ChannelScope;
}

export interface RecallSettings {
  readonly recall: RecallPolicy;
  readonly topics: TopicMode;
}

export interface RecallParts {
  /** Returns the current settings. */
  readonly settings?: () => RecallSettings;
  readonly personaOf?: (channel: string) => string | null;
  /** Every account of the person who has this one. */
  readonly accountsOf?: (userId: string) => readonly string[];
  /** Returns the banned word in a name, or null. */
  readonly banned?: (name: string) => string | null;
  /** Called with the error if a viewer's notes could not be read, also if earlier ones are used instead. */
  readonly onUnread?: (thrown: unknown) => void;
}

const OWN_MOMENTS_MAX = 50;
const MOMENTS_OF_KIND_MAX = 25;

/** Of a channel without a row: the row, once it is there, begins at 0 and so counts as a change. */
const NO_ROW_VERSION = -1;

const EMPTY_STATE: ChannelState = {
  title: "",
  category: "",
  isLive: null,
  prefixVersion: NO_ROW_VERSION,
  sessionId: null,
  liveSinceMs: null,
  recap: null,
  lastSessionId: null,
  streamerId: null,
};

export type RecallStore = ReturnType<typeof openRecallStore>;

/** Reads what a prompt shows of memory. Only lore depends on the current message. */
export function openRecallStore(db: Db, parts: RecallParts = {}) {
  const standard = memorySchema.parse({});
  const given: Required<RecallParts> = {
    settings: () => standard,
    personaOf: () => null,
    accountsOf: (userId) => [userId],
    banned: () => null,
    onUnread: () => undefined,
    ...parts,
  };
  const displayName = prepareNameRead(db);
  const moments = new MomentStore(db);
  return {
    ...prepareChannelReads(db, given),
    ...prepareLoreReads(db, given),
    displayName,
    /** Returns all accounts of the viewer who has this one; only this one if they cannot be read. */
    accountsOf: (userId: string): readonly string[] => {
      try {
        return given.accountsOf(userId);
      } catch {
        // The moments of one account are better than none.
        return [userId];
      }
    },
    /** Returns the moments of a viewer with these accounts, newest first. */
    momentsOf: (channel: string, accounts: readonly string[]): StoredMoment[] =>
      accounts
        .flatMap((account) => moments.ofViewer(channel, account, OWN_MOMENTS_MAX))
        .sort((one, other) => other.atMs - one.atMs || other.id - one.id),
    /** Returns the latest moments of each kind of other viewers in a channel, newest first. */
    momentsOfOthers: (channel: string, accounts: readonly string[]): StoredMoment[] =>
      moments
        .latest(channel, MOMENTS_OF_KIND_MAX)
        .filter(({ userId }) => !accounts.includes(userId)),
    /** A viewer's name for others; null if it is unknown or holds a banned word. */
    shownName: (userId: string): string | null => {
      const name = displayName(userId);
      return name === null || given.banned(name) !== null ? null : name;
    },
    /** Returns names for a speaker's lore. All their accounts get one name: two names would be two people. */
    namesFor: (speakerId: string, accounts: readonly string[]) => (userId: string) =>
      displayName(accounts.includes(userId) ? speakerId : userId),
    /** Returns the token limit of lore in a prompt. */
    loreTokensMax: () => given.settings().recall.loreTokens,
  };
}

/** Reads what the prefix of a channel's prompts shows. */
function prepareChannelReads(db: Db, { settings, personaOf }: Required<RecallParts>) {
  const sql = prepareStatements(db, () => ({ floor: settings().recall.readFloor }));
  const readState = channelStateReader(db);
  const channelNotes = sql.all<[ChannelNotesOf], ChannelRow>(SELECT_CHANNEL_NOTES);
  return {
    state: (channel: string): ChannelState => readState.state(channel) ?? EMPTY_STATE,
    /** The version alone: cheap enough to ask before every reply. */
    prefixVersion: (channel: string) => readState.prefixVersion(channel) ?? NO_ROW_VERSION,
    /** Of one scope, best first; what ran out counts no more. */
    channelNotes: (asked: {
      readonly channel: string;
      readonly scope: ChannelScope;
      readonly nowMs: number;
      readonly limit: number;
    }): ChannelNote[] => {
      const persona = personaOf(asked.channel);
      return channelNotes({ ...asked, persona }).map(toChannelNote);
    },
    /** Returns when the channel's next note expires, epoch ms; null if none does. */
    nextExpiry: sql.value<[channel: string, nowMs: number], number>(SELECT_NEXT_EXPIRY),
    /** Newest first. */
    episodes: recalledEpisodes(db),
  };
}

/** Reads and ranks the notes about the speaker. */
function prepareLoreReads(
  db: Db,
  { settings, personaOf, accountsOf, onUnread }: Required<RecallParts>,
) {
  const sql = prepareStatements(db, () => ({ floor: settings().recall.readFloor }));
  const read = sql.all<[LoreOf], LoreRow & { readonly source: string }>(SELECT_LORE);
  const nameOf = prepareNameRead(db);
  const last = createLastRead(db);
  const readRows = ({ channel, userId, nowMs }: LoreAsked): LoreRow[] => {
    const accounts = JSON.stringify(accountsOf(userId));
    return read({ channel, persona: personaOf(channel), accounts, nowMs });
  };
  const rank = (asked: LoreAsked, rows: readonly LoreRow[]) => {
    const {
      conversation,
      nowMs,
      limit,
      query = readQuery({ ...conversation, others: [] }),
    } = asked;
    // Rows that were read for an earlier message may have expired since.
    const active = rows.filter(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > nowMs);
    if (active.length === 0) return [];
    const isStrict = settings().topics === "strict";
    const words = isStrict ? readQuery(conversation) : query;
    return rankLore(active, words, isStrict).slice(0, limit);
  };
  return {
    /** Returns a person's notes from all their accounts, best first. Throws if the database cannot be read. */
    lore: (asked: LoreAsked) => rank(asked, readRows(asked)),
    /** Returns the same; if the database cannot be read, from the last read of a recent speaker. */
    loreOrLast: (asked: LoreAsked): LoreTaken => {
      const key = `${asked.channel} ${asked.userId}`;
      try {
        const rows = readRows(asked);
        last.keep(key, rows, asked.nowMs);
        return { notes: rank(asked, rows), fresh: true };
      } catch (cause) {
        onUnread(cause);
        const rows = last.get(key, asked.nowMs);
        if (rows === null) throw cause;
        return { notes: rank(asked, rows), fresh: false };
      }
    },
    /** Returns the streamer's facts about themselves: channel knowledge, without what they asked to be remembered. */
    aboutStreamer: (channel: string, streamerId: string, nowMs: number): KnownItem[] => {
      const own = accountsOf(streamerId);
      const asked = { channel, persona: personaOf(channel), nowMs };
      const rows = read({ ...asked, accounts: JSON.stringify(own) });
      const learned = rows.filter(({ source }) => source !== "viewer_request");
      return learned.map((row) => ({
        ...{ kind: "channel", id: row.id, atMs: row.createdAtMs, happensOn: row.happensOn },
        text: fillNames(row.fact, (id) => (own.includes(id) ? "the streamer" : nameOf(id))),
        words: [...foldWords(row.words), "streamer"],
      }));
    },
    /** Drops all notes that were read before: a viewer was forgotten, or another process changed notes. */
    dropLast: last.drop,
  };
}

interface NotesOf {
  readonly channel: string;
  readonly persona: string | null;
  readonly nowMs: number;
}

interface LoreOf extends NotesOf {
  /** User ids, as a JSON list. */
  readonly accounts: string;
}

interface ChannelNotesOf extends NotesOf {
  readonly scope: ChannelScope;
  readonly limit: number;
}

interface ChannelRow extends Omit<ChannelNote, "score" | "terms"> {
  readonly base: number;
  readonly importance: number;
}

function toChannelNote({ base, importance, ...note }: ChannelRow): ChannelNote {
  const terms = { base, importance, lexical: 0, topic: 0 };
  return { ...note, score: base + importance, terms };
}

const SPEAKERS_KEPT = 50;
const KEPT_MS = 10 * 60_000;
/** Of this connection alone; what other processes write, the daemon hears of by itself. */
const DROP_LAST_ON_CHANGE = `
CREATE TEMP TRIGGER IF NOT EXISTS lore_deleted AFTER DELETE ON main.semantic_notes BEGIN SELECT lore_changed(); END;
CREATE TEMP TRIGGER IF NOT EXISTS lore_updated AFTER UPDATE OF fact, status, expires_at, happens_on ON main.semantic_notes
BEGIN SELECT lore_changed(); END;`;

/**
 * Caches the last reads of recent speakers for ten minutes at most. A removed or changed note clears it: a forgotten
 * fact must not return because the database cannot be read.
 */
function createLastRead(db: Db) {
  const kept = new BoundedMap<string, readonly LoreRow[]>(SPEAKERS_KEPT, KEPT_MS);
  let isWatching = false;
  const watch = (): void => {
    isWatching = true;
    db.function("lore_changed", () => {
      kept.clear();
      return null;
    });
    db.exec(DROP_LAST_ON_CHANGE);
  };
  return {
    keep: (key: string, rows: readonly LoreRow[], atMs: number): void => {
      if (!isWatching) watch();
      kept.set(key, rows, atMs);
    },
    get: (key: string, nowMs: number): readonly LoreRow[] | null => kept.get(key, nowMs) ?? null,
    drop: (): void => kept.clear(),
  };
}
