import type { Db } from "../db/open.ts";
import type { RemovedText } from "../events/removal.ts";
import { type ReplyTaker, replyTaker, type TakenReply } from "./taken-store.ts";

type ReplyState = "thinking" | "sending" | "sent" | "shadow" | "silent" | "refused" | "unknown";

interface NewReply {
  readonly channel: string;
  readonly userId: string;
  readonly trigger: string;
  readonly eventId: number | null;
}

export interface ReplyOutcome {
  readonly state: Exclude<ReplyState, "thinking" | "sending">;
  /** One code where nothing was sent, or where it is not known. */
  readonly reason: string | null;
  /** Kept for 24 h; null where nothing may be said. */
  readonly text: string | null;
  readonly messageId: string | null;
  readonly sentAtMs: number | null;
}

interface ModelRecord {
  readonly model: string;
  readonly finish: string;
  readonly latencyMs: number;
}

export interface Exchange {
  readonly channel: string;
  readonly userId: string;
  readonly atMs: number;
}

export interface ReplyStore extends Pick<ReplyTaker, "learnId"> {
  /** Writes the row before the model is called. */
  begin(reply: NewReply, trail: string): number;
  /** A trigger that got no turn: one row, one reason. */
  refuse(reply: NewReply, reason: string): void;
  recordModel(id: number, record: ModelRecord, trail: string): void;
  /** What came of its proposals too. */
  recordTrail(id: number, trail: string): void;
  markSending(id: number): void;
  /** Keeps no text where what it answers was removed meanwhile. */
  finish(id: number, outcome: ReplyOutcome): void;
  /** Takes the texts of replies that a removal concerns, or with `ofChannel` all of its channel; says which. */
  takeTexts(removed: RemovedText, ofChannel: boolean): TakenReply[];
  /** The bot's own last replies in a channel, oldest first. */
  recent(channel: string, limit: number): { id: number; text: string }[];
  isOwnMessage(messageId: string): boolean;
  /** Answers since a time, newest last: what cooldowns are made from after a restart. */
  exchangesSince(sinceMs: number): Exchange[];
  /** Rows a crash left behind: what was sending may have arrived, so it is `unknown` and never sent again. */
  settleUnfinished(): number;
  /** Takes the text from up to `limit` replies written before `beforeMs`; says how many. */
  expireTexts(beforeMs: number, limit: number): number;
}

/** `onTaken` is told of what was said although its text had to go before it was written down. */
export function replyStore(
  db: Db,
  now: () => number,
  onTaken: (said: readonly TakenReply[]) => void = () => undefined,
): ReplyStore {
  const taker = replyTaker(db);
  const channelOf = db
    .prepare<[number], string>("SELECT channel FROM replies WHERE id = ?")
    .pluck();
  const insert = db.prepare<NewRow>(
    `INSERT INTO replies (channel, user_id, "trigger", event_id, state, reason, token_usage_json, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const model = db.prepare<[string, string, number, string, number]>(
    "UPDATE replies SET model = ?, finish = ?, latency_ms = ?, token_usage_json = ? WHERE id = ?",
  );
  const trailed = db.prepare<[string, number]>(
    "UPDATE replies SET token_usage_json = ? WHERE id = ?",
  );
  const sending = db.prepare<[number]>("UPDATE replies SET state = 'sending' WHERE id = ?");
  const finish = db.prepare<
    [string, string | null, string | null, string | null, number | null, number]
  >("UPDATE replies SET state = ?, reason = ?, text = ?, message_id = ?, sent_at = ? WHERE id = ?");
  const settle = db.prepare(
    `UPDATE replies SET reason = 'crashed', state = CASE state WHEN 'sending' THEN 'unknown' ELSE 'silent' END
     WHERE state IN ('thinking', 'sending')`,
  );
  const expire = db.prepare<[number, number]>(
    `UPDATE replies SET text = NULL WHERE id IN
       (SELECT id FROM replies WHERE text IS NOT NULL AND created_at < ? LIMIT ?)`,
  );
  const row = (
    reply: NewReply,
    state: string,
    reason: string | null,
    trail: string | null,
  ): NewRow => [
    reply.channel,
    reply.userId,
    reply.trigger,
    reply.eventId,
    state,
    reason,
    trail,
    now(),
  ];
  return {
    ...readers(db),
    begin: (reply, trail) =>
      Number(insert.run(...row(reply, "thinking", null, trail)).lastInsertRowid),
    refuse: (reply, reason) => {
      insert.run(...row(reply, "refused", reason, null));
    },
    recordModel: (id, record, trail) => {
      model.run(record.model, record.finish, record.latencyMs, trail, id);
    },
    recordTrail: (id, trail) => {
      trailed.run(trail, id);
    },
    markSending: (id) => {
      sending.run(id);
    },
    finish: (id, outcome) => {
      const { state, reason, text, messageId, sentAtMs } = outcome;
      const isTaken = taker.wasTaken(id);
      finish.run(state, reason, isTaken ? null : text, messageId, sentAtMs, id);
      if (isTaken && text !== null)
        onTaken([{ channel: channelOf.get(id) ?? "", text, messageId }]);
    },
    takeTexts: taker.take,
    learnId: taker.learnId,
    settleUnfinished: () => settle.run().changes,
    expireTexts: (beforeMs, limit) => expire.run(beforeMs, limit).changes,
  };
}

type NewRow = [string, string, string, number | null, string, string | null, string | null, number];

function readers(db: Db): Pick<ReplyStore, "recent" | "isOwnMessage" | "exchangesSince"> {
  const recent = db.prepare<[string, number], { id: number; text: string }>(
    `SELECT id, text FROM replies
     WHERE channel = ? AND state = 'sent' AND text IS NOT NULL ORDER BY id DESC LIMIT ?`,
  );
  const own = db.prepare<[string], number>("SELECT 1 FROM replies WHERE message_id = ?").pluck();
  const exchanges = db.prepare<[number], Exchange>(
    `SELECT channel, user_id AS userId, created_at AS atMs FROM replies
     WHERE created_at >= ? AND state IN ('sent', 'shadow', 'unknown') ORDER BY id`,
  );
  return {
    recent: (channel, limit) => recent.all(channel, limit).reverse(),
    isOwnMessage: (messageId) => own.get(messageId) !== undefined,
    exchangesSince: (sinceMs) => exchanges.all(sinceMs),
  };
}
