import { Fault } from "../errors.ts";
import { localDay } from "../platform/config/local-time.ts";
import type { Db } from "../platform/database/open-database.ts";
import type { Roles } from "./normalise.ts";

interface Viewer {
  readonly userId: string;
  readonly login: string;
  readonly displayName: string;
  readonly firstSeenAtMs: number;
  readonly lastSeenAtMs: number;
  readonly optedOut: boolean;
}

export interface ChannelViewer {
  readonly roles: Roles;
  readonly firstSeenAtMs: number;
  readonly lastSeenAtMs: number;
  readonly messageCount: number;
  readonly streamCount: number;
  /** When they were last here before this visit; null where this is the first one that is known. */
  readonly previousSeenAtMs: number | null;
}

export interface ViewerStore {
  get(userId: string): Viewer | null;
  inChannel(channel: string, userId: string): ChannelViewer | null;
  /** Display names by user id, for those that are known. */
  displayNames(userIds: Iterable<string>): Map<string, string>;
}

/** The people seen in chat. `flush` is the event store's: what is still buffered counts in every answer. */
export function viewerStore(db: Db, flush: () => void): ViewerStore {
  const findById = db.prepare<[string], ViewerRow>(
    `SELECT user_id AS userId, login, display_name AS displayName,
       first_seen_at AS firstSeenAtMs, last_seen_at AS lastSeenAtMs, opted_out AS optedOut
     FROM viewers WHERE user_id = ?`,
  );
  const findName = db
    .prepare<[string], string>("SELECT display_name FROM viewers WHERE user_id = ?")
    .pluck();
  const findInChannel = db.prepare<[string, string], ChannelRow>(
    `SELECT is_broadcaster AS broadcaster, is_moderator AS moderator, is_vip AS vip,
       is_subscriber AS subscriber, first_seen_at AS firstSeenAtMs, last_seen_at AS lastSeenAtMs,
       message_count AS messageCount, stream_count AS streamCount, previous_seen_at AS previousSeenAtMs
     FROM viewer_channels WHERE channel = ? AND user_id = ?`,
  );
  return {
    get: (userId) => {
      flush();
      return toViewer(findById.get(userId));
    },
    inChannel: (channel, userId) => {
      flush();
      return toChannelViewer(findInChannel.get(channel, userId));
    },
    displayNames: (userIds) => {
      flush();
      const names = new Map<string, string>();
      for (const userId of userIds) {
        const name = findName.get(userId);
        if (name !== undefined) names.set(userId, name);
      }
      return names;
    },
  };
}

interface ViewerRow extends Omit<Viewer, "optedOut"> {
  readonly optedOut: number;
}

interface ChannelRow extends Omit<ChannelViewer, "roles"> {
  readonly broadcaster: number;
  readonly moderator: number;
  readonly vip: number;
  readonly subscriber: number;
}

function toViewer(row: ViewerRow | undefined): Viewer | null {
  return row === undefined ? null : { ...row, optedOut: row.optedOut === 1 };
}

function toChannelViewer(row: ChannelRow | undefined): ChannelViewer | null {
  if (row === undefined) return null;
  const { broadcaster, moderator, vip, subscriber, ...rest } = row;
  const roles = {
    broadcaster: broadcaster === 1,
    moderator: moderator === 1,
    vip: vip === 1,
    subscriber: subscriber === 1,
  };
  return { ...rest, roles };
}

export interface Account {
  readonly userId: string;
  readonly login: string;
  readonly displayName: string;
  readonly optedOut: boolean;
}

export interface Accounts {
  /**
   * The account that an operator names: by login, with or without `@`, or by `id:` and its Twitch user id. Throws a Fault
   * for one that was never seen, and for a login that passed from one account to another: only the id tells which.
   */
  named(name: string): Account;
  /** What an account is called; its id where it is not known any more. */
  loginOf(userId: string): string;
}

const BY_ID = /^id:(.+)$/i;

export function accountStore(db: Db): Accounts {
  const columns = `user_id AS userId, login, display_name AS displayName, opted_out AS optedOut,
    last_seen_at AS lastSeenAtMs`;
  const byId = db.prepare<[string], AccountRow>(`SELECT ${columns} FROM viewers WHERE user_id = ?`);
  const byLogin = db.prepare<[string], AccountRow>(
    `SELECT ${columns} FROM viewers WHERE login = ? ORDER BY last_seen_at DESC`,
  );
  return {
    named: (name) => {
      const id = BY_ID.exec(name.trim())?.[1];
      const login = name.trim().replace(/^@/, "").toLowerCase();
      const found = id === undefined ? byLogin.all(login) : [byId.get(id)];
      const [row, ...others] = found;
      if (row === undefined) throw nobody(name);
      if (others.length > 0) throw ambiguous(login, [row, ...others]);
      const { lastSeenAtMs: _, ...account } = row;
      return { ...account, optedOut: row.optedOut === 1 };
    },
    loginOf: (userId) => byId.get(userId)?.login ?? `id:${userId}`,
  };
}

interface AccountRow extends Omit<Account, "optedOut"> {
  readonly optedOut: number;
  readonly lastSeenAtMs: number;
}

function nobody(name: string): Fault {
  return new Fault(`nobody called ${name} was seen`, {
    code: "usage",
    mend: "give the login as it stands in chat, or the Twitch user id as id:12345",
  });
}

function ambiguous(login: string, rows: readonly (AccountRow | undefined)[]): Fault {
  const told = rows.flatMap((row) =>
    row === undefined ? [] : [`id:${row.userId} (seen ${localDay(row.lastSeenAtMs)})`],
  );
  return new Fault(`${login} was the login of ${told.length} accounts`, {
    code: "usage",
    mend: `say which one: ${told.join(" or ")}`,
  });
}

/** Whom a login means in a channel: nobody who was seen there, one person, or more than one. */
export type LoginHolder =
  | { readonly kind: "unknown" | "ambiguous" }
  | {
      readonly kind: "one";
      readonly userId: string;
      readonly login: string;
      readonly displayName: string;
    };

/**
 * Finds who has a login, to the letter, among those who were seen in a channel. A login passes from one account to
 * another: where two were seen with it, it means neither.
 */
export function knownLogins(db: Db): (channel: string, login: string) => LoginHolder {
  const find = db.prepare<
    [string, string],
    { userId: string; login: string; displayName: string; isHere: number }
  >(
    `SELECT v.user_id AS userId, v.login, v.display_name AS displayName, c.user_id IS NOT NULL AS isHere
     FROM viewers v LEFT JOIN viewer_channels c ON c.user_id = v.user_id AND c.channel = ?
     WHERE v.login = ?`,
  );
  return (channel, login) => {
    const holders = find.all(channel, login);
    const [holder] = holders;
    if (holder === undefined || holder.isHere === 0) return { kind: "unknown" };
    const { isHere: _, ...person } = holder;
    return holders.length > 1 ? { kind: "ambiguous" } : { kind: "one", ...person };
  };
}

/** Forgets an account: its row, its channels, and who it was said to be the same person as. */
export function personForgetter(db: Db): {
  namesOf(userId: string): string[];
  forget(userId: string): void;
} {
  const names = db.prepare<[string], { login: string; displayName: string }>(
    "SELECT login, display_name AS displayName FROM viewers WHERE user_id = ?",
  );
  const unlink = db.prepare<[string, string]>(
    "DELETE FROM identity_aliases WHERE user_id = ? OR same_as = ?",
  );
  const remove = db.prepare<[string]>("DELETE FROM viewers WHERE user_id = ?");
  return {
    namesOf: (userId) =>
      names.all(userId).flatMap(({ login, displayName }) => [login, displayName]),
    forget: (userId) => {
      unlink.run(userId, userId);
      remove.run(userId);
    },
  };
}

interface Alias {
  readonly userId: string;
  readonly sameAs: string;
  readonly createdAtMs: number;
}

export interface IdentityStore {
  /** Every account of the person who has this one, the account itself among them; the one that leads first. */
  accountsOf(userId: string): readonly string[];
  /** Whether it was stored: what was said before is not stored twice, and a merge that closes a circle is refused. */
  merge(userId: string, into: string): boolean;
  /** Into which accounts this one was merged, the latest first. */
  mergedInto(userId: string): readonly string[];
  /** Undoes one merge, and no other. Whether there was one. */
  separate(userId: string, from: string): boolean;
  list(): Alias[];
}

/**
 * Accounts that are one person, as the streamer said: each merge is a row of its own, and who is linked by any chain of
 * them is one. Nothing is moved when two become one: what was learned stays with the account it was learned from, so
 * that taking them apart again is exact, and the other merges stay as they were said.
 */
export function identityStore(db: Db, now: () => number): IdentityStore {
  const accounts = db
    .prepare<[string], string>(
      `WITH RECURSIVE account (user_id) AS (
         VALUES (?)
         UNION SELECT alias.same_as FROM identity_aliases alias JOIN account USING (user_id)
         UNION SELECT alias.user_id FROM identity_aliases alias JOIN account ON alias.same_as = account.user_id
       ) SELECT user_id FROM account
       ORDER BY EXISTS (SELECT 1 FROM identity_aliases own WHERE own.user_id = account.user_id),
         (SELECT max(created_at) FROM identity_aliases other WHERE other.same_as = account.user_id) DESC, user_id`,
    )
    .pluck();
  const leaders = db
    .prepare<[string], string>(
      `WITH RECURSIVE leader (user_id) AS (
         VALUES (?)
         UNION SELECT alias.same_as FROM identity_aliases alias JOIN leader USING (user_id)
       ) SELECT user_id FROM leader`,
    )
    .pluck();
  const parents = db
    .prepare<[string], string>(
      "SELECT same_as FROM identity_aliases WHERE user_id = ? ORDER BY created_at DESC, same_as",
    )
    .pluck();
  const add = db.prepare<[string, string, number]>(
    `INSERT INTO identity_aliases (user_id, same_as, created_at) VALUES (?, ?, ?)
     ON CONFLICT (user_id, same_as) DO NOTHING`,
  );
  const remove = db.prepare<[string, string]>(
    "DELETE FROM identity_aliases WHERE user_id = ? AND same_as = ?",
  );
  const list = db.prepare<[], Alias>(
    `SELECT user_id AS userId, same_as AS sameAs, created_at AS createdAtMs
     FROM identity_aliases ORDER BY created_at, user_id, same_as`,
  );
  return {
    accountsOf: (userId) => accounts.all(userId),
    merge: (userId, into) =>
      db.transaction(() => {
        if (leaders.all(into).includes(userId)) return false;
        return add.run(userId, into, now()).changes > 0;
      })(),
    mergedInto: (userId) => parents.all(userId),
    separate: (userId, from) => remove.run(userId, from).changes > 0,
    list: () => list.all(),
  };
}
