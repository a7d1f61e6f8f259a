import type { Db } from "../database/open-database.ts";
import { prepareStatements } from "../database/statements.ts";
import { getCalmDay, IS_KNOWN } from "./viewer-store.ts";

/** Condition for finding events by viewer or message: both indexes begin with the chunk. */
export const OF_ANY_CHUNK = "id >> 12 IN (SELECT chunk FROM event_chunks)";

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
interface ChatLine extends StoredLine {
  /** For the bot's messages: the display name of the viewer it answered; null if unknown. Absent for others. */
  readonly answers?: string | null;
}

export interface ChatQuery {
  readonly channel: string;
  /** The viewer whose messages are left out. */
  readonly exceptUserId: string;
  readonly exceptIds: ReadonlySet<number>;
  /** Older messages of viewers are added only until there are `min`. */
  readonly sinceMs: number;
  /** The most messages is `max`, and `min` of them are reserved for others: no writer gets more than `max - min`. */
  readonly min: number;
  readonly max: number;
}

/** The most rows that are read to find others when one viewer floods the chat. */
const AROUND_SCAN_ROWS_MAX = 600;
const WAITING_COUNT_MAX = 1_000;
/** The most rows that are read to find a viewer's own messages. */
const OWN_SCAN_ROWS_MAX = 200;

/** Prepares reads of committed events. Every statement uses an index, so their time does not grow with the table. */
export function prepareEventReads(db: Db) {
  const recent = db
    .prepare<[string, number], SaidRow>(
      `${LINES} WHERE e.channel = ? AND e.text IS NOT NULL AND e.memorable = 1
       ORDER BY e.id DESC LIMIT ?`,
    )
    .raw();
  const recentChat = db
    .prepare<[string], ChatRow>(
      `${AROUND} WHERE e.channel = ? AND e.text IS NOT NULL AND (e.memorable = 1 OR e.reply_id IS NOT NULL)
       ORDER BY e.id DESC LIMIT ${AROUND_SCAN_ROWS_MAX}`,
    )
    .raw();
  const byReply = db
    .prepare<[number], ChatRow>(
      `${AROUND} WHERE e.reply_id = ? AND e.reply_id IS NOT NULL AND e.text IS NOT NULL`,
    )
    .raw();
  // Without a hint SQLite reads all messages of the channel.
  const ofBot = db
    .prepare<[string, number, number], ChatRow>(
      `${AROUND.replace("events AS e", "events AS e INDEXED BY events_own")} WHERE e.channel = ? AND e.kind = 'bot' AND e.text IS NOT NULL AND e.id < ? ORDER BY e.id DESC LIMIT ?`,
    )
    .raw();
  const own = prepareOwnLines(db);
  const byMessage = db
    .prepare<[string], SaidRow>(
      `${LINES} WHERE e.id >> 12 IN (SELECT chunk FROM event_chunks) AND e.message_id = ? AND e.message_id IS NOT NULL AND e.kind <> 'deletion'
         AND e.text IS NOT NULL`,
    )
    .raw();
  const waiting = db
    .prepare<[string], number>(
      `SELECT count(*) FROM (SELECT 1 FROM events WHERE channel = ? AND memorable = 1
         AND no_window = 0 AND episode_id IS NULL AND text IS NOT NULL LIMIT ${WAITING_COUNT_MAX})`,
    )
    .pluck();
  return {
    /** The latest `limit` messages of viewers in a channel, oldest first. */
    recentChat: (channel: string, limit: number): StoredLine[] =>
      recent.all(channel, limit).map(toLine).reverse(),
    /** The latest messages of others in a channel, and the bot's own, oldest first. */
    aroundIn: (asked: ChatQuery): ChatLine[] =>
      pickLines(recentChat.iterate(asked.channel), asked).reverse(),
    /** Finds the bot's message of a reply; null once its text is removed. */
    byReply: (replyId: number): ChatLine | null => {
      const row = byReply.get(replyId);
      return row === undefined ? null : toChatLine(row);
    },
    /** The latest `limit` messages of one viewer in a channel before an event, oldest first. */
    ownRecent: (
      channel: string,
      userId: string,
      limit: number,
      beforeId = Number.MAX_SAFE_INTEGER,
    ): StoredLine[] => pickFirstSaid(own(userId, beforeId), channel, limit).reverse(),
    /** The latest `limit` messages of the bot in a channel before an event, oldest first. */
    botRecent: (channel: string, limit: number, beforeId: number): ChatLine[] =>
      ofBot.all(channel, beforeId, limit).map(toChatLine).reverse(),
    /** Finds a message with its text, of any writer; null once its text is removed. */
    byMessageId: (messageId: string): StoredLine | null => {
      const row = byMessage.get(messageId);
      return row === undefined ? null : toLine(row);
    },
    /** Counts events that may still become memory, at most `WAITING_COUNT_MAX`. */
    waiting: (channel: string): number => waiting.get(channel) ?? 0,
  };
}

/** Reads the age of stored chat, for the doctor. */
export function readTextAges(db: Db, endedBeforeMs: number) {
  const sql = prepareStatements(db);
  return {
    /** When the oldest message with a text was written, epoch ms; null if there is none. */
    oldestAtMs: sql.value<[], number>(
      "SELECT created_at FROM events WHERE text IS NOT NULL ORDER BY expires_at LIMIT 1",
    )(),
    /** Number of texts that should have been removed before `endedBeforeMs`. */
    overdue:
      sql.value<[number], number>(
        "SELECT count(*) FROM events WHERE text IS NOT NULL AND expires_at < ?",
      )(endedBeforeMs) ?? 0,
  };
}

/** Returns a function that counts the rows, and those with a text. It reads a whole index. */
export function eventTotals(db: Db): () => { readonly events: number; readonly withText: number } {
  const totals = prepareStatements(db).one<[], { events: number; withText: number }>(
    `SELECT (SELECT count(*) FROM events) AS events,
       (SELECT count(*) FROM events WHERE text IS NOT NULL) AS withText`,
  );
  return () => totals() ?? { events: 0, withText: 0 };
}

/** Reads the events of one viewer before an event, newest first, chunk by chunk. */
function prepareOwnLines(db: Db): (userId: string, beforeId: number) => Iterable<Row> {
  const chunks = db
    .prepare<[string], number>(
      `SELECT chunk FROM event_chunks
       WHERE EXISTS (SELECT 1 FROM events AS e WHERE e.id >> 12 = chunk AND e.user_id = ?)`,
    )
    .pluck();
  const ofChunk = db
    .prepare<[number, string, number], Row>(
      `${LINES} WHERE e.id >> 12 = ? AND e.user_id = ? AND e.id < ? ORDER BY e.id DESC`,
    )
    .raw();
  return function* rows(userId, beforeId) {
    let count = 0;
    for (const chunk of chunks.iterate(userId)) {
      for (const row of ofChunk.iterate(chunk, userId, beforeId)) {
        if (count >= OWN_SCAN_ROWS_MAX) return;
        count += 1;
        yield row;
      }
    }
  };
}

// Rows are arrays: every turn reads dozens, and objects would be most of the cost.
const LINES = `SELECT e.id, e.channel, e.user_id, v.login, v.display_name, e.message_id, e.created_at, e.text,
    e.memorable
  FROM events AS e LEFT JOIN viewers AS v ON v.user_id = e.user_id`;

type Row<Text = string | null> = readonly [
  id: number,
  channel: string,
  userId: string,
  login: string | null,
  displayName: string | null,
  messageId: string | null,
  createdAtMs: number,
  text: Text,
  memorable: number,
];

type SaidRow = Row<string>;

const AROUND = `${LINES.replace("e.memorable", "e.memorable, e.reply_id, a.display_name")}
  LEFT JOIN replies AS r ON r.id = e.reply_id LEFT JOIN viewers AS a ON a.user_id = r.user_id`;

type ChatRow = readonly [...SaidRow, replyId: number | null, answers: string | null];

function toChatLine(row: ChatRow): ChatLine {
  const [id, channel, userId, login, name, messageId, atMs, text, memorable, replyId, answers] =
    row;
  const line = toLine([id, channel, userId, login, name, messageId, atMs, text, memorable]);
  return replyId === null ? line : { ...line, answers };
}

/** Picks messages, newest first. Reads no more rows than it needs. */
function pickLines(
  rows: Iterable<ChatRow>,
  { exceptUserId, exceptIds, sinceMs, min, max }: ChatQuery,
): ChatLine[] {
  const lines: ChatLine[] = [];
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

function toLine([
  id,
  channel,
  userId,
  login,
  displayName,
  messageId,
  createdAtMs,
  text,
]: SaidRow): StoredLine {
  return { id, channel, userId, login, displayName, messageId, text, createdAtMs };
}

/** Reads no further than the last line that is wanted. */
function pickFirstSaid(rows: Iterable<Row>, channel: string, limit: number): StoredLine[] {
  const said: StoredLine[] = [];
  for (const row of rows) {
    if (said.length >= limit) break;
    const line = isSaid(row) ? toLine(row) : null;
    if (line?.channel === channel) said.push(line);
  }
  return said;
}

/** Returns true if a viewer wrote it and its text is still there. */
function isSaid(row: Row): row is SaidRow {
  const [, , , , , , , text, memorable] = row;
  return text !== null && memorable === 1;
}

/** Finds events that rows of other tables name. */
export function prepareEventLookups(db: Db) {
  const sql = prepareStatements(db);
  const ofMessages = sql.values<[messageIds: string], number>(
    `SELECT id FROM events WHERE ${OF_ANY_CHUNK} AND message_id IN (SELECT value FROM json_each(?))
       AND message_id IS NOT NULL AND kind <> 'deletion'`,
  );
  return {
    /** The texts that are still stored, of a JSON list of event ids. */
    textsOf: sql.all<[ids: string], { id: number; text: string }>(
      "SELECT id, text FROM events WHERE id IN (SELECT value FROM json_each(?)) AND text IS NOT NULL ORDER BY id",
    ),
    /** Counts stored messages of these viewers, in all and with their text. `ids`: a JSON list. */
    countOf: sql.one<[ids: string], { lines: number; linesWithText: number }>(
      `SELECT count(*) AS lines, count(text) AS linesWithText FROM events
       WHERE ${OF_ANY_CHUNK} AND user_id IN (SELECT value FROM json_each(?))`,
    ),
    /** The event of a sent reply; null if it is not stored. */
    idOfReply: sql.value<[replyId: number], number>(
      "SELECT id FROM events WHERE reply_id = ? AND reply_id IS NOT NULL",
    ),
    idsOfMessages: (messageIds: readonly string[]) =>
      messageIds.length === 0 ? [] : ofMessages(JSON.stringify(messageIds)),
  };
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

/** One event of a window, with its writer as a known viewer, moderator or the streamer. */
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

const WAITS = "memorable = 1 AND no_window = 0 AND episode_id IS NULL AND text IS NOT NULL";
/** The least messages to the bot that make a conversation. */
const TO_BOT_MIN = 3;
/** The most earlier messages of known viewers that may carry a sentence of a summary. */
const EARLIER_LINES_MAX = 400;

/** Reads the events that become episodes, and assigns them. */
export function prepareWindowEvents(db: Db) {
  const sql = prepareStatements(db);
  const waiting = sql.one<[{ channel: string; untilMs: number }], UncoveredEvents>(
    `SELECT count(*) AS events, coalesce(max(created_at), 0) AS newestAtMs, coalesce(min(created_at), 0) AS oldestAtMs,
       count(CASE WHEN created_at > :untilMs - 60000 THEN 1 END) AS lastMinute
     FROM (SELECT created_at FROM events WHERE channel = :channel AND ${WAITS} AND created_at <= :untilMs
       ORDER BY id LIMIT ${WAITING_COUNT_MAX})`,
  );
  const ofEpisode = sql.all<[{ episodeId: number; calmSince: string }], WindowEvent>(
    `SELECT e.id, e.user_id AS userId, v.login, v.display_name AS displayName, e.parent_id IS NOT NULL AS isReply, e.text,
       e.created_at AS atMs, e.kind = 'action' AS isAction, coalesce(c.is_broadcaster, 0) AS isStreamer,
       coalesce(c.is_moderator, 0) AS isModerator, coalesce(${IS_KNOWN}, 0) AS isKnown
     FROM events e JOIN viewers v ON v.user_id = e.user_id
     LEFT JOIN viewer_channels c ON c.channel = e.channel AND c.user_id = e.user_id
     WHERE e.episode_id = :episodeId AND e.text IS NOT NULL AND v.opted_out = 0 ORDER BY e.id`,
  );
  const earlier = sql.all<
    [{ channel: string; beforeId: number; calmSince: string }],
    { userId: string; isStreamer: boolean; text: string }
  >(
    `SELECT said.user_id AS userId, c.is_broadcaster AS isStreamer, said.text FROM
       (SELECT user_id, text FROM events WHERE channel = :channel AND id < :beforeId AND text IS NOT NULL
          AND memorable = 1 ORDER BY id DESC LIMIT ${EARLIER_LINES_MAX}) said
     JOIN viewers v ON v.user_id = said.user_id AND v.opted_out = 0
     JOIN viewer_channels c ON c.channel = :channel AND c.user_id = said.user_id WHERE ${IS_KNOWN}`,
  );
  const next = sql.values<[{ channel: string; userId: string | null; count: number }], number>(
    `SELECT id FROM events WHERE channel = :channel AND (:userId IS NULL OR user_id = :userId) AND ${WAITS}
     ORDER BY id LIMIT :count`,
  );
  const assign = sql.run<[episodeId: number, eventId: number]>(
    "UPDATE events SET episode_id = ? WHERE id = ?",
  );
  const span = sql.one<
    [episodeId: number],
    { count: number; firstAtMs: number | null; lastAtMs: number | null }
  >(
    `SELECT count(*) AS count, min(created_at) AS firstAtMs, max(created_at) AS lastAtMs
     FROM events WHERE episode_id = ?`,
  );
  return {
    /** Returns the waiting events written until `untilMs`. */
    waiting: (channel: string, untilMs: number): UncoveredEvents =>
      waiting({ channel, untilMs }) ?? { events: 0, newestAtMs: 0, oldestAtMs: 0, lastMinute: 0 },
    /** Viewers with at least `eventsMin` messages in a conversation with the bot, the last before `quietBeforeMs`. */
    directTalks: sql.all<
      [channel: string, eventsMin: number, quietBeforeMs: number],
      { userId: string; events: number }
    >(
      `SELECT user_id AS userId, count(*) AS events FROM
         (SELECT user_id, to_bot, created_at FROM events WHERE channel = ? AND ${WAITS} AND user_id IS NOT NULL
          ORDER BY id LIMIT ${WAITING_COUNT_MAX})
       GROUP BY user_id HAVING sum(to_bot) >= ${TO_BOT_MIN} AND count(*) >= ? AND max(created_at) < ?`,
    ),
    /** Returns the events of an episode that still have a text, in order. */
    ofEpisode: (episodeId: number, nowMs: number): WindowEvent[] =>
      ofEpisode({ episodeId, calmSince: getCalmDay(nowMs) }).map((row) => ({
        ...row,
        // SQLite has no booleans.
        isAction: Boolean(row.isAction),
        isReply: Boolean(row.isReply),
        isStreamer: Boolean(row.isStreamer),
        isModerator: Boolean(row.isModerator),
        isKnown: Boolean(row.isKnown),
      })),
    /** Returns at most 400 messages of known viewers before event `beforeId`. */
    earlier: (channel: string, beforeId: number, nowMs: number) =>
      earlier({ channel, beforeId, calmSince: getCalmDay(nowMs) }).map((line) => ({
        ...line,
        isStreamer: Boolean(line.isStreamer),
      })),
    /** The ids of the next `count` waiting events, of one viewer if `userId` is set. */
    next,
    assign: (episodeId: number, eventIds: readonly number[]): void => {
      for (const id of eventIds) assign(episodeId, id);
    },
    /** The number and the times of an episode's events. */
    spanOf: (episodeId: number) => {
      const { count = 0, firstAtMs, lastAtMs } = span(episodeId) ?? {};
      return { count, firstAtMs: firstAtMs ?? 0, lastAtMs: lastAtMs ?? 0 };
    },
    writersOf: sql.values<[episodeId: number], string>(
      "SELECT DISTINCT user_id FROM events WHERE episode_id = ? AND user_id IS NOT NULL",
    ),
    /** The ids of an episode's events that still have a text. */
    idsWithText: sql.values<[episodeId: number], number>(
      "SELECT id FROM events WHERE episode_id = ? AND text IS NOT NULL",
    ),
  };
}
