import { BoundedMap, memoize } from "../../bounded-map.ts";
import { type ChannelState, channelStateReader } from "../../chat/channel-store.ts";
import { MomentStore } from "../../chat/moment-store.ts";
import { IdentityStore, prepareNameRead } from "../../chat/viewer-store.ts";
import { type Config, memoizeOn } from "../../config/load.ts";
import type { TopicMode } from "../../config/names.ts";
import { findPersona } from "../../config/personas.ts";
import { memorySchema, type RecallPolicy } from "../../config/schema.ts";
import type { Db } from "../../database/open-database.ts";
import { prepareStatements } from "../../database/statements.ts";
import { createForbiddenTest } from "../../language/banned.ts";
import { fillNames } from "../../language/people.ts";
import { prepareEpisodeRead } from "../episode-store.ts";
import { SELECT_CHANNEL_NOTES, SELECT_LORE, SELECT_NEXT_EXPIRY } from "../note-reads-store.ts";
import { describeOwnMoments, listKnownMoments, type OwnMoment } from "./moments.ts";
import { foldWords, type Query } from "./query.ts";
import type { KnownItem } from "./related.ts";
import { type LoreNote, type LoreRow, type RecalledNote, rankLore } from "./weigh.ts";

/** A request for the lore of one message. */
export interface LoreAsked {
  readonly channel: string;
  readonly userId: string;
  readonly nowMs: number;
  readonly query: Query;
}

/** The notes about a speaker. */
export interface LoreTaken {
  readonly notes: readonly LoreNote[];
  /** False if the database could not be read: the notes are of an earlier read, or none. */
  readonly fresh: boolean;
}

/** A note as its viewer may see it. */
export interface OwnNote {
  readonly id: number;
  readonly fact: string;
  /** Separated by commas. */
  readonly topics: string;
}

type ChannelScope = "channel" | "bit";

/** A fact or joke of the channel. */
export interface ChannelNote extends RecalledNote {
  readonly scope: ChannelScope;
}

interface RecallSettings {
  readonly recall: RecallPolicy;
  readonly topics: TopicMode;
}

export interface RecallParts {
  /** Returns the current settings. */
  readonly settings?: () => RecallSettings;
  readonly personaOf?: (channel: string) => string | null;
  /** Every account of the person who has this one. */
  readonly accountsOf?: (userId: string) => readonly string[];
  /** Returns true if a name holds a banned word. */
  readonly isBanned?: (name: string) => boolean;
  /** Returns true if nothing about this viewer may be shown. */
  readonly isOptedOut?: (userId: string) => boolean;
  /** Called with the error if notes could not be read. */
  readonly onUnread?: (thrown: unknown) => void;
}

const OWN_MOMENTS_READ_MAX = 50;
const MOMENTS_OF_KIND_MAX = 25;
/** `loreOrLast` remembers this many speakers for this long. */
const SPEAKERS_MAX = 50;
const SPEAKER_MS_MAX = 10 * 60_000;

/** The version of a channel without a row. A new row begins at 0, and so counts as a change. */
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

/** Reads what a prompt shows of memory. Only lore depends on the current message. */
export class RecallStore {
  readonly #parts: Required<RecallParts>;
  /** Returns a viewer's display name; null if it is unknown. */
  readonly displayName: (userId: string) => string | null;
  readonly #readState: ReturnType<typeof channelStateReader>;
  readonly #moments: MomentStore;
  readonly #readChannelNotes: (asked: ChannelNotesOf) => ChannelRow[];
  readonly #readLore: (asked: LoreOf) => (LoreRow & { readonly source: string })[];
  /** The last rows of speakers, by channel and user id. */
  readonly #lastRows = new BoundedMap<string, readonly LoreRow[]>(SPEAKERS_MAX, SPEAKER_MS_MAX);
  readonly #dropOnChange: () => void;
  /** Returns when the channel's next note expires, epoch ms; null if none does. */
  readonly nextExpiry: (channel: string, nowMs: number) => number | null;
  /** Returns the latest episodes of a channel, with `{u:id}` tokens, newest first. */
  readonly episodes: ReturnType<typeof prepareEpisodeRead>;

  constructor(db: Db, parts: RecallParts = {}) {
    const standard = memorySchema.parse({});
    this.#parts = {
      settings: () => standard,
      personaOf: () => null,
      accountsOf: (userId) => [userId],
      isBanned: () => false,
      isOptedOut: () => false,
      onUnread: () => undefined,
      ...parts,
    };
    const { settings } = this.#parts;
    const sql = prepareStatements(db, () => ({ floor: settings().recall.readFloor }));
    this.displayName = prepareNameRead(db);
    this.#readState = channelStateReader(db);
    this.#moments = new MomentStore(db);
    this.#readChannelNotes = sql.all(SELECT_CHANNEL_NOTES);
    this.#readLore = sql.all(SELECT_LORE);
    this.#dropOnChange = memoize(() => {
      db.function("lore_changed", () => {
        this.dropLast();
        return null;
      });
      db.exec(TELL_OF_CHANGES);
    });
    this.nextExpiry = sql.value(SELECT_NEXT_EXPIRY);
    this.episodes = prepareEpisodeRead(db);
  }

  /** Returns the state of a channel; an empty one if it has no row. */
  state(channel: string): ChannelState {
    return this.#readState.state(channel) ?? EMPTY_STATE;
  }

  /**
   * Returns the version of a channel's prefix, which changes with its content; -1 without a row. Cheap enough to ask
   * before every reply.
   */
  prefixVersion(channel: string): number {
    return this.#readState.prefixVersion(channel) ?? NO_ROW_VERSION;
  }

  /**
   * Returns active notes of one scope, with `{u:id}` tokens, best first: the best `limit`, and as many of the best
   * pinned ones, at most 200.
   */
  channelNotes(asked: {
    readonly channel: string;
    readonly scope: ChannelScope;
    readonly nowMs: number;
    readonly limit: number;
  }): ChannelNote[] {
    const persona = this.#parts.personaOf(asked.channel);
    return this.#readChannelNotes({ ...asked, persona }).map(({ base, importance, ...note }) => {
      const terms = { base, importance, lexical: 0, topic: 0 };
      return { ...note, score: base + importance, terms };
    });
  }

  /** Returns all accounts of the viewer who has this one; only this one if they cannot be read. */
  accountsOf(userId: string): readonly string[] {
    try {
      return this.#parts.accountsOf(userId);
    } catch {
      // An answer from one account's memory is better than none.
      return [userId];
    }
  }

  /** Describes up to three of the latest moments that Twitch reported of the viewer with these accounts. */
  ownMoments(channel: string, accounts: readonly string[]): OwnMoment[] {
    const moments = accounts
      .flatMap((account) => this.#moments.ofViewer(channel, account, OWN_MOMENTS_READ_MAX))
      .sort((one, other) => other.atMs - one.atMs || other.id - one.id);
    return describeOwnMoments(moments);
  }

  /**
   * Returns moments among the latest 25 of each kind, but none of the viewer with these accounts. Leaves out viewers
   * whose name is unknown or holds a banned word.
   */
  momentsOfOthers(channel: string, accounts: readonly string[]): KnownItem[] {
    const moments = this.#moments
      .latest(channel, MOMENTS_OF_KIND_MAX)
      .filter(({ userId }) => !accounts.includes(userId));
    return listKnownMoments(moments, (userId) => {
      const name = this.displayName(userId);
      return name === null || this.#parts.isBanned(name) ? null : name;
    });
  }

  /**
   * Returns a function that names viewers in a speaker's lore, or returns null for an unknown one. All accounts of the
   * speaker get one name: two names would be two people.
   */
  namesFor(speakerId: string, accounts: readonly string[]): (userId: string) => string | null {
    return (userId) => this.displayName(accounts.includes(userId) ? speakerId : userId);
  }

  /** Returns the token limit of lore in a prompt. */
  loreTokensMax(): number {
    return this.#parts.settings().recall.loreTokens;
  }

  /** True for `memory.topics: "strict"`: then a query needs other viewers' messages too. */
  isStrict(): boolean {
    return this.#parts.settings().topics === "strict";
  }

  /**
   * Returns a viewer's active notes from all their accounts, with `{u:id}` tokens, in the order of `rankLore`. In
   * strict mode, it leaves out those off topic. Returns none if they opted out. Throws if the database cannot be read.
   */
  lore(asked: LoreAsked): LoreNote[] {
    return rankLore(this.#readRows(asked), asked.query, this.isStrict());
  }

  /**
   * Returns the notes that `lore` returns. If they cannot be read, it calls `onUnread`, and ranks those that it read
   * for this speaker in the last ten minutes, if any.
   */
  loreOrLast(asked: LoreAsked): LoreTaken {
    const { channel, userId, nowMs, query } = asked;
    const key = `${channel} ${userId}`;
    try {
      const rows = this.#readRows(asked);
      this.#dropOnChange();
      this.#lastRows.set(key, rows, nowMs);
      return { notes: rankLore(rows, query, this.isStrict()), fresh: true };
    } catch (cause) {
      this.#parts.onUnread(cause);
      const rows = this.#lastRows.get(key, nowMs) ?? [];
      const active = rows.filter(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > nowMs);
      return { notes: rankLore(active, query, this.isStrict()), fresh: false };
    }
  }

  /** Returns, with names, every note that a prompt for a viewer could contain about them. None if they opted out. */
  ownNotes(channel: string, userId: string, nowMs: number): OwnNote[] {
    const rows = this.#readRows({ channel, userId, nowMs });
    return rankLore(rows, NO_WORDS, false).map(({ id, fact, topics }) => ({
      id,
      fact: fillNames(fact, this.displayName),
      topics: fillNames(topics, this.displayName),
    }));
  }

  /**
   * Returns the notes about the streamer as channel facts, with "the streamer" as the name. Leaves out those that the
   * streamer requested as a viewer. Returns none if they cannot be read.
   */
  aboutStreamer(channel: string, streamerId: string, nowMs: number): KnownItem[] {
    try {
      const own = this.accountsOf(streamerId);
      const nameOf = (id: string) => (own.includes(id) ? "the streamer" : this.displayName(id));
      return this.#readRows({ channel, userId: streamerId, nowMs })
        .filter(({ source }) => source !== "viewer_request")
        .map((row) => ({
          ...{ kind: "channel", id: row.id, atMs: row.createdAtMs, happensOn: row.happensOn },
          text: fillNames(row.fact, nameOf),
          words: [...foldWords(row.words), "streamer"],
        }));
    } catch (cause) {
      this.#parts.onUnread(cause);
      return [];
    }
  }

  /** Drops the notes that `loreOrLast` stores. Call it if a viewer was forgotten, or another process changed notes. */
  dropLast(): void {
    this.#lastRows.clear();
  }

  #readRows({ channel, userId, nowMs }: Omit<LoreAsked, "query">) {
    if (this.#parts.isOptedOut(userId)) return [];
    const accounts = JSON.stringify(this.#parts.accountsOf(userId));
    return this.#readLore({ channel, persona: this.#parts.personaOf(channel), accounts, nowMs });
  }
}

const NO_WORDS: Query = { words: [], forms: new Map() };

/**
 * Triggers of this connection alone: a forgotten fact must not return because the database cannot be read. The daemon
 * notices writes of other processes by itself.
 */
const TELL_OF_CHANGES = `
CREATE TEMP TRIGGER IF NOT EXISTS lore_deleted AFTER DELETE ON main.semantic_notes BEGIN SELECT lore_changed(); END;
CREATE TEMP TRIGGER IF NOT EXISTS lore_updated AFTER UPDATE OF fact, status, expires_at, happens_on ON main.semantic_notes
BEGIN SELECT lore_changed(); END;`;

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

/** Opens recall for prompts, with the settings at each read. Returns no notes about viewers who opted out. */
export function openRecall(
  { config, now }: { readonly config: Config; readonly now: () => number },
  {
    db,
    suppressions,
    onUnread = () => undefined,
  }: {
    readonly db: Db;
    readonly suppressions: { readonly isOptedOut: (userId: string) => boolean };
    readonly onUnread?: (thrown: unknown) => void;
  },
): RecallStore {
  const isForbidden = memoizeOn(
    () => [config.replies],
    () => createForbiddenTest(config.replies.bannedWords),
  );
  return new RecallStore(db, {
    settings: () => config.memory,
    onUnread,
    personaOf: (channel) => findPersona(config, channel).memoryScope,
    accountsOf: new IdentityStore(db, now).accountsOf,
    isBanned: (name) => isForbidden()(name),
    isOptedOut: (userId) => suppressions.isOptedOut(userId),
  });
}
