import { ActionReview } from "../actions/ledger-store.ts";
import { EventLookups } from "../chat/event-reads-store.ts";
import { prepareNameRead } from "../chat/viewer-store.ts";
import type { Config } from "../config/load.ts";
import type { Db } from "../database/open-database.ts";
import { cutPage, type ListPage, prepareStatements, Sql } from "../database/statements.ts";
import { NoteReview } from "../memory/note-review-store.ts";
import { NoteStore } from "../memory/note-store.ts";
import { calculateDollars, getPrice } from "../models/call-store.ts";
import { getKnownAction } from "./reply-store.ts";
import { readTrail } from "./trail.ts";

/** A reply for a screen: requester, question, answer, or the reason for silence. */
export interface ReplyView {
  readonly id: number;
  readonly channel: string;
  readonly userId: string;
  /** Display name; null if it is unknown. */
  readonly viewer: string | null;
  readonly trigger: string;
  readonly state: string;
  /** A code if it was not sent; else null. */
  readonly reason: string | null;
  readonly createdAtMs: number;
  readonly latencyMs: number | null;
  readonly model: string | null;
  /** null if there is no answer, or after its text was removed. */
  readonly text: string | null;
  /** null after 24 hours, when the text is removed. */
  readonly question: string | null;
  readonly outcomes: readonly string[];
}

const OUTCOMES =
  "(SELECT json_group_array(kind) FROM reply_outcomes o WHERE o.reply_id = r.id) AS outcomes";
/** The most replies that a period lists. */
const PERIOD_REPLIES_MAX = 3_000;
/** The newest replies among which a note's uses are found. */
const TRAILS_BACK = 500;

/** Lists replies with viewers' names: for a screen, never for a file. */
export class ReplyReview {
  readonly #db: Db;
  readonly #sql: Sql;

  constructor(db: Db) {
    this.#db = db;
    this.#sql = new Sql(db);
  }

  /** Reads the replies that SQL clauses select. `values`: the clauses' parameters. */
  #select(clauses: string, values: object): ReplyView[] {
    const rows = this.#sql.all<
      ReplyView & { readonly eventId: number | null; readonly outcomes: string }
    >(
      `SELECT r.id, r.channel, r.user_id AS userId, r."trigger", r.state, r.reason, r.created_at AS createdAtMs,
         r.latency_ms AS latencyMs, r.model, r.text, r.event_id AS eventId, ${OUTCOMES} FROM replies r ${clauses}`,
      values,
    );
    const nameOf = prepareNameRead(this.#db);
    const eventIds = JSON.stringify(rows.map(({ eventId }) => eventId));
    const found = new EventLookups(this.#db).textsOf(eventIds);
    const questions = new Map<number | null, string>(found.map(({ id, text }) => [id, text]));
    return rows.map(({ eventId, outcomes, ...row }) => ({
      ...row,
      viewer: nameOf(row.userId),
      question: questions.get(eventId) ?? null,
      outcomes: JSON.parse(outcomes),
    }));
  }

  /** Returns a page of replies with an id below `after`, refusals too, newest first. `state` "": of every state. */
  list({
    state,
    limit,
    after = Number.MAX_SAFE_INTEGER,
  }: {
    readonly state: string;
    readonly limit: number;
    readonly after?: number | undefined;
  }): ListPage<ReplyView> {
    const rows = this.#select(
      "WHERE r.id < :after AND :state IN ('', r.state) ORDER BY r.id DESC LIMIT :limit",
      { state, after, limit: limit + 1 },
    );
    return cutPage(rows, limit);
  }

  /**
   * Returns the newest `limit` finished replies, refusals too, oldest first. `shadow`: only replies that mode shadow
   * kept back; false: all. `userId` null: to all viewers.
   */
  finished(wanted: { limit: number; shadow: boolean; userId: string | null }): ReplyView[] {
    return this.#select(
      `WHERE r.state NOT IN ('thinking', 'sending') AND (:shadow = 0 OR r.state = 'shadow')
         AND (:userId IS NULL OR r.user_id = :userId) ORDER BY r.id DESC LIMIT :limit`,
      { ...wanted, shadow: Number(wanted.shadow) },
    ).reverse();
  }

  reply(id: number): ReplyView | null {
    return this.#select("WHERE r.id = :id", { id })[0] ?? null;
  }

  /** Returns the sent replies among the last 500 rows whose prompt had a note, newest first, at most `limit`. */
  withNote(noteId: number, limit: number): ReplyView[] {
    return this.#select(
      `WHERE r.id > (SELECT max(id) FROM replies) - ${TRAILS_BACK} AND r.state = 'sent'
         AND json_valid(r.token_usage_json)
         AND :noteId IN (SELECT value FROM json_each(r.token_usage_json, '$.notes.kept'))
       ORDER BY r.id DESC LIMIT :limit`,
      { noteId, limit },
    );
  }

  /** Returns the newest replies in the channels from `fromMs` to `toMs`, at most 3,000, oldest first. */
  between(channels: readonly string[], fromMs: number, toMs: number): ReplyView[] {
    return this.#select(
      `WHERE r.created_at BETWEEN :fromMs AND :toMs AND r.channel IN (SELECT value FROM json_each(:channels))
       ORDER BY r.id DESC LIMIT ${PERIOD_REPLIES_MAX}`,
      { channels: JSON.stringify(channels), fromMs, toMs },
    ).reverse();
  }

  /**
   * Counts the replies to viewers, refused and silent ones too, as `asked`, and the sent ones as `answered`. `ids`: a
   * JSON list of user ids and their hashes.
   */
  countOf(ids: string): { asked: number; answered: number } {
    const counts = this.#sql.one<{ asked: number; answered: number }>(
      `SELECT count(*) AS asked, count(CASE WHEN state = 'sent' THEN 1 END) AS answered FROM replies
       WHERE user_id IN (SELECT value FROM json_each(?))`,
      ids,
    );
    return counts ?? { asked: 0, answered: 0 };
  }
}

/**
 * Returns a function that returns the rows that `read` found since the last call, each once. `read` must return only
 * finished replies with an id above `afterId`. This id stays below the first unfinished reply until that ends.
 */
export function readFinishedReplies<T extends { readonly id: number }>(
  db: Db,
  fromId: number,
  read: (afterId: number) => T[],
): () => T[] {
  const finishedUpTo = prepareStatements(db).value<[number], number>(
    `SELECT coalesce(min(id) FILTER (WHERE state IN ('thinking', 'sending')) - 1, max(id))
     FROM replies WHERE id > ?`,
  );
  const given = new Set<number>();
  let finishedId = fromId;
  return () => {
    // Before the rows are read: a reply that finishes in between is found next time.
    const next = finishedUpTo(finishedId) ?? finishedId;
    const rows = read(finishedId).filter(({ id }) => !given.has(id));
    for (const { id } of rows) given.add(id);
    finishedId = next;
    for (const id of given) if (id <= finishedId) given.delete(id);
    return rows;
  };
}

interface ReplyRow {
  readonly id: number;
  readonly channel: string;
  readonly userId: string;
  readonly trigger: string;
  readonly state: string;
  /** A code if it was not sent; else null. */
  readonly reason: string | null;
  readonly createdAtMs: number;
  readonly sentAtMs: number | null;
  readonly latencyMs: number | null;
  readonly trailJson: string | null;
  readonly outcomes: string;
}

export type ReplyAnatomy = NonNullable<ReturnType<typeof readAnatomy>>;

/**
 * Reads what one reply saw, cost and caused: ids, codes and numbers, and the notes that were weighed, as they are now.
 * Reads no chat text. Returns null for an unknown `replyId`.
 */
export function readAnatomy(
  db: Db,
  { replyId, nowMs }: { readonly replyId: number; readonly nowMs: number },
  prices: Config["llm"]["prices"],
) {
  const row = prepareStatements(db).one<[number], ReplyRow>(
    `SELECT id, channel, user_id AS userId, "trigger", state, reason, created_at AS createdAtMs,
       sent_at AS sentAtMs, latency_ms AS latencyMs, token_usage_json AS trailJson, ${OUTCOMES}
     FROM replies r WHERE id = ?`,
  )(replyId);
  if (row === null) return null;
  const { userId, trailJson, outcomes, ...rest } = row;
  const read = readTrail(trailJson);
  const trail = read.kind === "read" ? read.trail : null;
  const price = trail?.model ? getPrice(trail.model, prices) : null;
  const weighedNotes = trail?.notes.candidates ?? [];
  const facts = new NoteReview(db, () => nowMs).facts(weighedNotes.map(({ id }) => id));
  return {
    ...rest,
    /** Display name; null if the viewer was forgotten. */
    viewer: prepareNameRead(db)(userId),
    trail: read,
    dollars: trail && price && calculateDollars(price, trail, trail.estimatedTokens),
    /** The weighed notes. `fact` and `status` are null if the note was deleted. */
    facts: weighedNotes.map((weighed) => {
      const { fact = null, status = null } = facts.get(weighed.id) ?? {};
      const isKept = trail?.notes.kept.includes(weighed.id) ?? false;
      const { id, score, about } = weighed;
      return { id, score, fact, status, isKept, about };
    }),
    actions: new ActionReview(db, () => nowMs)
      .listOfReply(replyId)
      .map(({ id, action, decision, reason, outcome }) => ({
        ...{ id, decision, reason, outcome },
        action: getKnownAction(action),
      })),
    outcomes: JSON.parse(outcomes) as readonly string[],
  };
}

/** Outcomes of a reply. docs/codes.md explains each. */
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
  /** Used only if no reply has that message id. */
  readonly replyId: number | null;
}

/** The later thumb replaces the earlier one. */
const OPPOSITE: Readonly<Partial<Record<OutcomeKind, OutcomeKind>>> = { good: "bad", bad: "good" };

/**
 * Returns a function that writes outcomes, each kind once for a reply, in one transaction. `good` and `bad` replace
 * each other. Skips an unknown reply, and one that was neither sent nor kept back by mode shadow.
 */
export function prepareOutcomeWrite(db: Db) {
  const sql = prepareStatements(db);
  const insert = sql.run<[OutcomeKind, atMs: number, replyId: number]>(
    `INSERT OR IGNORE INTO reply_outcomes (reply_id, kind, created_at)
     SELECT id, ?, ? FROM replies WHERE id = ? AND state IN ('sent', 'unknown', 'shadow')`,
  );
  const remove = sql.run<[replyId: number, kind: string]>(
    "DELETE FROM reply_outcomes WHERE reply_id = ? AND kind = ?",
  );
  const byMessage = sql.value<[messageId: string], number>(
    "SELECT id FROM replies WHERE message_id = ?",
  );
  return db.transaction((outcomes: readonly Outcome[], nowMs: number): void => {
    for (const { kind, messageId, replyId } of outcomes) {
      const id = byMessage(messageId ?? "") ?? replyId;
      if (id === null) continue;
      remove(id, OPPOSITE[kind] ?? "");
      insert(kind, nowMs, id);
    }
  });
}

/** Counts the replies that were made before a time and still have a text. */
export function countTextsBefore(db: Db, beforeMs: number): number {
  const count = prepareStatements(db).value<[number], number>(
    "SELECT count(*) FROM replies WHERE text IS NOT NULL AND created_at < ?",
  );
  return count(beforeMs) ?? 0;
}

/**
 * Returns a function that reads the trail of the last reply in a channel, sent or not, as JSON. It returns null if
 * there is no reply, or the last one has no trail.
 */
export function prepareLastTrailRead(db: Db) {
  return prepareStatements(db).value<[channel: string], string>(
    "SELECT token_usage_json FROM replies WHERE channel = ? ORDER BY id DESC LIMIT 1",
  );
}

/**
 * Returns a function that moves notes to shadow and returns how many: the active notes and jokes about a channel that
 * were in the prompt of its last reply that was, or may have been, sent. Pinned notes stay active.
 */
export function prepareChannelUnlearn(db: Db, now: () => number): (channel: string) => number {
  const lastSent = prepareStatements(db).value<[channel: string], string>(
    `SELECT token_usage_json FROM replies WHERE channel = ? AND state IN ('sent', 'unknown')
       AND token_usage_json IS NOT NULL ORDER BY id DESC LIMIT 1`,
  );
  const notes = new NoteStore(db, now);
  return (channel) => {
    const read = readTrail(lastSent(channel));
    return read.kind === "read" ? notes.unlearn(channel, read.trail.notes.kept) : 0;
  };
}
