import type { Db } from "../platform/database/open-database.ts";
import { statements } from "../platform/database/statements.ts";

/** What can come of a reply. docs/codes.md explains each. */
export const OUTCOME_KINDS = [
  "good",
  "bad",
  "deleted",
  "timed_out",
  "viewer_answered",
  "others_answered",
] as const;
export type OutcomeKind = (typeof OUTCOME_KINDS)[number];

/** An outcome of a known reply. */
export interface Outcome {
  readonly replyId: number;
  readonly kind: OutcomeKind;
}

/** An outcome of the reply with that message id, or else of `fallbackId`. */
export interface MessageOutcome {
  readonly messageId: string | null;
  readonly fallbackId: number | null;
  readonly kind: OutcomeKind;
}

export interface SentReply {
  readonly replyId: number;
  readonly channel: string;
  /** The viewer whom it answers. */
  readonly userId: string;
  /** Null if Twitch did not report it. */
  readonly messageId: string | null;
  readonly sentAtMs: number;
}

/** The later thumb replaces the earlier one. */
const OPPOSITE: Readonly<Partial<Record<OutcomeKind, OutcomeKind>>> = { good: "bad", bad: "good" };

export function outcomeStore(db: Db) {
  const sql = statements(db);
  const insert = sql.run<[OutcomeKind, number, number]>(
    `INSERT OR IGNORE INTO reply_outcomes (reply_id, kind, created_at)
     SELECT id, ?, ? FROM replies WHERE id = ? AND state IN ('sent', 'unknown', 'shadow')`,
  );
  const remove = sql.run<[number, string]>(
    "DELETE FROM reply_outcomes WHERE reply_id = ? AND kind = ?",
  );
  const byMessage = sql.value<[string], number>("SELECT id FROM replies WHERE message_id = ?");
  const write = (outcome: Outcome | MessageOutcome, nowMs: number): void => {
    const { kind } = outcome;
    const id =
      "replyId" in outcome
        ? outcome.replyId
        : (byMessage(outcome.messageId ?? "") ?? outcome.fallbackId);
    if (id === null) return;
    remove(id, OPPOSITE[kind] ?? "");
    insert(kind, nowMs, id);
  };
  return {
    /** Writes outcomes, each once, in one transaction. Skips replies that are gone. */
    add: db.transaction((outcomes: readonly (Outcome | MessageOutcome)[], nowMs: number) => {
      for (const outcome of outcomes) write(outcome, nowMs);
    }),
  };
}
