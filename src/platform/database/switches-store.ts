import type { Db } from "./open-database.ts";

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
