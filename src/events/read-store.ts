import type { Db } from "../db/open.ts";

/** Something that was said, with its text, as prompts and windows need it. */
export interface ChatLine {
  readonly id: number;
  readonly channel: string;
  readonly kind: string;
  readonly userId: string;
  /** The login and the name shown, as last seen; null where the person is not known any more. */
  readonly login: string | null;
  readonly displayName: string | null;
  readonly messageId: string | null;
  readonly parentId: string | null;
  readonly text: string;
  readonly createdAtMs: number;
}

export interface EventReads {
  /** What people (no bots) said in a channel, the latest `limit`, oldest first. */
  recentChat(channel: string, limit: number): ChatLine[];
  /** What one person said in a channel before `beforeId`, the latest `limit`, oldest first. */
  ownRecent(channel: string, userId: string, limit: number, beforeId?: number): ChatLine[];
  /** A message that still has its text, whoever wrote it, the bot and other bots too. */
  byMessageId(messageId: string): ChatLine | null;
  /** How many events may still become memory, counted up to `WAITING_COUNT_MAX`. */
  waiting(channel: string): number;
  /** How many rows there are, and how many of them still have their text. Reads an index from end to end. */
  totals(): { events: number; withText: number };
}

const WAITING_COUNT_MAX = 1_000;
/** A person's rows without words (gifts, removed texts) that are passed over before giving up. */
const OWN_SCAN_ROWS_MAX = 200;

/** Reads of committed events. Every statement goes by an index, so their time does not grow with the table. */
export function eventReads(db: Db): EventReads {
  const line = (from: string) => `SELECT e.id, e.channel, e.kind, e.user_id AS userId, v.login,
      v.display_name AS displayName, e.message_id AS messageId, e.parent_id AS parentId, e.text,
      e.created_at AS createdAtMs
    FROM ${from} AS e LEFT JOIN viewers AS v ON v.user_id = e.user_id`;
  const recent = db.prepare<[string, number], ChatLine>(
    `${line("events")} WHERE e.channel = ? AND e.text IS NOT NULL AND e.memorable = 1
     ORDER BY e.id DESC LIMIT ?`,
  );
  const own = db.prepare<[string, string, number, number], ChatLine>(
    `${line(`(SELECT id, channel, kind, user_id, message_id, parent_id, text, memorable, created_at
       FROM events WHERE user_id = ? AND channel = ? AND id < ?
       ORDER BY id DESC LIMIT ${OWN_SCAN_ROWS_MAX})`)}
     WHERE e.text IS NOT NULL AND e.memorable = 1 ORDER BY e.id DESC LIMIT ?`,
  );
  const byMessage = db.prepare<[string], ChatLine>(
    `${line("events")} WHERE e.message_id = ? AND e.message_id IS NOT NULL AND e.kind <> 'deletion'
       AND e.text IS NOT NULL`,
  );
  const waiting = db
    .prepare<[string], number>(
      `SELECT count(*) FROM (SELECT 1 FROM events WHERE channel = ? AND memorable = 1
         AND episode_id IS NULL AND text IS NOT NULL LIMIT ${WAITING_COUNT_MAX})`,
    )
    .pluck();
  const totals = db.prepare<[], { events: number; withText: number }>(
    `SELECT (SELECT count(*) FROM events) AS events,
       (SELECT count(*) FROM events WHERE text IS NOT NULL) AS withText`,
  );
  return {
    recentChat: (channel, limit) => recent.all(channel, limit).reverse(),
    ownRecent: (channel, userId, limit, beforeId = Number.MAX_SAFE_INTEGER) =>
      own.all(userId, channel, beforeId, limit).reverse(),
    byMessageId: (messageId) => byMessage.get(messageId) ?? null,
    waiting: (channel) => waiting.get(channel) ?? 0,
    totals: () => totals.get() ?? { events: 0, withText: 0 },
  };
}
