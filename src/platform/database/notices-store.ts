import type { Log } from "../../log.ts";
import type { Db } from "./open-database.ts";

type Severity = "info" | "warning" | "error";

/** Something the streamer must be told. `kind` is a short code; there is one notice of a kind at a time. */
export interface Notice {
  readonly kind: string;
  readonly severity: Severity;
  /** One line for the streamer: no chat text, no secret. */
  readonly message: string;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  readonly count: number;
}

/** Telling never throws: a database that takes nothing is often the very thing that is told. */
export interface NoticeBoard {
  /** Tells it, once: raised again with the same message it is only counted. */
  raise(kind: string, severity: Severity, message: string): void;
  /** It no longer holds. */
  clear(kind: string): void;
  list(): Notice[];
}

export function noticeBoard(db: Db, now: () => number, log: Log): NoticeBoard {
  const find = db.prepare<[string], { message: string }>(
    "SELECT message FROM notices WHERE kind = ?",
  );
  const upsert = db.prepare<[string, Severity, string, number, number]>(
    `INSERT INTO notices (kind, severity, message, first_at, last_at, count) VALUES (?, ?, ?, ?, ?, 1)
     ON CONFLICT (kind) DO UPDATE SET severity = excluded.severity, message = excluded.message,
       last_at = excluded.last_at, count = count + 1`,
  );
  const remove = db.prepare<[string]>("DELETE FROM notices WHERE kind = ?");
  const all = db.prepare<[], Notice>(
    `SELECT kind, severity, message, first_at AS firstAtMs, last_at AS lastAtMs, count
     FROM notices ORDER BY last_at DESC, kind`,
  );
  /** What the database did not take yet, by kind. */
  const waiting = new Map<string, () => void>();
  const told = new Map<string, string>();
  const write = (kind: string, work: () => void): void => {
    waiting.delete(kind);
    try {
      work();
      for (const [other, later] of [...waiting]) {
        later();
        waiting.delete(other);
      }
    } catch {
      waiting.set(kind, work);
    }
  };
  const isNews = (kind: string, message: string): boolean => {
    if (told.get(kind) === message) return false;
    told.set(kind, message);
    try {
      return find.get(kind)?.message !== message;
    } catch {
      return true;
    }
  };
  return {
    raise: (kind, severity, message) => {
      if (isNews(kind, message)) announce(log, kind, severity, message);
      write(kind, () => upsert.run(kind, severity, message, now(), now()));
    },
    clear: (kind) => {
      told.delete(kind);
      write(kind, () => remove.run(kind));
    },
    list: () => all.all(),
  };
}

function announce(log: Log, kind: string, severity: Severity, message: string): void {
  const level = { info: "info", warning: "warn", error: "error" } as const;
  log[level[severity]]({ notice: kind }, message);
}
