import { actionNamed } from "../actions/calls.ts";
import type { RemovedText } from "../chat/removal.ts";
import type { Db } from "../database/open-database.ts";
import { useCounter } from "../memory/note-store.ts";
import type { LlmFailure } from "../models/model-port.ts";
import type { FailReason } from "../twitch/delivery.ts";
import type { GuardRule } from "./guard.ts";
import type { Obstacle, RefusedBecause } from "./reply-queue.ts";

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

/** What the model did, null where it was not asked, and the trail with it. */
export interface Answered {
  readonly model: string | null;
  readonly finish: string | null;
  readonly latencyMs: number | null;
  readonly trail: string;
}

export interface Exchange {
  readonly channel: string;
  readonly userId: string;
  readonly atMs: number;
}

/** An answer to a viewer, and the lines that it answered, as far as they are kept. */
interface PastExchange {
  readonly replyId: number;
  readonly text: string;
  readonly atMs: number;
  readonly question: readonly { readonly id: number; readonly text: string }[];
  /** The event that the answer is; null where it is not stored. */
  readonly saidEventId: number | null;
}

export type ReplyStore = ReturnType<typeof replyStore>;

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
) {
  const { wasTaken, ...taker } = replyTaker(db);
  const { end, ...writers } = replyWriters(db, now);
  const about = db.prepare<[number], { channel: string; userId: string }>(
    "SELECT channel, user_id AS userId FROM replies WHERE id = ?",
  );
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
  return {
    ...replyReaders(db),
    ...taker,
    ...writers,
    /** Keeps no text where what it answers was removed meanwhile. */
    finish: (id: number, outcome: ReplyOutcome): void => {
      const { channel, userId } = about.get(id) ?? { channel: "", userId: "" };
      const { text, messageId } = outcome;
      const isTaken = wasTaken(id) || isOptedOut(userId);
      end(id, isTaken ? { ...outcome, text: null } : outcome);
      if (isTaken && text !== null) onTaken([{ channel, text, messageId }]);
    },
    /** Rows a crash left behind: what was sending may have arrived, so it is `unknown` and never sent again. */
    settleUnfinished: (): number => settle.run().changes,
    /** Takes the text from up to `limit` replies written before `beforeMs`; says how many. */
    expireTexts: (beforeMs: number, limit: number): number => expire.run(beforeMs, limit).changes,
    /** Moves replies of the last day, and what seems to come from the future, back by `aheadMs`. */
    realign: (nowMs: number, aheadMs: number): void =>
      void move.run(aheadMs, aheadMs, nowMs + Math.min(0, aheadMs - DAY_MS)),
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

/** How a reply begins and goes on: as few commits as there are moments to remember, a turn waits for each. */
function replyWriters(db: Db, now: () => number) {
  const insert = db.prepare<NewRow>(
    `INSERT INTO replies (channel, user_id, "trigger", event_id, state, reason, token_usage_json, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const record = db.prepare<[string, number]>(
    "UPDATE replies SET token_usage_json = ? WHERE id = ?",
  );
  const sending = db.prepare<[...Recorded, number]>(
    `UPDATE replies SET state = 'sending', ${RECORD} WHERE id = ?`,
  );
  const finish = db.prepare<[...FinishRow, ...Recorded, number]>(
    `UPDATE replies SET state = ?, reason = ?, text = ?, message_id = ?, sent_at = ?, ${RECORD} WHERE id = ?`,
  );
  const countUse = useCounter(db);
  const add = (
    { channel, userId, trigger, eventId }: NewReply,
    ...how: [state: string, reason: ReplyReason | null, trail: string | null]
  ): number => Number(insert.run(channel, userId, trigger, eventId, ...how, now()).lastInsertRowid);
  return {
    /** Writes the row before the model is called; its trail comes with the answer, or with the end where there is none. */
    begin: (reply: NewReply, trail: string | null = null): number =>
      add(reply, "thinking", null, trail),
    /** A trigger that got no turn: one row, one reason. */
    refuse: (reply: NewReply, reason: ReplyReason): void => {
      add(reply, "refused", reason, null);
    },
    /** What came of its proposals too. */
    recordTrail: (id: number, trail: string): void => void record.run(trail, id),
    markSending: (id: number, answered: Answered | null = null): void =>
      void sending.run(...recorded(answered), id),
    end: (id: number, outcome: ReplyOutcome): void => {
      const { state, reason, text, messageId, sentAtMs, answered = null } = outcome;
      finish.run(state, reason, text, messageId, sentAtMs, ...recorded(answered), id);
    },
    /** Notes about the speaker stood in the prompt of a reply that was sent. Moves no prefix, and no order. */
    useNotes: (noteIds: readonly number[]): void => {
      countUse(now(), noteIds);
    },
  };
}

/** The events of what a reply answers, as JSON: of a question in pieces its trail tells them all. */
const ASKED_IDS = `coalesce(CASE WHEN "trigger" = 'bare' AND json_valid(token_usage_json)
  THEN json_extract(token_usage_json, '$.ids.current') END, json_array(event_id))`;

interface ViewerReplies {
  readonly channel: string;
  readonly userId: string;
  readonly limit: number;
}

interface ExchangeRow extends Omit<PastExchange, "question"> {
  readonly askedIds: string;
}

type FinishRow = [string, string | null, string | null, string | null, number | null];

type NewRow = [string, string, string, number | null, string, string | null, string | null, number];

function replyReaders(db: Db) {
  const recent = db.prepare<[string, number], { id: number; text: string }>(
    `SELECT id, text FROM replies
     WHERE channel = ? AND state = 'sent' AND text IS NOT NULL ORDER BY id DESC LIMIT ?`,
  );
  const byMessage = db
    .prepare<[string], number>(
      "SELECT id FROM replies WHERE message_id = ? AND message_id IS NOT NULL ORDER BY id DESC",
    )
    .pluck();
  // The viewer's own replies, no further back than any of the channel's has its text: neither a busy day nor years of them cost.
  const withViewer = db.prepare<[ViewerReplies], ExchangeRow>(
    `SELECT r.id AS replyId, r.text, ifnull(r.sent_at, r.created_at) AS atMs, ${ASKED_IDS} AS askedIds,
       e.id AS saidEventId
     FROM replies AS r INDEXED BY replies_by_viewer
       LEFT JOIN events AS e ON e.reply_id = r.id AND e.reply_id IS NOT NULL
     WHERE r.channel = @channel AND r.user_id = @userId AND r.state = 'sent' AND r.text IS NOT NULL
       AND r.id >= (SELECT min(s.id) FROM replies AS s INDEXED BY replies_spoken
         WHERE s.channel = @channel AND s.state = 'sent' AND s.text IS NOT NULL)
     ORDER BY r.id DESC LIMIT @limit`,
  );
  const asked = db.prepare<[string], PastExchange["question"][number]>(
    "SELECT id, text FROM events WHERE id IN (SELECT value FROM json_each(?)) AND text IS NOT NULL ORDER BY id",
  );
  const exchanges = db.prepare<[number], Exchange>(
    `SELECT channel, user_id AS userId, created_at AS atMs FROM replies
     WHERE created_at >= ? AND state IN ('sent', 'shadow', 'unknown') ORDER BY id`,
  );
  const sends = db
    .prepare<[number], number>(
      `SELECT coalesce(sent_at, created_at) AS atMs FROM replies
       WHERE created_at >= ? AND state IN ('sent', 'unknown') ORDER BY atMs`,
    )
    .pluck();
  return {
    /** The bot's own last replies in a channel, oldest first. */
    recent: (channel: string, limit: number) => recent.all(channel, limit).reverse(),
    /** The reply with that message id; null where none is known by it. */
    byMessage: (messageId: string): number | null => byMessage.get(messageId) ?? null,
    /** The last answers to a viewer whose texts are kept, oldest first. */
    exchangesWith: (channel: string, userId: string, limit: number): PastExchange[] =>
      withViewer
        .all({ channel, userId, limit })
        .map(({ askedIds, ...row }) => ({ ...row, question: asked.all(askedIds) }))
        .reverse(),
    /** Answers since a time, newest last: what cooldowns are made from after a restart. */
    exchangesSince: (sinceMs: number): Exchange[] => exchanges.all(sinceMs),
    /** When each reply went out, of those begun since a time, oldest first. */
    sendsSince: (sinceMs: number): number[] => sends.all(sinceMs),
  };
}

/** Something the bot said, whose text was taken. */
export interface TakenReply {
  readonly channel: string;
  readonly text: string;
  /** Null where Twitch did not tell it. */
  readonly messageId: string | null;
}

const MEANT = `(message_id IN (SELECT value FROM json_each(@messageIds))
  OR EXISTS (SELECT 1 FROM json_each(${ASKED_IDS}) AS one WHERE one.value IN (SELECT value FROM json_each(@eventIds)))
  OR event_id IN (SELECT events.id FROM events WHERE events.id >> 12 IN (SELECT chunk FROM event_chunks)
       AND events.message_id IN (SELECT value FROM json_each(@messageIds))
       AND events.message_id IS NOT NULL AND events.kind <> 'deletion')
  OR (channel = @channel AND (@ofChannel = 1 OR user_id = @userId
       OR user_id IN (SELECT viewers.user_id FROM viewers WHERE viewers.login = @login))))`;

function replyTaker(db: Db) {
  // The bound on created_at leads SQLite to the index of those that have a text.
  const withText = db.prepare<[Meant], TakenReply & { readonly id: number }>(
    `SELECT id, channel, text, message_id AS messageId FROM replies
     WHERE created_at >= 0 AND text IS NOT NULL AND ${MEANT}`,
  );
  const unfinished = db
    .prepare<[Meant], number>(
      `SELECT id FROM replies WHERE state IN ('thinking', 'sending') AND ${MEANT}`,
    )
    .pluck();
  const empty = db.prepare<[string]>(
    "UPDATE replies SET text = NULL WHERE id IN (SELECT value FROM json_each(?))",
  );
  // A threaded reply is told with the name of whom it answers before its text.
  const learn = db.prepare<[TakenReply]>(
    `UPDATE replies SET message_id = @messageId WHERE id =
       (SELECT id FROM replies WHERE channel = @channel AND created_at >= 0 AND text IS NOT NULL
          AND message_id IS NULL AND state IN ('sent', 'unknown')
          AND (text = @text OR (@text LIKE '@%' AND substr(@text, -length(text) - 1) = ' ' || text))
        ORDER BY id DESC LIMIT 1)`,
  );
  const early = new Set<number>();
  return {
    /**
     * Takes the texts of the bot's replies that a removal concerns: the removed messages themselves, and the answers to
     * what was removed. `ofChannel`: all of the channel's. Gives what was said.
     */
    takeTexts: (removed: RemovedText, ofChannel: boolean): TakenReply[] => {
      const meant = meantBy(removed, ofChannel);
      const rows = withText.all(meant);
      if (rows.length > 0) empty.run(JSON.stringify(rows.map(({ id }) => id)));
      for (const id of unfinished.all(meant)) early.add(id);
      return rows.map(({ channel, text, messageId }) => ({ channel, text, messageId }));
    },
    /** Of a reply that is not finished yet no text will be kept. */
    dropText: (id: number): void => void early.add(id),
    /** Whether a removal concerned a reply before it was finished. Asked once. */
    wasTaken: (id: number): boolean => early.delete(id),
    /** Notes the id of the newest reply with this text that has none: chat alone does not tell the bot its ids. */
    learnId: (said: TakenReply): void => void learn.run(said),
  };
}

/** The parameters of `MEANT`. */
type Meant = Readonly<Record<string, string | number | null>>;

function meantBy(
  { removal, userId, messageIds, eventIds }: RemovedText,
  ofChannel: boolean,
): Meant {
  const isPerson = removal.by === "person";
  return {
    messageIds: JSON.stringify(messageIds),
    eventIds: JSON.stringify(eventIds),
    channel: removal.by === "message" ? null : removal.channel,
    ofChannel: ofChannel || removal.by === "channel" ? 1 : 0,
    userId: isPerson ? (removal.userId ?? userId) : null,
    // Without an id every holder of the login is meant.
    login: isPerson && removal.userId === null ? removal.login : null,
  };
}

/** Why nothing was sent, or why it is not known whether it was; docs/codes.md says of each what it means. */
export type ReplyReason =
  | RefusedBecause
  | Obstacle
  | "over_budget"
  | "empty"
  | "question_open"
  | "shadow"
  | "expired"
  | "duplicate"
  | "bug"
  | "crashed"
  | `model_${LlmFailure}`
  | `guard_${GuardRule}`
  | `send_${FailReason}`
  | "send_unknown"
  // Twitch's own word for why it dropped a message.
  | `send_${string}`;

/** What cooldowns are read from stays, under a keyed hash: nobody gets around them by being forgotten. */
export function replyForgetter(db: Db) {
  const answers = db.prepare<[string], TakenReply>(
    `SELECT channel, text, message_id AS messageId FROM replies
     WHERE created_at >= 0 AND text IS NOT NULL AND user_id = ?`,
  );
  const anonymise = db.prepare<[string, string]>(
    "UPDATE replies SET user_id = ?, text = NULL WHERE user_id = ?",
  );
  return {
    answersTo: (userId: string): TakenReply[] => answers.all(userId),
    anonymise: (userId: string, who: string): void => void anonymise.run(who, userId),
  };
}

/** The name of an action; one that the model made up may be anybody's words. */
export function knownAction(name: string): string {
  return name === "malformed" || actionNamed(name) !== null ? name : "other";
}
