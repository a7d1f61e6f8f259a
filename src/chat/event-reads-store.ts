import type { Db } from "../database/open-database.ts";
import { statements } from "../database/statements.ts";

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
interface AroundLine extends StoredLine {
  /** For the bot's messages: the display name of the viewer it answered; null if unknown. Absent for others. */
  readonly answers?: string | null;
}

interface AroundAsked {
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

export type EventReads = ReturnType<typeof eventReads>;

/** How many rows are read to find others when one viewer floods the chat. */
const AROUND_SCAN_ROWS_MAX = 600;
const WAITING_COUNT_MAX = 1_000;
/** How many rows are read to find a viewer's own messages. */
const OWN_SCAN_ROWS_MAX = 200;

/** Reads of committed events. Every statement goes by an index, so their time does not grow with the table. */
export function eventReads(db: Db) {
  const recent = db
    .prepare<[string, number], SaidRow>(
      `${LINES} WHERE e.channel = ? AND e.text IS NOT NULL AND e.memorable = 1
       ORDER BY e.id DESC LIMIT ?`,
    )
    .raw();
  const around = db
    .prepare<[string], AroundRow>(
      `${AROUND} WHERE e.channel = ? AND e.text IS NOT NULL AND (e.memorable = 1 OR e.reply_id IS NOT NULL)
       ORDER BY e.id DESC LIMIT ${AROUND_SCAN_ROWS_MAX}`,
    )
    .raw();
  const byReply = db
    .prepare<[number], AroundRow>(
      `${AROUND} WHERE e.reply_id = ? AND e.reply_id IS NOT NULL AND e.text IS NOT NULL`,
    )
    .raw();
  // Left alone, SQLite goes through all of the channel's messages.
  const ofBot = db
    .prepare<[string, number, number], AroundRow>(
      `${AROUND.replace("events AS e", "events AS e INDEXED BY events_own")} WHERE e.channel = ? AND e.kind = 'bot' AND e.text IS NOT NULL AND e.id < ? ORDER BY e.id DESC LIMIT ?`,
    )
    .raw();
  const own = ownLines(db);
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
  const totals = db.prepare<[], { events: number; withText: number }>(
    `SELECT (SELECT count(*) FROM events) AS events,
       (SELECT count(*) FROM events WHERE text IS NOT NULL) AS withText`,
  );
  return {
    /** The latest `limit` messages of viewers in a channel, oldest first. */
    recentChat: (channel: string, limit: number): StoredLine[] =>
      recent.all(channel, limit).map(toLine).reverse(),
    /** The latest messages of others in a channel, and the bot's own, oldest first. */
    aroundIn: (asked: AroundAsked): AroundLine[] =>
      linesAround(around.iterate(asked.channel), asked).reverse(),
    /** The bot's message of a reply; null once its text is gone. */
    byReply: (replyId: number): AroundLine | null => {
      const row = byReply.get(replyId);
      return row === undefined ? null : toAround(row);
    },
    /** The latest `limit` messages of one viewer in a channel before an event, oldest first. */
    ownRecent: (
      channel: string,
      userId: string,
      limit: number,
      beforeId = Number.MAX_SAFE_INTEGER,
    ): StoredLine[] => firstSaid(own(userId, beforeId), channel, limit).reverse(),
    /** The latest `limit` messages of the bot in a channel before an event, oldest first. */
    botRecent: (channel: string, limit: number, beforeId: number): AroundLine[] =>
      ofBot.all(channel, beforeId, limit).map(toAround).reverse(),
    /** A message with its text, whoever wrote it; null once its text is gone. */
    byMessageId: (messageId: string): StoredLine | null => {
      const row = byMessage.get(messageId);
      return row === undefined ? null : toLine(row);
    },
    /** How many events may still become memory, at most `WAITING_COUNT_MAX`. */
    waiting: (channel: string): number => waiting.get(channel) ?? 0,
    /** How many rows there are, and how many have a text. Reads a whole index. */
    totals: () => totals.get() ?? { events: 0, withText: 0 },
  };
}

/** Reads the events of one viewer before an event, newest first, chunk by chunk. */
function ownLines(db: Db): (userId: string, beforeId: number) => Iterable<Row> {
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

// Rows as arrays: every turn reads dozens, and making objects of them is most of what that costs.
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

type AroundRow = readonly [...SaidRow, replyId: number | null, answers: string | null];

function toAround(row: AroundRow): AroundLine {
  const [id, channel, userId, login, name, messageId, atMs, text, memorable, replyId, answers] =
    row;
  const line = toLine([id, channel, userId, login, name, messageId, atMs, text, memorable]);
  return replyId === null ? line : { ...line, answers };
}

/** Picks messages, newest first. Reads no more rows than it needs. */
function linesAround(
  rows: Iterable<AroundRow>,
  { exceptUserId, exceptIds, sinceMs, min, max }: AroundAsked,
): AroundLine[] {
  const lines: AroundLine[] = [];
  const written = new Map<string, number>();
  let ofPeople = 0;
  for (const row of rows) {
    const [id, , userId, , , , createdAtMs] = row;
    if (lines.length >= max || (createdAtMs < sinceMs && ofPeople >= min)) break;
    const count = written.get(userId) ?? 0;
    if (userId === exceptUserId || exceptIds.has(id) || count >= max - min) continue;
    written.set(userId, count + 1);
    const line = toAround(row);
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
function firstSaid(rows: Iterable<Row>, channel: string, limit: number): StoredLine[] {
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
export function eventLookups(db: Db) {
  const sql = statements(db);
  const ofMessages = sql.values<[messageIds: string], number>(
    `SELECT id FROM events WHERE ${OF_ANY_CHUNK} AND message_id IN (SELECT value FROM json_each(?))
       AND message_id IS NOT NULL AND kind <> 'deletion'`,
  );
  return {
    /** The texts that are still stored, of a JSON list of event ids. */
    textsOf: sql.all<[ids: string], { id: number; text: string }>(
      "SELECT id, text FROM events WHERE id IN (SELECT value FROM json_each(?)) AND text IS NOT NULL ORDER BY id",
    ),
    /** The event of a sent reply; null if it is not stored. */
    idOfReply: sql.value<[replyId: number], number>(
      "SELECT id FROM events WHERE reply_id = ? AND reply_id IS NOT NULL",
    ),
    idsOfMessages: (messageIds: readonly string[]) =>
      messageIds.length === 0 ? [] : ofMessages(JSON.stringify(messageIds)),
  };
}
