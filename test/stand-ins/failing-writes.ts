import type Sqlite from "better-sqlite3";
import { onTestFinished } from "vitest";
import type { Db } from "../../src/database/open-database.ts";
import { Database } from "../../src/database/sqlite.ts";

/** What SQLite says of a full disk, of one that fails, and of another program that writes. */
export const CODES = ["SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_BUSY"] as const;

export interface Writes {
  /** Every statement that wrote since, each once. */
  readonly seen: Set<string>;
  /** The next time this very statement is run, it fails. */
  arm(source: string, code: string): void;
  /** Every statement that writes fails, until it is disarmed. */
  armAll(code: string): void;
  /** Whether a failure happened. */
  disarm(): boolean;
}

type Runner = (this: Sqlite.Statement, ...given: unknown[]) => unknown;

/** Stands between the program and every statement that writes, on all connections but `own`, until the test ends. */
export function failingWrites(own: () => Db | null = () => null): Writes {
  // Statements of the package itself: the program's prepare themselves at their first use.
  const sample = new Database(":memory:");
  const prototype = Object.getPrototypeOf(sample.prepare("SELECT 1")) as Record<string, Runner>;
  sample.close();
  const seen = new Set<string>();
  let armed: { readonly source: string | null; readonly code: string } | null = null;
  let hasHappened = false;
  const written = (source: string): void => {
    seen.add(source);
    if (armed === null || (armed.source ?? source) !== source) return;
    const { code } = armed;
    hasHappened = true;
    if (armed.source !== null) armed = null;
    throw new Database.SqliteError("injected by the test", code);
  };
  for (const name of ["run", "get", "all"]) {
    const original = prototype[name] as Runner;
    prototype[name] = function (...given) {
      const isWrite = !this.readonly || this.source === "COMMIT";
      if (isWrite && this.database !== own()) written(this.source);
      return original.apply(this, given);
    };
    onTestFinished(() => {
      prototype[name] = original;
    });
  }
  const arm = (source: string | null, code: string): void => {
    armed = { source, code };
    hasHappened = false;
  };
  return {
    seen,
    arm,
    armAll: (code) => arm(null, code),
    disarm: () => {
      armed = null;
      return hasHappened;
    },
  };
}
