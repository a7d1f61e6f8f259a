import type { Db } from "../platform/database/open-database.ts";

/** Who was forgotten, as far as this process has heard of it. */
export interface ForgetLog {
  /** Hashes of those who were forgotten since it was last read. */
  reread(): ReadonlySet<string>;
  /** This process has forgotten them itself: `reread` does not give them. */
  heardOf(whos: readonly string[]): void;
  /** People who spoke in any channel since a time. */
  seenSince(sinceMs: number): string[];
}

export function forgetLog(db: Db): ForgetLog {
  const all = db.prepare<[], { who: string; atMs: number }>(
    "SELECT who, forgotten_at AS atMs FROM forgets",
  );
  const seen = db
    .prepare<[number], string>(
      `SELECT DISTINCT v.user_id FROM channel_state c
       JOIN viewer_channels v ON v.channel = c.channel AND v.last_seen_at >= ?`,
    )
    .pluck();
  const read = () => new Map(all.all().map(({ who, atMs }) => [who, atMs]));
  let known = read();
  return {
    reread: () => {
      const before = known;
      known = read();
      return new Set(
        [...known].filter(([who, atMs]) => before.get(who) !== atMs).map(([who]) => who),
      );
    },
    heardOf: (whos) => {
      const current = read();
      known = new Map([...known, ...[...current].filter(([who]) => whos.includes(who))]);
    },
    seenSince: (sinceMs) => seen.all(sinceMs),
  };
}
