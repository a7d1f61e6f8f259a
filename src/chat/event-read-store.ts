import type { Db } from "../database/open-database.ts";

/** Something that was said, with its text, as prompts need it. */
export interface StoredLine {
  readonly id: number;
  readonly channel: string;
  readonly userId: string;
  /** The login and the name shown, as last seen; null where the person is not known any more. */
  readonly login: string | null;
  readonly displayName: string | null;
  readonly messageId: string | null;
  readonly text: string;
  readonly createdAtMs: number;
}

/** A line of a channel's chat as a prompt shows it. */
interface AroundLine extends StoredLine {
  /** Of the bot's own: whom it answered, as they are shown now; null where nobody knows. Absent for everybody else's. */
  readonly answers?: string | null;
}

interface AroundAsked {
  readonly channel: string;
  /** Whose lines are left out. */
  readonly exceptUserId: string;
  readonly exceptIds: ReadonlySet<number>;
  /** Lines of people that were said before this count only until there are `min` of theirs. */
  readonly sinceMs: number;
  /** Of at most `max` lines nobody, the bot neither, takes so many: they are kept for others, where there are any. */
  readonly min: number;
  readonly max: number;
}

export interface EventReads {
  /** What others said in a channel of late, and the bot to whom, oldest first. */
  aroundIn(asked: AroundAsked): AroundLine[];
  /** What the bot said in one of its replies, as long as it is kept. */
  byReply(replyId: number): AroundLine | null;
  /** What people (no bots) said in a channel, the latest `limit`, oldest first. */
  recentChat(channel: string, limit: number): StoredLine[];
  /** What one person said in a channel before `beforeId`, the latest `limit`, oldest first. */
  ownRecent(channel: string, userId: string, limit: number, beforeId?: number): StoredLine[];
  /** What the bot said in a channel before `beforeId`, the latest `limit`, oldest first. */
  botRecent(channel: string, limit: number, beforeId: number): AroundLine[];
  /** A message that still has its text, whoever wrote it, the bot and other bots too. */
  byMessageId(messageId: string): StoredLine | null;
  /** How many events may still become memory, counted up to `WAITING_COUNT_MAX`. */
  waiting(channel: string): number;
  /** How many rows there are, and how many of them still have their text. Reads an index from end to end. */
  totals(): { events: number; withText: number };
}

/** How far back others are looked for behind somebody who floods the chat. */
const AROUND_SCAN_ROWS_MAX = 600;
const WAITING_COUNT_MAX = 1_000;
/** How far back a person's own lines are looked for, among gifts, removed texts and other channels. */
const OWN_SCAN_ROWS_MAX = 200;

/** Reads of committed events. Every statement goes by an index, so their time does not grow with the table. */
export function eventReads(db: Db): EventReads {
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
  const ofBot = db
    .prepare<[string, number, number], AroundRow>(
      `${AROUND} WHERE e.channel = ? AND e.kind = 'bot' AND e.text IS NOT NULL AND e.id < ? ORDER BY e.id DESC LIMIT ?`,
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
    recentChat: (channel, limit) => recent.all(channel, limit).map(toLine).reverse(),
    aroundIn: (asked) => linesAround(around.iterate(asked.channel), asked).reverse(),
    byReply: (replyId) => {
      const row = byReply.get(replyId);
      return row === undefined ? null : toAround(row);
    },
    ownRecent: (channel, userId, limit, beforeId = Number.MAX_SAFE_INTEGER) =>
      firstSaid(own(userId, beforeId), channel, limit).reverse(),
    botRecent: (channel, limit, beforeId) =>
      ofBot.all(channel, beforeId, limit).map(toAround).reverse(),
    byMessageId: (messageId) => {
      const row = byMessage.get(messageId);
      return row === undefined ? null : toLine(row);
    },
    waiting: (channel) => waiting.get(channel) ?? 0,
    totals: () => totals.get() ?? { events: 0, withText: 0 },
  };
}

/** What one person did before an event, newest first, chunk by chunk: who spoke of late is found in the first. */
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

/** Newest first; reads no further than the last line that is wanted. */
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

/** Whether a person said it, with words that are still there. */
function isSaid(row: Row): row is SaidRow {
  const [, , , , , , , text, memorable] = row;
  return text !== null && memorable === 1;
}

interface Pruned {
  readonly pruned: number;
  /** Events among them that might have become memory and were never summarised. */
  readonly unsummarised: number;
}

export interface EventRetention {
  /** Ends of life later than `latestMs`, from a clock that was wrong, are brought forward to it; at most `limit`. */
  capEnds(latestMs: number, limit: number): number;
  /** Takes the text of at most `limit` events that ran out, and says of how many. */
  expireTexts(nowMs: number, limit: number): number;
  /**
   * Deletes rows from the table's old end, at most `limit`, up to the first one that has not run out or still has its
   * text. Never from the middle: SQLite can leave a scattered row's bytes in a live page.
   */
  pruneOldest(nowMs: number, limit: number): Pruned;
  /**
   * At start: where the newest event is later than now, the clock was set back since, and events would outlive their
   * time by that. Moves them all back, and gives by how many ms; 0 where the clock only went on. How long the program
   * was off meanwhile nobody knows.
   */
  realign(nowMs: number): number;
}

/** Less is drift, and not worth writing every row for. */
const SET_BACK_MS = 60_000;

/** What ran out, in slices: the caller chooses `limit` so that one takes at most 5 ms, and yields between two. */
export function eventRetention(db: Db): EventRetention {
  const expire = db.prepare<[number, number]>(
    `UPDATE events SET text = NULL WHERE id IN
       (SELECT id FROM events WHERE text IS NOT NULL AND expires_at <= ? ORDER BY expires_at LIMIT ?)`,
  );
  const cap = db.prepare<[number, number, number]>(
    `UPDATE events SET expires_at = ? WHERE id IN
       (SELECT id FROM events WHERE text IS NOT NULL AND expires_at > ? LIMIT ?)`,
  );
  const oldest = db.prepare<[number, number], OldestRow>(
    `SELECT id, expires_at <= ? AND text IS NULL AS isOver,
       memorable = 1 AND no_window = 0 AND removed_at IS NULL AND (episode_id IS NULL OR EXISTS
         (SELECT 1 FROM episodes e WHERE e.id = events.episode_id AND e.kind = 'gap')) AS isUnsummarised
     FROM events WHERE id > 0 ORDER BY id LIMIT ?`,
  );
  const remove = db.prepare<[number]>("DELETE FROM events WHERE id > 0 AND id <= ?");
  const prune = db.transaction((nowMs: number, limit: number): Pruned => {
    const rows = oldest.all(nowMs, limit);
    const firstKept = rows.findIndex(({ isOver }) => isOver === 0);
    const over = firstKept === -1 ? rows : rows.slice(0, firstKept);
    const last = over.at(-1);
    if (last !== undefined) remove.run(last.id);
    const unsummarised = over.filter(({ isUnsummarised }) => isUnsummarised === 1).length;
    return { pruned: over.length, unsummarised };
  });
  const newest = db
    .prepare<[], number>("SELECT created_at FROM events WHERE id > 0 ORDER BY id DESC LIMIT 1")
    .pluck();
  return {
    capEnds: (latestMs, limit) => cap.run(latestMs, latestMs, limit).changes,
    realign: (nowMs) => {
      const aheadMs = (newest.get() ?? nowMs) - nowMs;
      if (aheadMs < SET_BACK_MS) return 0;
      db.prepare("UPDATE events SET created_at = created_at - ?, expires_at = expires_at - ?").run(
        aheadMs,
        aheadMs,
      );
      return aheadMs;
    },
    expireTexts: (nowMs, limit) => expire.run(nowMs, limit).changes,
    pruneOldest: (nowMs, limit) => prune.immediate(nowMs, limit),
  };
}

interface OldestRow {
  readonly id: number;
  readonly isOver: number;
  readonly isUnsummarised: number;
}
