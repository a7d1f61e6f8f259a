import type { Db } from "../platform/database/open-database.ts";
import type { Answer } from "./ledger-store.ts";

/** One line of the ledger, as an operator sees it. */
interface LedgerLine {
  readonly id: number;
  readonly channel: string;
  readonly action: string;
  readonly class: string;
  readonly targetId: string | null;
  readonly targetLogin: string | null;
  readonly requestedBy: string | null;
  readonly requesterLogin: string | null;
  readonly argsJson: string | null;
  readonly decision: "run" | "refuse" | "hold" | "dry_run";
  readonly reason: string;
  readonly outcome: "done" | "failed" | "unknown" | null;
  readonly error: string | null;
  /** What it made: a clip's link, a poll's id. */
  readonly result: string | null;
  /** Whose answer it waits or waited for, and how that ended. */
  readonly waitsFor: "requester" | "streamer" | null;
  readonly endedAs: string | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
}

/** What an operator can see and do of the actions, from another process too: it writes rows, the daemon acts. */
export function actionReview(db: Db, now: () => number) {
  const list = db.prepare<[Record<string, string | number | null>], LedgerLine>(
    `SELECT a.id, a.channel, a.action, a.class, a.target_id AS targetId, t.login AS targetLogin,
       a.requested_by AS requestedBy, r.login AS requesterLogin, a.args_json AS argsJson, a.decision, a.reason,
       a.outcome, a.error, a.result, a.waits_for AS waitsFor, a.ended_as AS endedAs, a.created_at AS createdAtMs, a.expires_at AS expiresAtMs
     FROM action_log AS a LEFT JOIN viewers AS t ON t.user_id = a.target_id
       LEFT JOIN viewers AS r ON r.user_id = a.requested_by
     WHERE (@decision IS NULL OR a.decision = @decision) AND (@reason IS NULL OR a.reason = @reason)
       AND (@requester IS NULL OR r.login = @requester)
     ORDER BY a.id DESC LIMIT @limit`,
  );
  const byReason = db.prepare<[number], { decision: string; reason: string; count: number }>(
    `SELECT decision, reason, count(*) AS count FROM action_log WHERE created_at >= ?
     GROUP BY decision, reason ORDER BY count DESC, decision, reason`,
  );
  const byRequester = db.prepare<[number], { userId: string; login: string | null; count: number }>(
    `SELECT a.requested_by AS userId, v.login, count(*) AS count FROM action_log AS a
       LEFT JOIN viewers AS v ON v.user_id = a.requested_by
     WHERE a.decision = 'refuse' AND a.requested_by IS NOT NULL AND a.created_at >= ?
     GROUP BY a.requested_by ORDER BY count DESC, a.requested_by`,
  );
  const answer = db.prepare<[Answer, number, number]>(
    `UPDATE action_log SET answer = ?
     WHERE id = ? AND decision = 'hold' AND waits_for = 'streamer' AND answer IS NULL AND expires_at > ?`,
  );
  return {
    /** The latest, newest first; the requester's login in any case. */
    list: ({
      decision = null,
      reason = null,
      requester,
      limit,
    }: {
      readonly decision?: LedgerLine["decision"] | null;
      readonly reason?: string | null;
      readonly requester?: string;
      readonly limit: number;
    }): LedgerLine[] =>
      list.all({ decision, reason, requester: requester?.toLowerCase() ?? null, limit }),
    /** How many of each decision and reason since a time, most first. */
    countsByReason: (sinceMs: number) => byReason.all(sinceMs),
    /** How many were refused, by who asked, since a time, most first. */
    refusedByRequester: (sinceMs: number) => byRequester.all(sinceMs),
    /** Answers a proposal that waits. False where none of that number does, or not any more. */
    answer: (id: number, given: Answer): boolean => answer.run(given, id, now()).changes === 1,
  };
}
