import type { Db } from "../platform/database/open-database.ts";
import type { Outcome, OutcomeKind, WatchedReply } from "./outcome.ts";

/** An outcome of the reply with that message id; of `fallbackId` where there is none, if that is given. */
interface MessageOutcome {
  readonly messageId: string | null;
  readonly fallbackId: number | null;
  readonly kind: OutcomeKind;
}

export type AnyOutcome = Outcome | MessageOutcome;

interface OutcomeStore {
  /** Writes outcomes, each once, in one transaction. A reply that is gone has none. */
  add(outcomes: readonly AnyOutcome[], nowMs: number): void;
  /** Replies sent since, oldest first. */
  sentSince(sinceMs: number): WatchedReply[];
}

/** Replies that a start looks back over. */
const REPLIES_BACK = 500;
/** The later thumb counts. */
const OPPOSITE: Readonly<Partial<Record<OutcomeKind, OutcomeKind>>> = { good: "bad", bad: "good" };

export function outcomeStore(db: Db): OutcomeStore {
  const insert = db.prepare<[OutcomeKind, number, number]>(
    `INSERT OR IGNORE INTO reply_outcomes (reply_id, kind, created_at)
     SELECT id, ?, ? FROM replies WHERE id = ? AND state IN ('sent', 'unknown')`,
  );
  const insertNone = db.prepare<[number, number, number]>(
    `INSERT INTO reply_outcomes (reply_id, kind, created_at) SELECT id, 'none', ? FROM replies
     WHERE id = ? AND NOT EXISTS (SELECT 1 FROM reply_outcomes WHERE reply_id = ?)`,
  );
  const remove = db.prepare<[number, string]>(
    "DELETE FROM reply_outcomes WHERE reply_id = ? AND kind = ?",
  );
  const byMessage = db
    .prepare<[string], number>("SELECT id FROM replies WHERE message_id = ?")
    .pluck();
  const sent = db.prepare<[number, number], WatchedReply>(
    `SELECT replyId, channel, userId, messageId, sentAtMs FROM
       (SELECT id AS replyId, channel, user_id AS userId, message_id AS messageId, sent_at AS sentAtMs, state
        FROM replies ORDER BY id DESC LIMIT ?)
     WHERE state = 'sent' AND sentAtMs >= ? ORDER BY replyId`,
  );
  const idOf = (outcome: AnyOutcome): number | null => {
    if ("replyId" in outcome) return outcome.replyId;
    const found = outcome.messageId === null ? undefined : byMessage.get(outcome.messageId);
    return found ?? outcome.fallbackId;
  };
  const write = (outcome: AnyOutcome, nowMs: number): void => {
    const id = idOf(outcome);
    if (id === null) return;
    if (outcome.kind === "none") {
      insertNone.run(nowMs, id, id);
      return;
    }
    remove.run(id, "none");
    const opposite = OPPOSITE[outcome.kind];
    if (opposite !== undefined) remove.run(id, opposite);
    insert.run(outcome.kind, nowMs, id);
  };
  return {
    add: db.transaction((outcomes: readonly AnyOutcome[], nowMs: number) => {
      for (const outcome of outcomes) write(outcome, nowMs);
    }),
    sentSince: (sinceMs) => sent.all(REPLIES_BACK, sinceMs),
  };
}
