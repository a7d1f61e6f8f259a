import type { z } from "zod";
import type { Db } from "./open-database.ts";

/** What the daemon tells other processes about itself: small JSON values by name. */
export interface RuntimeStore {
  write(name: string, value: unknown): void;
  /** The value, or null where there is none of this shape. */
  read<T>(name: string, shape: z.ZodType<T>): { value: T; updatedAtMs: number } | null;
}

export function runtimeStore(db: Db, now: () => number): RuntimeStore {
  const upsert = db.prepare<[string, string, number]>(
    `INSERT INTO runtime (name, value_json, updated_at) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET value_json = excluded.value_json, updated_at = excluded.updated_at`,
  );
  const find = db.prepare<[string], { valueJson: string; updatedAtMs: number }>(
    "SELECT value_json AS valueJson, updated_at AS updatedAtMs FROM runtime WHERE name = ?",
  );
  return {
    write: (name, value) => {
      upsert.run(name, JSON.stringify(value), now());
    },
    read: (name, shape) => {
      const row = find.get(name);
      if (row === undefined) return null;
      const parsed = shape.safeParse(JSON.parse(row.valueJson));
      return parsed.success ? { value: parsed.data, updatedAtMs: row.updatedAtMs } : null;
    },
  };
}
