import type { Db } from "../database/open-database.ts";
import type { Asking, Decision, Recent, WaitsFor } from "./action-policy.ts";
import type { Execution } from "./execute.ts";

type Answered = "confirmed" | "declined" | "unanswered" | "refused_by_streamer" | "expired";
type Dropped = "replaced" | "overtaken" | "unsent" | "withdrawn" | "restarted" | "forgotten";
/** Why a proposal was decided as it was, or why its wait ended; docs/codes.md explains each. */
export type ActionReason = Decision["reason"] | Answered | Dropped;

/** How a wait ended, by its reason; `withdrawn` for all others. */
const ENDED_AS: Readonly<Partial<Record<ActionReason, EndedAs>>> = {
  declined: "declined",
  refused_by_streamer: "declined",
  unanswered: "unanswered",
  overtaken: "unanswered",
  expired: "unanswered",
  replaced: "replaced",
};
type EndedAs = "yes" | "declined" | "unanswered" | "withdrawn" | "replaced";

type Texts<K extends string> = Readonly<Record<K, string>>;
type MayBe<K extends string> = Readonly<Record<K, string | null>>;

/** A row, by the columns of `schema.sql`. `key` is the same for the same proposal, however often it comes. */
interface LedgerEntry
  extends Texts<"channel" | "action" | "class" | "requestedBy" | "key">,
    MayBe<"targetId" | "argsJson" | "messageId"> {
  readonly replyId: number | null;
  readonly decision: Decision["kind"];
  readonly reason: ActionReason;
  readonly waitsFor: WaitsFor | null;
  readonly expiresAtMs: number | null;
}

/** A row as the streamer sees it. */
interface LedgerLine
  extends Omit<LedgerEntry, "replyId" | "requestedBy" | "messageId" | "key" | "reason">,
    MayBe<"targetLogin" | "requestedBy" | "requesterLogin" | "error" | "result" | "endedAs"> {
  readonly id: number;
  readonly reason: string;
  readonly outcome: Execution["outcome"] | null;
  readonly createdAtMs: number;
}

/** What was proposed and run. Throws if the table fails: then nothing may run. */
export type Ledger = ReturnType<typeof ledgerStore>;

type Values = Readonly<Record<string, string | number | null>>;
type Requester = Texts<"channel" | "requestedBy">;

const HOUR_MS = 3_600_000;
/** The longest cooldown that the configuration allows. */
const COOLDOWN_MS_MAX = 86_400_000;
const SINCE_STREAM = `ifnull((SELECT min(started_at) FROM stream_sessions
  WHERE channel = @channel AND ended_at IS NULL AND started_at <= @nowMs), @dayAgoMs)`;
/** A refused action counts for no cooldown or cap. */
const REFUSED = "decision = 'refuse', counted_at = NULL";
const HELD = "WHERE decision = 'hold'";

/** Opens the ledger. `pseudonym` names a forgotten viewer: cooldowns and caps outlive a forget. */
export function ledgerStore(db: Db, now: () => number, pseudonym = (userId: string) => userId) {
  const sql = statements(db);
  const set = (change: string, values: Values): number =>
    sql(`UPDATE action_log SET ${change}`).run({ ...values, nowMs: now() }).changes;
  /** Counts the requester's rows, also those before a forget. */
  const about = <T>(text: string, query: Values & Requester): T => {
    const times = { nowMs: now(), dayAgoMs: now() - COOLDOWN_MS_MAX };
    const former = { formerRequestedBy: pseudonym(query.requestedBy) };
    const row = sql<T>(text).get({ ...query, ...times, ...former });
    if (row === undefined) throw new Error("no answer of the ledger");
    return row;
  };
  const dropArgs = (which: string, values: Values): number =>
    set(`args_json = NULL WHERE args_json IS NOT NULL AND ${which}`, values);
  return {
    /** Adds a row before anything is executed. Null if this very proposal has one already. */
    record: (entry: LedgerEntry): number | null => {
      const { changes, lastInsertRowid } = sql(INSERT).run({ ...entry, nowMs: now() });
      return changes === 1 ? Number(lastInsertRowid) : null;
    },
    /** Ends a wait: the proposal runs or is refused. False if it does not wait. */
    release: (id: number, decision: "run" | "refuse", reason: ActionReason, endedAs?: "yes") => {
      const as = endedAs ?? ENDED_AS[reason] ?? "withdrawn";
      return set(RELEASED, { id, decision, reason, endedAs: as }) === 1;
    },
    /** The question is in chat. */
    asked: (id: number, expiresAtMs: number) =>
      set(`expires_at = @expiresAtMs ${HELD} AND id = @id`, { id, expiresAtMs }),
    /** The outcome of a run. */
    finish: (id: number, ended: Execution) =>
      set("outcome = @outcome, error = @error, result = @result WHERE id = @id", { id, ...ended }),
    /** Questions to a requester in this stream, about memory or about everything else. */
    asking: ({ isMemory, ...query }: Requester & { readonly isMemory: boolean }) =>
      about<Omit<Asking, "isRaid">>(ASKING, { ...query, isMemory: isMemory ? 1 : 0 }),
    /** Runs, for cooldowns and caps. `exceptId` is judged again: neither it nor what waits since then counts. */
    recent: (
      query: Requester &
        Readonly<{ action: string; targetId: string | null; exceptId: number | null }>,
    ) => {
      const formerTargetId = query.targetId === null ? null : pseudonym(query.targetId);
      return about<Recent>(RECENT, { ...query, formerTargetId });
    },
    answerTo: (id: number) =>
      sql<{ answer: "approve" | "refuse" | null }>(
        "SELECT answer FROM action_log WHERE id = @id",
      ).get({ id })?.answer ?? null,
    /** At the start: refuses what waited. A run that a crash cut short may have happened, and never runs again. Returns how many. */
    settleUnfinished: (): number => {
      set(`${REFUSED}, reason = 'restarted', ended_as = 'withdrawn' ${HELD}`, {});
      const crashed = "outcome = 'unknown', error = 'crashed'";
      return set(`${crashed} WHERE decision = 'run' AND outcome IS NULL`, {});
    },
    /** Removes the arguments from up to `limit` rows written before `beforeMs`. Returns how many. */
    expireArgs: (beforeMs: number, limit: number): number =>
      dropArgs(
        `id IN (SELECT id FROM action_log WHERE args_json IS NOT NULL AND created_at < @beforeMs LIMIT @limit)`,
        { beforeMs, limit },
      ),
    /** Removes the arguments of everything that a viewer requested or was the target of. */
    dropArgs: (userId: string) =>
      dropArgs("(requested_by = @userId OR target_id = @userId)", { userId }),
    /** Removes the arguments of everything that was proposed in a channel. */
    dropArgsIn: (channel: string) => dropArgs("channel = @channel", { channel }),
    /** Moves rows of the last day and of the future back by `aheadMs`: the clock was set back by that. */
    realign: (nowMs: number, aheadMs: number) =>
      set(
        "created_at = created_at - @aheadMs, counted_at = counted_at - @aheadMs WHERE created_at >= @sinceMs",
        { aheadMs, sinceMs: nowMs + Math.min(0, aheadMs - COOLDOWN_MS_MAX) },
      ),
  };
}

const RELEASED = `decision = @decision, reason = @reason, ended_as = @endedAs,
   counted_at = iif(@decision = 'run', @nowMs, NULL), executed_at = iif(@decision = 'run', @nowMs, NULL) ${HELD} AND id = @id`;
const INSERT = `INSERT INTO action_log (reply_id, channel, action, class, target_id, args_json, decision, reason,
     requested_by, created_at, counted_at, expires_at, executed_at, message_id, waits_for, idempotency_key)
   VALUES (@replyId, @channel, @action, @class, @targetId, @argsJson, @decision, @reason,
     @requestedBy, @nowMs, iif(@decision = 'refuse', NULL, @nowMs), @expiresAtMs, iif(@decision = 'run', @nowMs, NULL),
     @messageId, @waitsFor, @key)
   ON CONFLICT (idempotency_key) DO NOTHING`;
const ASKING = `WITH questions AS (SELECT requested_by IN (@requestedBy, @formerRequestedBy) AS is_own, created_at,
     (class = 'memory') = @isMemory AND ended_as IN ('unanswered', 'declined') AS is_ignored FROM action_log
     WHERE channel = @channel AND waits_for = 'requester' AND created_at >= ${SINCE_STREAM})
   SELECT max(created_at) FILTER (WHERE is_own) AS lastAtMs,
     count(*) FILTER (WHERE is_own AND is_ignored) AS ignored
   FROM questions`;
const RECENT = `WITH runs AS (SELECT target_id, requested_by, counted_at FROM action_log
     WHERE channel = @channel AND action = @action
     AND (@exceptId IS NULL OR id < @exceptId OR (id > @exceptId AND decision <> 'hold'))
     AND counted_at >= min(@dayAgoMs, ${SINCE_STREAM}))
   SELECT max(counted_at) AS actionAtMs,
     max(counted_at) FILTER (WHERE target_id IN (@targetId, @formerTargetId)) AS targetAtMs,
     max(counted_at) FILTER (WHERE requested_by IN (@requestedBy, @formerRequestedBy)) AS requesterAtMs,
     count(*) FILTER (WHERE counted_at > @nowMs - ${HOUR_MS}) AS runsThisHour,
     count(*) FILTER (WHERE counted_at >= ${SINCE_STREAM}) AS runsThisStream
   FROM runs`;

/** Prepares each statement when it is first needed: a broken table then refuses actions, and does not stop the bot. */
function statements(db: Db) {
  const prepared = new Map<string, ReturnType<Db["prepare"]>>();
  return <R = unknown>(text: string) => {
    const statement = prepared.get(text) ?? db.prepare(text);
    prepared.set(text, statement);
    return statement as unknown as ReturnType<typeof db.prepare<[Values], R>>;
  };
}

/** What the streamer can see and answer, from another process too: it writes rows, and the daemon acts. */
export function actionReview(db: Db, now: () => number) {
  const sql = statements(db);
  return {
    /** The latest, newest first; the requester's login in any case. */
    list: (
      wanted: Readonly<{ decision?: string; reason?: string; requester?: string; limit: number }>,
    ): LedgerLine[] =>
      sql<LedgerLine>(
        `SELECT a.id, a.channel, a.action, a.class, a.target_id AS targetId, t.login AS targetLogin,
           a.requested_by AS requestedBy, r.login AS requesterLogin, a.args_json AS argsJson, a.decision, a.reason,
           a.outcome, a.error, a.result, a.waits_for AS waitsFor, a.ended_as AS endedAs,
           a.created_at AS createdAtMs, a.expires_at AS expiresAtMs
         FROM action_log AS a LEFT JOIN viewers AS t ON t.user_id = a.target_id
           LEFT JOIN viewers AS r ON r.user_id = a.requested_by
         WHERE (@decision IS NULL OR a.decision = @decision) AND (@reason IS NULL OR a.reason = @reason)
           ${wanted.requester === undefined ? "" : "AND a.requested_by IN (SELECT user_id FROM viewers WHERE login = lower(@requester))"}
         ORDER BY a.id DESC LIMIT @limit`,
      ).all({ decision: null, reason: null, requester: null, ...wanted }),
    /** Counts each decision and reason since a time, most first. */
    countsByReason: (sinceMs: number) =>
      sql<{ decision: string; reason: string; count: number }>(
        `SELECT decision, reason, count(*) AS count FROM action_log WHERE created_at >= @sinceMs
         GROUP BY decision, reason ORDER BY count DESC, decision, reason`,
      ).all({ sinceMs }),
    /** Counts refusals by requester since a time, most first. */
    refusedByRequester: (sinceMs: number) =>
      sql<{ userId: string; login: string | null; count: number }>(
        `SELECT a.requested_by AS userId, v.login, count(*) AS count FROM action_log AS a
           LEFT JOIN viewers AS v ON v.user_id = a.requested_by
         WHERE a.decision = 'refuse' AND a.requested_by IS NOT NULL AND a.created_at >= @sinceMs
         GROUP BY a.requested_by ORDER BY count DESC, a.requested_by`,
      ).all({ sinceMs }),
    /** Answers an action that waits. False if no action of that number waits. */
    answer: (id: number, given: "approve" | "refuse"): boolean =>
      sql(
        `UPDATE action_log SET answer = @given ${HELD} AND id = @id
           AND waits_for = 'streamer' AND answer IS NULL AND expires_at > @nowMs`,
      ).run({ id, given, nowMs: now() }).changes === 1,
  };
}

/** Returns a function that replaces a viewer by a keyed hash and refuses what waited. Caps and cooldowns outlive a forget. */
export function ledgerForgetter(db: Db): (userId: string, who: string) => void {
  const steps = [
    `${REFUSED}, reason = 'forgotten' ${HELD} AND (requested_by = @userId OR target_id = @userId)`,
    // Without a reply the key tells who asked.
    `requested_by = @who, args_json = NULL, idempotency_key = iif(reply_id IS NULL, 'forgotten:' || id, idempotency_key)
     WHERE requested_by = @userId`,
    "target_id = @who, args_json = NULL WHERE target_id = @userId",
  ].map((change) => db.prepare<[Values]>(`UPDATE action_log SET ${change}`));
  return (userId, who) => {
    for (const step of steps) step.run({ userId, who });
  };
}
