import type { Db } from "../database/open-database.ts";
import { cutPage, type ListPage, prepareStatements, Sql } from "../database/statements.ts";
import { fillNames } from "../language/people.ts";
import type { ChannelInfo } from "../twitch/helix.ts";
import { prepareLastSeen, prepareNameRead } from "./viewer-store.ts";

interface SessionRow {
  readonly id: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
}

/** A stream that comes back this soon is the same one: connections drop. */
const SAME_STREAM_MS = 10 * 60_000;
/** Where the live state is unknown, a silence this long ends the stream. */
const SILENCE_MS = 2 * 3_600_000;

/** SQL for when the running stream of `@channel` began, at `@nowMs`; null if none runs. */
export const OPEN_STREAM_START = `(SELECT min(started_at) FROM stream_sessions
  WHERE channel = @channel AND ended_at IS NULL AND started_at <= @nowMs)`;

const DAY_MS = 86_400_000;

/**
 * Returns SQL that counts the UTC days on which a stream of `channel` began, at `sinceMs` or later. Both arguments are
 * SQL.
 */
export function streamDaysSince(channel: string, sinceMs: string): string {
  return `(SELECT count(DISTINCT s.started_at / ${DAY_MS}) FROM stream_sessions s
    WHERE s.channel = ${channel} AND s.started_at >= ${sinceMs})`;
}

/** Returns a function that counts the streams of all channels that began at a time or before. */
export function streamCounter(db: Db): (atMs: number) => number {
  const count = db
    .prepare<[number], number>("SELECT count(*) FROM stream_sessions WHERE started_at <= ?")
    .pluck();
  return (atMs) => count.get(atMs) ?? 0;
}

/** A channel as a prompt shows it. */
export interface ChannelState {
  readonly title: string;
  readonly category: string;
  /** null: not known. */
  readonly isLive: boolean | null;
  readonly prefixVersion: number;
  /** The stream that runs now; null if none does. */
  readonly sessionId: number | null;
  /** When the running stream began, epoch ms; null if none runs. */
  readonly liveSinceMs: number | null;
  /** The newest recap of a stream here; null if there is none. */
  readonly recap: string | null;
  /** The last stream that ended; null if there is none. */
  readonly lastSessionId: number | null;
  /** Twitch's id of the channel, which is the streamer's; null until it is known. */
  readonly streamerId: string | null;
}

/** Prepares reads of a channel's state, for prompts. Each returns null for an unknown channel. */
export function channelStateReader(db: Db) {
  const sql = prepareStatements(db);
  const state = sql.one<[channel: string], ChannelState>(
    `SELECT title, category, is_live AS isLive, prefix_version AS prefixVersion, twitch_id AS streamerId,
       (SELECT max(id) FROM stream_sessions s WHERE s.channel = c.channel AND s.ended_at IS NULL) AS sessionId,
       (SELECT max(started_at) FROM stream_sessions s WHERE s.channel = c.channel AND s.ended_at IS NULL) AS liveSinceMs,
       (SELECT max(id) FROM stream_sessions s WHERE s.channel = c.channel AND s.ended_at IS NOT NULL) AS lastSessionId,
       (SELECT recap FROM stream_sessions s WHERE s.channel = c.channel AND recap IS NOT NULL
        ORDER BY id DESC LIMIT 1) AS recap
     FROM channel_state c WHERE channel = ?`,
  );
  return {
    state: (channel: string): ChannelState | null => {
      const row = state(channel);
      // SQLite has no booleans.
      return row && { ...row, isLive: row.isLive === null ? null : Boolean(row.isLive) };
    },
    prefixVersion: sql.value<[channel: string], number>(
      "SELECT prefix_version FROM channel_state WHERE channel = ?",
    ),
  };
}

/** Returns a function that reads a channel's title and category in one text; "" for an unknown channel. */
export function prepareTitleRead(db: Db): (channel: string) => string {
  const title = db
    .prepare<[string], string>(
      "SELECT title || ' ' || category FROM channel_state WHERE channel = ?",
    )
    .pluck();
  return (channel) => title.get(channel) ?? "";
}

/** A stream that ended. */
export interface EndedStream {
  readonly id: number;
  readonly channel: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Answers of the model so far that were no recap. */
  readonly tries: number;
}

/** A stream of a list, with its recap. */
export interface ListedStream extends SessionRow {
  readonly channel: string;
  readonly recap: string | null;
}

/**
 * Lists at most `limit` streams of all channels, newest first, whose ids are below `after`. Recaps have current names.
 */
export function listStreams(
  db: Db,
  {
    limit,
    after = Number.MAX_SAFE_INTEGER,
  }: { readonly limit: number; readonly after?: number | undefined },
): ListPage<ListedStream> {
  const rows = new Sql(db).all<ListedStream>(
    `SELECT id, channel, started_at AS startedAtMs, ended_at AS endedAtMs, recap FROM stream_sessions
     WHERE id < ? ORDER BY id DESC LIMIT ?`,
    ...[after, limit + 1],
  );
  const nameOf = prepareNameRead(db);
  const named = rows.map((row) => ({ ...row, recap: row.recap && fillNames(row.recap, nameOf) }));
  return cutPage(named, limit);
}

/** SQL for a value that changes if a stream begins, or if one of the last three ends, or gets or loses its recap. */
export const STREAMS_MARK = `(SELECT group_concat(id || coalesce(ended_at, '') || (recap IS NULL)) FROM
  (SELECT id, ended_at, recap FROM stream_sessions ORDER BY id DESC LIMIT 3))`;

/** Reads and writes streams for memory: which one an episode belongs to, and their recaps. */
export function streamStore(db: Db) {
  const sql = prepareStatements(db);
  const between = sql.value<[{ channel: string; fromMs: number; toMs: number }], number>(
    `SELECT max(id) FROM stream_sessions
     WHERE channel = :channel AND started_at <= :toMs AND coalesce(ended_at, :fromMs) >= :fromMs`,
  );
  return {
    /** Returns the id of the last stream that ran at any time between two times; null if none did. */
    between: (channel: string, fromMs: number, toMs: number) => between({ channel, fromMs, toMs }),
    /** Returns streams that ended after `sinceMs`, without a recap, after fewer than `triesMax` tries. */
    withoutRecap: sql.all<[channel: string, sinceMs: number, triesMax: number], EndedStream>(
      `SELECT id, channel, started_at AS startedAtMs, ended_at AS endedAtMs, recap_tries AS tries FROM stream_sessions
       WHERE channel = ? AND ended_at > ? AND recap IS NULL AND recap_tries < ? ORDER BY id`,
    ),
    recapOf: sql.value<[sessionId: number], string>(
      "SELECT recap FROM stream_sessions WHERE id = ?",
    ),
    setRecap: sql.run<[recap: string | null, sessionId: number]>(
      "UPDATE stream_sessions SET recap = ? WHERE id = ?",
    ),
    setTries: sql.run<[tries: number, sessionId: number]>(
      "UPDATE stream_sessions SET recap_tries = ? WHERE id = ?",
    ),
  };
}

/** Stores the state of channels and their streams. */
export class ChannelStore {
  readonly #db: Db;
  readonly #sql: Sql;
  readonly #now: () => number;
  readonly #liveTimeoutMs: number;
  readonly #openedAtMs: number;
  /** The stream of each channel that is live in this process. */
  readonly #openIds = new Map<string, number>();
  readonly #lastActivity = new Map<string, number>();
  readonly #twitchIds = new Map<string, string | null>();

  /** `liveTimeoutMs`: for this time from now, Twitch may answer; until then chat alone begins no stream. */
  constructor(db: Db, now: () => number, liveTimeoutMs = 0) {
    this.#db = db;
    this.#sql = new Sql(db, () => ({ nowMs: now() }));
    this.#now = now;
    this.#liveTimeoutMs = liveTimeoutMs;
    this.#openedAtMs = now();
  }

  /** Adds the channel's row if it is missing. Makes the live state of a stored channel unknown. */
  ensure(channel: string): void {
    this.#sql.run(
      "INSERT INTO channel_state (channel) VALUES (?) ON CONFLICT (channel) DO UPDATE SET is_live = NULL",
      channel,
    );
  }

  /** Sets the streamer's user id. Changes nothing if one is stored, or before `ensure`. */
  setTwitchId(channel: string, twitchId: string): void {
    this.#sql.run(
      "UPDATE channel_state SET twitch_id = ? WHERE channel = ? AND twitch_id IS NULL",
      ...[twitchId, channel],
    );
  }

  /**
   * Reads the streamer's user id; null until it is known. If the database fails, returns the last one that was read,
   * since an id never changes; throws if none was.
   */
  twitchId(channel: string): string | null {
    try {
      this.#twitchIds.set(channel, this.#read("twitch_id", channel));
    } catch (cause) {
      if (!this.#twitchIds.has(channel)) throw cause;
    }
    return this.#twitchIds.get(channel) ?? null;
  }

  #read<Value>(column: "twitch_id" | "is_live" | "language", channel: string): Value | null {
    return this.#sql.value(`SELECT ${column} FROM channel_state WHERE channel = ?`, channel);
  }

  /**
   * Stores what Twitch says of a channel, and begins, continues or ends its stream. Returns true if a stream ended.
   * Changes nothing if another account than the stored one has the login. Keeps the stored language if Twitch names
   * none.
   */
  refresh(channel: string, info: ChannelInfo): boolean {
    return this.#db.transaction(() => {
      const { isLive, startedAtMs, ...rest } = info;
      const known = this.#read("twitch_id", channel);
      if (known !== null && known !== info.twitchId) return false;
      this.#sql.run(
        `UPDATE channel_state SET twitch_id = :twitchId, title = :title, category = :category, is_live = :isLive,
           refreshed_at = :nowMs, language = coalesce(:language, language) WHERE channel = :channel`,
        { ...rest, channel, isLive: Number(isLive) },
      );
      if (!isLive) return this.#end(channel);
      if (!this.#openIds.has(channel))
        this.#begin(channel, startedAtMs ?? this.#now(), SAME_STREAM_MS);
      return false;
    })();
  }

  /** Makes the live state of a channel unknown. Ends no stream. */
  forgetLive(channel: string): void {
    this.#sql.run(
      "UPDATE channel_state SET is_live = NULL WHERE channel = ? AND is_live IS NOT NULL",
      channel,
    );
  }

  /** Reads the code of the channel's language; null if unknown. */
  language(channel: string): string | null {
    return this.#read("language", channel);
  }

  /** Reads whether the channel is live; null if unknown. */
  isLive(channel: string): boolean | null {
    const live = this.#read("is_live", channel);
    return live === null ? null : live === 1;
  }

  /**
   * Notes that a viewer wrote now. Acts only if the live state is unknown `liveTimeoutMs` after construction. The first
   * message continues a stream of the last two hours, or begins one. A message after two silent hours begins another.
   * Ignores a failed write.
   */
  noteActivity(channel: string): void {
    const atMs = this.#now();
    const silentMs = atMs - (this.#lastActivity.get(channel) ?? atMs);
    this.#lastActivity.set(channel, atMs);
    if (this.#openIds.has(channel) && silentMs < SILENCE_MS) return;
    if (atMs - this.#openedAtMs < this.#liveTimeoutMs || this.isLive(channel) !== null) return;
    try {
      this.#begin(channel, atMs, SILENCE_MS);
    } catch {
      // The database is busy or full: the next message tries again.
    }
  }

  /** Returns the id of the running stream; null if none runs, or if this process did not begin or continue it. */
  runningStream(channel: string): number | null {
    return this.#openIds.get(channel) ?? null;
  }

  #lastSession(channel: string): SessionRow | null {
    return this.#sql.one(
      `SELECT id, started_at AS startedAtMs, ended_at AS endedAtMs FROM stream_sessions
       WHERE channel = ? ORDER BY id DESC LIMIT 1`,
      channel,
    );
  }

  /** Returns when a viewer was last seen in the channel, but no time before the stream's start. */
  #lastSeenOrStartMs({ startedAtMs }: SessionRow, channel: string): number {
    return Math.max(startedAtMs, prepareLastSeen(this.#db)(channel) ?? 0);
  }

  /**
   * Continues the last stream, without its recap, if it ended less than `sameWithinMs` before `startedAtMs`. Else
   * begins another. An open stream counts as ended at its last message, and is ended there for another one.
   */
  #begin(channel: string, startedAtMs: number, sameWithinMs: number): void {
    const last = this.#lastSession(channel);
    const lastHeardAtMs =
      last === null ? 0 : (last.endedAtMs ?? this.#lastSeenOrStartMs(last, channel));
    if (last !== null && startedAtMs - lastHeardAtMs < sameWithinMs) {
      this.#sql.run(
        "UPDATE stream_sessions SET ended_at = NULL, recap = NULL WHERE id = ?",
        last.id,
      );
      this.#openIds.set(channel, last.id);
      return;
    }
    this.#endOpenStreams(lastHeardAtMs, channel);
    const id = this.#sql.insert(
      "INSERT INTO stream_sessions (channel, started_at) VALUES (?, ?)",
      ...[channel, startedAtMs],
    );
    this.#openIds.set(channel, id);
  }

  /** Ends the running stream: now, or at its last message if `runningStream` is null. Returns false if none ran. */
  #end(channel: string): boolean {
    const last = this.#lastSession(channel);
    if (last === null || last.endedAtMs !== null) return false;
    const isOpen = this.#openIds.delete(channel);
    this.#endOpenStreams(isOpen ? this.#now() : this.#lastSeenOrStartMs(last, channel), channel);
    return true;
  }

  #endOpenStreams(atMs: number, channel: string): void {
    this.#sql.run(
      "UPDATE stream_sessions SET ended_at = ? WHERE channel = ? AND ended_at IS NULL",
      ...[atMs, channel],
    );
  }
}
