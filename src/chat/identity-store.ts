import type { Db } from "../platform/database/open-database.ts";

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
  /** Undoes every merge of an account, either way. */
  unlink(userId: string): void;
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
  const unlink = db.prepare<[string, string]>(
    "DELETE FROM identity_aliases WHERE user_id = ? OR same_as = ?",
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
    unlink: (userId) => void unlink.run(userId, userId),
  };
}
