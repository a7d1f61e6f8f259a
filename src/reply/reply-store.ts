import { findAction } from "../actions/action-policy.ts";
import { EventLookups } from "../chat/event-reads-store.ts";
import type { RemovedText } from "../chat/normalise.ts";
import { AccountStore } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { prepareStatements } from "../database/statements.ts";
import { type NoteUse, openUseCounter } from "../memory/note-store.ts";
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
  /** The model's answer in numbers, with the trail as JSON; missing if the model was not asked. */
  readonly answered?: {
    readonly model: string | null;
    readonly finish: string | null;
    readonly latencyMs: number | null;
    readonly trail: string;
  };
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

/** A message of the bot whose text was, or is to be, removed. */
export interface RemovedReply {
  readonly channel: string;
  readonly text: string;
  /** null if Twitch did not report it. */
  readonly messageId: string | null;
}

export interface ReplyStoreOptions {
  /** Called with messages that `finish` recorded without their text. */
  readonly onTextDropped?: (said: readonly RemovedReply[]) => void;
  /** Returns true if no answer to this viewer may be stored: it may repeat their words. */
  readonly isOptedOut?: (userId: string) => boolean;
}

const DAY_MS = 86_400_000;
/**
 * Replies and refusals, from the newest back, among which unfinished ones are searched: more than come during a turn.
 */
const UNFINISHED_BACK = 10_000;

/**
 * Stores replies from trigger to result. Each write is committed before it returns; it throws if the database refuses.
 */
export class ReplyStore {
  readonly #now: () => number;
  readonly #options: ReplyStoreOptions;
  readonly #sql: ReturnType<typeof prepareReplySql>;
  readonly #events: EventLookups;
  readonly #accounts: AccountStore;
  readonly #addUses: ReturnType<typeof openUseCounter>;
  /** Replies in progress. */
  readonly #open = new Map<number, NewReply>();
  /** Ids of unfinished replies whose text must not be stored. */
  readonly #dropped = new Set<number>();
  /** Uses of notes that are not written yet. */
  readonly #uses = new Map<number, NoteUse>();

  constructor(db: Db, now: () => number, options: ReplyStoreOptions = {}) {
    this.#now = now;
    this.#options = options;
    this.#sql = prepareReplySql(db);
    this.#events = new EventLookups(db);
    this.#accounts = new AccountStore(db);
    this.#addUses = openUseCounter(db);
  }

  /** Writes the row of a turn that calls the model, and returns its id. `finish` must follow. */
  begin(reply: NewReply): number {
    const id = this.#insert(reply, "thinking", null);
    this.#open.set(id, reply);
    return id;
  }

  /** Writes the row of a message that got no turn, or whose turn ended before `begin`. */
  refuse(reply: NewReply, reason: ReplyReason): void {
    this.#insert(reply, "refused", reason);
  }

  #insert(reply: NewReply, state: ReplyState, reason: ReplyReason | null): number {
    const { channel, userId, trigger, eventId } = reply;
    return this.#sql.insert(channel, userId, trigger, eventId, state, reason, this.#now());
  }

  /** Replaces a reply's trail by another, in JSON. */
  recordTrail(id: number, trail: string): void {
    this.#sql.recordTrail(trail, id);
  }

  /** Marks a reply that may arrive from now on: a crash leaves it `unknown`. */
  markSending(id: number): void {
    this.#sql.markSending(id);
  }

  /**
   * Writes the result of a reply. Counts the notes that it used in memory only: `writeUses` stores the counts. Stores
   * no text after `dropText`, if a removal concerned the reply, or if the viewer opted out: `onTextDropped` gets it
   * instead.
   */
  finish(id: number, outcome: ReplyOutcome, usedNotes: readonly number[] = []): void {
    const { channel, userId } = this.#open.get(id) ?? { channel: "", userId: "" };
    const { state, reason, text, messageId, sentAtMs, answered } = outcome;
    const { model = null, finish = null, latencyMs = null, trail = null } = answered ?? {};
    const isDropped = this.#dropped.has(id) || this.#options.isOptedOut?.(userId) === true;
    const stored = isDropped ? null : text;
    this.#sql.end(state, reason, stored, messageId, sentAtMs, model, finish, latencyMs, trail, id);
    this.#open.delete(id);
    this.#dropped.delete(id);
    for (const noteId of usedNotes) {
      const count = (this.#uses.get(noteId)?.count ?? 0) + 1;
      this.#uses.set(noteId, { count, lastAtMs: this.#now() });
    }
    if (isDropped && text !== null) this.#options.onTextDropped?.([{ channel, text, messageId }]);
  }

  /**
   * Writes the uses of notes since the last call: every ten minutes, because each note is on another page of the file.
   */
  writeUses(): void {
    if (this.#uses.size > 0) this.#addUses(this.#uses);
    this.#uses.clear();
  }

  /**
   * Ends the replies that a crash cut off; called once, at start. One that was being sent becomes `unknown`, another
   * `silent`. Returns how many.
   */
  settleUnfinished(): number {
    return this.#sql.settleUnfinished();
  }

  /** Returns the bot's last sent replies in a channel whose text is still stored, at most `limit`, oldest first. */
  recent(channel: string, limit: number) {
    return this.#sql.recent(channel, limit).reverse();
  }

  /** Returns the id of the reply with this message id; null if none has it. */
  byMessage(messageId: string): number | null {
    return this.#sql.byMessage(messageId);
  }

  /** Returns the last answers to a viewer whose text is still stored, at most `limit`, oldest first. */
  exchangesWith(channel: string, userId: string, limit: number): PastExchange[] {
    return this.#sql
      .withViewer({ channel, userId, limit })
      .map(({ askedIds, ...row }) => ({
        ...row,
        question: this.#events.textsOf(askedIds),
        saidEventId: this.#events.idOfReply(row.replyId),
      }))
      .reverse();
  }

  /**
   * Returns the answers since a time, oldest first: sent, perhaps sent, or kept back in mode shadow. Cooldowns are
   * restored from them.
   */
  exchangesSince(sinceMs: number): Exchange[] {
    return this.#sql.exchangesSince(sinceMs);
  }

  /**
   * Removes the stored texts of replies that a removal concerns, and returns these messages; the rows stay.
   * `ofChannel`: all replies in the removal's channel. Of unfinished replies, `finish` will store no text; they are not
   * returned.
   */
  removeTexts(removed: RemovedText, ofChannel: boolean): RemovedReply[] {
    const { removal, messageIds, eventIds } = removed;
    const known = removal.by === "person" ? (removal.userId ?? removed.userId) : null;
    // Without an id, every viewer with the login is concerned.
    const holders =
      removal.by === "person" && removal.userId === null
        ? this.#accounts.withLogin(removal.login)
        : [];
    const concerned = {
      messageIds: JSON.stringify(messageIds),
      eventIds: JSON.stringify([...eventIds, ...this.#events.idsOfMessages(messageIds)]),
      channel: removal.by === "message" ? null : removal.channel,
      ofChannel: ofChannel || removal.by === "channel" ? 1 : 0,
      userIds: JSON.stringify([known, ...holders.map(({ userId }) => userId)]),
    };
    const rows = this.#sql.withText(concerned);
    if (rows.length > 0) this.#sql.removeTexts(JSON.stringify(rows.map(({ id }) => id)));
    const openIds = JSON.stringify([...this.#open.keys()]);
    for (const id of this.#sql.openConcerned({ ...concerned, openIds })) this.#dropped.add(id);
    return rows.map(({ channel, text, messageId }) => ({ channel, text, messageId }));
  }

  /** Arranges that `finish` stores no text of an unfinished reply. */
  dropText(id: number): void {
    this.#dropped.add(id);
  }

  /**
   * Stores `said.messageId` in the newest reply of the channel with this text and no id, if there is one. `said.text`
   * may begin with an `@` name that is not in the reply's.
   */
  storeMessageId(said: RemovedReply): void {
    this.#sql.storeMessageId(said);
  }

  /** Removes the texts of at most `limit` replies from before `beforeMs`. Returns how many. */
  expireTexts(beforeMs: number, limit: number): number {
    return this.#sql.expireTexts(beforeMs, limit);
  }

  /** Corrects times after the clock was ahead: moves replies of the last day and of the future back by `aheadMs`. */
  realign(nowMs: number, aheadMs: number): void {
    this.#sql.move(aheadMs, aheadMs, nowMs + Math.min(0, aheadMs - DAY_MS));
  }
}

/** The event ids of a reply's question, as JSON. A question in pieces has them in its trail. */
const ASKED_IDS = `coalesce(CASE WHEN "trigger" = 'bare' AND json_valid(token_usage_json)
  THEN json_extract(token_usage_json, '$.ids.current') END, json_array(event_id))`;

/** The parameters of `MEANT`. */
type RemovalParameters = Readonly<Record<string, string | number | null>>;

/** True for a reply that a removal concerns: the removed message itself, or an answer to removed text. */
const MEANT = `(message_id IN (SELECT value FROM json_each(@messageIds))
  OR event_id IN (SELECT value FROM json_each(@eventIds))
  OR EXISTS (SELECT 1 FROM json_each(${ASKED_IDS}) AS one WHERE one.value IN (SELECT value FROM json_each(@eventIds)))
  OR (channel = @channel AND (@ofChannel = 1 OR user_id IN (SELECT value FROM json_each(@userIds)))))`;

function prepareReplySql(db: Db) {
  const sql = prepareStatements(db);
  return {
    insert: sql.insert<(string | number | null)[]>(
      `INSERT INTO replies (channel, user_id, "trigger", event_id, state, reason, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ),
    recordTrail: sql.run<[trail: string, id: number]>(
      "UPDATE replies SET token_usage_json = ? WHERE id = ?",
    ),
    markSending: sql.run<[id: number]>("UPDATE replies SET state = 'sending' WHERE id = ?"),
    end: sql.run<(string | number | null)[]>(
      `UPDATE replies SET state = ?, reason = ?, text = ?, message_id = ?, sent_at = ?, model = ?, finish = ?,
         latency_ms = ?, token_usage_json = ifnull(?, token_usage_json) WHERE id = ?`,
    ),
    settleUnfinished: sql.run<[]>(
      `UPDATE replies SET reason = 'crashed', state = CASE state WHEN 'sending' THEN 'unknown' ELSE 'silent' END
       WHERE id > (SELECT max(id) FROM replies) - ${UNFINISHED_BACK} AND state IN ('thinking', 'sending')`,
    ),
    // By the index of replies with a text: a day's. Ids grow with the time.
    recent: sql.all<[channel: string, limit: number], { id: number; text: string }>(
      `SELECT id, text FROM replies INDEXED BY replies_with_text
       WHERE channel = ? AND state = 'sent' AND text IS NOT NULL ORDER BY created_at DESC, id DESC LIMIT ?`,
    ),
    // Reads the viewer's own replies only as far back as any reply has a text: years of them cost nothing.
    withViewer: sql.all<
      [{ channel: string; userId: string; limit: number }],
      { replyId: number; text: string; atMs: number; askedIds: string }
    >(
      `SELECT id AS replyId, text, ifnull(sent_at, created_at) AS atMs, ${ASKED_IDS} AS askedIds
       FROM replies INDEXED BY replies_by_viewer
       WHERE channel = @channel AND user_id = @userId AND state = 'sent' AND text IS NOT NULL
         AND id >= (SELECT s.id FROM replies AS s INDEXED BY replies_with_text
           WHERE s.text IS NOT NULL ORDER BY s.created_at, s.id LIMIT 1)
       ORDER BY id DESC LIMIT @limit`,
    ),
    byMessage: sql.value<[messageId: string], number>(
      "SELECT id FROM replies WHERE message_id = ? AND message_id IS NOT NULL ORDER BY id DESC",
    ),
    exchangesSince: sql.all<[sinceMs: number], Exchange>(
      `SELECT channel, user_id AS userId, created_at AS atMs FROM replies
       WHERE created_at >= ? AND state IN ('sent', 'shadow', 'unknown') ORDER BY id`,
    ),
    // The bound on created_at leads SQLite to the index of replies with a text.
    withText: sql.all<[RemovalParameters], RemovedReply & { readonly id: number }>(
      `SELECT id, channel, text, message_id AS messageId FROM replies
       WHERE created_at >= 0 AND text IS NOT NULL AND ${MEANT}`,
    ),
    openConcerned: sql.values<[RemovalParameters], number>(
      `SELECT id FROM replies WHERE id IN (SELECT value FROM json_each(@openIds)) AND ${MEANT}`,
    ),
    removeTexts: sql.run<[ids: string]>(
      "UPDATE replies SET text = NULL WHERE id IN (SELECT value FROM json_each(?))",
    ),
    storeMessageId: sql.run<[RemovedReply]>(
      `UPDATE replies SET message_id = @messageId WHERE id =
         (SELECT id FROM replies WHERE channel = @channel AND created_at >= 0 AND text IS NOT NULL
            AND message_id IS NULL AND state IN ('sent', 'unknown')
            AND (text = @text OR (@text LIKE '@%' AND substr(@text, -length(text) - 1) = ' ' || text))
          ORDER BY id DESC LIMIT 1)`,
    ),
    expireTexts: sql.run<[beforeMs: number, limit: number]>(
      `UPDATE replies SET text = NULL WHERE id IN
         (SELECT id FROM replies WHERE text IS NOT NULL AND created_at < ? LIMIT ?)`,
    ),
    move: sql.run<[aheadMs: number, aheadMs: number, sinceMs: number]>(
      "UPDATE replies SET created_at = created_at - ?, sent_at = sent_at - ? WHERE created_at >= ?",
    ),
  };
}

/**
 * Returns statements that forget a viewer. `answersTo` reads the answers to them that still have a text; call it first.
 * `anonymise` removes these texts, and replaces the user id of all their replies by a keyed hash. So cooldowns stay.
 */
export function prepareReplyForget(db: Db) {
  const sql = prepareStatements(db);
  const anonymise = sql.run<[hash: string, userId: string]>(
    "UPDATE replies SET user_id = ?, text = NULL WHERE user_id = ?",
  );
  return {
    answersTo: sql.all<[userId: string], RemovedReply>(
      `SELECT channel, text, message_id AS messageId FROM replies
       WHERE created_at >= 0 AND text IS NOT NULL AND user_id = ?`,
    ),
    anonymise: (userId: string, hash: string): void => void anonymise(hash, userId),
  };
}

/**
 * Returns the name if an action has it, or if it is `malformed`; else `other`: the model may have taken it from chat.
 */
export function getKnownAction(name: string): string {
  return name === "malformed" || findAction(name) !== null ? name : "other";
}
