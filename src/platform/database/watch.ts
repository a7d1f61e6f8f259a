import type { Db } from "./open-database.ts";

export interface ChangeWatch {
  /** Looks now: calls `onChange` first where another process has written since the last look. Throws what that throws. */
  check(): void;
  close(): void;
}

const LOOK_EVERY_MS = 250;

/** Calls `onChange` when another process (the CLI) has written to the database. Own writes do not count. */
export function watchChanges(db: Db, onChange: () => void): ChangeWatch {
  const dataVersion = db.prepare<[], number>("PRAGMA data_version").pluck();
  let seen = dataVersion.get();
  const check = (): void => {
    const current = dataVersion.get();
    if (current === seen) return;
    onChange();
    seen = current; // only now: what a throw kept from being read is read at the next look
  };
  const timer = setInterval(() => {
    try {
      check();
    } catch {
      // Looked at again at the next look; who needs it now asks, and is told.
    }
  }, LOOK_EVERY_MS);
  timer.unref();
  return { check, close: () => clearInterval(timer) };
}
