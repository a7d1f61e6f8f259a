import type { Db } from "../platform/database/open-database.ts";
import type { Asking, Decision, Recent, WaitsFor } from "./action-policy.ts";
import type { Execution } from "./execute.ts";

/** Why a proposal was decided as it was, or dropped after it waited; docs/codes.md says of each what it means. */
export type ActionReason =
  | Decision["reason"]
  | "confirmed"
  | "declined"
  | "unanswered"
  | "replaced"
  | "unsent"
  | "expired"
  | "refused_by_streamer"
  | "withdrawn"
  | "restarted"
  | "forgotten";

/** How the wait of a held proposal ended. */
export type EndedAs = "yes" | "declined" | "unanswered" | "withdrawn" | "replaced";

/** A proposal and what was decided about it. */
interface LedgerEntry {
  readonly replyId: number | null;
  readonly channel: string;
  readonly action: string;
  readonly class: string;
  readonly targetId: string | null;
  /** Lives 24 hours. */
  readonly argsJson: string | null;
  readonly decision: Decision["kind"];
  readonly reason: ActionReason;
  readonly requestedBy: string;
  /** The message that a deletion takes away. */
  readonly messageId: string | null;
  /** Whose answer a held one waits for, and until when; nulls for the others. */
  readonly waitsFor: WaitsFor | null;
  readonly expiresAtMs: number | null;
  /** The same proposal has the same key, however often it comes. */
  readonly key: string;
}

export type Answer = "approve" | "refuse";

/** Whose run, of what, on whom: what a cooldown asks about. */
interface RecentQuery {
  readonly channel: string;
  readonly action: string;
  readonly targetId: string | null;
  readonly requestedBy: string;
  /** The held proposal that is judged again: neither it counts, nor what waits that came after it. */
  readonly exceptId: number | null;
}

interface AskingQuery {
  readonly channel: string;
  readonly requestedBy: string;
  readonly isMemory: boolean;
}

/**
 * The one record of what was proposed and run, which cooldowns and caps are read from. Every function throws where
 * the table cannot be read or written: then nothing may run.
 */
export interface Ledger {
  /** Writes it before anything is executed; null where this very proposal stands there already. */
  record(entry: LedgerEntry): number | null;
  /** A held proposal is run from now on. False where it waits no more. */
  release(id: number, reason: "approved" | "confirmed"): boolean;
  /** A held proposal is not run; it counts for nothing. */
  refuseHeld(id: number, reason: ActionReason, endedAs: EndedAs): void;
  /** The question about it stands in chat, and is waited for until then. */
  asked(id: number, expiresAtMs: number): void;
  /** What came of a run, and what it made. */
  finish(id: number, ended: Execution): void;
  recent(query: RecentQuery): Recent;
  /** What was asked of a requester, and how often to no end, about memory or about all else. */
  asking(query: AskingQuery): Omit<Asking, "isRaid" | "isOpen">;
  answerTo(id: number): Answer | null;
  /**
   * For start-up: runs that a crash cut short may have happened, so they are `unknown` and never run again; what
   * waited for an answer is refused. Says how many runs there were.
   */
  settleUnfinished(): number;
  /** Takes the arguments from up to `limit` entries written before `beforeMs`; says how many. */
  expireArgs(beforeMs: number, limit: number): number;
  /** Moves the entries of the last day back by `aheadMs`, by which the clock was set back. */
  realign(nowMs: number, aheadMs: number): void;
  /** Takes the arguments of everything that a person asked for or was meant by. */
  dropArgs(userId: string): void;
  /** Takes the arguments of everything that was proposed in a channel. */
  dropArgsIn(channel: string): void;
}

const HOUR_MS = 3_600_000;
/** The longest cooldown that the configuration allows. */
const COOLDOWN_MS_MAX = 86_400_000;

/**
 * Nothing is prepared before it is needed: a broken table refuses actions, and does not stop the bot. `pseudonym`: what
 * somebody is called here who was forgotten since; cooldowns and caps outlive that.
 */
export function ledgerStore(
  db: Db,
  now: () => number,
  pseudonym: (userId: string) => string = (userId) => userId,
): Ledger {
  let prepared: ReturnType<typeof statements> | null = null;
  const rows = () => {
    prepared ??= statements(db);
    return prepared;
  };
  return {
    record: (entry) => {
      const { decision } = entry;
      const atMs = now();
      const { changes, lastInsertRowid } = rows().insert.run({
        ...entry,
        atMs,
        countedAtMs: decision === "refuse" ? null : atMs,
        executedAtMs: decision === "run" ? atMs : null,
      });
      return changes === 1 ? Number(lastInsertRowid) : null;
    },
    release: (id, reason) => rows().release.run(reason, now(), now(), id).changes === 1,
    refuseHeld: (id, reason, endedAs) => {
      rows().refuseHeld.run(reason, endedAs, id);
    },
    asked: (id, expiresAtMs) => {
      rows().asked.run(expiresAtMs, id);
    },
    finish: (id, { outcome, error, result }) => {
      rows().finish.run(outcome, error, result, id);
    },
    asking: ({ channel, requestedBy, isMemory }) => {
      const nowMs = now();
      const asking = rows().asking.get({
        channel,
        requestedBy,
        formerRequestedBy: pseudonym(requestedBy),
        isMemory: isMemory ? 1 : 0,
        nowMs,
        dayAgoMs: nowMs - COOLDOWN_MS_MAX,
      });
      if (asking === undefined) throw new Error("no answer of the ledger");
      return asking;
    },
    recent: ({ channel, action, targetId, requestedBy, exceptId }) => {
      const nowMs = now();
      const recent = rows().recent.get({
        channel,
        action,
        targetId,
        requestedBy,
        formerTargetId: targetId === null ? null : pseudonym(targetId),
        formerRequestedBy: pseudonym(requestedBy),
        exceptId: exceptId ?? 0,
        nowMs,
        hourAgoMs: nowMs - HOUR_MS,
        dayAgoMs: nowMs - COOLDOWN_MS_MAX,
      });
      if (recent === undefined) throw new Error("no answer of the ledger");
      return recent;
    },
    answerTo: (id) => rows().answer.get(id) ?? null,
    settleUnfinished: () => {
      rows().refuseAllHeld.run();
      return rows().settle.run().changes;
    },
    expireArgs: (beforeMs, limit) => rows().expire.run(beforeMs, limit).changes,
    realign: (nowMs, aheadMs) =>
      void rows().move.run(aheadMs, aheadMs, nowMs + aheadMs - COOLDOWN_MS_MAX),
    dropArgs: (userId) => {
      rows().drop.run(userId, userId);
    },
    dropArgsIn: (channel) => {
      rows().dropIn.run(channel);
    },
  };
}

type InsertRow = LedgerEntry & {
  readonly atMs: number;
  readonly countedAtMs: number | null;
  readonly executedAtMs: number | null;
};

interface RecentRow extends Omit<RecentQuery, "exceptId"> {
  readonly exceptId: number;
  readonly formerTargetId: string | null;
  readonly formerRequestedBy: string;
  readonly nowMs: number;
  readonly hourAgoMs: number;
  readonly dayAgoMs: number;
}

interface AskingRow {
  readonly channel: string;
  readonly requestedBy: string;
  readonly formerRequestedBy: string;
  readonly isMemory: number;
  readonly nowMs: number;
  readonly dayAgoMs: number;
}

function statements(db: Db) {
  return {
    ...runStatements(db),
    asking: db.prepare<[AskingRow], Omit<Asking, "isRaid" | "isOpen">>(
      `WITH questions AS (SELECT requested_by IN (@requestedBy, @formerRequestedBy) AS is_own, created_at,
           (class = 'memory') = @isMemory AND ended_as IN ('unanswered', 'declined') AS is_vain FROM action_log
         WHERE channel = @channel AND waits_for = 'requester'
           AND created_at >= ifnull((SELECT min(started_at) FROM stream_sessions
             WHERE channel = @channel AND ended_at IS NULL AND started_at <= @nowMs), @dayAgoMs))
       SELECT max(CASE WHEN is_own THEN created_at END) AS lastAtMs,
         count(CASE WHEN is_own AND is_vain THEN 1 END) AS ownVain,
         count(CASE WHEN @isMemory = 0 AND is_vain THEN 1 END) AS allVain
       FROM questions`,
    ),
    recent: db.prepare<[RecentRow], Recent>(
      `WITH runs AS (SELECT target_id, requested_by, counted_at FROM action_log
         WHERE channel = @channel AND action = @action
           AND (@exceptId = 0 OR id < @exceptId OR (id > @exceptId AND decision <> 'hold'))
           AND counted_at >= min(@dayAgoMs, ifnull((SELECT min(started_at) FROM stream_sessions
             WHERE channel = @channel AND ended_at IS NULL AND started_at <= @nowMs), @dayAgoMs)))
       SELECT max(counted_at) AS actionAtMs,
         max(CASE WHEN target_id IN (@targetId, @formerTargetId) THEN counted_at END) AS targetAtMs,
         max(CASE WHEN requested_by IN (@requestedBy, @formerRequestedBy) THEN counted_at END) AS requesterAtMs,
         count(CASE WHEN counted_at > @hourAgoMs THEN 1 END) AS runsThisHour,
         count(CASE WHEN counted_at >= ifnull((SELECT min(started_at) FROM stream_sessions
           WHERE channel = @channel AND ended_at IS NULL AND started_at <= @nowMs), @dayAgoMs) THEN 1 END) AS runsThisStream
       FROM runs`,
    ),
    answer: db
      .prepare<[number], Answer | null>("SELECT answer FROM action_log WHERE id = ?")
      .pluck(),
    move: db.prepare<[number, number, number]>(
      `UPDATE action_log SET created_at = created_at - ?, counted_at = counted_at - ? WHERE created_at >= ?`,
    ),
    expire: db.prepare<[number, number]>(
      `UPDATE action_log SET args_json = NULL WHERE id IN
         (SELECT id FROM action_log WHERE args_json IS NOT NULL AND created_at < ? LIMIT ?)`,
    ),
    drop: db.prepare<[string, string]>(
      `UPDATE action_log SET args_json = NULL
       WHERE (requested_by = ? OR target_id = ?) AND args_json IS NOT NULL`,
    ),
    dropIn: db.prepare<[string]>(
      "UPDATE action_log SET args_json = NULL WHERE channel = ? AND args_json IS NOT NULL",
    ),
  };
}

function runStatements(db: Db) {
  return {
    insert: db.prepare<[InsertRow]>(
      `INSERT INTO action_log (reply_id, channel, action, class, target_id, args_json, decision, reason,
         requested_by, created_at, counted_at, expires_at, executed_at, message_id, waits_for,
         idempotency_key)
       VALUES (@replyId, @channel, @action, @class, @targetId, @argsJson, @decision, @reason,
         @requestedBy, @atMs, @countedAtMs, @expiresAtMs, @executedAtMs, @messageId, @waitsFor, @key)
       ON CONFLICT (idempotency_key) DO NOTHING`,
    ),
    release: db.prepare<[string, number, number, number]>(
      `UPDATE action_log SET decision = 'run', reason = ?, ended_as = 'yes', counted_at = ?, executed_at = ?
       WHERE id = ? AND decision = 'hold'`,
    ),
    refuseHeld: db.prepare<[string, string, number]>(
      `UPDATE action_log SET decision = 'refuse', reason = ?, ended_as = ?, counted_at = NULL
       WHERE id = ? AND decision = 'hold'`,
    ),
    asked: db.prepare<[number, number]>(
      "UPDATE action_log SET expires_at = ? WHERE id = ? AND decision = 'hold'",
    ),
    finish: db.prepare<[string, string | null, string | null, number]>(
      "UPDATE action_log SET outcome = ?, error = ?, result = ? WHERE id = ?",
    ),
    refuseAllHeld: db.prepare(
      `UPDATE action_log SET decision = 'refuse', reason = 'restarted', ended_as = 'withdrawn', counted_at = NULL
       WHERE decision = 'hold'`,
    ),
    settle: db.prepare(
      `UPDATE action_log SET outcome = 'unknown', error = 'crashed'
       WHERE decision = 'run' AND outcome IS NULL`,
    ),
  };
}
