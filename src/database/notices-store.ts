import type { Log } from "../log.ts";
import type { Db } from "./open-database.ts";

type Severity = "info" | "warning" | "error";

/** One kind for each thing to fix. docs/codes.md explains each. */
export const NOTICE_KINDS = [
  "action",
  "backup_failed",
  "chat",
  "cleanup_failed",
  "configuration",
  "crashed",
  "database",
  "exports_deleted",
  "helix",
  "memory_behind",
  "memory_gap",
  "memory_read_only",
  "model",
  "model_cap",
  "model_context",
  "page_moved",
  "rights_refused",
  "streamer_login",
  "twitch_login",
] as const;
type NoticeKind = (typeof NOTICE_KINDS)[number];
/** A kind, and after a colon its cause: each cause has its own notice, such as `chat:join #name`. */
export type NoticeKey = NoticeKind | `${NoticeKind}:${string}`;

/** A notice to the streamer. */
interface Notice {
  readonly kind: string;
  /** Cause within this kind, or "". A kind and cause have one notice at a time. */
  readonly cause: string;
  readonly severity: Severity;
  /** One line for the streamer: no chat text, no secret. */
  readonly message: string;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  readonly count: number;
}

/** Raises and clears notices to the streamer. */
export interface Notices {
  /** Raises a notice, once: raised again with the same message it is only counted. */
  raise(key: NoticeKey, severity: Severity, message: string): void;
  clear(key: NoticeKey): void;
}

export type NoticeBoard = ReturnType<typeof openNoticeBoard>;

interface PastNotice extends Notice {
  readonly clearedAtMs: number;
}

const PAST_MS = 7 * 24 * 3_600_000;
/** Notices of single events: nothing ends them, so they end if the event does not happen again for a day. */
const HAPPENED = `kind IN ('database:rejected', 'exports_deleted', 'memory_gap', 'model_context:cut')
  OR kind LIKE 'action:%' AND kind <> 'action:held'`;
const HAPPENED_MS = 24 * 3_600_000;
/** The column `kind` holds the key. */
const KIND = "substr(kind, 1, instr(kind || ':', ':') - 1)";
const COLUMNS = `${KIND} AS kind, substr(kind, instr(kind || ':', ':') + 1) AS cause, severity, message,
  first_at AS firstAtMs, last_at AS lastAtMs, count`;

/** Notifies the streamer. Never throws: a database that takes no writes is often the very thing to notify of. */
export function openNoticeBoard(db: Db, now: () => number, log: Log) {
  const find = db.prepare<[string], { message: string }>(
    "SELECT message FROM notices WHERE kind = ? AND cleared_at IS NULL",
  );
  const upsert = db.prepare<[string, Severity, string, number, number]>(
    `INSERT INTO notices (kind, severity, message, first_at, last_at, count) VALUES (?, ?, ?, ?, ?, 1)
     ON CONFLICT (kind) DO UPDATE SET severity = excluded.severity, message = excluded.message,
       first_at = iif(cleared_at IS NULL, first_at, excluded.first_at), last_at = excluded.last_at,
       count = iif(cleared_at IS NULL, count + 1, 1), cleared_at = NULL`,
  );
  const over = db.prepare<[number, string]>(
    "UPDATE notices SET cleared_at = ? WHERE kind = ? AND cleared_at IS NULL",
  );
  const pass = db
    .prepare<[number, number], string>(
      `UPDATE notices SET cleared_at = ? WHERE cleared_at IS NULL AND last_at <= ? AND (${HAPPENED}) RETURNING kind`,
    )
    .pluck();
  const expire = db.prepare<[number, string]>(
    `DELETE FROM notices WHERE cleared_at <= ? OR ${KIND} NOT IN (SELECT value FROM json_each(?))`,
  );
  /** Writes that the database did not take yet, by key. */
  const waiting = new Map<string, () => void>();
  const lastMessages = new Map<string, string>();
  const write = (key: string, work: () => void): void => {
    waiting.delete(key);
    try {
      work();
      for (const [other, later] of [...waiting]) {
        later();
        waiting.delete(other);
      }
    } catch {
      waiting.set(key, work);
    }
  };
  const isNews = (key: string, message: string): boolean => {
    if (lastMessages.get(key) === message) return false;
    lastMessages.set(key, message);
    try {
      return find.get(key)?.message !== message;
    } catch {
      return true;
    }
  };
  return {
    /** Raises a notice, once: raised again with the same message it is only counted. */
    raise: (key: NoticeKey, severity: Severity, message: string): void => {
      if (isNews(key, message)) announce(log, key, severity, message);
      write(key, () => upsert.run(key, severity, message, now(), now()));
    },
    clear: (key: NoticeKey): void => {
      lastMessages.delete(key);
      // Looked at first: what changes nothing would wait for the database all the same.
      write(key, () => {
        if (find.get(key) !== undefined) over.run(now(), key);
      });
    },
    ...prepareNoticeLists(db, now),
    /** Deletes notices that ended over a week ago, and those of unknown kinds. One of a single event ends after a day. */
    expire: (): void => {
      for (const key of pass.all(now(), now() - HAPPENED_MS)) lastMessages.delete(key);
      expire.run(now() - PAST_MS, JSON.stringify(NOTICE_KINDS));
    },
  };
}

/** Reads the notices. */
export function prepareNoticeLists(db: Db, now: () => number) {
  const all = db.prepare<[], Notice>(
    `SELECT ${COLUMNS} FROM notices WHERE cleared_at IS NULL ORDER BY last_at DESC, kind`,
  );
  const past = db.prepare<[number], PastNotice>(
    `SELECT ${COLUMNS}, cleared_at AS clearedAtMs FROM notices WHERE cleared_at > ?
     ORDER BY cleared_at DESC, kind`,
  );
  return {
    /** Active notices, newest first. */
    list: () => all.all(),
    /** Notices that ended in the last week, newest first. */
    past: () => past.all(now() - PAST_MS),
  };
}

function announce(log: Log, key: string, severity: Severity, message: string): void {
  const level = { info: "info", warning: "warn", error: "error" } as const;
  log[level[severity]]({ notice: key }, message);
}
