import type { KeyedHash } from "../language/keyed-hash.ts";
import type { Db } from "../platform/database/open-database.ts";

/** What was wished for by people whom nobody can tell from it. */
export interface Tombstones {
  readonly forgets: readonly { readonly who: string; readonly atMs: number }[];
  readonly suppressions: readonly {
    readonly who: string;
    /** null: everything. */
    readonly topic: string | null;
    readonly atMs: number;
  }[];
}

export interface TombstoneStore {
  read(): Tombstones;
  /** Whose forgetting this database does not know of yet, or only of an earlier one. */
  unknown(given: Tombstones): ReadonlySet<string>;
  /** Adds what is not known yet, and opts out whoever is opted out by it. One transaction. */
  absorb(given: Tombstones, hash: KeyedHash): void;
}

export function tombstoneStore(db: Db): TombstoneStore {
  const forgets = db.prepare<[], Tombstones["forgets"][number]>(
    "SELECT who, forgotten_at AS atMs FROM forgets ORDER BY who",
  );
  const suppressions = db.prepare<[], Tombstones["suppressions"][number]>(
    "SELECT who, topic, created_at AS atMs FROM suppressions ORDER BY who, topic",
  );
  const forget = db.prepare<[string, number]>(
    `INSERT INTO forgets (who, forgotten_at) VALUES (?, ?)
     ON CONFLICT (who) DO UPDATE SET forgotten_at = max(forgotten_at, excluded.forgotten_at)`,
  );
  const suppress = db.prepare<[string, string | null, number]>(
    "INSERT INTO suppressions (who, topic, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const people = db.prepare<[], string>("SELECT user_id FROM viewers").pluck();
  const optOut = db.prepare<[string]>("UPDATE viewers SET opted_out = 1 WHERE user_id = ?");
  return {
    read: () => ({ forgets: forgets.all(), suppressions: suppressions.all() }),
    unknown: (given) => {
      const known = new Map(forgets.all().map(({ who, atMs }) => [who, atMs]));
      const news = given.forgets.filter(
        ({ who, atMs }) => atMs > (known.get(who) ?? Number.NEGATIVE_INFINITY),
      );
      return new Set(news.map(({ who }) => who));
    },
    absorb: db.transaction((given: Tombstones, hash: KeyedHash) => {
      for (const { who, atMs } of given.forgets) forget.run(who, atMs);
      for (const { who, topic, atMs } of given.suppressions) suppress.run(who, topic, atMs);
      const out = optedOut(given);
      const isOut = (userId: string) => out.has(hash.person(userId));
      if (out.size > 0) for (const userId of people.all().filter(isOut)) optOut.run(userId);
    }).immediate,
  };
}

/** Hashes of those of whom nothing may be kept. */
export function optedOut({ suppressions }: Tombstones): ReadonlySet<string> {
  return new Set(suppressions.filter(({ topic }) => topic === null).map(({ who }) => who));
}
