import { setSharedInterval } from "../clock.ts";
import type { Db } from "./open-database.ts";

export interface ChangeWatch {
  /** Checks now: calls `onChange` first if another process has written. Throws what that throws. */
  check(): void;
  close(): void;
}

const CHECK_EVERY_MS = 1_000;

/**
 * Calls `onChange` within a second after another connection, such as a command's, wrote to the database. Writes of `db`
 * do not count. If `onChange` throws, calls it again at the next check.
 */
export function watchChanges(db: Db, onChange: () => void): ChangeWatch {
  const dataVersion = db.prepare<[], number>("PRAGMA data_version").pluck();
  let seen = dataVersion.get();
  const check = (): void => {
    const current = dataVersion.get();
    if (current === seen) return;
    onChange();
    seen = current;
  };
  const close = setSharedInterval(CHECK_EVERY_MS, () => {
    try {
      check();
    } catch {
      // The next check tries again; a caller that needs the change now calls `check`.
    }
  });
  return { check, close };
}
