import type { Db } from "./open-database.ts";

/** Counts that outlive a restart, by dotted name: `guard.link`, `ingest.ignored.whisper`. */
export interface Counters {
  bump(name: string, by?: number): void;
  /** Every count whose name begins with `prefix`. */
  read(prefix?: string): Record<string, number>;
}

export function counterStore(db: Db): Counters {
  const add = db.prepare<[string, number]>(
    `INSERT INTO counters (name, value) VALUES (?, ?)
     ON CONFLICT (name) DO UPDATE SET value = value + excluded.value`,
  );
  const all = db.prepare<[], { name: string; value: number }>(
    "SELECT name, value FROM counters ORDER BY name",
  );
  return {
    bump: (name, by = 1) => {
      add.run(name, by);
    },
    read: (prefix = "") =>
      Object.fromEntries(
        all
          .all()
          .filter(({ name }) => name.startsWith(prefix))
          .map(({ name, value }) => [name, value]),
      ),
  };
}
