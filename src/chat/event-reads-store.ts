import type { Statement } from "better-sqlite3";
import type { Db } from "../database/open-database.ts";
import { Sql } from "../database/statements.ts";
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
  /** Only for the bot's messages: the display name of the viewer it answered; null if unknown. */
  readonly answers?: string | null;
}

export interface ChatQuery {
  readonly channel: string;
  readonly exceptUserId: string;
  readonly exceptIds: ReadonlySet<number>;
  /** Messages before this time are added only until there are `min` of viewers. */
  readonly sinceMs: number;
  /** The most messages. No writer gets more than `max - min`, so that `min` are left for others. */
  readonly min: number;
  readonly max: number;
}

// Rows are arrays: every turn reads dozens, and objects take a third longer.
const LINES = `SELECT e.id, e.channel, e.user_id, v.login, v.display_name, e.message_id, e.created_at, e.text
  FROM events AS e ${joinViewer("e.user_id")}`;
const CHAT = `${LINES.replace("e.text", "e.text, e.reply_id, a.display_name")}
  LEFT JOIN replies AS r ON r.id = e.reply_id ${joinViewer("r.user_id", "a")}`;

/** The two last columns are those of CHAT. */
type Row = readonly [
  id: number,
  channel: string,
  userId: string,
  login: string | null,
  displayName: string | null,
  messageId: string | null,
  createdAtMs: number,
  text: string,
  replyId: number | null,
  answers: string | null,
];

function toLine(row: Row): StoredLine {
  const [id, channel, userId, login, displayName, messageId, createdAtMs, text] = row;
  return { id, channel, userId, login, displayName, messageId, text, createdAtMs };
}

function toBotLine(row: Row): PromptLine {
  return { ...toLine(row), answers: row[9] };
}

/** The most rows that are read to find others when one viewer floods the chat. */
const CHAT_SCAN_ROWS_MAX = 600;

/** Reads stored messages that still have their text. Lists are oldest first. */
export class EventReads {
  readonly #db: Db;
  readonly #prepared = new Map<string, Statement<unknown[], Row>>();

  constructor(db: Db) {
    this.#db = db;
  }

  /** Returns the latest `limit` messages in a channel that may become memory: none of bots. */
  latestOfViewers(channel: string, limit: number): StoredLine[] {
    const rows = this.#prepare(
      `${LINES} WHERE e.channel = ? AND e.text IS NOT NULL AND e.memorable = 1 ORDER BY e.id DESC LIMIT ?`,
    );
    return this.read(() => rows.all(channel, limit).map(toLine).reverse());
  }

  /**
   * Returns the latest messages that the query allows: those that may become memory, and the bot's replies. Reads the
   * channel's newest 600 at most.
   */
  latestChat(query: ChatQuery): PromptLine[] {
    const rows = this.#prepare(
      `${CHAT} WHERE e.channel = ? AND e.text IS NOT NULL AND (e.memorable = 1 OR e.reply_id IS NOT NULL)
       ORDER BY e.id DESC LIMIT ${CHAT_SCAN_ROWS_MAX}`,
    );
    return this.read(() => pickLines(rows.iterate(query.channel), query).reverse());
  }

  /**
   * Returns the latest `limit` messages of one viewer in a channel that may become memory: those before the event
   * `beforeId`, or all if it is null.
   */
  latestOf(channel: string, userId: string, limit: number, beforeId: number | null): StoredLine[] {
    const chunks = this.#prepare(
      `SELECT chunk FROM event_chunks
       WHERE EXISTS (SELECT 1 FROM events AS e WHERE e.id >> 12 = chunk AND e.user_id = ?)`,
    );
    const ofChunk = this.#prepare(
      `${LINES} WHERE e.id >> 12 = ? AND e.user_id = ? AND e.id < ? AND +e.channel = ? AND e.text IS NOT NULL
         AND e.memorable = 1 ORDER BY e.id DESC LIMIT ?`,
    );
    return this.read(() => {
      const found: Row[] = [];
      for (const [chunk] of chunks.iterate(userId)) {
        if (found.length >= limit) break;
        const before = beforeId ?? Number.MAX_SAFE_INTEGER;
        found.push(...ofChunk.all(chunk, userId, before, channel, limit - found.length));
      }
      return found.map(toLine).reverse();
    });
  }

  /** Returns the latest `limit` messages of the bot in a channel before an event. */
  latestOfBot(channel: string, limit: number, beforeId: number): PromptLine[] {
    // Without a hint SQLite reads all messages of the channel.
    const rows = this.#prepare(
      `${CHAT.replace("events AS e", "events AS e INDEXED BY events_own")}
       WHERE e.channel = ? AND e.kind = 'bot' AND e.text IS NOT NULL AND e.id < ? ORDER BY e.id DESC LIMIT ?`,
    );
    return this.read(() => rows.all(channel, beforeId, limit).map(toBotLine).reverse());
  }

  /** Finds the bot's message of a reply; null if it is not stored, or has no text any more. */
  byReply(replyId: number): PromptLine | null {
    const rows = this.#prepare(
      `${CHAT} WHERE e.reply_id = ? AND e.reply_id IS NOT NULL AND e.text IS NOT NULL`,
    );
    return this.read(() => rows.all(replyId).map(toBotLine))[0] ?? null;
  }

  /** Finds a message of any writer in any channel; null if it is not stored, or has no text any more. */
  byMessageId(messageId: string): StoredLine | null {
    const rows = this.#prepare(`${LINES} WHERE ${OF_MESSAGE} AND e.text IS NOT NULL`);
    return this.read(() => rows.all(messageId).map(toLine))[0] ?? null;
  }

  /** Runs a read; the event store overrides it. */
  protected read<Line extends StoredLine>(find: () => Line[]): Line[] {
    return find();
  }

  #prepare(sql: string): Statement<unknown[], Row> {
    const statement = this.#prepared.get(sql) ?? this.#db.prepare<unknown[], Row>(sql).raw();
    this.#prepared.set(sql, statement);
    return statement;
  }
}

/** Returns the messages that the query allows, newest first, like `rows`. Reads no more rows than it needs. */
function pickLines(
  rows: Iterable<Row>,
  { exceptUserId, exceptIds, sinceMs, min, max }: ChatQuery,
): PromptLine[] {
  const lines: PromptLine[] = [];
  const written = new Map<string, number>();
  let ofPeople = 0;
  for (const row of rows) {
    const [id, , userId, , , , createdAtMs, , replyId] = row;
    if (lines.length >= max || (createdAtMs < sinceMs && ofPeople >= min)) break;
    const count = written.get(userId) ?? 0;
    if (userId === exceptUserId || exceptIds.has(id) || count >= max - min) continue;
    written.set(userId, count + 1);
    const isOfBot = replyId !== null;
    if (!isOfBot) ofPeople += 1;
    lines.push(isOfBot ? toBotLine(row) : toLine(row));
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
export function readPageChat(db: Db, limit: number): ChatRow[] {
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

/** Finds events that rows of other tables name. A `…Json` is a JSON list. */
export class EventLookups {
  readonly #sql: Sql;

  constructor(db: Db) {
    this.#sql = new Sql(db);
  }

  /** Returns the texts that are still stored, in the order of their ids. */
  textsOf(eventIdsJson: string): { id: number; text: string }[] {
    return this.#sql.all(
      "SELECT id, text FROM events WHERE id IN (SELECT value FROM json_each(?)) AND text IS NOT NULL ORDER BY id",
      eventIdsJson,
    );
  }

  /** Counts stored events of these viewers, also as targets of moderators; and those that still have a text. */
  countOf(userIdsJson: string): { lines: number; linesWithText: number } | null {
    return this.#sql.one(
      `SELECT count(*) AS lines, count(text) AS linesWithText FROM events
       WHERE ${OF_ANY_CHUNK} AND user_id IN (SELECT value FROM json_each(?))`,
      userIdsJson,
    );
  }

  /** Returns the id of a sent reply's event; null if it is not stored. */
  idOfReply(replyId: number): number | null {
    return this.#sql.value(
      "SELECT id FROM events WHERE reply_id = ? AND reply_id IS NOT NULL",
      replyId,
    );
  }

  idsOfMessages(messageIds: readonly string[]): number[] {
    if (messageIds.length === 0) return [];
    return this.#sql.values(
      `SELECT id FROM events WHERE ${OF_ANY_CHUNK} AND message_id IN (SELECT value FROM json_each(?))
         AND message_id IS NOT NULL AND kind <> 'deletion'`,
      JSON.stringify(messageIds),
    );
  }

  /**
   * Returns the id of a viewer's last message that Twitch can still delete: under six hours old, and not removed. Null
   * if there is none. `beforeEventId`: looks only at messages before this event; null: at all.
   */
  lastDeletableId(
    channel: string,
    userId: string,
    nowMs: number,
    beforeEventId: number | null,
  ): string | null {
    return this.#sql.value(
      `SELECT message_id FROM events WHERE ${OF_ANY_CHUNK} AND user_id = ? AND channel = ?
         AND kind IN ('message', 'action', 'cheer') AND message_id IS NOT NULL AND removed_at IS NULL
         AND created_at > ? AND id < ? ORDER BY id DESC LIMIT 1`,
      ...[userId, channel, nowMs - DELETABLE_MS, beforeEventId ?? Number.MAX_SAFE_INTEGER],
    );
  }
}

/**
 * Counts the messages that still have a text, and the overdue ones, whose text expired before `expiredBeforeMs`.
 * `oldestAtMs`: when the oldest was written, epoch ms; null if there is none.
 */
export function readTextAges(db: Db, expiredBeforeMs: number) {
  const ages = new Sql(db).one<{ texts: number; oldestAtMs: number | null; overdue: number }>(
    `SELECT count(*) AS texts, min(created_at) AS oldestAtMs, count(CASE WHEN expires_at < ? THEN 1 END) AS overdue
     FROM events WHERE text IS NOT NULL`,
    expiredBeforeMs,
  );
  return ages ?? { texts: 0, oldestAtMs: null, overdue: 0 };
}

/** The waiting events of a channel. All figures are 0 if there are none. */
export interface WaitingEvents {
  /** At most a thousand, the oldest: more than any window holds. The other figures are of these. */
  readonly events: number;
  readonly newestAtMs: number;
  readonly oldestAtMs: number;
  /** Events of the minute before `untilMs`. */
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
  readonly isAction: boolean;
  readonly isReply: boolean;
  readonly isStreamer: boolean;
  readonly isModerator: boolean;
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

/**
 * Reads the events that become episodes, and assigns them. An event waits if it has its text, may become memory, fills
 * a window, and no episode has it.
 */
export class WindowEvents {
  readonly #sql: Sql;

  constructor(db: Db, now: () => number) {
    this.#sql = new Sql(db, () => ({ calmSince: getCalmDay(now()) }));
  }

  /** Counts the oldest waiting events, a thousand at most, that were written until `untilMs`. */
  countWaiting(channel: string, untilMs: number): WaitingEvents {
    const found = this.#sql.one<WaitingEvents>(
      `SELECT count(*) AS events, coalesce(max(created_at), 0) AS newestAtMs, coalesce(min(created_at), 0) AS oldestAtMs,
         count(CASE WHEN created_at > :untilMs - 60000 THEN 1 END) AS lastMinute
       FROM (SELECT created_at FROM events WHERE channel = :channel AND ${WAITS} AND created_at <= :untilMs
         ORDER BY id LIMIT ${WAITING_COUNT_MAX})`,
      { channel, untilMs },
    );
    return found ?? { events: 0, newestAtMs: 0, oldestAtMs: 0, lastMinute: 0 };
  }

  /**
   * Finds viewers who talked with the bot: at least `eventsMin` waiting messages, three of them to the bot, and none
   * at `quietBeforeMs` or later. Reads the channel's oldest thousand waiting messages.
   */
  findDirectTalks(
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

  /** Returns an episode's events with a text, in order. Leaves out viewers who opted out or have no stored name. */
  eventsOf(episodeId: number): WindowEvent[] {
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

  /**
   * Returns messages before an event, in no set order: of the last 400 that may become memory, those whose viewer has a
   * stored name and did not opt out.
   */
  linesBefore(channel: string, beforeId: number): EarlierLine[] {
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

  /** Returns the ids of the oldest `count` waiting events, of one viewer if `userId` is set. */
  oldestWaiting(channel: string, userId: string | null, count: number): number[] {
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

  /** Counts an episode's events, with text or not, and returns their first and last time; 0 if there are none. */
  spanOf(episodeId: number): { count: number; firstAtMs: number; lastAtMs: number } {
    const span = this.#sql.one<{ count: number; firstAtMs: number; lastAtMs: number }>(
      `SELECT count(*) AS count, coalesce(min(created_at), 0) AS firstAtMs, coalesce(max(created_at), 0) AS lastAtMs
       FROM events WHERE episode_id = ?`,
      episodeId,
    );
    return span ?? { count: 0, firstAtMs: 0, lastAtMs: 0 };
  }

  /** Returns the user ids of an episode's writers, opted out or not, each once. */
  writerIdsOf(episodeId: number): string[] {
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
