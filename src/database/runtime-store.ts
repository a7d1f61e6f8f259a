import type { z } from "zod";
import type { Db } from "./open-database.ts";
import type { RetryQueue } from "./retry-queue.ts";
import { Sql } from "./statements.ts";
import { type ChangeWatch, watchChanges } from "./watch-changes.ts";

/** The daemon's state for other processes: small JSON values by name. */
export class RuntimeStore {
  readonly #sql: Sql;

  constructor(db: Db, now: () => number) {
    this.#sql = new Sql(db, () => ({ nowMs: now() }));
  }

  write(name: string, value: unknown): void {
    this.#sql.run(
      `INSERT INTO runtime (name, value_json, updated_at) VALUES (:name, :json, :nowMs)
       ON CONFLICT (name) DO UPDATE SET value_json = excluded.value_json, updated_at = excluded.updated_at`,
      { name, json: JSON.stringify(value) },
    );
  }

  /** Reads a value and the time of its last write; null if there is none of this shape. */
  read<T>(name: string, shape: z.ZodType<T>): { value: T; updatedAtMs: number } | null {
    const row = this.#sql.one<{ json: string; updatedAtMs: number }>(
      "SELECT value_json AS json, updated_at AS updatedAtMs FROM runtime WHERE name = ?",
      name,
    );
    const parsed = shape.safeParse(JSON.parse(row?.json ?? "null"));
    return row !== null && parsed.success
      ? { value: parsed.data, updatedAtMs: row.updatedAtMs }
      : null;
  }
}

/**
 * Counts that outlive a restart, by dotted name: `guard.link`, `ingest.ignored.whisper`. If `bump` fails, `handleError`
 * gets the error: if it returns true, the count is lost, else the error is thrown.
 */
export class Counters {
  readonly #sql: Sql;
  readonly #handleError: (thrown: unknown) => boolean;

  constructor(db: Db, handleError = (_thrown: unknown) => false) {
    this.#sql = new Sql(db);
    this.#handleError = handleError;
  }

  bump(name: string, by = 1): void {
    try {
      this.#sql.run(
        `INSERT INTO counters (name, value) VALUES (?, ?)
         ON CONFLICT (name) DO UPDATE SET value = value + excluded.value`,
        ...[name, by],
      );
    } catch (thrown) {
      if (!this.#handleError(thrown)) throw thrown;
    }
  }

  /** Reads every count whose name begins with `prefix`. */
  read(prefix = ""): Record<string, number> {
    const rows = this.#sql.all<{ name: string; value: number }>(
      "SELECT name, value FROM counters WHERE substr(name, 1, length(:prefix)) = :prefix ORDER BY name",
      { prefix },
    );
    return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
  }
}

/** Switches that a user set by hand. They persist across restarts and win over the configuration. */
export interface Switches {
  readonly paused: boolean;
  readonly safeMode: boolean;
  readonly readOnly: boolean;
}

export type SwitchName = "paused" | "safe_mode" | "read_only";

export class SwitchStore {
  readonly #sql: Sql;

  constructor(db: Db, now: () => number) {
    this.#sql = new Sql(db, () => ({ nowMs: now() }));
  }

  read(): Switches {
    const on = this.#sql.values<SwitchName>("SELECT name FROM switches WHERE is_on = 1");
    return {
      paused: on.includes("paused"),
      safeMode: on.includes("safe_mode"),
      readOnly: on.includes("read_only"),
    };
  }

  /** Stores a switch. `by` says who set it: `streamer`, `moderator` or `cli`, never a name. */
  set(name: SwitchName, on: boolean, by: string): void {
    this.#sql.run(
      `INSERT INTO switches (name, is_on, set_by, set_at) VALUES (:name, :isOn, :by, :nowMs)
       ON CONFLICT (name) DO UPDATE SET is_on = excluded.is_on, set_by = excluded.set_by, set_at = excluded.set_at`,
      { name, isOn: on ? 1 : 0, by },
    );
  }
}

const FIELDS = { paused: "paused", safe_mode: "safeMode", read_only: "readOnly" } as const;

/** Holds the switches in memory. Rereads them after another process wrote. */
export class LiveSwitches {
  readonly #store: SwitchStore;
  readonly #retries: RetryQueue;
  readonly #watch: ChangeWatch;
  #current: Switches;
  /** Switches set here that the database does not have yet. */
  readonly #waiting = new Map<SwitchName, boolean>();

  constructor(db: Db, now: () => number, retries: RetryQueue) {
    this.#store = new SwitchStore(db, now);
    this.#retries = retries;
    this.#current = this.#store.read();
    this.#watch = watchChanges(db, () => this.#reread());
  }

  /** Throws the database's error if another process wrote and the reread fails. */
  read(): Switches {
    this.#watch.check();
    return this.#current;
  }

  /** Applies a switch at once, in memory. Returns false if the database cannot store it yet; it is then tried again. */
  set(name: SwitchName, on: boolean, by: string): boolean {
    let isStored = false;
    this.#waiting.set(name, on);
    this.#current = { ...this.#current, [FIELDS[name]]: on };
    this.#retries.add(() => {
      this.#store.set(name, on, by);
      if (this.#waiting.get(name) === on) this.#waiting.delete(name);
      this.#reread();
      isStored = true;
    });
    return isStored;
  }

  close(): void {
    this.#watch.close();
  }

  /** Reads the switches from the database. Those that were set here and are not stored yet keep what was set. */
  #reread(): void {
    const flipped = [...this.#waiting].map(([name, on]) => [FIELDS[name], on]);
    this.#current = { ...this.#store.read(), ...Object.fromEntries(flipped) };
  }
}
