import { findAction } from "../actions/action-policy.ts";
import { prepareEventLookups } from "../chat/event-rows-store.ts";
import type { RemovedText } from "../chat/removal.ts";
import { openAccountStore } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { prepareStatements } from "../database/statements.ts";
import { useCounter } from "../memory/note-store.ts";
import type { LlmFailure } from "../models/model-port.ts";
import type { FailReason } from "../twitch/delivery.ts";
import type { GuardRule } from "./guard.ts";
import type { Obstacle, RefusedBecause } from "./reply-queue.ts";

/** Why a reply was not sent, or why its arrival is unknown. docs/codes.md explains each. */
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

type ReplyState = "thinking" | "sending" | "sent" | "shadow" | "silent" | "refused" | "unknown";

interface NewReply {
  readonly channel: string;
  readonly userId: string;
  readonly trigger: string;
  readonly eventId: number | null;
}

export interface ReplyOutcome {
  readonly state: Exclude<ReplyState, "thinking" | "sending">;
  /** null if the reply was sent. */
  readonly reason: ReplyReason | null;
  /** Removed after 24 hours; null if there is none. */
  readonly text: string | null;
  readonly messageId: string | null;
  readonly sentAtMs: number | null;
  /** What the model did; null if it was not asked. */
  readonly answered?: ModelPart | null;
}

/** The model's part of a reply. `model`, `finish` and `latencyMs` are null if it was not asked. */
interface ModelPart {
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

/** An answer to a viewer, with those of its questions whose text is still stored. */
interface PastExchange {
  readonly replyId: number;
  readonly text: string;
  readonly atMs: number;
  readonly question: readonly { readonly id: number; readonly text: string }[];
  /** The event of the answer; null if it is not stored. */
  readonly saidEventId: number | null;
}

/** A message of the bot whose text was removed. */
export interface TakenReply {
  readonly channel: string;
  readonly text: string;
  /** null if Twitch did not report it. */
  readonly messageId: string | null;
}

export interface ReplyStoreOptions {
  /** Called with messages whose text was removed before they were recorded as sent. */
  readonly onTaken?: (said: readonly TakenReply[]) => void;
  /** Returns true if no answer to this viewer may be stored: it may repeat their words. */
  readonly isOptedOut?: (userId: string) => boolean;
  /** Returns true for an error of the database: then a refusal is not recorded. */
  readonly isDatabaseError?: (thrown: unknown) => boolean;
}

export type ReplyStore = ReturnType<typeof openReplyStore>;

const DAY_MS = 86_400_000;

/** Stores replies from trigger to result. */
export function openReplyStore(
  db: Db,
  now: () => number,
  {
    onTaken = () => undefined,
    isOptedOut = () => false,
    isDatabaseError = () => false,
  }: ReplyStoreOptions = {},
) {
  const sql = prepareStatements(db);
  const { wasTaken, ...textRemoval } = prepareReplyTake(db);
  const { end, ...writes } = prepareReplyWrites(db, now, isDatabaseError);
  const countUse = useCounter(db);
  const finish = db.transaction(
    (id: number, outcome: ReplyOutcome, usedNotes: readonly number[]) => {
      end(id, outcome);
      if (usedNotes.length > 0) countUse(now(), usedNotes);
    },
  );
  const about = sql.one<[id: number], { channel: string; userId: string }>(
    "SELECT channel, user_id AS userId FROM replies WHERE id = ?",
  );
  const move = sql.run<[aheadMs: number, aheadMs: number, sinceMs: number]>(
    "UPDATE replies SET created_at = created_at - ?, sent_at = sent_at - ? WHERE created_at >= ?",
  );
  return {
    ...prepareReplyReads(db),
    ...textRemoval,
    ...writes,
    /**
     * Ends a reply, and counts the notes that it used. Stores no text if a removal concerned its question, or the viewer
     * opted out.
     */
    finish: (id: number, outcome: ReplyOutcome, usedNotes: readonly number[] = []): void => {
      const { channel, userId } = about(id) ?? { channel: "", userId: "" };
      const { text, messageId } = outcome;
      const isTaken = wasTaken(id) || isOptedOut(userId);
      finish.immediate(id, isTaken ? { ...outcome, text: null } : outcome, usedNotes);
      if (isTaken && text !== null) onTaken([{ channel, text, messageId }]);
    },
    /** Ends the replies that a crash cut off. One that was being sent may have arrived: it is never sent again. */
    settleUnfinished: sql.run<[]>(
      `UPDATE replies SET reason = 'crashed', state = CASE state WHEN 'sending' THEN 'unknown' ELSE 'silent' END
       WHERE state IN ('thinking', 'sending')`,
    ),
    /** Removes the texts of at most `limit` replies from before `beforeMs`. Returns how many. */
    expireTexts: sql.run<[beforeMs: number, limit: number]>(
      `UPDATE replies SET text = NULL WHERE id IN
         (SELECT id FROM replies WHERE text IS NOT NULL AND created_at < ? LIMIT ?)`,
    ),
    /** Moves replies of the last day and of the future back by `aheadMs`. */
    realign: (nowMs: number, aheadMs: number): void =>
      void move(aheadMs, aheadMs, nowMs + Math.min(0, aheadMs - DAY_MS)),
  };
}

/** Each write is one commit, and the turn waits for it. */
function prepareReplyWrites(
  db: Db,
  now: () => number,
  isDatabaseError: (thrown: unknown) => boolean,
) {
  const sql = prepareStatements(db);
  const insert = sql.insert<(string | number | null)[]>(
    `INSERT INTO replies (channel, user_id, "trigger", event_id, state, reason, token_usage_json, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const record = sql.run<[trail: string, id: number]>(
    "UPDATE replies SET token_usage_json = ? WHERE id = ?",
  );
  const markSending = sql.run<[id: number]>("UPDATE replies SET state = 'sending' WHERE id = ?");
  const end = sql.run<(string | number | null)[]>(
    `UPDATE replies SET state = ?, reason = ?, text = ?, message_id = ?, sent_at = ?, model = ?, finish = ?,
       latency_ms = ?, token_usage_json = ifnull(?, token_usage_json) WHERE id = ?`,
  );
  return {
    /** Writes the row before the model is called. Returns its id. */
    begin: ({ channel, userId, trigger, eventId }: NewReply, trail: string | null = null): number =>
      insert(channel, userId, trigger, eventId, "thinking", null, trail, now()),
    /** Records a trigger that got no turn. */
    refuse: ({ channel, userId, trigger, eventId }: NewReply, reason: ReplyReason): void => {
      try {
        insert(channel, userId, trigger, eventId, "refused", reason, null, now());
      } catch (thrown) {
        if (!isDatabaseError(thrown)) throw thrown;
      }
    },
    /** Replaces a trail by one that also has the results of actions. */
    recordTrail: (id: number, trail: string): void => void record(trail, id),
    /** Marks a reply that may arrive from now on: a crash leaves it `unknown`. */
    markSending: (id: number): void => void markSending(id),
    end: (id: number, outcome: ReplyOutcome): void => {
      const { state, reason, text, messageId, sentAtMs, answered } = outcome;
      const { model = null, finish = null, latencyMs = null, trail = null } = answered ?? {};
      end(state, reason, text, messageId, sentAtMs, model, finish, latencyMs, trail, id);
    },
  };
}

/** The event ids of a reply's question, as JSON. A question in pieces has them in its trail. */
const ASKED_IDS = `coalesce(CASE WHEN "trigger" = 'bare' AND json_valid(token_usage_json)
  THEN json_extract(token_usage_json, '$.ids.current') END, json_array(event_id))`;

function prepareReplyReads(db: Db) {
  const sql = prepareStatements(db);
  const recent = sql.all<[channel: string, limit: number], { id: number; text: string }>(
    `SELECT id, text FROM replies
     WHERE channel = ? AND state = 'sent' AND text IS NOT NULL ORDER BY id DESC LIMIT ?`,
  );
  // Reads the viewer's own replies only as far back as any reply of the channel has a text: years of them cost nothing.
  const withViewer = sql.all<
    [{ channel: string; userId: string; limit: number }],
    { replyId: number; text: string; atMs: number; askedIds: string }
  >(
    `SELECT id AS replyId, text, ifnull(sent_at, created_at) AS atMs, ${ASKED_IDS} AS askedIds
     FROM replies INDEXED BY replies_by_viewer
     WHERE channel = @channel AND user_id = @userId AND state = 'sent' AND text IS NOT NULL
       AND id >= (SELECT min(s.id) FROM replies AS s INDEXED BY replies_spoken
         WHERE s.channel = @channel AND s.state = 'sent' AND s.text IS NOT NULL)
     ORDER BY id DESC LIMIT @limit`,
  );
  const events = prepareEventLookups(db);
  return {
    /** The bot's last replies in a channel, oldest first. */
    recent: (channel: string, limit: number) => recent(channel, limit).reverse(),
    /** The reply with this message id; null if none has it. */
    byMessage: sql.value<[messageId: string], number>(
      "SELECT id FROM replies WHERE message_id = ? AND message_id IS NOT NULL ORDER BY id DESC",
    ),
    /** The last answers to a viewer whose text is still stored, oldest first. */
    exchangesWith: (channel: string, userId: string, limit: number): PastExchange[] =>
      withViewer({ channel, userId, limit })
        .map(({ askedIds, ...row }) => ({
          ...row,
          question: events.textsOf(askedIds),
          saidEventId: events.idOfReply(row.replyId),
        }))
        .reverse(),
    /** Answers since a time, oldest first. Cooldowns are restored from them. */
    exchangesSince: sql.all<[sinceMs: number], Exchange>(
      `SELECT channel, user_id AS userId, created_at AS atMs FROM replies
       WHERE created_at >= ? AND state IN ('sent', 'shadow', 'unknown') ORDER BY id`,
    ),
  };
}

/** The parameters of `MEANT`. */
type RemovalParameters = Readonly<Record<string, string | number | null>>;

/** True for a reply that a removal concerns: the removed message itself, or an answer to removed text. */
const MEANT = `(message_id IN (SELECT value FROM json_each(@messageIds))
  OR event_id IN (SELECT value FROM json_each(@eventIds))
  OR EXISTS (SELECT 1 FROM json_each(${ASKED_IDS}) AS one WHERE one.value IN (SELECT value FROM json_each(@eventIds)))
  OR (channel = @channel AND (@ofChannel = 1 OR user_id IN (SELECT value FROM json_each(@userIds)))))`;

function prepareReplyTake(db: Db) {
  const sql = prepareStatements(db);
  // The bound on created_at leads SQLite to the index of replies with a text.
  const withText = sql.all<[RemovalParameters], TakenReply & { readonly id: number }>(
    `SELECT id, channel, text, message_id AS messageId FROM replies
     WHERE created_at >= 0 AND text IS NOT NULL AND ${MEANT}`,
  );
  const unfinished = sql.values<[RemovalParameters], number>(
    `SELECT id FROM replies WHERE state IN ('thinking', 'sending') AND ${MEANT}`,
  );
  const removeTexts = sql.run<[ids: string]>(
    "UPDATE replies SET text = NULL WHERE id IN (SELECT value FROM json_each(?))",
  );
  const events = prepareEventLookups(db);
  const { withLogin } = openAccountStore(db);
  const removalParameters = (removed: RemovedText, ofChannel: boolean): RemovalParameters => {
    const { removal, messageIds } = removed;
    const known = removal.by === "person" ? (removal.userId ?? removed.userId) : null;
    // Without an id, every viewer with the login is meant.
    const holders =
      removal.by === "person" && removal.userId === null ? withLogin(removal.login) : [];
    return {
      messageIds: JSON.stringify(messageIds),
      eventIds: JSON.stringify([...removed.eventIds, ...events.idsOfMessages(messageIds)]),
      channel: removal.by === "message" ? null : removal.channel,
      ofChannel: ofChannel || removal.by === "channel" ? 1 : 0,
      userIds: JSON.stringify([known, ...holders.map(({ userId }) => userId)]),
    };
  };
  /** Unfinished replies whose text must not be stored. */
  const early = new Set<number>();
  return {
    /**
     * Removes the texts of replies that a removal concerns; with `ofChannel`, all of the channel's. Returns the removed
     * messages.
     */
    takeTexts: (removed: RemovedText, ofChannel: boolean): TakenReply[] => {
      const removalKey = removalParameters(removed, ofChannel);
      const rows = withText(removalKey);
      if (rows.length > 0) removeTexts(JSON.stringify(rows.map(({ id }) => id)));
      for (const id of unfinished(removalKey)) early.add(id);
      return rows.map(({ channel, text, messageId }) => ({ channel, text, messageId }));
    },
    /** Stores no text of an unfinished reply. */
    dropText: (id: number): void => void early.add(id),
    /** Returns true, once, if a removal concerned a reply before it was finished. */
    wasTaken: (id: number): boolean => early.delete(id),
    /**
     * Stores the message id of the newest reply with this text and no id: chat alone does not give the bot its ids. A
     * threaded reply begins with the name of the viewer it answers.
     */
    learnId: sql.run<[TakenReply]>(
      `UPDATE replies SET message_id = @messageId WHERE id =
         (SELECT id FROM replies WHERE channel = @channel AND created_at >= 0 AND text IS NOT NULL
            AND message_id IS NULL AND state IN ('sent', 'unknown')
            AND (text = @text OR (@text LIKE '@%' AND substr(@text, -length(text) - 1) = ' ' || text))
          ORDER BY id DESC LIMIT 1)`,
    ),
  };
}

/** Forgets a viewer. Their cooldowns stay under a keyed hash, so a forget does not end them. */
export function prepareReplyForget(db: Db) {
  const sql = prepareStatements(db);
  const anonymise = sql.run<[who: string, userId: string]>(
    "UPDATE replies SET user_id = ?, text = NULL WHERE user_id = ?",
  );
  return {
    answersTo: sql.all<[userId: string], TakenReply>(
      `SELECT channel, text, message_id AS messageId FROM replies
       WHERE created_at >= 0 AND text IS NOT NULL AND user_id = ?`,
    ),
    anonymise: (userId: string, who: string): void => void anonymise(who, userId),
  };
}

/** Returns the name of an action; `other` for one that the model made up, since that may be anybody's words. */
export function getKnownAction(name: string): string {
  return name === "malformed" || findAction(name) !== null ? name : "other";
}
