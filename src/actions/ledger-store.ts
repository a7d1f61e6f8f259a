import type { Db } from "../platform/database/open-database.ts";
import type { Asking, Decision, Recent, WaitsFor } from "./action-policy.ts";
import type { Execution } from "./execute.ts";

/** Why a proposal was decided as it was, or dropped after it waited; docs/codes.md says of each what it means. */
export type ActionReason = Decision["reason"] | Answered | Dropped;

/** What ends a wait: an answer or none, or what a question rests on being taken away. */
type Answered = "confirmed" | "declined" | "unanswered" | "refused_by_streamer" | "expired";
type Dropped = "replaced" | "unsent" | "withdrawn" | "restarted" | "forgotten";
type Stopped = "paused" | "safe_mode" | "class_off";
export type WaitEnd = Exclude<
  Answered | Dropped | Stopped,
  "confirmed" | "restarted" | "forgotten"
>;

/** How the wait of a held proposal ended. */
export type EndedAs = "yes" | "declined" | "unanswered" | "withdrawn" | "replaced";
export type Answer = "approve" | "refuse";

/** A proposal and what was decided about it. */
interface LedgerEntry {
  readonly replyId: number | null;
  readonly channel: string;
  readonly action: string;
  readonly class: string;
  readonly requestedBy: string;
  readonly targetId: string | null;
  /** The message that a deletion takes away. */
  readonly messageId: string | null;
  /** Lives 24 hours. */
  readonly argsJson: string | null;
  readonly decision: Decision["kind"];
  readonly reason: ActionReason;
  /** Whose answer a held one waits for, or waited, and until when; nulls for the others. */
  readonly waitsFor: WaitsFor | null;
  readonly expiresAtMs: number | null;
  /** The same proposal has the same key, however often it comes. */
  readonly key: string;
}

type Told = "reason" | "requestedBy";
/** One line of the ledger, as an operator sees it. */
interface LedgerLine extends Omit<LedgerEntry, "replyId" | "messageId" | "key" | Told> {
  readonly id: number;
  readonly reason: string;
  readonly targetLogin: string | null;
  readonly requestedBy: string | null;
  readonly requesterLogin: string | null;
  readonly outcome: Execution["outcome"] | null;
  readonly error: string | null;
  /** What it made: a clip's link, a poll's id. */
  readonly result: string | null;
  readonly endedAs: string | null;
  readonly createdAtMs: number;
}

/**
 * The one record of what was proposed and run, which cooldowns and caps are read from. Every function throws where
 * the table cannot be read or written: then nothing may run.
 */
export type Ledger = ReturnType<typeof ledgerStore>;

type Row = Record<string, string | number | null>;
type Asker = Pick<LedgerEntry, "channel" | "requestedBy">;
type Run = Pick<LedgerEntry, "action" | "targetId">;

const HOUR_MS = 3_600_000;
/** The longest cooldown that the configuration allows. */
const COOLDOWN_MS_MAX = 86_400_000;
const SINCE_STREAM = `ifnull((SELECT min(started_at) FROM stream_sessions
  WHERE channel = @channel AND ended_at IS NULL AND started_at <= @nowMs), @dayAgoMs)`;

/**
 * Nothing is prepared before it is needed: a broken table refuses actions, and does not stop the bot. `pseudonym`: what
 * somebody is called here who was forgotten since; cooldowns and caps outlive that.
 */
export function ledgerStore(
  db: Db,
  now: () => number,
  pseudonym: (userId: string) => string = (userId) => userId,
) {
  const sql = statements(db);
  const change = (text: string, ...values: (string | number | null)[]): number =>
    sql(text).run(...values).changes;
  /** Asks about whoever asks, also by the name that they have here where they were forgotten since. */
  const about = <T>(text: string, query: Row & Asker): T => {
    const times = { nowMs: now(), dayAgoMs: now() - COOLDOWN_MS_MAX };
    const former = { formerRequestedBy: pseudonym(query.requestedBy) };
    const row = sql<[Row], T>(text).get({ ...query, ...times, ...former });
    if (row === undefined) throw new Error("no answer of the ledger");
    return row;
  };
  return {
    /** Writes it before anything is executed; null where this very proposal stands there already. */
    record: (entry: LedgerEntry): number | null => {
      const row = { ...entry, atMs: now() };
      const { changes, lastInsertRowid } = sql<[Row]>(SQL.insert).run(row);
      return changes === 1 ? Number(lastInsertRowid) : null;
    },
    /** A held proposal is run from now on. False where it waits no more. */
    release: (id: number, reason: "approved" | "confirmed"): boolean =>
      change(SQL.release, reason, now(), now(), id) === 1,
    /** A held proposal is not run; it counts for nothing. */
    refuseHeld: (id: number, reason: ActionReason, endedAs: EndedAs): void =>
      void change(SQL.refuseHeld, reason, endedAs, id),
    /** The question about it stands in chat, and is waited for until then. */
    asked: (id: number, expiresAtMs: number): void => void change(SQL.asked, expiresAtMs, id),
    /** What came of a run, and what it made. */
    finish: (id: number, { outcome, error, result }: Execution): void =>
      void change(SQL.finish, outcome, error, result, id),
    /** What was asked of a requester, and how often to no end, about memory or about all else. */
    asking: ({ isMemory, ...query }: Asker & { readonly isMemory: boolean }) =>
      about<Omit<Asking, "isRaid">>(SQL.asking, { ...query, isMemory: isMemory ? 1 : 0 }),
    /**
     * Whose run, of what, on whom: what a cooldown asks about. `exceptId`: a held proposal that is judged again; neither
     * it counts, nor what waits that came after it.
     */
    recent: (query: Asker & Run & { readonly exceptId: number | null }) => {
      const formerTargetId = query.targetId === null ? null : pseudonym(query.targetId);
      return about<Recent>(SQL.recent, { ...query, formerTargetId });
    },
    answerTo: (id: number): Answer | null =>
      sql<[number], { answer: Answer | null }>(SQL.answer).get(id)?.answer ?? null,
    /**
     * For start-up: runs that a crash cut short may have happened, so they are `unknown` and never run again; what
     * waited for an answer is refused. Says how many runs there were.
     */
    settleUnfinished: (): number => {
      change(SQL.refuseAllHeld);
      return change(SQL.settle);
    },
    /** Takes the arguments from up to `limit` entries written before `beforeMs`; says how many. */
    expireArgs: (beforeMs: number, limit: number): number => change(SQL.expire, beforeMs, limit),
    /** Moves the entries of the last day, and those from the future, back by `aheadMs`, by which the clock was set back. */
    realign: (nowMs: number, aheadMs: number): void =>
      void change(SQL.move, aheadMs, aheadMs, nowMs + Math.min(0, aheadMs - COOLDOWN_MS_MAX)),
    /** Takes the arguments of everything that a person asked for or was meant by. */
    dropArgs: (userId: string): void => void change(SQL.drop, userId, userId),
    /** Takes the arguments of everything that was proposed in a channel. */
    dropArgsIn: (channel: string): void => void change(SQL.dropIn, channel),
  };
}

const SQL = {
  insert: `INSERT INTO action_log (reply_id, channel, action, class, target_id, args_json, decision, reason,
     requested_by, created_at, counted_at, expires_at, executed_at, message_id, waits_for, idempotency_key)
     VALUES (@replyId, @channel, @action, @class, @targetId, @argsJson, @decision, @reason,
     @requestedBy, @atMs, iif(@decision = 'refuse', NULL, @atMs), @expiresAtMs, iif(@decision = 'run', @atMs, NULL),
     @messageId, @waitsFor, @key)
     ON CONFLICT (idempotency_key) DO NOTHING`,
  release: `UPDATE action_log SET decision = 'run', reason = ?, ended_as = 'yes', counted_at = ?, executed_at = ?
     WHERE id = ? AND decision = 'hold'`,
  refuseHeld: `UPDATE action_log SET decision = 'refuse', reason = ?, ended_as = ?, counted_at = NULL
     WHERE id = ? AND decision = 'hold'`,
  asked: "UPDATE action_log SET expires_at = ? WHERE id = ? AND decision = 'hold'",
  finish: "UPDATE action_log SET outcome = ?, error = ?, result = ? WHERE id = ?",
  asking: `WITH questions AS (SELECT requested_by IN (@requestedBy, @formerRequestedBy) AS is_own, created_at,
     (class = 'memory') = @isMemory AND ended_as IN ('unanswered', 'declined') AS is_vain,
     class = 'memory' AND decision = 'hold' AS is_open FROM action_log
     WHERE channel = @channel AND waits_for = 'requester' AND created_at >= ${SINCE_STREAM})
     SELECT max(CASE WHEN is_own THEN created_at END) AS lastAtMs,
     count(CASE WHEN is_own AND is_vain THEN 1 END) AS ownVain,
     count(CASE WHEN @isMemory = 0 AND is_vain THEN 1 END) AS allVain,
     count(CASE WHEN @isMemory = 1 AND is_own AND is_open THEN 1 END) AS openCount
     FROM questions`,
  recent: `WITH runs AS (SELECT target_id, requested_by, counted_at FROM action_log
     WHERE channel = @channel AND action = @action
     AND (@exceptId IS NULL OR id < @exceptId OR (id > @exceptId AND decision <> 'hold'))
     AND counted_at >= min(@dayAgoMs, ${SINCE_STREAM}))
     SELECT max(counted_at) AS actionAtMs,
     max(CASE WHEN target_id IN (@targetId, @formerTargetId) THEN counted_at END) AS targetAtMs,
     max(CASE WHEN requested_by IN (@requestedBy, @formerRequestedBy) THEN counted_at END) AS requesterAtMs,
     count(CASE WHEN counted_at > @nowMs - ${HOUR_MS} THEN 1 END) AS runsThisHour,
     count(CASE WHEN counted_at >= ${SINCE_STREAM} THEN 1 END) AS runsThisStream
     FROM runs`,
  answer: "SELECT answer FROM action_log WHERE id = ?",
  refuseAllHeld: `UPDATE action_log SET decision = 'refuse', reason = 'restarted', ended_as = 'withdrawn', counted_at = NULL
     WHERE decision = 'hold'`,
  settle: `UPDATE action_log SET outcome = 'unknown', error = 'crashed'
     WHERE decision = 'run' AND outcome IS NULL`,
  expire: `UPDATE action_log SET args_json = NULL WHERE id IN
     (SELECT id FROM action_log WHERE args_json IS NOT NULL AND created_at < ? LIMIT ?)`,
  move: "UPDATE action_log SET created_at = created_at - ?, counted_at = counted_at - ? WHERE created_at >= ?",
  drop: `UPDATE action_log SET args_json = NULL
     WHERE (requested_by = ? OR target_id = ?) AND args_json IS NOT NULL`,
  dropIn: "UPDATE action_log SET args_json = NULL WHERE channel = ? AND args_json IS NOT NULL",
} as const;

/** Each statement is prepared when it is first asked for, once. */
function statements(db: Db) {
  const prepared = new Map<string, ReturnType<Db["prepare"]>>();
  return <P extends unknown[] = unknown[], R = unknown>(text: string) => {
    const statement = prepared.get(text) ?? db.prepare(text);
    prepared.set(text, statement);
    return statement as unknown as ReturnType<typeof db.prepare<P, R>>;
  };
}

/** What an operator can see and do of the actions, from another process too: it writes rows, the daemon acts. */
export function actionReview(db: Db, now: () => number) {
  const sql = statements(db);
  return {
    /** The latest, newest first; the requester's login in any case. */
    list: (wanted: {
      readonly decision?: LedgerLine["decision"] | null;
      readonly reason?: string | null;
      readonly requester?: string;
      readonly limit: number;
    }): LedgerLine[] =>
      sql<[Row], LedgerLine>(
        `SELECT a.id, a.channel, a.action, a.class, a.target_id AS targetId, t.login AS targetLogin,
           a.requested_by AS requestedBy, r.login AS requesterLogin, a.args_json AS argsJson, a.decision, a.reason,
           a.outcome, a.error, a.result, a.waits_for AS waitsFor, a.ended_as AS endedAs,
           a.created_at AS createdAtMs, a.expires_at AS expiresAtMs
         FROM action_log AS a LEFT JOIN viewers AS t ON t.user_id = a.target_id
           LEFT JOIN viewers AS r ON r.user_id = a.requested_by
         WHERE (@decision IS NULL OR a.decision = @decision) AND (@reason IS NULL OR a.reason = @reason)
           ${wanted.requester === undefined ? "" : "AND a.requested_by IN (SELECT user_id FROM viewers WHERE login = @requester)"}
         ORDER BY a.id DESC LIMIT @limit`,
      ).all({
        ...{ decision: null, reason: null, ...wanted },
        requester: wanted.requester?.toLowerCase() ?? null,
      }),
    /** How many of each decision and reason since a time, most first. */
    countsByReason: (sinceMs: number) =>
      sql<[number], { decision: string; reason: string; count: number }>(
        `SELECT decision, reason, count(*) AS count FROM action_log WHERE created_at >= ?
         GROUP BY decision, reason ORDER BY count DESC, decision, reason`,
      ).all(sinceMs),
    /** How many were refused, by who asked, since a time, most first. */
    refusedByRequester: (sinceMs: number) =>
      sql<[number], { userId: string; login: string | null; count: number }>(
        `SELECT a.requested_by AS userId, v.login, count(*) AS count FROM action_log AS a
           LEFT JOIN viewers AS v ON v.user_id = a.requested_by
         WHERE a.decision = 'refuse' AND a.requested_by IS NOT NULL AND a.created_at >= ?
         GROUP BY a.requested_by ORDER BY count DESC, a.requested_by`,
      ).all(sinceMs),
    /** Answers a proposal that waits. False where none of that number does, or not any more. */
    answer: (id: number, given: Answer): boolean =>
      sql(
        `UPDATE action_log SET answer = ?
         WHERE id = ? AND decision = 'hold' AND waits_for = 'streamer' AND answer IS NULL AND expires_at > ?`,
      ).run(given, id, now()).changes === 1,
  };
}

/** A function that puts a keyed hash in somebody's place: caps and cooldowns outlive a forget. Drops what waited. */
export function ledgerForgetter(db: Db): (userId: string, who: string) => void {
  const steps = [
    `UPDATE action_log SET decision = 'refuse', reason = 'forgotten', counted_at = NULL
     WHERE decision = 'hold' AND (requested_by = @userId OR target_id = @userId)`,
    // Without a reply the key tells who asked.
    `UPDATE action_log SET requested_by = @who, args_json = NULL, idempotency_key =
       CASE WHEN reply_id IS NULL THEN 'forgotten:' || id ELSE idempotency_key END
     WHERE requested_by = @userId`,
    "UPDATE action_log SET target_id = @who, args_json = NULL WHERE target_id = @userId",
  ].map((sql) => db.prepare<[{ userId: string; who: string }]>(sql));
  return (userId, who) => {
    for (const step of steps) step.run({ userId, who });
  };
}
