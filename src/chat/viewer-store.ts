import { formatLocalDay } from "../config/local-time.ts";
import type { Db } from "../database/open-database.ts";
import { prepareStatements, Sql } from "../database/statements.ts";
import { Fault } from "../errors.ts";
import type { Roles, Speaker } from "./normalise.ts";

/** An account with its names. */
export interface NamedViewer {
  readonly userId: string;
  readonly login: string;
  readonly displayName: string;
}

/** A viewer who was seen in chat. */
export interface Viewer extends NamedViewer {
  readonly firstSeenAtMs: number;
  readonly lastSeenAtMs: number;
  readonly optedOut: boolean;
}

const VIEWER = `SELECT user_id AS userId, login, display_name AS displayName, first_seen_at AS firstSeenAtMs,
    last_seen_at AS lastSeenAtMs, opted_out AS optedOut FROM viewers`;

const BY_ID = /^id:(.+)$/i;

/** Finds accounts that were seen in chat. */
export class AccountStore {
  readonly #sql: Sql;

  constructor(db: Db) {
    this.#sql = new Sql(db);
  }

  findById(userId: string): Viewer | null {
    return this.#select("WHERE user_id = ?", userId)[0] ?? null;
  }

  /** Returns all viewers whose last login this was, the latest seen first. */
  withLogin(login: string): Viewer[] {
    return this.#select("WHERE login = ? ORDER BY last_seen_at DESC", login);
  }

  /** Returns all viewers, by user id. */
  everybody(): Viewer[] {
    return this.#select("ORDER BY user_id");
  }

  /**
   * Finds the account that the streamer names: by login, with or without `@`, or by `id:` and a Twitch user id. Throws
   * a Fault if it was never seen, or if several accounts had the login.
   */
  named(name: string): Viewer {
    const id = BY_ID.exec(name.trim())?.[1];
    const login = name.trim().replace(/^@/, "").toLowerCase();
    const found = id === undefined ? this.withLogin(login) : this.#select("WHERE user_id = ?", id);
    const [first] = found;
    if (first === undefined)
      throw new Fault(`nobody called ${name} was seen`, {
        code: "usage",
        fix: "give the login as it stands in chat, or the Twitch user id as id:12345",
      });
    if (found.length === 1) return first;
    const candidates = found.map(
      (one) => `id:${one.userId} (seen ${formatLocalDay(one.lastSeenAtMs)})`,
    );
    throw new Fault(`${login} was the login of ${candidates.length} accounts`, {
      code: "usage",
      fix: `say which one: ${candidates.join(" or ")}`,
    });
  }

  /** Returns the login of an account; `id:` and its user id if it is unknown. */
  loginOf(userId: string): string {
    return this.findById(userId)?.login ?? `id:${userId}`;
  }

  #select(which: string, ...values: string[]): Viewer[] {
    const rows = this.#sql.all<Viewer>(`${VIEWER} ${which}`, ...values);
    // SQLite has no booleans.
    return rows.map((row) => ({ ...row, optedOut: Boolean(row.optedOut) }));
  }
}

/** Returns a function that reads a viewer's display name; null if it is unknown. */
export function prepareNameRead(db: Db): (userId: string) => string | null {
  const sql = new Sql(db);
  return (userId) => sql.value("SELECT display_name FROM viewers WHERE user_id = ?", userId);
}

/** Changes accounts on request, not from chat. Each change is a transaction, or part of the caller's. */
export function prepareAccountWrites(db: Db) {
  const sql = prepareStatements(db);
  const add = sql.run<[string, string, string, number, number]>(
    `INSERT INTO viewers (user_id, login, display_name, first_seen_at, last_seen_at)
     VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const opt = sql.run<[number, string, number]>(
    "UPDATE viewers SET opted_out = ? WHERE user_id = ? AND opted_out <> ?",
  );
  return {
    /** Adds a viewer who never wrote here. Changes nothing for a known one. */
    add: ({ userId, login, displayName }: NamedViewer, nowMs: number): void =>
      void add(userId, login, displayName, nowMs, nowMs),
    /** Deletes the viewer's row, and with it the rows of all channels. */
    remove: sql.run<[userId: string]>("DELETE FROM viewers WHERE user_id = ?"),
    /** Returns true if that changed anything. */
    setOptedOut: (userId: string, isOut: boolean): boolean =>
      opt(Number(isOut), userId, Number(isOut)) > 0,
  };
}

/** Returns a function that reads the ids of opted-out viewers whose names are stored. */
export function prepareOptedOutIds(db: Db): () => string[] {
  return prepareStatements(db).values("SELECT user_id FROM viewers WHERE opted_out = 1");
}

/**
 * Returns a function that is true if a viewer outside `userIds` has the whole name, as login or display name. `name` is
 * in lower case.
 */
export function prepareNameHolder(db: Db): (name: string, userIds: readonly string[]) => boolean {
  const other = prepareStatements(db).value<[string, string, string], number>(
    `SELECT 1 FROM viewers WHERE (login = ? OR lower(display_name) = ?)
       AND user_id NOT IN (SELECT value FROM json_each(?)) LIMIT 1`,
  );
  return (name, userIds) => other(name, name, JSON.stringify(userIds)) !== null;
}

/** SQL: left-joins the viewer whose id is the column `userId`, such as `e.user_id`, as `alias`. */
export function joinViewer(userId: string, alias = "v"): string {
  return `LEFT JOIN viewers ${alias} ON ${alias}.user_id = ${userId}`;
}

/** SQL: inner-joins the row `c` of a viewer in a channel, both given as SQL. Put `LEFT` before it for a left join. */
export function joinInChannel(channel: string, userId: string): string {
  return `JOIN viewer_channels c ON c.channel = ${channel} AND c.user_id = ${userId}`;
}

/** SQL for the ids of viewers whose display name contains `part`. `part` is SQL for a text in lower case. */
export function userIdsNamed(part: string): string {
  return `(SELECT user_id FROM viewers WHERE instr(lower(display_name), ${part}) > 0)`;
}

/** Lists the viewers of a channel who did not opt out, the latest seen first. */
export function listNameable(db: Db, channel: string, limit: number) {
  const rows = new Sql(db).all<NamedViewer & { readonly isStreamer: number }>(
    `SELECT v.user_id AS userId, v.login, v.display_name AS displayName, c.is_broadcaster AS isStreamer
     FROM viewer_channels c JOIN viewers v ON v.user_id = c.user_id
     WHERE c.channel = ? AND v.opted_out = 0 ORDER BY c.last_seen_at DESC LIMIT ?`,
    ...[channel, limit],
  );
  return rows.map((row) => ({ ...row, isStreamer: row.isStreamer === 1 }));
}

/** Lists the opted-out viewers of all channels, the latest seen first. */
export function listOptedOut(db: Db, limit: number): NamedViewer[] {
  // The bound on last_seen_at makes SQLite use the index of opted-out viewers.
  return new Sql(db).all(
    `SELECT user_id AS userId, login, display_name AS displayName FROM viewers
     WHERE opted_out = 1 AND last_seen_at >= 0 ORDER BY last_seen_at DESC LIMIT ?`,
    limit,
  );
}

/** Returns a function that reads the ids of viewers who were seen in any channel since a time. */
export function prepareRecentViewers(db: Db): (sinceMs: number) => string[] {
  return prepareStatements(db).values(
    `SELECT DISTINCT v.user_id FROM channel_state c
     JOIN viewer_channels v ON v.channel = c.channel AND v.last_seen_at >= ?`,
  );
}

/** After this many streams a viewer's login without @ may mean them. */
const REGULAR_STREAMS_MIN = 3;
const REGULARS_MAX = 10_000;

/**
 * Reads the logins of viewers who were seen in at least three streams of a channel, without the streamer's: the 10,000
 * seen last.
 */
export function readRegularLogins(db: Db, channel: string): string[] {
  return new Sql(db).values(
    `SELECT v.login FROM viewer_channels c JOIN viewers v ON v.user_id = c.user_id
     WHERE c.channel = ? AND c.is_broadcaster = 0 AND c.stream_count >= ${REGULAR_STREAMS_MIN}
     ORDER BY c.last_seen_at DESC LIMIT ${REGULARS_MAX}`,
    channel,
  );
}

interface Visits {
  readonly firstSeenAtMs: number;
  readonly lastSeenAtMs: number;
  readonly messageCount: number;
  readonly streamCount: number;
  /** When their last visit ended; null if this is the first one. */
  readonly previousSeenAtMs: number | null;
}

/** A viewer in one channel. */
export interface ChannelViewer extends Visits {
  readonly roles: Roles;
}

/** Everything that is stored about a viewer in one channel. */
type ChannelRecord = Readonly<
  Record<"channel" | "userId", string> &
    Record<"isBroadcaster" | "isModerator" | "isVip" | "isSubscriber" | "isFounder", number> &
    Record<"firstSeenAtMs" | "lastSeenAtMs" | "messages" | "streams", number> &
    Record<"earlierMessages" | "streamMessages", number>
> & { readonly moderatedOn: string | null };

/** Reads viewers' records in channels. `userIdsJson`: a JSON list. */
export function readChannelRecords(db: Db, userIdsJson: string): ChannelRecord[] {
  return new Sql(db).all(
    `SELECT channel, user_id AS userId, is_broadcaster AS isBroadcaster, is_moderator AS isModerator,
       is_vip AS isVip, is_subscriber AS isSubscriber, first_seen_at AS firstSeenAtMs,
       is_founder AS isFounder, last_seen_at AS lastSeenAtMs, message_count AS messages, stream_count AS streams,
       earlier_messages AS earlierMessages, stream_messages AS streamMessages, moderated_on AS moderatedOn
     FROM viewer_channels WHERE user_id IN (SELECT value FROM json_each(?)) ORDER BY channel, user_id`,
    userIdsJson,
  );
}

/** A viewer of a channel, in a list. */
export interface ListedViewer extends NamedViewer {
  readonly channel: string;
  readonly role: "streamer" | "moderator" | "VIP" | "viewer";
  readonly messages: number;
  readonly streams: number;
  readonly firstSeenAtMs: number;
  readonly lastSeenAtMs: number;
  readonly optedOut: boolean;
}

const LISTED = `SELECT v.user_id AS userId, v.login, v.display_name AS displayName, c.channel,
    CASE WHEN c.is_broadcaster THEN 'streamer' WHEN c.is_moderator THEN 'moderator' WHEN c.is_vip THEN 'VIP'
      ELSE 'viewer' END AS role, c.message_count AS messages, c.stream_count AS streams,
    c.first_seen_at AS firstSeenAtMs, c.last_seen_at AS lastSeenAtMs, v.opted_out AS optedOut`;

/** Lists the viewers of a channel: one page at a time, in a few milliseconds however many there are. */
export class ViewerList {
  readonly #sql: Sql;

  constructor(db: Db) {
    this.#sql = new Sql(db);
  }

  #select(from: string, values: object): ListedViewer[] {
    const rows = this.#sql.all<ListedViewer>(`${LISTED} FROM ${from}`, values);
    // SQLite has no booleans.
    return rows.map((row) => ({ ...row, optedOut: Boolean(row.optedOut) }));
  }

  /**
   * Returns viewers, the latest seen first, after the place `after` in that order. `only`: the user ids to choose from;
   * null: all.
   */
  lastSeen(
    channel: string,
    after: { readonly atMs: number; readonly userId: string },
    limit: number,
    only: readonly string[] | null,
  ): ListedViewer[] {
    return this.#select(
      `viewer_channels c JOIN viewers v ON v.user_id = c.user_id
       WHERE c.channel = :channel AND c.last_seen_at <= :atMs AND (c.last_seen_at, c.user_id) < (:atMs, :userId)
         ${only === null ? "" : "AND +c.user_id IN (SELECT value FROM json_each(:only))"}
       ORDER BY c.last_seen_at DESC, c.user_id DESC LIMIT :limit`,
      { ...after, channel, limit, only: only && JSON.stringify(only) },
    );
  }

  /**
   * Returns viewers whose login begins with `start`, in lower case, by login, after the place `after` in that order.
   */
  byLogin(
    channel: string,
    start: string,
    after: { readonly login: string; readonly userId: string },
    limit: number,
  ): ListedViewer[] {
    // CROSS JOIN has SQLite begin with the index of logins, which is a hundred times as fast among 100,000 viewers.
    return this.#select(
      `viewers v CROSS JOIN viewer_channels c ON c.user_id = v.user_id
       WHERE v.login >= max(:start, :login) AND v.login < :end AND c.channel = :channel
         AND (v.login, v.user_id) > (:login, :userId)
       ORDER BY v.login, v.user_id LIMIT :limit`,
      { ...after, channel, limit, start, end: `${start}\u{10ffff}` },
    );
  }

  withIds(channel: string, userIds: readonly string[]): ListedViewer[] {
    return this.#select(
      `viewer_channels c JOIN viewers v ON v.user_id = c.user_id
       WHERE c.channel = :channel AND c.user_id IN (SELECT value FROM json_each(:ids))`,
      { channel, ids: JSON.stringify(userIds) },
    );
  }
}

export type ViewerStore = ReturnType<typeof openViewerStore>;

/** Reads viewers. Each read first calls `flush` of the event store, so buffered events count. */
export function openViewerStore(db: Db, flush: () => void) {
  const accounts = new AccountStore(db);
  const findInChannel = prepareStatements(db).one<[string, string], ChannelRow>(
    `SELECT is_broadcaster AS broadcaster, is_moderator AS moderator, is_vip AS vip,
       is_subscriber AS subscriber, first_seen_at AS firstSeenAtMs, last_seen_at AS lastSeenAtMs,
       message_count AS messageCount, stream_count AS streamCount, previous_seen_at AS previousSeenAtMs
     FROM viewer_channels WHERE channel = ? AND user_id = ?`,
  );
  return {
    get: (userId: string): Viewer | null => {
      flush();
      return accounts.findById(userId);
    },
    inChannel: (channel: string, userId: string): ChannelViewer | null => {
      flush();
      const row = findInChannel(channel, userId);
      if (row === null) return null;
      const { broadcaster, moderator, vip, subscriber, ...visits } = row;
      const is = (flag: number) => flag === 1; // SQLite has no booleans.
      const roles = { broadcaster: is(broadcaster), moderator: is(moderator), vip: is(vip) };
      return { ...visits, roles: { ...roles, subscriber: is(subscriber) } };
    },
  };
}

type ChannelRow = Visits & Readonly<Record<keyof Roles, number>>;

/** Returns a function that is true if a viewer was seen in a channel. */
export function prepareInChannel(db: Db): (channel: string, userId: string) => boolean {
  const sql = new Sql(db);
  return (...viewer) =>
    sql.value("SELECT 1 FROM viewer_channels WHERE channel = ? AND user_id = ?", ...viewer) !==
    null;
}

/** Returns a function that reads when any viewer was last seen in a channel, epoch ms; null if it has no viewers. */
export function prepareLastSeen(db: Db): (channel: string) => number | null {
  return prepareStatements(db).value<[string], number>(
    "SELECT max(last_seen_at) FROM viewer_channels WHERE channel = ?",
  );
}

export type PeopleStore = ReturnType<typeof openPeopleStore>;

const DAY_MS = 86_400_000;

/**
 * Finds viewers as targets of actions. Each read first calls `flush` of the event store, so buffered events count.
 * `roles` in the results are those last seen in the channel; null if the viewer was never seen there.
 */
export function openPeopleStore(db: Db, flush: () => void, now: () => number) {
  const people = (from: string) => {
    const found = prepareStatements(db).all<[Values], PersonRow>(
      `SELECT v.user_id AS userId, v.login, v.display_name AS displayName, v.last_seen_at AS lastSeenAtMs,
         c.is_broadcaster AS broadcaster, c.is_moderator AS moderator, c.is_vip AS vip FROM ${from}`,
    );
    return (by: Values) => {
      flush();
      return found(by).map(({ broadcaster, moderator, vip, ...person }) => {
        const seen = { broadcaster: broadcaster === 1, moderator: moderator === 1, vip: vip === 1 };
        return { ...person, roles: broadcaster === null ? null : seen };
      });
    };
  };
  const roles = "viewer_channels AS c ON c.user_id = v.user_id AND c.channel = @channel";
  const withLogin = people(`viewers AS v LEFT JOIN ${roles} WHERE v.login = @login`);
  const findById = people(`viewers AS v LEFT JOIN ${roles} WHERE v.user_id = @userId`);
  // Finds by login. The few with another display name have another index. A cross join keeps this order.
  const candidates = people(
    `(SELECT * FROM viewers WHERE login IN (SELECT value FROM json_each(@logins)) AND lower(display_name) = login
       UNION ALL SELECT * FROM viewers WHERE lower(display_name) <> login AND last_seen_at > @sinceMs) AS v
     CROSS JOIN ${roles} WHERE c.last_seen_at > @sinceMs`,
  );
  return {
    /** Returns all viewers whose last login this was. */
    withLogin: (channel: string, login: string) => withLogin({ channel, login }),
    findById: (channel: string, userId: string) => findById({ channel, userId })[0] ?? null,
    /**
     * Returns viewers whom one of these names may mean: those with such a login, and all whose display name is not
     * their login. They wrote in the channel within a day.
     */
    candidates: (channel: string, logins: readonly string[]) =>
      candidates({ channel, sinceMs: now() - DAY_MS, logins: JSON.stringify(logins) }),
  };
}

type PersonRow = NamedViewer &
  Readonly<Record<"lastSeenAtMs", number>> &
  Readonly<Record<"broadcaster" | "moderator" | "vip", number | null>>;

interface Alias {
  readonly userId: string;
  readonly sameAs: string;
  readonly createdAtMs: number;
}

/**
 * Stores which accounts are one person, as the streamer said. Each merge is a row, and any chain of merges links
 * accounts. Notes stay with the account they were learned from, so undoing a merge is exact.
 */
export class IdentityStore {
  readonly #db: Db;
  readonly #sql: Sql;
  readonly #now: () => number;

  constructor(db: Db, now: () => number) {
    this.#db = db;
    this.#sql = new Sql(db);
    this.#now = now;
  }

  /** Returns all accounts of one person, the main account first; of an unmerged account only itself. */
  accountsOf = (userId: string): readonly string[] => this.#sql.values(ACCOUNTS, userId);

  /**
   * Merges `userId` into the main account `into`. Returns false, with nothing stored, if the merge is stored already,
   * closes a circle, or names one account twice.
   */
  merge(userId: string, into: string): boolean {
    return this.#db.transaction(() => {
      if (this.#sql.values(LEADERS, into).includes(userId)) return false;
      const added = this.#sql.run(
        `INSERT INTO identity_aliases (user_id, same_as, created_at) VALUES (?, ?, ?)
         ON CONFLICT (user_id, same_as) DO NOTHING`,
        ...[userId, into, this.#now()],
      );
      return added > 0;
    })();
  }

  /** Returns the accounts into which this one was merged directly, the latest first. */
  mergedInto(userId: string): string[] {
    return this.#sql.values(
      "SELECT same_as FROM identity_aliases WHERE user_id = ? ORDER BY created_at DESC, same_as",
      userId,
    );
  }

  /** Undoes the merge of `userId` into `from`, in this direction only. Returns true if there was one. */
  separate(userId: string, from: string): boolean {
    const removed = this.#sql.run(
      "DELETE FROM identity_aliases WHERE user_id = ? AND same_as = ?",
      ...[userId, from],
    );
    return removed > 0;
  }

  list(): Alias[] {
    return this.#sql.all(
      `SELECT user_id AS userId, same_as AS sameAs, created_at AS createdAtMs
       FROM identity_aliases ORDER BY created_at, user_id, same_as`,
    );
  }

  /** Undoes every merge of an account, in both directions. */
  unlink(userId: string): void {
    this.#sql.run("DELETE FROM identity_aliases WHERE user_id = :userId OR same_as = :userId", {
      userId,
    });
  }
}

const ACCOUNTS = `WITH RECURSIVE account (user_id) AS (
    VALUES (?)
    UNION SELECT alias.same_as FROM identity_aliases alias JOIN account USING (user_id)
    UNION SELECT alias.user_id FROM identity_aliases alias JOIN account ON alias.same_as = account.user_id
  ) SELECT user_id FROM account
  ORDER BY EXISTS (SELECT 1 FROM identity_aliases own WHERE own.user_id = account.user_id),
    (SELECT max(created_at) FROM identity_aliases other WHERE other.same_as = account.user_id) DESC, user_id`;
const LEADERS = `WITH RECURSIVE leader (user_id) AS (
    VALUES (?)
    UNION SELECT alias.same_as FROM identity_aliases alias JOIN leader USING (user_id)
  ) SELECT user_id FROM leader`;

/** Messages in earlier streams that make a viewer known. Design part 7, point 3. */
const EARLIER_MESSAGES_MIN = 3;
const MODERATED_MS = 30 * 86_400_000;

/** SQL condition for a moderator or the streamer: one is enough as a witness. `c` is a row of `viewer_channels`. */
export const VOUCHES = "(c.is_broadcaster = 1 OR c.is_moderator = 1)";

/**
 * SQL condition for a known viewer: a moderator, the streamer, or a VIP, subscriber, founder or regular without a
 * timeout, ban or deletion lately. Bind `:calmSince` to `getCalmDay(now)`. `c` is a row of `viewer_channels`.
 */
export const IS_KNOWN = `(${VOUCHES} OR ((c.is_vip = 1 OR c.is_subscriber = 1 OR c.is_founder = 1
    OR c.earlier_messages >= ${EARLIER_MESSAGES_MIN})
  AND (c.moderated_on IS NULL OR c.moderated_on < :calmSince)))`;

/** Returns the local day 30 days ago, as `IS_KNOWN` needs it for `:calmSince`. */
export function getCalmDay(nowMs: number): string {
  return formatLocalDay(nowMs - MODERATED_MS);
}

/**
 * Returns a function that stores the day on which a moderator acted on a viewer. Changes nothing for a viewer who was
 * never seen in the channel.
 */
export function prepareModerationMark(db: Db) {
  const mark = prepareStatements(db).run<[string, string, string]>(
    "UPDATE viewer_channels SET moderated_on = ? WHERE channel = ? AND user_id = ?",
  );
  return (channel: string, userId: string, atMs: number) =>
    mark(formatLocalDay(atMs), channel, userId);
}

/** The events of one viewer in one channel, in one batch. */
export interface ViewerActivity {
  readonly channel: string;
  readonly person: Speaker;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  readonly messageCount: number;
  /** The id of the running stream; null if none runs. */
  readonly streamId: number | null;
}

/** The waiting viewers to write. If the oldest is overdue: all. Else `due`: none; `newcomers`: new ones; `all`: all. */
export type PeopleDue = "due" | "newcomers" | "all";

/** A viewer who returns after this pause begins a new visit. */
const VISIT_GAP_MS = 4 * 3_600_000;
/**
 * The longest wait of sightings in memory, because each viewer's rows are on other pages. Reads of messages include new
 * viewers. A crash loses the rest.
 */
export const SIGHTINGS_LAG_MS = 3_000;

type Values = Readonly<Record<string, string | number | null>>;

const UPSERT_VIEWER = `INSERT INTO viewers (user_id, login, display_name, first_seen_at, last_seen_at)
  VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (user_id) DO UPDATE SET login = excluded.login,
    display_name = excluded.display_name, last_seen_at = max(last_seen_at, excluded.last_seen_at)`;

const UPSERT_IN_CHANNEL = `INSERT INTO viewer_channels (channel, user_id, is_broadcaster, is_moderator, is_vip,
    is_subscriber, is_founder, first_seen_at, last_seen_at, message_count, stream_count, last_stream_id, stream_messages)
  VALUES (:channel, :userId, :broadcaster, :moderator, :vip, :subscriber, :founder, :firstAtMs, :lastAtMs,
    :messageCount, :streamId IS NOT NULL, :streamId, iif(:streamId IS NULL, 0, :messageCount))
  ON CONFLICT (channel, user_id) DO UPDATE SET
    is_broadcaster = excluded.is_broadcaster, is_moderator = excluded.is_moderator,
    is_vip = excluded.is_vip, is_subscriber = excluded.is_subscriber, is_founder = excluded.is_founder,
    previous_seen_at = iif(excluded.first_seen_at - last_seen_at >= ${VISIT_GAP_MS}, last_seen_at, previous_seen_at),
    last_seen_at = max(last_seen_at, excluded.last_seen_at),
    message_count = message_count + excluded.message_count,
    stream_count = stream_count
      + (excluded.last_stream_id IS NOT NULL AND excluded.last_stream_id IS NOT last_stream_id),
    earlier_messages = earlier_messages
      + iif(excluded.last_stream_id IS NOT last_stream_id AND excluded.last_stream_id IS NOT NULL, stream_messages, 0),
    stream_messages = excluded.stream_messages
      + iif(excluded.last_stream_id IS NOT last_stream_id AND excluded.last_stream_id IS NOT NULL, 0, stream_messages),
    last_stream_id = ifnull(excluded.last_stream_id, last_stream_id)`;

/** Writes sightings, which wait in memory until `settle`. */
export class ViewerBuffer {
  readonly #sql: Sql;
  readonly #isKnown: (channel: string, userId: string) => boolean;
  /** The waiting sightings, oldest first: now, and as of the last commit. */
  #waiting = new Map<string, ViewerActivity & { readonly isNew: boolean }>();
  #committed = new Map(this.#waiting);

  constructor(db: Db) {
    this.#sql = new Sql(db);
    this.#isKnown = prepareInChannel(db);
  }

  /**
   * Keeps a sighting until `settle`, together with the viewer's waiting one in the channel. If that is of another
   * stream, writes that first. Call it in the transaction of its events.
   */
  add(sighting: ViewerActivity): void {
    const { channel, person, firstAtMs, messageCount, streamId } = sighting;
    const key = `${channel} ${person.userId}`;
    if (this.#waiting.get(key)?.streamId !== streamId) this.#write(key);
    const isNew = !this.#isKnown(channel, person.userId);
    const found = this.#waiting.get(key);
    // A viewer who was forgotten after the last sighting begins again.
    const before = found?.isNew === isNew ? found : undefined;
    this.#waiting.set(key, {
      ...sighting,
      firstAtMs: before?.firstAtMs ?? firstAtMs,
      messageCount: (before?.messageCount ?? 0) + messageCount,
      isNew,
    });
  }

  /** Returns true if sightings that `which` names wait, however old they are; so false for `due`. */
  has(which: PeopleDue): boolean {
    return this.#listDue(which, 0).length > 0;
  }

  /** Writes all waiting sightings if the oldest is overdue; else those that `which` names. */
  settle(which: PeopleDue, nowMs: number): void {
    for (const key of this.#listDue(which, nowMs)) this.#write(key);
  }

  /** Call it after a commit: a later rollback returns to this state. */
  committed(): void {
    this.#committed = new Map(this.#waiting);
  }

  /** Call it after a rollback: discards what the transaction changed. */
  rolledBack(): void {
    this.#waiting = new Map(this.#committed);
  }

  #listDue(which: PeopleDue, nowMs: number): string[] {
    const [oldest] = this.#waiting.values();
    const isDue = oldest !== undefined && nowMs - oldest.firstAtMs >= SIGHTINGS_LAG_MS;
    if (which === "all" || isDue) return [...this.#waiting.keys()];
    if (which === "due") return [];
    return [...this.#waiting].flatMap(([key, { isNew }]) => (isNew ? [key] : []));
  }

  #write(key: string): void {
    const sighting = this.#waiting.get(key);
    this.#waiting.delete(key);
    if (sighting === undefined) return;
    const { person, isNew, ...counts } = sighting;
    const { userId, login, displayName, roles, isFounder = false } = person;
    // A viewer who was forgotten since then has no row, and gets none.
    if (!isNew && !this.#isKnown(counts.channel, userId)) return;
    this.#sql.run(UPSERT_VIEWER, userId, login, displayName, counts.firstAtMs, counts.lastAtMs);
    this.#sql.run(UPSERT_IN_CHANNEL, {
      ...counts,
      userId,
      broadcaster: Number(roles.broadcaster),
      moderator: Number(roles.moderator),
      vip: Number(roles.vip),
      subscriber: Number(roles.subscriber),
      founder: Number(isFounder),
    });
  }
}
