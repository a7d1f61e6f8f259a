import type { RemovedText } from "../chat/removal.ts";
import type { Db } from "../platform/database/open-database.ts";
import type { ReplyReason } from "./reason.ts";
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
  /** Where nothing was sent, or where it is not known. */
  readonly reason: ReplyReason | null;
  /** Kept for 24 h; null where nothing may be said. */
  readonly text: string | null;
  readonly messageId: string | null;
  readonly sentAtMs: number | null;
  /** What the model did, where that was not written down with the sending. */
  readonly answered?: Answered | null;
}

/** What the model did, and the trail with it. */
export interface Answered {
  readonly model: string;
  readonly finish: string;
  readonly latencyMs: number;
  readonly trail: string;
}

export interface Exchange {
  readonly channel: string;
  readonly userId: string;
  readonly atMs: number;
}

/** An answer to a viewer, and what it answered as far as that is kept. */
interface PastExchange {
  readonly replyId: number;
  readonly text: string;
  readonly atMs: number;
  readonly question: { readonly id: number; readonly text: string } | null;
  /** The event that the answer is; null where it is not stored. */
  readonly saidEventId: number | null;
}

export interface ReplyStore extends Pick<ReplyTaker, "learnId"> {
  /** Writes the row before the model is called; its trail comes with the answer, or with the end where there is none. */
  begin(reply: NewReply, trail?: string | null): number;
  /** A trigger that got no turn: one row, one reason. */
  refuse(reply: NewReply, reason: ReplyReason): void;
  /** What came of its proposals too. */
  recordTrail(id: number, trail: string): void;
  markSending(id: number, answered?: Answered | null): void;
  /** Of a reply that is not finished yet no text will be kept. */
  dropText(id: number): void;
  /** Keeps no text where what it answers was removed meanwhile. */
  finish(id: number, outcome: ReplyOutcome): void;
  /** Notes about the speaker stood in the prompt of a reply that was sent. Moves no prefix, and no order. */
  useNotes(noteIds: readonly number[]): void;
  /** Takes the texts of replies that a removal concerns, or with `ofChannel` all of its channel; says which. */
  takeTexts(removed: RemovedText, ofChannel: boolean): TakenReply[];
  /** The bot's own last replies in a channel, oldest first. */
  recent(channel: string, limit: number): { id: number; text: string }[];
  isOwnMessage(messageId: string): boolean;
  /** The reply with that message id; null where none is known by it. */
  byMessage(messageId: string): number | null;
  /** The last answers to a viewer whose texts are kept, oldest first. */
  exchangesWith(channel: string, userId: string, limit: number): PastExchange[];
  /** Answers since a time, newest last: what cooldowns are made from after a restart. */
  exchangesSince(sinceMs: number): Exchange[];
  /** Rows a crash left behind: what was sending may have arrived, so it is `unknown` and never sent again. */
  settleUnfinished(): number;
  /** Takes the text from up to `limit` replies written before `beforeMs`; says how many. */
  expireTexts(beforeMs: number, limit: number): number;
  /** Moves replies of the last day that seem to come from the future back by `aheadMs`. */
  realign(nowMs: number, aheadMs: number): void;
}

export interface ReplyStoreOptions {
  /** Told of what was said although its text had to go before it was written down. */
  readonly onTaken?: (said: readonly TakenReply[]) => void;
  /** Whether nothing may be kept of what this person is told: it may hold what they said. */
  readonly isOptedOut?: (userId: string) => boolean;
}

export function replyStore(
  db: Db,
  now: () => number,
  { onTaken = () => undefined, isOptedOut = () => false }: ReplyStoreOptions = {},
): ReplyStore {
  const taker = replyTaker(db);
  const about = db.prepare<[number], { channel: string; userId: string }>(
    "SELECT channel, user_id AS userId FROM replies WHERE id = ?",
  );
  const insert = db.prepare<NewRow>(
    `INSERT INTO replies (channel, user_id, "trigger", event_id, state, reason, token_usage_json, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const write = writers(db, now);
  const settle = db.prepare(
    `UPDATE replies SET reason = 'crashed', state = CASE state WHEN 'sending' THEN 'unknown' ELSE 'silent' END
     WHERE state IN ('thinking', 'sending')`,
  );
  const expire = db.prepare<[number, number]>(
    `UPDATE replies SET text = NULL WHERE id IN
       (SELECT id FROM replies WHERE text IS NOT NULL AND created_at < ? LIMIT ?)`,
  );
  const move = db.prepare<[number, number, number]>(
    "UPDATE replies SET created_at = created_at - ?, sent_at = sent_at - ? WHERE created_at >= ?",
  );
  const row = (
    reply: NewReply,
    state: string,
    reason: ReplyReason | null,
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
    begin: (reply, trail = null) =>
      Number(insert.run(...row(reply, "thinking", null, trail)).lastInsertRowid),
    refuse: (reply, reason) => {
      insert.run(...row(reply, "refused", reason, null));
    },
    recordTrail: write.trail,
    markSending: write.sending,
    finish: (id, outcome) => {
      const { channel, userId } = about.get(id) ?? { channel: "", userId: "" };
      const { text, messageId } = outcome;
      const isTaken = taker.wasTaken(id) || isOptedOut(userId);
      write.end(id, isTaken ? { ...outcome, text: null } : outcome);
      if (isTaken && text !== null) onTaken([{ channel, text, messageId }]);
    },
    useNotes: write.use,
    takeTexts: taker.take,
    dropText: taker.drop,
    learnId: taker.learnId,
    settleUnfinished: () => settle.run().changes,
    expireTexts: (beforeMs, limit) => expire.run(beforeMs, limit).changes,
    realign: (nowMs, aheadMs) => void move.run(aheadMs, aheadMs, nowMs + aheadMs - DAY_MS),
  };
}

const DAY_MS = 86_400_000;

type Recorded = [string | null, string | null, number | null, string | null];

/** What is not told stays as it is. */
const RECORD = `model = ifnull(?, model), finish = ifnull(?, finish), latency_ms = ifnull(?, latency_ms),
  token_usage_json = ifnull(?, token_usage_json)`;

function recorded(answered: Answered | null): Recorded {
  if (answered === null) return [null, null, null, null];
  const { model, finish, latencyMs, trail } = answered;
  return [model, finish, latencyMs, trail];
}

interface Writers {
  trail(id: number, trail: string): void;
  sending(id: number, answered?: Answered | null): void;
  end(id: number, outcome: ReplyOutcome): void;
  use(noteIds: readonly number[]): void;
}

/** How a reply goes on after it was begun: as few commits as there are moments to remember, a turn waits for each. */
function writers(db: Db, now: () => number): Writers {
  const trail = db.prepare<[string, number]>(
    "UPDATE replies SET token_usage_json = ? WHERE id = ?",
  );
  const sending = db.prepare<[...Recorded, number]>(
    `UPDATE replies SET state = 'sending', ${RECORD} WHERE id = ?`,
  );
  const finish = db.prepare<[...FinishRow, ...Recorded, number]>(
    `UPDATE replies SET state = ?, reason = ?, text = ?, message_id = ?, sent_at = ?, ${RECORD} WHERE id = ?`,
  );
  const use = db.prepare<[number, string]>(
    `UPDATE semantic_notes SET last_used_at = ?, use_count = use_count + 1
     WHERE id IN (SELECT value FROM json_each(?))`,
  );
  const end = (id: number, outcome: ReplyOutcome): void => {
    const { state, reason, text, messageId, sentAtMs, answered = null } = outcome;
    finish.run(state, reason, text, messageId, sentAtMs, ...recorded(answered), id);
  };
  return {
    trail: (id, json) => {
      trail.run(json, id);
    },
    sending: (id, answered = null) => {
      sending.run(...recorded(answered), id);
    },
    end,
    use: (noteIds) => {
      use.run(now(), JSON.stringify(noteIds));
    },
  };
}

/** A viewer's last rows that are looked through, refusals among them. */
const EXCHANGES_SCAN_MAX = 40;

interface ExchangeRow extends Omit<PastExchange, "question"> {
  readonly questionId: number | null;
  readonly question: string | null;
}

function toExchange({ questionId, question, ...row }: ExchangeRow): PastExchange {
  const isKept = questionId !== null && question !== null;
  return { ...row, question: isKept ? { id: questionId, text: question } : null };
}

type FinishRow = [string, string | null, string | null, string | null, number | null];

type NewRow = [string, string, string, number | null, string, string | null, string | null, number];

function readers(
  db: Db,
): Pick<ReplyStore, "recent" | "isOwnMessage" | "byMessage" | "exchangesWith" | "exchangesSince"> {
  const recent = db.prepare<[string, number], { id: number; text: string }>(
    `SELECT id, text FROM replies
     WHERE channel = ? AND state = 'sent' AND text IS NOT NULL ORDER BY id DESC LIMIT ?`,
  );
  const own = db.prepare<[string], number>("SELECT 1 FROM replies WHERE message_id = ?").pluck();
  const byMessage = db
    .prepare<[string], number>(
      "SELECT id FROM replies WHERE message_id = ? AND message_id IS NOT NULL ORDER BY id DESC",
    )
    .pluck();
  const withViewer = db.prepare<[string, string, number], ExchangeRow>(
    `SELECT r.id AS replyId, r.text, ifnull(r.sent_at, r.created_at) AS atMs, q.id AS questionId,
       q.text AS question, e.id AS saidEventId
     FROM (SELECT id, text, sent_at, created_at, event_id, state FROM replies
           WHERE channel = ? AND user_id = ? ORDER BY id DESC LIMIT ${EXCHANGES_SCAN_MAX}) AS r
       LEFT JOIN events AS q ON q.id = r.event_id
       LEFT JOIN events AS e ON e.reply_id = r.id AND e.reply_id IS NOT NULL
     WHERE r.state = 'sent' AND r.text IS NOT NULL ORDER BY r.id DESC LIMIT ?`,
  );
  const exchanges = db.prepare<[number], Exchange>(
    `SELECT channel, user_id AS userId, created_at AS atMs FROM replies
     WHERE created_at >= ? AND state IN ('sent', 'shadow', 'unknown') ORDER BY id`,
  );
  return {
    recent: (channel, limit) => recent.all(channel, limit).reverse(),
    byMessage: (messageId) => byMessage.get(messageId) ?? null,
    exchangesWith: (channel, userId, limit) =>
      withViewer.all(channel, userId, limit).map(toExchange).reverse(),
    isOwnMessage: (messageId) => own.get(messageId) !== undefined,
    exchangesSince: (sinceMs) => exchanges.all(sinceMs),
  };
}
