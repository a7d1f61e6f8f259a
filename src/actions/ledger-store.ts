import type { Db } from "../platform/database/open-database.ts";
import type { Asking, Decision, Recent, WaitsFor } from "./action-policy.ts";
import type { Execution } from "./execute.ts";

/** Why a proposal was decided as it was, or dropped after it waited; docs/codes.md says of each what it means. */
export type ActionReason = Decision["reason"] | Answered | Dropped;
type Answered = "confirmed" | "declined" | "unanswered" | "refused_by_streamer";
type Dropped = "replaced" | "unsent" | "expired" | "withdrawn" | "restarted" | "forgotten";

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

/**
 * The one record of what was proposed and run, which cooldowns and caps are read from. Every function throws where
 * the table cannot be read or written: then nothing may run.
 */
export type Ledger = ReturnType<typeof ledgerStore>;

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
) {
  let prepared: ReturnType<typeof statements> | null = null;
  const rows = () => {
    prepared ??= statements(db);
    return prepared;
  };
  const since = () => ({ nowMs: now(), dayAgoMs: now() - COOLDOWN_MS_MAX });
  return {
    /** Writes it before anything is executed; null where this very proposal stands there already. */
    record: (entry: LedgerEntry): number | null => {
      const { decision } = entry;
      const atMs = now();
      const countedAtMs = decision === "refuse" ? null : atMs;
      const executedAtMs = decision === "run" ? atMs : null;
      const row = { ...entry, atMs, countedAtMs, executedAtMs };
      const { changes, lastInsertRowid } = rows().insert.run(row);
      return changes === 1 ? Number(lastInsertRowid) : null;
    },
    /** A held proposal is run from now on. False where it waits no more. */
    release: (id: number, reason: "approved" | "confirmed"): boolean =>
      rows().release.run(reason, now(), now(), id).changes === 1,
    /** A held proposal is not run; it counts for nothing. */
    refuseHeld: (id: number, reason: ActionReason, endedAs: EndedAs): void =>
      void rows().refuseHeld.run(reason, endedAs, id),
    /** The question about it stands in chat, and is waited for until then. */
    asked: (id: number, expiresAtMs: number): void => void rows().asked.run(expiresAtMs, id),
    /** What came of a run, and what it made. */
    finish: (id: number, { outcome, error, result }: Execution): void =>
      void rows().finish.run(outcome, error, result, id),
    /** What was asked of a requester, and how often to no end, about memory or about all else. */
    asking: (query: {
      readonly channel: string;
      readonly requestedBy: string;
      readonly isMemory: boolean;
    }): Omit<Asking, "isRaid" | "isOpen"> => {
      const isMemory = query.isMemory ? 1 : 0;
      const formerRequestedBy = pseudonym(query.requestedBy);
      return known(rows().asking.get({ ...query, ...since(), isMemory, formerRequestedBy }));
    },
    /**
     * Whose run, of what, on whom: what a cooldown asks about. `exceptId`: a held proposal that is judged again; neither
     * it counts, nor what waits that came after it.
     */
    recent: (query: {
      readonly channel: string;
      readonly action: string;
      readonly targetId: string | null;
      readonly requestedBy: string;
      readonly exceptId: number | null;
    }): Recent => {
      const { targetId, requestedBy, exceptId } = query;
      const formerTargetId = targetId === null ? null : pseudonym(targetId);
      const former = { formerTargetId, formerRequestedBy: pseudonym(requestedBy) };
      const times = { ...since(), hourAgoMs: now() - HOUR_MS };
      return known(rows().recent.get({ ...query, ...former, ...times, exceptId: exceptId ?? 0 }));
    },
    answerTo: (id: number): Answer | null => rows().answer.get(id) ?? null,
    /**
     * For start-up: runs that a crash cut short may have happened, so they are `unknown` and never run again; what
     * waited for an answer is refused. Says how many runs there were.
     */
    settleUnfinished: (): number => {
      rows().refuseAllHeld.run();
      return rows().settle.run().changes;
    },
    /** Takes the arguments from up to `limit` entries written before `beforeMs`; says how many. */
    expireArgs: (beforeMs: number, limit: number): number =>
      rows().expire.run(beforeMs, limit).changes,
    /** Moves the entries of the last day back by `aheadMs`, by which the clock was set back. */
    realign: (nowMs: number, aheadMs: number): void =>
      void rows().move.run(aheadMs, aheadMs, nowMs + aheadMs - COOLDOWN_MS_MAX),
    /** Takes the arguments of everything that a person asked for or was meant by. */
    dropArgs: (userId: string): void => void rows().drop.run(userId, userId),
    /** Takes the arguments of everything that was proposed in a channel. */
    dropArgsIn: (channel: string): void => void rows().dropIn.run(channel),
  };
}

function known<T>(row: T | undefined): T {
  if (row === undefined) throw new Error("no answer of the ledger");
  return row;
}

type Row = Record<string, string | number | null>;

const SINCE_STREAM = `ifnull((SELECT min(started_at) FROM stream_sessions
  WHERE channel = @channel AND ended_at IS NULL AND started_at <= @nowMs), @dayAgoMs)`;

function statements(db: Db) {
  return {
    insert: db.prepare<[Row]>(
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
    asking: db.prepare<[Row], Omit<Asking, "isRaid" | "isOpen">>(
      `WITH questions AS (SELECT requested_by IN (@requestedBy, @formerRequestedBy) AS is_own, created_at,
           (class = 'memory') = @isMemory AND ended_as IN ('unanswered', 'declined') AS is_vain FROM action_log
         WHERE channel = @channel AND waits_for = 'requester' AND created_at >= ${SINCE_STREAM})
       SELECT max(CASE WHEN is_own THEN created_at END) AS lastAtMs,
         count(CASE WHEN is_own AND is_vain THEN 1 END) AS ownVain,
         count(CASE WHEN @isMemory = 0 AND is_vain THEN 1 END) AS allVain
       FROM questions`,
    ),
    recent: db.prepare<[Row], Recent>(
      `WITH runs AS (SELECT target_id, requested_by, counted_at FROM action_log
         WHERE channel = @channel AND action = @action
           AND (@exceptId = 0 OR id < @exceptId OR (id > @exceptId AND decision <> 'hold'))
           AND counted_at >= min(@dayAgoMs, ${SINCE_STREAM}))
       SELECT max(counted_at) AS actionAtMs,
         max(CASE WHEN target_id IN (@targetId, @formerTargetId) THEN counted_at END) AS targetAtMs,
         max(CASE WHEN requested_by IN (@requestedBy, @formerRequestedBy) THEN counted_at END) AS requesterAtMs,
         count(CASE WHEN counted_at > @hourAgoMs THEN 1 END) AS runsThisHour,
         count(CASE WHEN counted_at >= ${SINCE_STREAM} THEN 1 END) AS runsThisStream
       FROM runs`,
    ),
  };
}
