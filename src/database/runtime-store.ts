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

/** What a person switched on by hand. Persists across restarts and wins over configuration. */
export interface Switches {
  readonly paused: boolean;
  readonly safeMode: boolean;
  readonly readOnly: boolean;
}

export type SwitchName = "paused" | "safe_mode" | "read_only";

export interface SwitchStore {
  read(): Switches;
  /** `by` says who: `streamer`, `moderator` or `cli`, never a name. */
  set(name: SwitchName, on: boolean, by: string): void;
}

export function switchStore(db: Db, now: () => number): SwitchStore {
  const readAll = db.prepare<[], { name: SwitchName }>("SELECT name FROM switches WHERE is_on = 1");
  const write = db.prepare<[SwitchName, number, string, number]>(
    `INSERT INTO switches (name, is_on, set_by, set_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET is_on = excluded.is_on, set_by = excluded.set_by, set_at = excluded.set_at`,
  );
  return {
    read: () => {
      const on = new Set(readAll.all().map(({ name }) => name));
      return {
        paused: on.has("paused"),
        safeMode: on.has("safe_mode"),
        readOnly: on.has("read_only"),
      };
    },
    set: (name, on, by) => {
      write.run(name, on ? 1 : 0, by, now());
    },
  };
}
