import type { Log } from "../../log.ts";
import type { ActionName } from "../config/names.ts";
import type { Db } from "./open-database.ts";

type Severity = "info" | "warning" | "error";

/** All that the streamer may be told: docs/codes.md says of each what it means and what helps. */
export type NoticeKind =
  | "action_held"
  | "action_ledger"
  | "action_questions"
  | "action_unwritten"
  | `action_${ActionName}`
  | "backup_failed"
  | "chat_connection"
  | `chat_join_${string}`
  | "chat_refused"
  | "config_reload"
  | "config_restart"
  | "config_retired"
  | "crashed"
  | "cleanup_failed"
  | "database"
  | "exports_deleted"
  | "helix"
  | "llm_access"
  | "llm_breaker"
  | "llm_cap_memory"
  | "llm_cap_reply"
  | "llm_context"
  | "llm_prompt_cut"
  | "llm_quota"
  | "memory_behind"
  | "memory_gap"
  | "memory_read_only"
  | "page_moved"
  | "rights_refused"
  | "twitch_streamer_token"
  | "twitch_streamer_token_account"
  | "twitch_streamer_token_expiry"
  | "twitch_streamer_token_unsaved"
  | "twitch_token"
  | "twitch_token_expiry"
  | "twitch_token_unsaved";

/** Something the streamer must be told. `kind` is a short code; there is one notice of a kind at a time. */
interface Notice {
  readonly kind: string;
  readonly severity: Severity;
  /** One line for the streamer: no chat text, no secret. */
  readonly message: string;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  readonly count: number;
}

/** Telling never throws: a database that takes nothing is often the very thing that is told. */
export interface NoticeBoard extends NoticeLists {
  /** Tells it, once: raised again with the same message it is only counted. */
  raise(kind: NoticeKind, severity: Severity, message: string): void;
  /** It no longer holds. */
  clear(kind: NoticeKind): void;
  /** Deletes those that are over for longer than a week; what merely happened is over a day later. */
  expire(): void;
}

interface PastNotice extends Notice {
  readonly clearedAtMs: number;
}

const PAST_MS = 7 * 24 * 3_600_000;
/** What happened and is over at once: nobody can say when it holds no more but that it did not happen again for a day. */
const HAPPENED = `kind IN ('exports_deleted', 'llm_prompt_cut', 'memory_gap')
  OR kind LIKE 'action!_%' ESCAPE '!' AND kind NOT IN ('action_held', 'action_ledger')`;
const HAPPENED_MS = 24 * 3_600_000;
const COLUMNS = "kind, severity, message, first_at AS firstAtMs, last_at AS lastAtMs, count";

export function noticeBoard(db: Db, now: () => number, log: Log): NoticeBoard {
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
  const expire = db.prepare<[number]>("DELETE FROM notices WHERE cleared_at <= ?");
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
      // Looked at first: what changes nothing would wait for the database all the same.
      write(kind, () => {
        if (find.get(kind) !== undefined) over.run(now(), kind);
      });
    },
    ...noticeLists(db, now),
    expire: () => {
      for (const kind of pass.all(now(), now() - HAPPENED_MS)) told.delete(kind);
      expire.run(now() - PAST_MS);
    },
  };
}

interface NoticeLists {
  /** Those that hold, the newest first. */
  list(): Notice[];
  /** Those that held in the last week and do not any more, the newest first. */
  past(): PastNotice[];
}

/** What the streamer was told, for whoever only reads it. */
export function noticeLists(db: Db, now: () => number): NoticeLists {
  const all = db.prepare<[], Notice>(
    `SELECT ${COLUMNS} FROM notices WHERE cleared_at IS NULL ORDER BY last_at DESC, kind`,
  );
  const past = db.prepare<[number], PastNotice>(
    `SELECT ${COLUMNS}, cleared_at AS clearedAtMs FROM notices WHERE cleared_at > ?
     ORDER BY cleared_at DESC, kind`,
  );
  return { list: () => all.all(), past: () => past.all(now() - PAST_MS) };
}

function announce(log: Log, kind: string, severity: Severity, message: string): void {
  const level = { info: "info", warning: "warn", error: "error" } as const;
  log[level[severity]]({ notice: kind }, message);
}
