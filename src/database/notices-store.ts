import type { Log } from "../log.ts";
import type { Db } from "./open-database.ts";
import { Sql } from "./statements.ts";

type Severity = "info" | "warning" | "error";
const LEVELS = { info: "info", warning: "warn", error: "error" } as const;

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

export interface Notices {
  /** Raises a notice to the streamer. An active one of the same key gets the new message and is counted. */
  raise(key: NoticeKey, severity: Severity, message: string): void;
  /** Ends the active notice of exactly this key, if there is one. */
  clear(key: NoticeKey): void;
}

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

export class NoticeList {
  protected readonly sql: Sql;
  protected readonly now: () => number;

  constructor(db: Db, now: () => number) {
    this.sql = new Sql(db);
    this.now = now;
  }

  /** Returns the active notices, newest first. */
  list(): Notice[] {
    return this.sql.all(
      `SELECT ${COLUMNS} FROM notices WHERE cleared_at IS NULL ORDER BY last_at DESC, kind`,
    );
  }

  /** Returns the notices that ended in the last week, newest first. */
  past(): PastNotice[] {
    return this.sql.all(
      `SELECT ${COLUMNS}, cleared_at AS clearedAtMs FROM notices WHERE cleared_at > ?
       ORDER BY cleared_at DESC, kind`,
      this.now() - PAST_MS,
    );
  }
}

/**
 * Raises and clears notices; neither throws, since the database may take no writes. Logs each message once until it
 * changes or its notice ends.
 */
export class NoticeBoard extends NoticeList implements Notices {
  readonly #log: Log;
  /** Writes that the database did not take yet, by key. */
  readonly #waiting = new Map<string, () => void>();
  /** The last message that was logged, by key. */
  readonly #logged = new Map<string, string>();

  constructor(db: Db, now: () => number, log: Log) {
    super(db, now);
    this.#log = log;
  }

  raise(key: NoticeKey, severity: Severity, message: string): void {
    if (this.#logged.get(key) !== message) this.#log[LEVELS[severity]]({ notice: key }, message);
    this.#logged.set(key, message);
    const nowMs = this.now();
    this.#write(key, () =>
      this.sql.run(
        `INSERT INTO notices (kind, severity, message, first_at, last_at, count) VALUES (?, ?, ?, ?, ?, 1)
         ON CONFLICT (kind) DO UPDATE SET severity = excluded.severity, message = excluded.message,
           first_at = iif(cleared_at IS NULL, first_at, excluded.first_at), last_at = excluded.last_at,
           count = iif(cleared_at IS NULL, count + 1, 1), cleared_at = NULL`,
        ...[key, severity, message, nowMs, nowMs],
      ),
    );
  }

  clear(key: NoticeKey): void {
    this.#logged.delete(key);
    this.#write(key, () => {
      // Read first: a write that changes nothing would wait for the database all the same.
      const active = "kind = ? AND cleared_at IS NULL";
      if (this.sql.value(`SELECT 1 FROM notices WHERE ${active}`, key) === null) return;
      this.sql.run(`UPDATE notices SET cleared_at = ? WHERE ${active}`, this.now(), key);
    });
  }

  /**
   * Ends notices of single events that did not happen again for a day. Deletes notices that ended a week ago, and
   * those of unknown kinds.
   */
  expire(): void {
    const nowMs = this.now();
    const ended = this.sql.values<string>(
      `UPDATE notices SET cleared_at = ? WHERE cleared_at IS NULL AND last_at <= ? AND (${HAPPENED}) RETURNING kind`,
      ...[nowMs, nowMs - HAPPENED_MS],
    );
    for (const key of ended) this.#logged.delete(key);
    this.sql.run(
      `DELETE FROM notices WHERE cleared_at <= ? OR ${KIND} NOT IN (SELECT value FROM json_each(?))`,
      ...[nowMs - PAST_MS, JSON.stringify(NOTICE_KINDS)],
    );
  }

  /**
   * Runs the waiting writes and this one, which replaces a waiting one of its key. If one fails, it and the later ones
   * wait for the next call.
   */
  #write(key: string, work: () => void): void {
    this.#waiting.set(key, work);
    try {
      for (const [waiting, write] of this.#waiting) {
        write();
        this.#waiting.delete(waiting);
      }
    } catch {
      // They wait.
    }
  }
}
