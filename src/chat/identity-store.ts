import type { Db } from "../platform/database/open-database.ts";

interface Alias {
  readonly userId: string;
  readonly sameAs: string;
  readonly createdAtMs: number;
}

export interface IdentityStore {
  /** Every account of the person who has this one, the account itself among them; the main one first. */
  accountsOf(userId: string): readonly string[];
  /** Whether anything changed: two accounts of one person already are one. */
  merge(userId: string, into: string): boolean;
  /** Undoes the merge of an account into another. Whether there was one. */
  separate(userId: string): boolean;
  list(): Alias[];
}

/**
 * Accounts that are one person, as the streamer said: a tree, since persons of several accounts can be merged. Nothing
 * is moved when two become one: what was learned stays with the account it was learned from, so that taking them apart
 * again is exact.
 */
export function identityStore(db: Db, now: () => number): IdentityStore {
  const parentOf = db
    .prepare<[string], string>("SELECT same_as FROM identity_aliases WHERE user_id = ?")
    .pluck();
  const accounts = db
    .prepare<[string], string>(
      `WITH RECURSIVE account (user_id) AS (
         VALUES (?)
         UNION
         SELECT alias.user_id FROM identity_aliases alias JOIN account ON alias.same_as = account.user_id
       ) SELECT user_id FROM account`,
    )
    .pluck();
  const add = db.prepare<[string, string, number]>(
    "INSERT INTO identity_aliases (user_id, same_as, created_at) VALUES (?, ?, ?)",
  );
  const remove = db.prepare<[string]>("DELETE FROM identity_aliases WHERE user_id = ?");
  const list = db.prepare<[], Alias>(
    `SELECT user_id AS userId, same_as AS sameAs, created_at AS createdAtMs
     FROM identity_aliases ORDER BY created_at, user_id`,
  );
  const main = (userId: string): string => {
    const parent = parentOf.get(userId);
    return parent === undefined ? userId : main(parent);
  };
  return {
    accountsOf: (userId) => accounts.all(main(userId)),
    merge: (userId, into) =>
      db.transaction(() => {
        const [from, to] = [main(userId), main(into)];
        if (from === to) return false;
        add.run(from, to, now());
        return true;
      })(),
    separate: (userId) => remove.run(userId).changes > 0,
    list: () => list.all(),
  };
}
