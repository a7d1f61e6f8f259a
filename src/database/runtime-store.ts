import type { z } from "zod";
import type { Db } from "./open-database.ts";
import { prepareStatements } from "./statements.ts";

export type RuntimeStore = ReturnType<typeof openRuntimeStore>;

/** The daemon's state for other processes: small JSON values by name. */
export function openRuntimeStore(db: Db, now: () => number) {
  const sql = prepareStatements(db);
  const upsert = sql.run<[string, string, number]>(
    `INSERT INTO runtime (name, value_json, updated_at) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET value_json = excluded.value_json, updated_at = excluded.updated_at`,
  );
  const find = sql.one<[string], { valueJson: string; updatedAtMs: number }>(
    "SELECT value_json AS valueJson, updated_at AS updatedAtMs FROM runtime WHERE name = ?",
  );
  return {
    write: (name: string, value: unknown): void => void upsert(name, JSON.stringify(value), now()),
    /** Reads a value; null if there is none of this shape. */
    read: <T>(name: string, shape: z.ZodType<T>): { value: T; updatedAtMs: number } | null => {
      const row = find(name);
      if (row === null) return null;
      const parsed = shape.safeParse(JSON.parse(row.valueJson));
      return parsed.success ? { value: parsed.data, updatedAtMs: row.updatedAtMs } : null;
    },
  };
}

export type Counters = ReturnType<typeof openCounterStore>;

/** Counts that outlive a restart, by dotted name: `guard.link`, `ingest.ignored.whisper`. */
export function openCounterStore(db: Db) {
  const sql = prepareStatements(db);
  const add = sql.run<[string, number]>(
    `INSERT INTO counters (name, value) VALUES (?, ?)
     ON CONFLICT (name) DO UPDATE SET value = value + excluded.value`,
  );
  const all = sql.all<[], { name: string; value: number }>(
    "SELECT name, value FROM counters ORDER BY name",
  );
  return {
    bump: (name: string, by = 1): void => void add(name, by),
    /** Reads every count whose name begins with `prefix`. */
    read: (prefix = ""): Record<string, number> =>
      Object.fromEntries(
        all()
          .filter(({ name }) => name.startsWith(prefix))
          .map(({ name, value }) => [name, value]),
      ),
  };
}

/** Switches that a user set by hand. They persist across restarts and win over the configuration. */
export interface Switches {
  readonly paused: boolean;
  readonly safeMode: boolean;
  readonly readOnly: boolean;
}

export type SwitchName = "paused" | "safe_mode" | "read_only";

export function switchStore(db: Db, now: () => number) {
  const sql = prepareStatements(db);
  const readAll = sql.values<[], SwitchName>("SELECT name FROM switches WHERE is_on = 1");
  const write = sql.run<[SwitchName, number, string, number]>(
    `INSERT INTO switches (name, is_on, set_by, set_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET is_on = excluded.is_on, set_by = excluded.set_by, set_at = excluded.set_at`,
  );
  return {
    read: (): Switches => {
      const on = readAll();
      return {
        paused: on.includes("paused"),
        safeMode: on.includes("safe_mode"),
        readOnly: on.includes("read_only"),
      };
    },
    /** `by` says who: `streamer`, `moderator` or `cli`, never a name. */
    set: (name: SwitchName, on: boolean, by: string): void =>
      void write(name, on ? 1 : 0, by, now()),
  };
}
