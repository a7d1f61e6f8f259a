import type { Db } from "../database/open-database.ts";
import { statements } from "../database/statements.ts";

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

export interface Outcome {
  readonly kind: OutcomeKind;
  /** The message of the reply in chat, if only that is known. */
  readonly messageId?: string | null;
  /** Counts if no reply has that message id. */
  readonly replyId: number | null;
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
  return {
    /** Writes outcomes, each once, in one transaction. Skips replies that are gone. */
    add: db.transaction((outcomes: readonly Outcome[], nowMs: number) => {
      for (const { kind, messageId, replyId } of outcomes) {
        const id = byMessage(messageId ?? "") ?? replyId;
        if (id === null) continue;
        remove(id, OPPOSITE[kind] ?? "");
        insert(kind, nowMs, id);
      }
    }),
  };
}
