import { setSharedInterval } from "../clock.ts";
import type { Db } from "./open-database.ts";

export interface ChangeWatch {
  /** Looks now: calls `onChange` first where another process has written since the last look. Throws what that throws. */
  check(): void;
  close(): void;
}

const LOOK_EVERY_MS = 1_000;

/**
 * Calls `onChange` when another process (the CLI) has written to the database. Own writes do not count. Polls with
 * the timer of the first watcher.
 */
export function watchChanges(db: Db, onChange: () => void): ChangeWatch {
  const poll = polls.get(db) ?? openPoll(db);
  let seen = poll.version();
  const follow = (current: number | undefined): void => {
    if (current === seen) return;
    onChange();
    seen = current; // only now: what a throw kept from being read is read at the next look
  };
  poll.told.add(follow);
  return {
    check: () => follow(poll.version()),
    close: () => {
      poll.told.delete(follow);
      if (poll.told.size > 0) return;
      poll.end();
      polls.delete(db);
    },
  };
}

interface Poll {
  readonly version: () => number | undefined;
  readonly told: Set<(version: number | undefined) => void>;
  readonly end: () => void;
}

/** One question at each look, however many watch: each takes locks of the file. */
const polls = new WeakMap<Db, Poll>();

function openPoll(db: Db): Poll {
  const dataVersion = db.prepare<[], number>("PRAGMA data_version").pluck();
  const version = () => dataVersion.get();
  const notified: Poll["told"] = new Set();
  const look = (): void => {
    const current = version();
    for (const follow of notified) ignoreErrors(() => follow(current));
  };
  const end = setSharedInterval(LOOK_EVERY_MS, () => ignoreErrors(look));
  const poll = { version, told: notified, end };
  polls.set(db, poll);
  return poll;
}

function ignoreErrors(work: () => void): void {
  try {
    work();
  } catch {
    // The next poll reads it again; a caller that needs it now reads it directly.
  }
}
