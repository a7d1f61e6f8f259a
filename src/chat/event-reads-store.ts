import type { Db } from "../database/open-database.ts";
import { prepareStatements, Sql } from "../database/statements.ts";
import { getCalmDay, IS_KNOWN, joinInChannel, joinViewer } from "./viewer-store.ts";

/**
 * SQL condition that every event meets. With it SQLite finds events by viewer or message: both indexes begin with the
 * chunk.
 */
export const OF_ANY_CHUNK = "id >> 12 IN (SELECT chunk FROM event_chunks)";
/**
 * SQL condition for the event of one message id; its deletion does not count. It repeats the condition of the index.
 */
export const OF_MESSAGE = `${OF_ANY_CHUNK} AND message_id = ? AND message_id IS NOT NULL AND kind <> 'deletion'`;

/** A chat message with its text, for prompts. */
export interface StoredLine {
  readonly id: number;
  readonly channel: string;
  readonly userId: string;
  /** Login and display name as last seen; null if the viewer is unknown now. */
  readonly login: string | null;
  readonly displayName: string | null;
  readonly messageId: string | null;
  readonly text: string;
  readonly createdAtMs: number;
}

/** A chat message as a prompt shows it. */
export interface PromptLine extends StoredLine {
  /** For the bot's messages: the display name of the viewer it answered; null if unknown. Absent for others. */
  readonly answers?: string | null;
}

export interface ChatQuery {
  readonly channel: string;
  /** The viewer whose messages are left out. */
  readonly exceptUserId: string;
  readonly exceptIds: ReadonlySet<number>;
  /** Messages before this time are added only until there are `min` of viewers. */
  readonly sinceMs: number;
  /** The most messages. No writer gets more than `max - min`, so that `min` are left for others. */
  readonly min: number;
  readonly max: number;
}

// Rows are arrays: every turn reads dozens, and objects would be most of the cost.
const LINES = `SELECT e.id, e.channel, e.user_id, v.login, v.display_name, e.message_id, e.created_at, e.text
  FROM events AS e ${joinViewer("e.user_id")}`;
const CHAT = `${LINES.replace("e.text", "e.text, e.reply_id, a.display_name")}
  LEFT JOIN replies AS r ON r.id = e.reply_id ${joinViewer("r.user_id", "a")}`;

type Row = readonly [
  id: number,
  channel: string,
  userId: string,
  login: string | null,
  displayName: string | null,
  messageId: string | null,
  createdAtMs: number,
  text: string,
];
type AnsweringRow = readonly [...Row, replyId: number | null, answers: string | null];

function toLine(row: Row | AnsweringRow): StoredLine {
  const [id, channel, userId, login, displayName, messageId, createdAtMs, text] = row;
  return { id, channel, userId, login, displayName, messageId, text, createdAtMs };
}

function toChatLine(row: AnsweringRow): PromptLine {
  const [replyId, answers] = [row[8], row[9]];
  return replyId === null ? toLine(row) : { ...toLine(row), answers };
}

/** The most rows that are read to find others when one viewer floods the chat. */
const CHAT_SCAN_ROWS_MAX = 600;

export type EventReads = ReturnType<typeof prepareEventReads>;

/** Prepares reads of committed events. Every statement uses an index, so their time does not grow with the table. */
export function prepareEventReads(db: Db) {
  const rows = <Values extends unknown[], Found>(sql: string) =>
    db.prepare<Values, Found>(sql).raw();
  const recent = rows<[string, number], Row>(
    `${LINES} WHERE e.channel = ? AND e.text IS NOT NULL AND e.memorable = 1 ORDER BY e.id DESC LIMIT ?`,
  );
  const chat = rows<[string], AnsweringRow>(
    `${CHAT} WHERE e.channel = ? AND e.text IS NOT NULL AND (e.memorable = 1 OR e.reply_id IS NOT NULL)
     ORDER BY e.id DESC LIMIT ${CHAT_SCAN_ROWS_MAX}`,
  );
  const byReply = rows<[number], AnsweringRow>(
    `${CHAT} WHERE e.reply_id = ? AND e.reply_id IS NOT NULL AND e.text IS NOT NULL`,
  );
  // Without a hint SQLite reads all messages of the channel.
  const ofBot = rows<[string, number, number], AnsweringRow>(
    `${CHAT.replace("events AS e", "events AS e INDEXED BY events_own")}
     WHERE e.channel = ? AND e.kind = 'bot' AND e.text IS NOT NULL AND e.id < ? ORDER BY e.id DESC LIMIT ?`,
  );
  const ownChunks = db
    .prepare<[string], number>(
      `SELECT chunk FROM event_chunks
       WHERE EXISTS (SELECT 1 FROM events AS e WHERE e.id >> 12 = chunk AND e.user_id = ?)`,
    )
    .pluck();
  const ownOfChunk = rows<[number, string, number, string, number], Row>(
    `${LINES} WHERE e.id >> 12 = ? AND e.user_id = ? AND e.id < ? AND +e.channel = ? AND e.text IS NOT NULL
       AND e.memorable = 1 ORDER BY e.id DESC LIMIT ?`,
  );
  const byMessage = rows<[string], Row>(
    `${LINES} WHERE e.id >> 12 IN (SELECT chunk FROM event_chunks) AND e.message_id = ?
       AND e.message_id IS NOT NULL AND e.kind <> 'deletion' AND e.text IS NOT NULL`,
  );
  return {
    /** Returns the latest `limit` messages of viewers in a channel, oldest first. */
    recentChat: (channel: string, limit: number): StoredLine[] =>
      recent.all(channel, limit).map(toLine).reverse(),
    /** Returns the latest messages of viewers and the bot that the query allows, oldest first. */
    aroundIn: (asked: ChatQuery): PromptLine[] =>
      pickLines(chat.iterate(asked.channel), asked).reverse(),
    /** Finds the bot's message of a reply; null once its text is removed. */
    byReply: (replyId: number): PromptLine | null =>
      byReply.all(replyId).map(toChatLine)[0] ?? null,
    /** Returns the latest `limit` messages of one viewer in a channel before an event, oldest first. */
    ownRecent: (
      channel: string,
      userId: string,
      limit: number,
      beforeId = Number.MAX_SAFE_INTEGER,
    ): StoredLine[] => {
      const found: Row[] = [];
      for (const chunk of ownChunks.iterate(userId)) {
        if (found.length >= limit) break;
        found.push(...ownOfChunk.all(chunk, userId, beforeId, channel, limit - found.length));
      }
      return found.map(toLine).reverse();
    },
    /** Returns the latest `limit` messages of the bot in a channel before an event, oldest first. */
    botRecent: (channel: string, limit: number, beforeId: number): PromptLine[] =>
      ofBot.all(channel, beforeId, limit).map(toChatLine).reverse(),
    /** Finds a message with its text, of any writer; null once its text is removed. */
    byMessageId: (messageId: string): StoredLine | null =>
      byMessage.all(messageId).map(toLine)[0] ?? null,
  };
}

/** Returns the messages that the query allows, newest first, like `rows`. Reads no more rows than it needs. */
function pickLines(
  rows: Iterable<AnsweringRow>,
  { exceptUserId, exceptIds, sinceMs, min, max }: ChatQuery,
): PromptLine[] {
  const lines: PromptLine[] = [];
  const written = new Map<string, number>();
  let ofPeople = 0;
  for (const row of rows) {
    const [id, , userId, , , , createdAtMs] = row;
    if (lines.length >= max || (createdAtMs < sinceMs && ofPeople >= min)) break;
    const count = written.get(userId) ?? 0;
    if (userId === exceptUserId || exceptIds.has(id) || count >= max - min) continue;
    written.set(userId, count + 1);
    const line = toChatLine(row);
    if (line.answers === undefined) ofPeople += 1;
    lines.push(line);
  }
  return lines;
}

/** An event of the page's chat. */
export interface ChatRow {
  readonly id: number;
  readonly kind: string;
  readonly userId: string | null;
  /** Display name; null if it is unknown. */
  readonly viewer: string | null;
  readonly text: string | null;
  readonly amount: number | null;
  readonly createdAtMs: number;
}

/** The newest events that the page's chat is read from. */
const CHAT_BACK = 400;

/** Reads chat and moments among the newest 400 events of all channels, newest first, without the bot's answers. */
export function readChat(db: Db, limit: number): ChatRow[] {
  return new Sql(db).all(
    `SELECT e.id, e.kind, e.user_id AS userId, v.display_name AS viewer, e.text, e.amount, e.created_at AS createdAtMs
     FROM events e ${joinViewer("e.user_id")}
     WHERE e.id > (SELECT max(id) FROM events) - ${CHAT_BACK} AND e.reply_id IS NULL
       AND (e.text IS NOT NULL OR e.kind IN ('raid', 'sub', 'resub', 'gift', 'mystery_gift', 'streak'))
     ORDER BY e.id DESC LIMIT ?`,
    limit,
  );
}

/** SQL for a value that changes with the newest event. */
export const EVENTS_MARK = "(SELECT max(id) FROM events)";

/** Twitch deletes no older message: https://dev.twitch.tv/docs/api/reference#delete-chat-messages */
const DELETABLE_MS = 6 * 3_600_000;

/** Finds events that rows of other tables name. */
export function prepareEventLookups(db: Db) {
  const sql = prepareStatements(db);
  const ofMessages = sql.values<[messageIds: string], number>(
    `SELECT id FROM events WHERE ${OF_ANY_CHUNK} AND message_id IN (SELECT value FROM json_each(?))
       AND message_id IS NOT NULL AND kind <> 'deletion'`,
  );
  const lastMessage = sql.value<[string, string, number, number], string>(
    `SELECT message_id FROM events WHERE ${OF_ANY_CHUNK} AND user_id = ? AND channel = ?
       AND kind IN ('message', 'action', 'cheer') AND message_id IS NOT NULL AND removed_at IS NULL
       AND created_at > ? AND id < ? ORDER BY id DESC LIMIT 1`,
  );
  return {
    /** Returns the texts that are still stored, by event id. `ids`: a JSON list of event ids. */
    textsOf: sql.all<[ids: string], { id: number; text: string }>(
      "SELECT id, text FROM events WHERE id IN (SELECT value FROM json_each(?)) AND text IS NOT NULL ORDER BY id",
    ),
    /** Counts stored messages of these viewers, in all and with their text. `ids`: a JSON list. */
    countOf: sql.one<[ids: string], { lines: number; linesWithText: number }>(
      `SELECT count(*) AS lines, count(text) AS linesWithText FROM events
       WHERE ${OF_ANY_CHUNK} AND user_id IN (SELECT value FROM json_each(?))`,
    ),
    /** Returns the id of a sent reply's event; null if it is not stored. */
    idOfReply: sql.value<[replyId: number], number>(
      "SELECT id FROM events WHERE reply_id = ? AND reply_id IS NOT NULL",
    ),
    idsOfMessages: (messageIds: readonly string[]) =>
      messageIds.length === 0 ? [] : ofMessages(JSON.stringify(messageIds)),
    /**
     * Returns the message id of a viewer's last message before an event that Twitch can still delete; null if there
     * is none.
     */
    lastMessageId: (
      channel: string,
      userId: string,
      nowMs: number,
      beforeEventId = Number.MAX_SAFE_INTEGER,
    ) => lastMessage(userId, channel, nowMs - DELETABLE_MS, beforeEventId),
  };
}

/**
 * Counts the messages that still have a text, and the overdue ones, whose text should have been removed before
 * `endedBeforeMs`. `oldestAtMs`: when the oldest was written, epoch ms; null if there is none.
 */
export function readTextAges(db: Db, endedBeforeMs: number) {
  const ages = prepareStatements(db).one<
    [number],
    { texts: number; oldestAtMs: number | null; overdue: number }
  >(
    `SELECT count(*) AS texts, min(created_at) AS oldestAtMs, count(CASE WHEN expires_at < ? THEN 1 END) AS overdue
     FROM events WHERE text IS NOT NULL`,
  );
  return ages(endedBeforeMs) ?? { texts: 0, oldestAtMs: null, overdue: 0 };
}

/** Events of a channel that no episode covers yet. */
export interface UncoveredEvents {
  /** Counted up to a thousand: more than any window holds. */
  readonly events: number;
  readonly newestAtMs: number;
  readonly oldestAtMs: number;
  /** Events of the last minute. */
  readonly lastMinute: number;
}

/** One event of a window, with the names and roles of its writer. */
export interface WindowEvent {
  readonly id: number;
  readonly userId: string;
  readonly login: string;
  readonly displayName: string;
  readonly text: string;
  readonly atMs: number;
  /** A `/me` message. */
  readonly isAction?: boolean;
  readonly isReply: boolean;
  readonly isStreamer: boolean;
  readonly isModerator?: boolean;
  readonly isKnown: boolean;
}

/** A message before a window. */
export interface EarlierLine {
  readonly userId: string;
  readonly isStreamer: boolean;
  readonly isKnown: boolean;
  readonly text: string;
}

const WAITS = "memorable = 1 AND no_window = 0 AND episode_id IS NULL AND text IS NOT NULL";
const WAITING_COUNT_MAX = 1_000;
/** The least messages to the bot that make a conversation. */
const TO_BOT_MIN = 3;
/** The most messages before a window. Those of known viewers may carry a sentence of its summary. */
const EARLIER_LINES_MAX = 400;

/** Reads the events that become episodes, and assigns them. */
export class WindowEvents {
  readonly #sql: Sql;

  constructor(db: Db, now: () => number) {
    this.#sql = new Sql(db, () => ({ calmSince: getCalmDay(now()) }));
  }

  /** Counts events that no episode covers, written until `untilMs`. All figures are 0 if there are none. */
  waiting(channel: string, untilMs: number): UncoveredEvents {
    const found = this.#sql.one<UncoveredEvents>(
      `SELECT count(*) AS events, coalesce(max(created_at), 0) AS newestAtMs, coalesce(min(created_at), 0) AS oldestAtMs,
         count(CASE WHEN created_at > :untilMs - 60000 THEN 1 END) AS lastMinute
       FROM (SELECT created_at FROM events WHERE channel = :channel AND ${WAITS} AND created_at <= :untilMs
         ORDER BY id LIMIT ${WAITING_COUNT_MAX})`,
      { channel, untilMs },
    );
    return found ?? { events: 0, newestAtMs: 0, oldestAtMs: 0, lastMinute: 0 };
  }

  /**
   * Returns viewers who talked with the bot: at least `eventsMin` messages that no episode covers, three of them to the
   * bot, and the last before `quietBeforeMs`. Reads the channel's oldest thousand such messages.
   */
  directTalks(
    channel: string,
    eventsMin: number,
    quietBeforeMs: number,
  ): { userId: string; events: number }[] {
    return this.#sql.all(
      `SELECT user_id AS userId, count(*) AS events FROM
         (SELECT user_id, to_bot, created_at FROM events WHERE channel = ? AND ${WAITS} AND user_id IS NOT NULL
          ORDER BY id LIMIT ${WAITING_COUNT_MAX})
       GROUP BY user_id HAVING sum(to_bot) >= ${TO_BOT_MIN} AND count(*) >= ? AND max(created_at) < ?`,
      ...[channel, eventsMin, quietBeforeMs],
    );
  }

  /** Returns the events of an episode that still have a text, in order; none of opted-out or unknown viewers. */
  ofEpisode(episodeId: number): WindowEvent[] {
    const rows = this.#sql.all<WindowEvent>(
      `SELECT e.id, e.user_id AS userId, v.login, v.display_name AS displayName, e.parent_id IS NOT NULL AS isReply, e.text,
         e.created_at AS atMs, e.kind = 'action' AS isAction, c.is_broadcaster AS isStreamer,
         c.is_moderator AS isModerator, ${IS_KNOWN} AS isKnown
       FROM events e ${joinViewer("e.user_id")}
       LEFT ${joinInChannel("e.channel", "e.user_id")}
       WHERE e.episode_id = :episodeId AND e.text IS NOT NULL AND v.opted_out = 0 ORDER BY e.id`,
      { episodeId },
    );
    return rows.map((row) => ({
      ...row,
      // SQLite has no booleans.
      isAction: Boolean(row.isAction),
      isReply: Boolean(row.isReply),
      isStreamer: Boolean(row.isStreamer),
      isModerator: Boolean(row.isModerator),
      isKnown: Boolean(row.isKnown),
    }));
  }

  /** Returns the last 400 messages before event `beforeId`, less those of opted-out or unknown viewers. */
  earlier(channel: string, beforeId: number): EarlierLine[] {
    const rows = this.#sql.all<EarlierLine>(
      `SELECT said.user_id AS userId, c.is_broadcaster AS isStreamer, ${IS_KNOWN} AS isKnown, said.text FROM
         (SELECT user_id, text FROM events WHERE channel = :channel AND id < :beforeId AND text IS NOT NULL
            AND memorable = 1 ORDER BY id DESC LIMIT ${EARLIER_LINES_MAX}) said
       ${joinViewer("said.user_id")}
       LEFT ${joinInChannel(":channel", "said.user_id")} WHERE v.opted_out = 0`,
      { channel, beforeId },
    );
    return rows.map((line) => ({
      ...line,
      isStreamer: Boolean(line.isStreamer),
      isKnown: Boolean(line.isKnown),
    }));
  }

  /** Returns the ids of the oldest `count` events that no episode covers, of one viewer if `userId` is set. */
  next(channel: string, userId: string | null, count: number): number[] {
    return this.#sql.values(
      `SELECT id FROM events WHERE channel = :channel AND (:userId IS NULL OR user_id = :userId) AND ${WAITS}
       ORDER BY id LIMIT :count`,
      { channel, userId, count },
    );
  }

  assign(episodeId: number, eventIds: readonly number[]): void {
    for (const id of eventIds)
      this.#sql.run("UPDATE events SET episode_id = ? WHERE id = ?", episodeId, id);
  }

  /** Returns the number of an episode's events and their first and last time; all are 0 if there are none. */
  spanOf(episodeId: number): { count: number; firstAtMs: number; lastAtMs: number } {
    const span = this.#sql.one<{ count: number; firstAtMs: number; lastAtMs: number }>(
      `SELECT count(*) AS count, coalesce(min(created_at), 0) AS firstAtMs, coalesce(max(created_at), 0) AS lastAtMs
       FROM events WHERE episode_id = ?`,
      episodeId,
    );
    return span ?? { count: 0, firstAtMs: 0, lastAtMs: 0 };
  }

  writersOf(episodeId: number): string[] {
    return this.#sql.values(
      "SELECT DISTINCT user_id FROM events WHERE episode_id = ? AND user_id IS NOT NULL",
      episodeId,
    );
  }
}

/** Reads the ids of an episode's events that still have a text. */
export function readIdsWithText(sql: Sql, episodeId: number): number[] {
  return sql.values("SELECT id FROM events WHERE episode_id = ? AND text IS NOT NULL", episodeId);
}
