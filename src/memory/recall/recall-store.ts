import { BoundedMap } from "../../bounded-map.ts";
import { type ChannelState, channelStateReader } from "../../chat/channel-store.ts";
import { MomentStore, type StoredMoment } from "../../chat/moment-store.ts";
import { IdentityStore, prepareNameRead } from "../../chat/viewer-store.ts";
import { type Config, memoizeOn } from "../../config/load.ts";
import type { TopicMode } from "../../config/names.ts";
import { findPersona } from "../../config/personas.ts";
import { memorySchema, type RecallPolicy } from "../../config/schema.ts";
import type { Db } from "../../database/open-database.ts";
import { prepareStatements } from "../../database/statements.ts";
import { forbiddenWordFinder } from "../../language/banned.ts";
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
  readonly ownQuery?: Query;
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
  /** Returns true if nothing about this viewer may be shown. */
  readonly isOptedOut?: (userId: string) => boolean;
  /** Called with the error if a viewer's notes could not be read, also if earlier ones are used instead. */
  readonly onUnread?: (thrown: unknown) => void;
}

const OWN_MOMENTS_MAX = 50;
const MOMENTS_OF_KIND_MAX = 25;

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
  readonly #last: LastReads;
  /** Returns when the channel's next note expires, epoch ms; null if none does. */
  readonly nextExpiry: (channel: string, nowMs: number) => number | null;
  /** Returns the latest episodes of a channel, with `{u:id}` tokens, newest first. */
  readonly episodes: ReturnType<typeof recalledEpisodes>;

  constructor(db: Db, parts: RecallParts = {}) {
    const standard = memorySchema.parse({});
    this.#parts = {
      settings: () => standard,
      personaOf: () => null,
      accountsOf: (userId) => [userId],
      banned: () => null,
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
    this.#last = new LastReads(db);
    this.nextExpiry = sql.value(SELECT_NEXT_EXPIRY);
    this.episodes = recalledEpisodes(db);
  }

  /** Returns the state of a channel; an empty one if it has no row. */
  state(channel: string): ChannelState {
    return this.#readState.state(channel) ?? EMPTY_STATE;
  }

  /**
   * Returns the version of a channel's prefix, which changes with its content. Cheap enough to ask before every reply.
   */
  prefixVersion(channel: string): number {
    return this.#readState.prefixVersion(channel) ?? NO_ROW_VERSION;
  }

  /**
   * Returns active notes of one scope, with `{u:id}` tokens, best first: the best `limit`, and the best pinned ones.
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
      // The moments of one account are better than none.
      return [userId];
    }
  }

  /** Returns the moments of a viewer with these accounts, newest first, at most 50 an account. */
  momentsOf(channel: string, accounts: readonly string[]): StoredMoment[] {
    return accounts
      .flatMap((account) => this.#moments.ofViewer(channel, account, OWN_MOMENTS_MAX))
      .sort((one, other) => other.atMs - one.atMs || other.id - one.id);
  }

  /** Returns other viewers' moments in a channel, newest first, among the latest 25 of each kind. */
  momentsOfOthers(channel: string, accounts: readonly string[]): StoredMoment[] {
    return this.#moments
      .latest(channel, MOMENTS_OF_KIND_MAX)
      .filter(({ userId }) => !accounts.includes(userId));
  }

  /** Returns a viewer's name for others; null if it is unknown or holds a banned word. */
  shownName(userId: string): string | null {
    const name = this.displayName(userId);
    return name === null || this.#parts.banned(name) !== null ? null : name;
  }

  /**
   * Returns a function that names viewers in a speaker's lore; null if unknown. All accounts of the speaker get one
   * name: two names would be two people.
   */
  namesFor(speakerId: string, accounts: readonly string[]): (userId: string) => string | null {
    return (userId) => this.displayName(accounts.includes(userId) ? speakerId : userId);
  }

  /** Returns the token limit of lore in a prompt. */
  loreTokensMax(): number {
    return this.#parts.settings().recall.loreTokens;
  }

  /**
   * Returns a viewer's active notes from all their accounts, with `{u:id}` tokens, best first, at most `limit`. Returns
   * none if they opted out. Throws if the database cannot be read.
   */
  lore(asked: LoreAsked): LoreNote[] {
    return this.#parts.isOptedOut(asked.userId) ? [] : this.#rank(asked, this.#readRows(asked));
  }

  /**
   * Returns the notes that `lore` does. If the database cannot be read, ranks those last read for this speaker within
   * ten minutes; throws if there are none.
   */
  loreOrLast(asked: LoreAsked): LoreTaken {
    if (this.#parts.isOptedOut(asked.userId)) return { notes: [], fresh: true };
    const key = `${asked.channel} ${asked.userId}`;
    try {
      const rows = this.#readRows(asked);
      this.#last.keep(key, rows, asked.nowMs);
      return { notes: this.#rank(asked, rows), fresh: true };
    } catch (cause) {
      this.#parts.onUnread(cause);
      const rows = this.#last.get(key, asked.nowMs);
      if (rows === null) throw cause;
      return { notes: this.#rank(asked, rows), fresh: false };
    }
  }

  /**
   * Returns the streamer's facts about themselves: channel knowledge, without facts that they asked the bot to
   * remember.
   */
  aboutStreamer(channel: string, streamerId: string, nowMs: number): KnownItem[] {
    const { accountsOf, isOptedOut, personaOf } = this.#parts;
    if (isOptedOut(streamerId)) return [];
    const own = accountsOf(streamerId);
    const asked = { channel, persona: personaOf(channel), nowMs };
    const rows = this.#readLore({ ...asked, accounts: JSON.stringify(own) });
    const learned = rows.filter(({ source }) => source !== "viewer_request");
    return learned.map((row) => ({
      ...{ kind: "channel", id: row.id, atMs: row.createdAtMs, happensOn: row.happensOn },
      text: fillNames(row.fact, (id) => (own.includes(id) ? "the streamer" : this.displayName(id))),
      words: [...foldWords(row.words), "streamer"],
    }));
  }

  /** Drops all notes that were read before: a viewer was forgotten, or another process changed notes. */
  dropLast(): void {
    this.#last.drop();
  }

  #readRows({ channel, userId, nowMs }: LoreAsked): LoreRow[] {
    const { accountsOf, personaOf } = this.#parts;
    const accounts = JSON.stringify(accountsOf(userId));
    return this.#readLore({ channel, persona: personaOf(channel), accounts, nowMs });
  }

  #rank(asked: LoreAsked, rows: readonly LoreRow[]): LoreNote[] {
    const { conversation, nowMs, limit, ownQuery } = asked;
    // Rows that were read for an earlier message may have expired since.
    const active = rows.filter(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > nowMs);
    if (active.length === 0) return [];
    const isStrict = this.#parts.settings().topics === "strict";
    // Strict topics count others' messages too, so the given query does not do.
    const words = isStrict
      ? readQuery(conversation)
      : (ownQuery ?? readQuery({ ...conversation, others: [] }));
    return rankLore(active, words, isStrict).slice(0, limit);
  }
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

const SPEAKERS_KEPT = 50;
const KEPT_MS = 10 * 60_000;
/** SQL for triggers of this connection alone. The daemon notices the writes of other processes by itself. */
const DROP_LAST_ON_CHANGE = `
CREATE TEMP TRIGGER IF NOT EXISTS lore_deleted AFTER DELETE ON main.semantic_notes BEGIN SELECT lore_changed(); END;
CREATE TEMP TRIGGER IF NOT EXISTS lore_updated AFTER UPDATE OF fact, status, expires_at, happens_on ON main.semantic_notes
BEGIN SELECT lore_changed(); END;`;

/**
 * Caches the last reads of recent speakers for ten minutes at most. A removed or changed note clears it: a forgotten
 * fact must not return because the database cannot be read.
 */
class LastReads {
  readonly #db: Db;
  readonly #rows = new BoundedMap<string, readonly LoreRow[]>(SPEAKERS_KEPT, KEPT_MS);
  #isWatching = false;

  constructor(db: Db) {
    this.#db = db;
  }

  keep(key: string, rows: readonly LoreRow[], atMs: number): void {
    if (!this.#isWatching) this.#watch();
    this.#rows.set(key, rows, atMs);
  }

  get(key: string, nowMs: number): readonly LoreRow[] | null {
    return this.#rows.get(key, nowMs) ?? null;
  }

  drop(): void {
    this.#rows.clear();
  }

  #watch(): void {
    this.#isWatching = true;
    this.#db.function("lore_changed", () => {
      this.drop();
      return null;
    });
    this.#db.exec(DROP_LAST_ON_CHANGE);
  }
}

interface RecallOptions {
  readonly config: Config;
  readonly now: () => number;
}

interface RecallSource {
  readonly db: Db;
  readonly suppressions: { readonly isOptedOut: (userId: string) => boolean };
  /** Called with the error if a viewer's notes could not be read. */
  readonly onUnread?: (thrown: unknown) => void;
}

/** Opens recall for prompts, with the current settings. Shows nothing about viewers who opted out. */
export function openRecall(
  { config, now }: RecallOptions,
  { db, suppressions, onUnread = () => undefined }: RecallSource,
  settings: () => RecallSettings = () => config.memory,
): RecallStore {
  const banned = memoizeOn(
    () => [config.replies],
    () => forbiddenWordFinder(config.replies),
  );
  return new RecallStore(db, {
    settings,
    onUnread,
    personaOf: (channel) => findPersona(config, channel).memoryScope,
    accountsOf: new IdentityStore(db, now).accountsOf,
    banned: (name) => banned()(name),
    isOptedOut: (userId) => suppressions.isOptedOut(userId),
  });
}

/** A note as its viewer may see it. */
export interface OwnNote {
  readonly id: number;
  readonly fact: string;
}

/** More notes than any viewer can have. */
const NOTES_MAX = 100_000;
const NO_TALK = { message: { text: "" }, recent: [], category: "", others: [] };

/** Returns a function that reads, with names, all that a prompt for a viewer could contain about them. */
export function ownNoteReader(
  options: RecallOptions,
  source: RecallSource,
): (channel: string, userId: string) => OwnNote[] {
  const recall = openRecall(options, source, () => ({ ...options.config.memory, topics: "add" }));
  return (channel, userId) =>
    recall
      .lore({ channel, userId, nowMs: options.now(), limit: NOTES_MAX, conversation: NO_TALK })
      .map(({ id, fact }) => ({ id, fact: fillNames(fact, recall.displayName) }));
}
