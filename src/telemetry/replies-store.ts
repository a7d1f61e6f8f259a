import { nameReader } from "../chat/viewer-store.ts";
import { fillNames } from "../language/people.ts";
import { factsAfter, newestNote } from "../memory/note-lists-store.ts";
import type { Db } from "../platform/database/open-database.ts";
import { statements } from "../platform/database/statements.ts";
import type { Period } from "./period-store.ts";
import { trailFigures } from "./trail-figures.ts";

export type Span = Pick<Period, "channels" | "fromMs" | "toMs">;

/** About 2 ms of reading. */
const SLICE_ROWS = 250;

/**
 * Shows each reply of a period, oldest first, in short statements of their own: nothing is locked in between, and after
 * each others may be served. With `atMost`, so many of them, evenly.
 */
export function* visitReplies(
  db: Db,
  { channels, fromMs, toMs }: Span,
  take: (reply: ReplyFacts) => void,
  atMost = Number.POSITIVE_INFINITY,
): Generator<void, void> {
  const slice = statements(db).all<[number, number, number, number], StoredReply>(
    `SELECT id, channel, "trigger", state, reason, created_at AS atMs, sent_at AS sentAtMs,
       latency_ms AS latencyMs, model, token_usage_json AS trailJson,
       (SELECT group_concat(kind) FROM reply_outcomes WHERE reply_id = replies.id) AS outcomes
     FROM replies WHERE id >= ? AND id < ? AND id % ? = 0 ORDER BY id LIMIT ?`,
  );
  const firstAt = firstReplyAt(db);
  const endId = firstAt(toMs + 1);
  let fromId = firstAt(fromMs);
  const stride = Math.max(1, Math.ceil((endId - fromId) / atMost));
  const wanted = new Set(channels);
  for (;;) {
    const rows = slice(fromId, endId, stride, SLICE_ROWS);
    for (const row of rows) if (wanted.has(row.channel)) take(factsOf(row));
    const last = rows.at(-1);
    if (last === undefined) return;
    fromId = last.id + 1;
    yield;
  }
}

/** The first id whose row is not older than a time: ids and times grow together. */
function firstReplyAt(db: Db): (ms: number) => number {
  const sql = statements(db);
  const after = sql.one<[number], { id: number; atMs: number }>(
    "SELECT id, created_at AS atMs FROM replies WHERE id >= ? ORDER BY id LIMIT 1",
  );
  const newest = sql.value<[], number>("SELECT max(id) FROM replies");
  return (ms) => {
    let low = 1;
    let high = (newest() ?? 0) + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const found = after(middle);
      if (found === null || found.atMs >= ms) high = middle;
      else low = found.id + 1;
    }
    return low;
  };
}

/** One row of `replies` as a report reads it: no text. */
interface StoredReply {
  readonly id: number;
  readonly channel: string;
  readonly trigger: string;
  readonly state: string;
  readonly reason: string | null;
  readonly atMs: number;
  readonly sentAtMs: number | null;
  readonly latencyMs: number | null;
  readonly model: string | null;
  readonly trailJson: string | null;
  readonly outcomes: string | null;
}

export type ReplyFacts = ReturnType<typeof factsOf>;

function factsOf({ trailJson, outcomes, ...row }: StoredReply) {
  const trail = trailFigures(trailJson);
  return {
    ...row,
    /** null where no prompt was made, or where its record cannot be read. */
    trail,
    isDamaged: trailJson !== null && trail === null,
    /** Empty where nothing is known. */
    outcomes: outcomes === null ? [] : outcomes.split(",").filter(isKind),
  };
}

/**
 * What may come of a reply. `viewer_answered`: the viewer took it up; `went_on`: they asked on, asked again or denied
 * something, which tells nothing of how they liked it. `none`: the time passed, and nothing else did.
 */
export const OUTCOME_KINDS = [
  "viewer_answered",
  "went_on",
  "others_answered",
  "positive",
  "negative",
  "deleted",
  "timed_out",
  "good",
  "bad",
  "none",
] as const;
export type OutcomeKind = (typeof OUTCOME_KINDS)[number];

/** A reply that was sent, for as long as something may come of it. */
export interface WatchedReply {
  readonly replyId: number;
  readonly channel: string;
  /** Whom it answers. */
  readonly userId: string;
  /** Null where Twitch did not tell it. */
  readonly messageId: string | null;
  readonly sentAtMs: number;
  /** What it answers, in memory for as long as it is watched; "" where it may not be kept. */
  readonly question?: string;
}

export interface Outcome {
  readonly replyId: number;
  readonly kind: OutcomeKind;
}

function isKind(name: string): name is OutcomeKind {
  return OUTCOME_KINDS.some((kind) => kind === name);
}

/** An outcome of the reply with that message id; of `fallbackId` where there is none, if that is given. */
interface MessageOutcome {
  readonly messageId: string | null;
  readonly fallbackId: number | null;
  readonly kind: OutcomeKind;
}

export type AnyOutcome = Outcome | MessageOutcome;

/** Replies that a start looks back over. */
const REPLIES_BACK = 500;
/** The later thumb counts. */
const OPPOSITE: Readonly<Partial<Record<OutcomeKind, OutcomeKind>>> = { good: "bad", bad: "good" };

export function outcomeStore(db: Db) {
  const sql = statements(db);
  const insert = sql.run<[OutcomeKind, number, number]>(
    `INSERT OR IGNORE INTO reply_outcomes (reply_id, kind, created_at)
     SELECT id, ?, ? FROM replies WHERE id = ? AND state IN ('sent', 'unknown', 'shadow')`,
  );
  const insertNone = sql.run<[number, number, number]>(
    `INSERT INTO reply_outcomes (reply_id, kind, created_at) SELECT id, 'none', ? FROM replies
     WHERE id = ? AND NOT EXISTS (SELECT 1 FROM reply_outcomes WHERE reply_id = ?)`,
  );
  const remove = sql.run<[number, string]>(
    "DELETE FROM reply_outcomes WHERE reply_id = ? AND kind = ?",
  );
  const byMessage = sql.value<[string], number>("SELECT id FROM replies WHERE message_id = ?");
  const sent = sql.all<[number, number], WatchedReply>(
    `SELECT replyId, channel, userId, messageId, sentAtMs FROM
       (SELECT id AS replyId, channel, user_id AS userId, message_id AS messageId, sent_at AS sentAtMs, state
        FROM replies ORDER BY id DESC LIMIT ?)
     WHERE state = 'sent' AND sentAtMs >= ? ORDER BY replyId`,
  );
  const idOf = (outcome: AnyOutcome): number | null => {
    if ("replyId" in outcome) return outcome.replyId;
    return byMessage(outcome.messageId ?? "") ?? outcome.fallbackId;
  };
  const write = (outcome: AnyOutcome, nowMs: number): void => {
    const id = idOf(outcome);
    if (id === null) return;
    if (outcome.kind === "none") return void insertNone(nowMs, id, id);
    remove(id, "none");
    remove(id, OPPOSITE[outcome.kind] ?? "");
    insert(outcome.kind, nowMs, id);
  };
  return {
    /** Writes outcomes, each once, in one transaction. A reply that is gone has none. */
    add: db.transaction((outcomes: readonly AnyOutcome[], nowMs: number) => {
      for (const outcome of outcomes) write(outcome, nowMs);
    }),
    sentSince: (sinceMs: number): WatchedReply[] => sent(REPLIES_BACK, sinceMs),
  };
}

/** Something that memory learned: one note. */
export interface SeenNote {
  readonly id: number;
  readonly fact: string;
  readonly status: string;
}

/** A proposal that waits for somebody's word. */
export interface SeenHold {
  readonly id: number;
  readonly action: string;
  readonly target: string | null;
}

/**
 * What `read` finds after an id, each row once, as it ends. A reply that is still thought of or on its way holds the place
 * behind which all was told: one that began after it may end before it.
 */
export function asTheyEnd<T extends { readonly id: number }>(
  db: Db,
  fromId: number,
  read: (afterId: number) => T[],
): () => T[] {
  const ended = statements(db).value<[number], number>(
    `SELECT coalesce(min(id) FILTER (WHERE state IN ('thinking', 'sending')) - 1, max(id))
     FROM replies WHERE id > ?`,
  );
  const told = new Set<number>();
  let endedId = fromId;
  return () => {
    // Before the rows are read: what ends in between is found at the next look.
    const next = ended(endedId) ?? endedId;
    const rows = read(endedId).filter(({ id }) => !told.has(id));
    for (const { id } of rows) told.add(id);
    endedId = next;
    for (const id of told) if (id <= endedId) told.delete(id);
    return rows;
  };
}

const NAME = "SELECT display_name FROM viewers WHERE user_id = ";

/** An answer as a person reads it: who asked what, what was said or would have been, and why not. */
export type SeenReply = ReturnType<ReturnType<typeof seenStore>["replies"]>[number];

/** Reads what the streamer may see, with names put in. For a screen, never for a file. */
export function seenStore(db: Db) {
  const sql = statements(db);
  const replies = sql.all<
    [object],
    {
      readonly id: number;
      readonly channel: string;
      readonly atMs: number;
      readonly viewer: string;
      /** null where the text is gone: it lives for 24 hours. */
      readonly asked: string | null;
      readonly text: string | null;
      readonly state: string;
      readonly reason: string | null;
      readonly latencyMs: number | null;
      readonly outcomes: string | null;
    }
  >(
    `SELECT r.id, r.channel, r.created_at AS atMs, coalesce((${NAME} r.user_id), 'somebody') AS viewer,
       e.text AS asked, r.text, r.state, r.reason, r.latency_ms AS latencyMs,
       (SELECT group_concat(kind) FROM reply_outcomes o WHERE o.reply_id = r.id AND o.kind <> 'none') AS outcomes
     FROM replies r LEFT JOIN events e ON e.id = r.event_id
     WHERE r.id > :afterId AND r.state NOT IN ('thinking', 'sending')
       AND (:shadow = 0 OR r.state = 'shadow') AND (:userId IS NULL OR r.user_id = :userId)
     ORDER BY r.id DESC LIMIT :limit`,
  );
  const sent = sql.value<[number], number>(
    "SELECT count(*) FROM replies WHERE id > ? AND state = 'sent'",
  );
  const notes = factsAfter(db);
  const noteNow = newestNote(db);
  const newest = sql.one<[], { reply: number; action: number }>(
    `SELECT (SELECT coalesce(max(id), 0) FROM replies) AS reply,
       (SELECT coalesce(max(id), 0) FROM action_log) AS action`,
  );
  const nameOf = nameReader(db);
  return {
    /** The newest after an id that are finished, oldest of them first; perhaps only of mode shadow, or to one user. */
    replies: (asked: {
      readonly afterId: number;
      readonly limit: number;
      readonly shadow?: boolean;
      readonly userId?: string | null;
    }) =>
      replies({ userId: null, ...asked, shadow: Number(asked.shadow ?? false) })
        .reverse()
        .map((row) => ({ ...row, outcomes: row.outcomes?.split(",") ?? [] })),
    sentAfter: (id: number): number => sent(id) ?? 0,
    notesAfter: (id: number): SeenNote[] =>
      notes(id).map((note) => ({ ...note, fact: fillNames(note.fact, nameOf) })),
    holdsAfter: sql.all<[afterId: number], SeenHold>(
      `SELECT id, action, (${NAME} target_id) AS target FROM action_log
       WHERE id > ? AND decision = 'hold' ORDER BY id`,
    ),
    /** The last ids of replies, notes and proposals. */
    newest: () => ({
      ...(newest() ?? { reply: 0, action: 0 }),
      note: noteNow(),
    }),
  };
}
