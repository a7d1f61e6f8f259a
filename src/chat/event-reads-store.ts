import { CLEANUP_WAIT_MS_MAX } from "../database/cleanup.ts";
import type { Db } from "../database/open-database.ts";
import { prepareStatements } from "../database/statements.ts";
import { prepareMomentWrites } from "./moment-store.ts";
import type { ChatEvent, Spoken } from "./normalise.ts";
import type { Removal, RemovedText } from "./removal.ts";
import {
  getCalmDay,
  IS_KNOWN,
  openAccountStore,
  openViewerBuffer,
  type PeopleDue,
  prepareModerationMark,
  type ViewerActivity,
} from "./viewer-store.ts";

/** Condition for finding events by viewer or message: both indexes begin with the chunk. */
const OF_ANY_CHUNK = "id >> 12 IN (SELECT chunk FROM event_chunks)";
/** Condition for finding an event by message id: that of its index. */
const OF_MESSAGE = `${OF_ANY_CHUNK} AND message_id = ? AND message_id IS NOT NULL AND kind <> 'deletion'`;

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
  /** Older messages of viewers are added only until there are `min`. */
  readonly sinceMs: number;
  /** The most messages is `max`, and `min` of them are reserved for others: no writer gets more than `max - min`. */
  readonly min: number;
  readonly max: number;
}

// Rows are arrays: every turn reads dozens, and objects would be most of the cost.
const LINES = `SELECT e.id, e.channel, e.user_id, v.login, v.display_name, e.message_id, e.created_at, e.text
  FROM events AS e LEFT JOIN viewers AS v ON v.user_id = e.user_id`;
const CHAT = `${LINES.replace("e.text", "e.text, e.reply_id, a.display_name")}
  LEFT JOIN replies AS r ON r.id = e.reply_id LEFT JOIN viewers AS a ON a.user_id = r.user_id`;

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
type ChatRow = readonly [...Row, replyId: number | null, answers: string | null];

function toLine(row: Row | ChatRow): StoredLine {
  const [id, channel, userId, login, displayName, messageId, createdAtMs, text] = row;
  return { id, channel, userId, login, displayName, messageId, text, createdAtMs };
}

function toChatLine(row: ChatRow): PromptLine {
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
  const chat = rows<[string], ChatRow>(
    `${CHAT} WHERE e.channel = ? AND e.text IS NOT NULL AND (e.memorable = 1 OR e.reply_id IS NOT NULL)
     ORDER BY e.id DESC LIMIT ${CHAT_SCAN_ROWS_MAX}`,
  );
  const byReply = rows<[number], ChatRow>(
    `${CHAT} WHERE e.reply_id = ? AND e.reply_id IS NOT NULL AND e.text IS NOT NULL`,
  );
  // Without a hint SQLite reads all messages of the channel.
  const ofBot = rows<[string, number, number], ChatRow>(
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
    /** The latest `limit` messages of viewers in a channel, oldest first. */
    recentChat: (channel: string, limit: number): StoredLine[] =>
      recent.all(channel, limit).map(toLine).reverse(),
    /** The latest messages of others in a channel, and the bot's own, oldest first. */
    aroundIn: (asked: ChatQuery): PromptLine[] =>
      pickLines(chat.iterate(asked.channel), asked).reverse(),
    /** Finds the bot's message of a reply; null once its text is removed. */
    byReply: (replyId: number): PromptLine | null =>
      byReply.all(replyId).map(toChatLine)[0] ?? null,
    /** The latest `limit` messages of one viewer in a channel before an event, oldest first. */
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
    /** The latest `limit` messages of the bot in a channel before an event, oldest first. */
    botRecent: (channel: string, limit: number, beforeId: number): PromptLine[] =>
      ofBot.all(channel, beforeId, limit).map(toChatLine).reverse(),
    /** Finds a message with its text, of any writer; null once its text is removed. */
    byMessageId: (messageId: string): StoredLine | null =>
      byMessage.all(messageId).map(toLine)[0] ?? null,
  };
}

/** Picks messages, newest first. Reads no more rows than it needs. */
function pickLines(
  rows: Iterable<ChatRow>,
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
 * Counts the messages that still have a text, and those that should have been removed before `endedBeforeMs`.
 * `oldestAtMs`: when the oldest was written, epoch ms; null if there is none.
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
const WAITING_COUNT_MAX = 1_000;
/** The least messages to the bot that make a conversation. */
const TO_BOT_MIN = 3;
/** The most messages before a window. Those of known viewers may carry a sentence of its summary. */
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
       e.created_at AS atMs, e.kind = 'action' AS isAction, c.is_broadcaster AS isStreamer, c.is_moderator AS isModerator,
       ${IS_KNOWN} AS isKnown FROM events e JOIN viewers v ON v.user_id = e.user_id
     LEFT JOIN viewer_channels c ON c.channel = e.channel AND c.user_id = e.user_id
     WHERE e.episode_id = :episodeId AND e.text IS NOT NULL AND v.opted_out = 0 ORDER BY e.id`,
  );
  const earlier = sql.all<
    [{ channel: string; beforeId: number; calmSince: string }],
    { userId: string; isStreamer: boolean; isKnown: boolean; text: string }
  >(
    `SELECT said.user_id AS userId, c.is_broadcaster AS isStreamer, ${IS_KNOWN} AS isKnown, said.text FROM
       (SELECT user_id, text FROM events WHERE channel = :channel AND id < :beforeId AND text IS NOT NULL
          AND memorable = 1 ORDER BY id DESC LIMIT ${EARLIER_LINES_MAX}) said
     JOIN viewers v ON v.user_id = said.user_id AND v.opted_out = 0
     LEFT JOIN viewer_channels c ON c.channel = :channel AND c.user_id = said.user_id`,
  );
  const assign = sql.run<[episodeId: number, eventId: number]>(
    "UPDATE events SET episode_id = ? WHERE id = ?",
  );
  const span = sql.one<[episodeId: number], { count: number; firstAtMs: number; lastAtMs: number }>(
    `SELECT count(*) AS count, coalesce(min(created_at), 0) AS firstAtMs, coalesce(max(created_at), 0) AS lastAtMs
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
    earlier: (channel: string, beforeId: number, nowMs: number) =>
      earlier({ channel, beforeId, calmSince: getCalmDay(nowMs) }).map((line) => ({
        ...line,
        isStreamer: Boolean(line.isStreamer),
        isKnown: Boolean(line.isKnown),
      })),
    /** The ids of the next `count` waiting events, of one viewer if `userId` is set. */
    next: sql.values<[{ channel: string; userId: string | null; count: number }], number>(
      `SELECT id FROM events WHERE channel = :channel AND (:userId IS NULL OR user_id = :userId) AND ${WAITS}
       ORDER BY id LIMIT :count`,
    ),
    assign: (episodeId: number, eventIds: readonly number[]): void => {
      for (const id of eventIds) assign(episodeId, id);
    },
    /** The number and the times of an episode's events. */
    spanOf: (episodeId: number) => span(episodeId) ?? { count: 0, firstAtMs: 0, lastAtMs: 0 },
    writersOf: sql.values<[episodeId: number], string>(
      "SELECT DISTINCT user_id FROM events WHERE episode_id = ? AND user_id IS NOT NULL",
    ),
    idsWithText: sql.values<[episodeId: number], number>(
      "SELECT id FROM events WHERE episode_id = ? AND text IS NOT NULL",
    ),
  };
}

/** A smaller difference is drift of the clock. */
const SET_BACK_MS = 60_000;

export type EventRetention = ReturnType<typeof prepareEventRetention>;

/** Removes expired texts and rows in slices. The caller chooses `limit`, and yields between two slices. */
export function prepareEventRetention(db: Db) {
  const sql = prepareStatements(db);
  const cap = sql.run<[{ latestMs: number; limit: number }]>(
    `UPDATE events SET expires_at = :latestMs WHERE id IN
       (SELECT id FROM events WHERE text IS NOT NULL AND expires_at > :latestMs LIMIT :limit)`,
  );
  const oldest = sql.all<[number, number], { id: number; isOver: number; isUnsummarised: number }>(
    `SELECT id, expires_at <= ? AND text IS NULL AS isOver,
       memorable = 1 AND no_window = 0 AND removed_at IS NULL AND (episode_id IS NULL OR EXISTS
         (SELECT 1 FROM episodes e WHERE e.id = events.episode_id AND e.kind = 'gap')) AS isUnsummarised
     FROM events WHERE id > 0 ORDER BY id LIMIT ?`,
  );
  const removeTo = sql.run<[number]>("DELETE FROM events WHERE id > 0 AND id <= ?");
  const prune = db.transaction((nowMs: number, limit: number) => {
    const rows = oldest(nowMs, limit);
    const firstKept = rows.findIndex(({ isOver }) => isOver === 0);
    const over = firstKept === -1 ? rows : rows.slice(0, firstKept);
    const last = over.at(-1);
    if (last !== undefined) removeTo(last.id);
    const unsummarised = over.filter(({ isUnsummarised }) => isUnsummarised === 1).length;
    return { pruned: over.length, unsummarised };
  });
  const newest = sql.value<[], number>(
    "SELECT created_at FROM events WHERE id > 0 ORDER BY id DESC LIMIT 1",
  );
  return {
    /** Brings forward at most `limit` ends of life that are later than `latestMs`: the clock was wrong. */
    capEnds: (latestMs: number, limit: number) => cap({ latestMs, limit }),
    /**
     * Moves all events back, at start, if the newest one is later than now: the clock was set back, and they would outlive
     * their time. Returns by how many ms; 0 if nothing moved.
     */
    realign: (nowMs: number): number => {
      const aheadMs = (newest() ?? nowMs) - nowMs;
      if (aheadMs < SET_BACK_MS) return 0;
      sql.run("UPDATE events SET created_at = created_at - ?, expires_at = expires_at - ?")(
        aheadMs,
        aheadMs,
      );
      return aheadMs;
    },
    /** Removes the texts of at most `limit` expired events. Returns how many. */
    expireTexts: sql.run<[nowMs: number, limit: number]>(
      `UPDATE events SET text = NULL WHERE id IN
         (SELECT id FROM events WHERE text IS NOT NULL AND expires_at <= ? ORDER BY expires_at LIMIT ?)`,
    ),
    /**
     * Deletes at most `limit` rows from the table's old end, up to the first one that has not expired or has a text. Never
     * from the middle: SQLite can leave a scattered row's bytes in a live page. `unsummarised` counts deleted events that
     * might have become memory.
     */
    pruneOldest: (nowMs: number, limit: number) => prune.immediate(nowMs, limit),
  };
}

/** An event that waits to be written; null for a removal without one. `id` and `text` change until then. */
export interface Pending {
  readonly event: ChatEvent | null;
  readonly toBot: boolean;
  readonly createdAtMs: number;
  /** The removal to apply when this is written. */
  readonly removal: Removal | null;
  /** Waiting events whose texts the removal removed: they are stored without a text. */
  readonly taken: Pending[];
  text: string | null;
  removedAtMs: number | null;
  id: number | null;
}

export interface BatchWritten {
  /** Messages that were already stored. */
  readonly duplicates: number;
  readonly removed: readonly RemovedText[];
}

export interface WriterOptions {
  /** The lifetime of a row in ms. */
  readonly expiryMs: number;
  /** Returns the stream_sessions id of the running stream, or null. */
  readonly streamOf: (channel: string) => number | null;
  /** Returns true if nothing this viewer writes may be stored. */
  readonly isOptedOut: (userId: string) => boolean;
}

const DAY_MS = 24 * 3_600_000;
/** The time between two removals of expired texts. */
export const SWEEP_EVERY_MS = 5 * 60_000;

/**
 * The time that a text may stay in the database: a day minus one sweep interval and the longest wait for VACUUM. So no
 * byte lives longer than promised.
 */
export const TEXT_LIFETIME_MS = DAY_MS - SWEEP_EVERY_MS - CLEANUP_WAIT_MS_MAX;

interface Batch {
  duplicates: number;
  readonly removed: RemovedText[];
  readonly moderated: { channel: string; userId: string; atMs: number }[];
  readonly sightings: Map<string, ViewerActivity>;
}

/** Kinds of events that count as a message of their viewer. */
const WORDS: ReadonlySet<string> = new Set(["message", "action", "cheer", "announcement"]);

export type EventWriter = ReturnType<typeof openEventWriter>;

/** Opens the writer of event batches. Throws SQLite's errors; then nothing was written, and ids are null again. */
export function openEventWriter(db: Db, { expiryMs, streamOf, isOptedOut }: WriterOptions) {
  const { insert, begin } = prepareEventInsert(db, expiryMs);
  const remove = prepareTextRemoval(db);
  const viewers = openViewerBuffer(db);
  const moments = prepareMomentWrites(db);
  const markModerated = prepareModerationMark(db);
  /** Notes the viewer of a new event: as its writer, or as the target of a moderator. */
  const noteViewer = (event: ChatEvent, targetId: string | null, atMs: number, batch: Batch) => {
    const { channel, kind } = event;
    if ("person" in event) {
      if (event.isBotItself || isOptedOut(event.person.userId)) return;
      recordSighting(batch.sightings, event, atMs, streamOf);
      moments.add(event, streamOf(channel), atMs);
      return;
    }
    const userId = "userId" in event ? (event.userId ?? targetId) : targetId;
    if (userId === null) return;
    batch.moderated.push({ channel, userId, atMs });
    if (kind === "ban") moments.removeIn(channel, userId);
  };
  const writeItem = (item: Pending, batch: Batch): void => {
    const { event, removal, createdAtMs } = item;
    const removed = removal === null ? null : remove(removal, item);
    if (removed !== null) batch.removed.push(removed);
    if (event === null) return;
    const targetId = removed?.userId ?? null;
    if (insert(item, event, targetId)) noteViewer(event, targetId, createdAtMs, batch);
    else batch.duplicates += 1;
  };
  const write = db.transaction((items: readonly Pending[], which: PeopleDue): BatchWritten => {
    const batch: Batch = { duplicates: 0, removed: [], moderated: [], sightings: new Map() };
    begin();
    for (const item of items) writeItem(item, batch);
    for (const sighting of batch.sightings.values()) viewers.add(sighting);
    const isNeeded = which === "due" && batch.moderated.length > 0;
    viewers.settle(isNeeded ? "newcomers" : which, items.at(-1)?.createdAtMs ?? 0);
    for (const { channel, userId, atMs } of batch.moderated) markModerated(channel, userId, atMs);
    return batch;
  });
  return {
    /** True if such viewers wait to be written. */
    havePeople: viewers.isDue,
    /** Writes in order and in one transaction, with `which` of the waiting viewers. Gives each item its id. */
    write: (batch: readonly Pending[], which: PeopleDue): BatchWritten => {
      try {
        const written = write.immediate(batch, which);
        viewers.committed();
        return written;
      } catch (cause) {
        for (const item of batch) item.id = null;
        viewers.rolledBack();
        throw cause;
      }
    },
  };
}

function recordSighting(
  sightings: Map<string, ViewerActivity>,
  { channel, kind, person }: Spoken,
  atMs: number,
  streamOf: (channel: string) => number | null,
): void {
  const key = `${channel} ${person.userId}`;
  const { firstAtMs = atMs, messageCount = 0, streamId } = sightings.get(key) ?? {};
  sightings.set(key, {
    ...{ channel, person, firstAtMs, lastAtMs: atMs },
    messageCount: messageCount + Number(WORDS.has(kind)),
    streamId: streamId === undefined ? streamOf(channel) : streamId,
  });
}

const EVENTS_A_CHUNK = 4_096;
/** The most events between a message and its repetition. Early in a chunk, the first one may be in the chunk before. */
const YOUNG_EVENTS = 1_024;

/** Prepares the insert of one event. Call `begin` first in each transaction. */
function prepareEventInsert(db: Db, expiryMs: number) {
  const sql = prepareStatements(db);
  const insertRow = db.prepare<(string | number | null)[]>(
    `INSERT INTO events (channel, kind, user_id, message_id, parent_id, text, to_bot, memorable, no_window, amount,
       sent_at, created_at, expires_at, removed_at, reply_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const newestId = sql.value<[], number>("SELECT max(id) FROM events");
  const idInChunk = sql.value<[chunk: number, messageId: string], number>(
    "SELECT id FROM events WHERE id >> 12 = ? AND message_id = ? AND message_id IS NOT NULL AND kind <> 'deletion'",
  );
  const idOf = sql.value<[string], number>(`SELECT id FROM events WHERE ${OF_MESSAGE}`);
  const setReply = sql.run<[number, string]>(
    `UPDATE events SET reply_id = ? WHERE ${OF_MESSAGE} AND kind = 'bot'`,
  );
  let lastId = 0;
  /** True if a message is in the previous chunk: the unique index covers one chunk. */
  const isInChunkBefore = (messageId: string | null): boolean => {
    const nextId = lastId + 1;
    if (messageId === null || nextId % EVENTS_A_CHUNK >= YOUNG_EVENTS) return false;
    return idInChunk(Math.floor(nextId / EVENTS_A_CHUNK) - 1, messageId) !== null;
  };
  return {
    begin: (): void => {
      lastId = newestId() ?? 0;
    },
    /** Stores one event. Returns true if it is new. `targetId`: the viewer whose text a removal removed. */
    insert: (item: Pending, event: ChatEvent, targetId: string | null): boolean => {
      const { userId, messageId, parentId, amount, replyId, ...flags } = readColumns(
        event,
        targetId,
      );
      const isRepeated = event.kind !== "deletion" && isInChunkBefore(messageId);
      const { changes, lastInsertRowid } = isRepeated
        ? { changes: 0, lastInsertRowid: 0 }
        : insertRow.run(
            ...[event.channel, event.kind, userId, messageId, parentId, item.text],
            Number(item.toBot),
            Number(flags.memorable && item.text !== null),
            Number(flags.fillsNoWindow),
            ...[amount, event.sentAtMs, item.createdAtMs, item.createdAtMs + expiryMs],
            ...[item.removedAtMs, replyId],
          );
      if (changes === 1) item.id = Number(lastInsertRowid);
      else {
        // Twitch may have shown the bot its own line first.
        if (replyId !== null) setReply(replyId, messageId ?? "");
        item.id = idOf(messageId ?? "");
      }
      lastId = Math.max(lastId, item.id ?? 0);
      return changes === 1;
    },
  };
}

/** `targetId`: the viewer whose text a removal removed. */
function readColumns(event: ChatEvent, targetId: string | null) {
  if ("person" in event) {
    const { person, messageId, parent, amount, replyId = null, memorable } = event;
    const parentId = parent?.messageId ?? null;
    const fillsNoWindow = event.fillsNoWindow ?? false;
    return {
      userId: person.userId,
      messageId,
      parentId,
      amount,
      replyId,
      memorable,
      fillsNoWindow,
    };
  }
  return {
    userId: "userId" in event ? (event.userId ?? targetId) : targetId,
    messageId: "messageId" in event ? event.messageId : null,
    amount: "seconds" in event ? event.seconds : null,
    ...{ parentId: null, replyId: null, memorable: false, fillsNoWindow: false },
  };
}

const NO_TEXT = "SET text = NULL, memorable = 0, removed_at = ?";

interface TakenRow {
  readonly id: number;
  readonly messageId: string | null;
  readonly userId: string | null;
}

/** Returns a function that removes the texts of a removal, stored or waiting. */
function prepareTextRemoval(db: Db): (removal: Removal, item: Pending) => RemovedText {
  const take = <Values extends unknown[]>(where: string) =>
    prepareStatements(db).all<[atMs: number, ...Values], TakenRow>(
      `UPDATE events ${NO_TEXT} WHERE ${where} AND text IS NOT NULL RETURNING id, message_id AS messageId, user_id AS userId`,
    );
  const ofMessage = take<[messageId: string]>(OF_MESSAGE);
  // The plus keeps SQLite from going through the whole channel: one person's rows are far fewer.
  const ofPerson = take<[channel: string, userId: string]>(
    `+channel = ? AND ${OF_ANY_CHUNK} AND user_id = ?`,
  );
  const ofChannel = take<[channel: string]>("channel = ?");
  const { withLogin } = openAccountStore(db);
  const takeStored = (removal: Removal, atMs: number): TakenRow[] => {
    switch (removal.by) {
      case "message":
        return ofMessage(atMs, removal.messageId);
      case "channel":
        return ofChannel(atMs, removal.channel);
      case "person": {
        const { userId: id, login } = removal;
        const holders = id === null ? withLogin(login) : [{ userId: id }];
        return holders.flatMap(({ userId }) => ofPerson(atMs, removal.channel, userId));
      }
    }
  };
  return (removal, item) => {
    const rows = [...item.taken.flatMap(toTakenRows), ...takeStored(removal, item.createdAtMs)];
    const messageIds = new Set(rows.flatMap(({ messageId }) => messageId ?? []));
    if (removal.by === "message") messageIds.add(removal.messageId);
    return {
      removal,
      userId: removal.by === "channel" ? null : (rows[0]?.userId ?? null),
      messageIds: [...messageIds],
      eventIds: rows.map(({ id }) => id),
    };
  };
}

function toTakenRows({ id, event }: Pending): TakenRow[] {
  if (id === null || event === null || !("person" in event)) return [];
  return [{ id, messageId: event.messageId, userId: event.person.userId }];
}

export interface OwnSaid {
  readonly channel: string;
  readonly text: string;
  readonly messageId: string | null;
}

/** Returns a function that removes the bot's own texts, by words or message id. */
export function prepareOwnTextRemoval(db: Db): (said: readonly OwnSaid[], atMs: number) => void {
  // Without a hint SQLite reads all messages of the channel.
  const take = prepareStatements(db).run<[number, string, string, string]>(
    `UPDATE events INDEXED BY events_own ${NO_TEXT} WHERE channel = ? AND kind = 'bot' AND text IS NOT NULL
       AND (text IN (SELECT value FROM json_each(?)) OR message_id IN (SELECT value FROM json_each(?)))`,
  );
  return (said, atMs) => {
    const texts = JSON.stringify(said.map(({ text }) => text));
    const ids = JSON.stringify(said.map(({ messageId }) => messageId));
    for (const channel of new Set(said.map((one) => one.channel))) take(atMs, channel, texts, ids);
  };
}

/** Returns a function that removes a viewer's texts and ids from events. The rows stay. Returns how many. */
export function prepareEventForget(db: Db, now: () => number): (userId: string) => number {
  const take = prepareStatements(db).run<[number, string]>(
    `UPDATE events SET text = NULL, message_id = NULL, parent_id = NULL, user_id = NULL, memorable = 0,
       removed_at = coalesce(removed_at, ?)
     WHERE id IN (SELECT id FROM events WHERE ${OF_ANY_CHUNK} AND user_id = ?)`,
  );
  return (userId) => take(now(), userId);
}
