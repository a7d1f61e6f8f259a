import { OPEN_STREAM_START } from "../chat/channel-store.ts";
import { AccountStore } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import type { Decision, Questions, Recent } from "./action-policy.ts";
import type { Execution } from "./execute.ts";

type AnswerReason = "confirmed" | "declined" | "unanswered" | "refused_by_streamer" | "expired";
type EndReason = "replaced" | "overtaken" | "unsent" | "withdrawn" | "restarted" | "forgotten";
/** Why a proposal was decided as it was, or why its wait ended; docs/codes.md explains each. */
export type ActionReason = Decision["reason"] | AnswerReason | EndReason;

/** The ledger's `ended_as` by reason; `withdrawn` for all others. */
const ENDED_AS: Readonly<Partial<Record<ActionReason, EndedAs>>> = {
  declined: "declined",
  refused_by_streamer: "declined",
  unanswered: "unanswered",
  overtaken: "unanswered",
  expired: "unanswered",
  replaced: "replaced",
};
type EndedAs = "yes" | "declined" | "unanswered" | "withdrawn" | "replaced";

interface LedgerRow {
  readonly channel: string;
  readonly action: string;
  readonly class: string;
  readonly targetId: string | null;
  readonly argsJson: string | null;
  readonly decision: Decision["kind"];
  readonly waitsFor: "requester" | "streamer" | null;
  readonly expiresAtMs: number | null;
}

/** A proposal and its decision. `key` is the same for the same proposal, however often it comes. */
interface LedgerEntry extends LedgerRow {
  readonly replyId: number | null;
  readonly requestedBy: string;
  readonly messageId: string | null;
  readonly reason: ActionReason;
  readonly key: string;
}

/** A row as the user sees it. A login is null if the viewer is unknown or forgotten. */
export interface LedgerLine extends LedgerRow {
  readonly id: number;
  readonly targetLogin: string | null;
  readonly requestedBy: string | null;
  readonly requesterLogin: string | null;
  readonly reason: string;
  readonly outcome: Execution["outcome"] | null;
  readonly error: string | null;
  readonly result: string | null;
  readonly endedAs: string | null;
  readonly createdAtMs: number;
}

type Values = Readonly<Record<string, string | number | null>>;

type Requester = Readonly<Record<"channel" | "requestedBy", string>>;

const HOUR_MS = 3_600_000;
/** The longest cooldown that the configuration allows. */
const COOLDOWN_MS_MAX = 86_400_000;
const SINCE_STREAM = `ifnull(${OPEN_STREAM_START}, @dayAgoMs)`;
/** A refused action counts for no cooldown or cap. */
const REFUSED = "decision = 'refuse', counted_at = NULL";
const HELD = "WHERE decision = 'hold'";

export const LEDGER_DOWN =
  "The record of actions cannot be written, and every action is refused until it can. Type `forgetmenot doctor`: it says what is wrong with the database.";

/**
 * Writes and reads the ledger of proposals and runs. Each method throws if the database fails: then nothing may run.
 * `pseudonym` returns the hash that replaces an id once its viewer is forgotten: cooldowns and caps outlive a forget.
 */
export class Ledger {
  readonly #db;
  readonly #now;
  readonly #pseudonym;

  constructor(db: Db, now: () => number, pseudonym = (userId: string) => userId) {
    this.#db = db;
    this.#now = now;
    this.#pseudonym = pseudonym;
  }

  /** Adds a row, and returns its id; null, without a change, if a row has its `key`. Call it before you execute. */
  record(entry: LedgerEntry): number | null {
    const values = { ...entry, nowMs: this.#now() };
    const { changes, lastInsertRowid } = this.#db.prepare(INSERT).run(values);
    return changes === 1 ? Number(lastInsertRowid) : null;
  }

  /**
   * Ends a wait in the ledger: the proposal is now run or refused. Returns false if it does not wait. A run counts for
   * caps and cooldowns from now, a refusal never.
   */
  release(
    id: number,
    decision: "run" | "refuse",
    reason: ActionReason,
    endedAs: EndedAs = ENDED_AS[reason] ?? "withdrawn",
  ): boolean {
    return this.#set(RELEASED, { id, decision, reason, endedAs }) === 1;
  }

  /** Stores until when (epoch ms) an answer to the question counts; does nothing if the row no longer waits. */
  setAnswerLimit(id: number, expiresAtMs: number): void {
    this.#set(`expires_at = @expiresAtMs ${HELD} AND id = @id`, { id, expiresAtMs });
  }

  finish(id: number, ended: Execution): void {
    const change = "outcome = @outcome, error = @error, result = @result WHERE id = @id";
    this.#set(change, { id, ...ended });
  }

  /**
   * Returns when a requester was last asked, and how many questions they ignored or declined: in this stream, or in the
   * last 24 hours if there is none. Counts those about memory if `isMemory`, else those about other actions.
   */
  readQuestions({ isMemory, ...query }: Requester & { readonly isMemory: boolean }) {
    return this.#about<Questions>(ASKING, { ...query, isMemory: Number(isMemory) });
  }

  /**
   * Reads the earlier runs of an action in a channel; dry runs and waiting proposals count, refused ones do not.
   * `exceptId`: a waiting proposal that is judged again. Neither it nor a later one that waits counts.
   */
  readRecent(
    query: Requester &
      Readonly<{ action: string; targetId: string | null; exceptId: number | null }>,
  ): Recent {
    const formerTargetId = query.targetId === null ? null : this.#pseudonym(query.targetId);
    return this.#about<Recent>(RECENT, { ...query, formerTargetId });
  }

  /** Returns the streamer's answer to a proposal; null if there is none. */
  readAnswer(id: number): "approve" | "refuse" | null {
    const select = "SELECT answer FROM action_log WHERE id = ?";
    return this.#db.prepare<[number], "approve" | "refuse">(select).pluck().get(id) ?? null;
  }

  /**
   * Refuses proposals that still wait; call it only at the start. Marks runs that a crash cut short as `unknown`: they
   * may have happened, and never run again. Returns the number of these runs.
   */
  settleUnfinished(): number {
    this.#set(`${REFUSED}, reason = 'restarted', ended_as = 'withdrawn' ${HELD}`, {});
    const crashed = "outcome = 'unknown', error = 'crashed'";
    return this.#set(`${crashed} WHERE decision = 'run' AND outcome IS NULL`, {});
  }

  /** Removes the arguments from up to `limit` rows written before `beforeMs`. Returns how many. */
  expireArgs(beforeMs: number, limit: number): number {
    const old = "args_json IS NOT NULL AND created_at < @beforeMs LIMIT @limit";
    const change = `args_json = NULL WHERE id IN (SELECT id FROM action_log WHERE ${old})`;
    return this.#set(change, { beforeMs, limit });
  }

  /** Removes the arguments of everything that a viewer requested or was the target of. */
  dropArgs(userId: string): void {
    const change = "args_json = NULL WHERE requested_by = @userId OR target_id = @userId";
    this.#set(change, { userId });
  }

  /** Removes the arguments of everything that was proposed in a channel. */
  dropArgsIn(channel: string): void {
    this.#set("args_json = NULL WHERE channel = @channel", { channel });
  }

  /**
   * Subtracts `aheadMs` from the times of rows, after the clock was set back by as much. Rows change if they are of the
   * last day by the old clock, or after `nowMs`.
   */
  realign(nowMs: number, aheadMs: number): void {
    this.#set(
      "created_at = created_at - @aheadMs, counted_at = counted_at - @aheadMs WHERE created_at >= @sinceMs",
      { aheadMs, sinceMs: nowMs + Math.min(0, aheadMs - COOLDOWN_MS_MAX) },
    );
  }

  #set(change: string, values: Values): number {
    const update = this.#db.prepare(`UPDATE action_log SET ${change}`);
    return update.run({ ...values, nowMs: this.#now() }).changes;
  }

  /** Runs a query about a requester with the current time. It finds their rows from before a forget, too. */
  #about<T>(select: string, query: Values & Requester): T {
    const times = { nowMs: this.#now(), dayAgoMs: this.#now() - COOLDOWN_MS_MAX };
    const former = { formerRequestedBy: this.#pseudonym(query.requestedBy) };
    return this.#db.prepare<[Values], T>(select).get({ ...query, ...times, ...former }) as T;
  }
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

const COLUMNS = `id, channel, action, class, target_id AS targetId, requested_by AS requestedBy, args_json AS argsJson,
    decision, reason, outcome, error, result, waits_for AS waitsFor, ended_as AS endedAs,
    created_at AS createdAtMs, expires_at AS expiresAtMs FROM action_log`;

/** Corrections are looked for among this many newest runs. */
const RUNS_BACK = 200;

/** Lists and counts proposals, and answers for the streamer. Works from any process: the daemon acts on the rows. */
export class ActionReview {
  readonly #db;
  readonly #now;
  readonly #accounts;

  constructor(db: Db, now: () => number) {
    this.#db = db;
    this.#now = now;
    this.#accounts = new AccountStore(db);
  }

  /** Returns up to `limit` proposals, newest first. `requester`: a login in any case; an unknown one matches no row. */
  list(wanted: { decision?: string; reason?: string; requester?: string; limit: number }) {
    const { decision = null, reason = null, requester, limit } = wanted;
    const accounts = this.#accounts.withLogin(requester?.toLowerCase() ?? "");
    const ids = JSON.stringify(accounts.map(({ userId }) => userId));
    const requesters = requester === undefined ? null : ids;
    return this.#lines(
      `WHERE (@decision IS NULL OR decision = @decision) AND (@reason IS NULL OR reason = @reason)
         AND (@requesters IS NULL OR requested_by IN (SELECT value FROM json_each(@requesters)))
       ORDER BY id DESC LIMIT @limit`,
      { decision, reason, requesters, limit },
    );
  }

  /** Returns the proposals of one reply, oldest first. */
  listOfReply(replyId: number): LedgerLine[] {
    return this.#lines("WHERE reply_id = @replyId ORDER BY id", { replyId });
  }

  /** Returns the proposals that wait, oldest first. */
  listHeld(): LedgerLine[] {
    return this.#lines(`${HELD} ORDER BY id`, {});
  }

  /** Returns the ids of replies whose turn ran `correct`, even if it failed, among the last 200 runs of any action. */
  listCorrectedReplies(): ReadonlySet<number> {
    const rows = this.#all<{ replyId: number }>(
      `SELECT reply_id AS replyId FROM
         (SELECT action, reply_id FROM action_log WHERE decision = 'run' ORDER BY id DESC LIMIT @limit)
       WHERE action = 'correct' AND reply_id IS NOT NULL`,
      { limit: RUNS_BACK },
    );
    return new Set(rows.map(({ replyId }) => replyId));
  }

  /**
   * Returns the proposals that viewers asked for (`asked` 1) or were the target of, oldest first. `ids`: a JSON list of
   * ids and hashes.
   */
  listOfViewers(ids: string) {
    const isTheirs = "IN (SELECT value FROM json_each(@ids))";
    return this.#all<
      Record<"action" | "decision" | "reason", string> & Record<"createdAtMs" | "asked", number>
    >(
      `SELECT action, decision, reason, created_at AS createdAtMs, requested_by ${isTheirs} AS asked
       FROM action_log WHERE requested_by ${isTheirs} OR target_id ${isTheirs} ORDER BY id`,
      { ids },
    );
  }

  /** Counts each decision and reason since a time, most first. */
  countByReason(sinceMs: number) {
    return this.#all<{ decision: string; reason: string; count: number }>(
      `SELECT decision, reason, count(*) AS count FROM action_log WHERE created_at >= @sinceMs
       GROUP BY decision, reason ORDER BY count DESC, decision, reason`,
      { sinceMs },
    );
  }

  /** Counts refusals by requester since a time, most first. */
  countRefusals(sinceMs: number) {
    const rows = this.#all<{ userId: string; count: number }>(
      `SELECT requested_by AS userId, count(*) AS count FROM action_log
       WHERE decision = 'refuse' AND requested_by IS NOT NULL AND created_at >= @sinceMs
       GROUP BY requested_by ORDER BY count DESC, requested_by`,
      { sinceMs },
    );
    return rows.map((row) => ({ ...row, login: this.#loginOf(row.userId) }));
  }

  /**
   * Stores the streamer's answer to a waiting action; the daemon acts on it later. Returns false if no action of that
   * id waits for the streamer, or it is answered or expired.
   */
  answer(id: number, given: "approve" | "refuse"): boolean {
    const update = this.#db.prepare(
      `UPDATE action_log SET answer = @given ${HELD} AND id = @id
         AND waits_for = 'streamer' AND answer IS NULL AND expires_at > @nowMs`,
    );
    return update.run({ id, given, nowMs: this.#now() }).changes === 1;
  }

  #lines(where: string, values: Values): LedgerLine[] {
    return this.#all<LedgerLine>(`SELECT ${COLUMNS} ${where}`, values).map((row) => ({
      ...row,
      targetLogin: this.#loginOf(row.targetId),
      requesterLogin: this.#loginOf(row.requestedBy),
    }));
  }

  #all<Row>(select: string, values: Values): Row[] {
    return this.#db.prepare<[Values], Row>(select).all(values);
  }

  #loginOf(userId: string | null): string | null {
    return userId === null ? null : (this.#accounts.findById(userId)?.login ?? null);
  }
}

/** Counts the proposals from before a time that still have arguments. */
export function countArgsBefore(db: Db, beforeMs: number): number {
  return db
    .prepare<[number], number>(
      "SELECT count(*) FROM action_log WHERE args_json IS NOT NULL AND created_at < ?",
    )
    .pluck()
    .get(beforeMs) as number;
}

/**
 * Returns a function that forgets a viewer: it refuses what waited, removes arguments, and replaces their id by the
 * hash `who`. The rows stay: caps and cooldowns outlive a forget.
 */
export function prepareLedgerForget(db: Db): (userId: string, who: string) => void {
  const steps = [
    `${REFUSED}, reason = 'forgotten' ${HELD} AND (requested_by = @userId OR target_id = @userId)`,
    // Without a reply the key names the requester.
    `requested_by = @who, args_json = NULL, idempotency_key = iif(reply_id IS NULL, 'forgotten:' || id, idempotency_key)
     WHERE requested_by = @userId`,
    "target_id = @who, args_json = NULL WHERE target_id = @userId",
  ].map((change) => db.prepare<[Values]>(`UPDATE action_log SET ${change}`));
  return (userId, who) => {
    for (const step of steps) step.run({ userId, who });
  };
}
