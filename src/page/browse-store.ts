import { nameReader } from "../chat/viewer-store.ts";
import { fillNames } from "../language/people.ts";
import { NOTES_OF_VIEWER, noteSums } from "../memory/note-lists-store.ts";
import type { Db } from "../platform/database/open-database.ts";

export interface ListPage<T> {
  readonly items: readonly T[];
  /** Where the next page begins; null where nothing is left. */
  readonly next: string | null;
}

interface ViewerRow {
  readonly userId: string;
  readonly login: string;
  readonly displayName: string;
  readonly channel: string;
  readonly role: string;
  readonly messages: number;
  readonly streams: number;
  readonly firstSeenAtMs: number;
  readonly lastSeenAtMs: number;
  readonly optedOut: boolean;
  /** Notes about this account that count. */
  readonly notes: number;
}

export interface ReplyRow {
  readonly id: number;
  readonly channel: string;
  readonly viewer: string | null;
  readonly userId: string;
  readonly trigger: string;
  readonly state: string;
  readonly reason: string | null;
  readonly createdAtMs: number;
  readonly latencyMs: number | null;
  readonly model: string | null;
  /** What was said, or would have been; null once it ran out. */
  readonly text: string | null;
  /** What it answers, as long as that is kept. */
  readonly question: string | null;
  readonly outcomes: readonly string[];
}

interface StreamRow {
  readonly id: number;
  readonly channel: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  readonly recap: string | null;
}

export interface EpisodeRow {
  readonly id: number;
  readonly channel: string;
  readonly kind: string;
  readonly sessionId: number | null;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly eventCount: number;
  readonly topic: string;
  readonly summary: string;
  readonly stage: string;
  readonly status: string;
  readonly people: readonly string[];
  /** Notes that rest on it. */
  readonly notes: number;
}

export type Browse = ReturnType<typeof browseStore>;

/** What the page lists: a page at a time, each in a few milliseconds however much is kept. */
export function browseStore(db: Db, now: () => number) {
  const nameOf = nameReader(db);
  return {
    nameOf,
    ...personLists(db, now),
    ...replyLists(db),
    ...streamLists(db, nameOf),
    ...tallies(db, now),
  };
}

const NEWEST = Number.MAX_SAFE_INTEGER;

/** A page of rows by falling numbers. A short one is the last. */
function listed<T extends { readonly id: number }>(rows: readonly T[], limit: number): ListPage<T> {
  return { items: rows, next: rows.length < limit ? null : String(rows.at(-1)?.id ?? 0) };
}

type NameOf = (userId: string) => string | null;

interface StoredViewer extends Omit<ViewerRow, "optedOut" | "role"> {
  readonly optedOut: number;
  readonly isBroadcaster: number;
  readonly isModerator: number;
  readonly isVip: number;
}

const VIEWER = `v.user_id AS userId, v.login, v.display_name AS displayName, v.opted_out AS optedOut, c.channel,
  c.is_broadcaster AS isBroadcaster, c.is_moderator AS isModerator, c.is_vip AS isVip, c.message_count AS messages,
  c.stream_count AS streams, c.first_seen_at AS firstSeenAtMs, c.last_seen_at AS lastSeenAtMs,
  ${NOTES_OF_VIEWER} AS notes`;

function personLists(db: Db, now: () => number) {
  const latest = db.prepare<[PersonsAsked], StoredViewer>(
    `SELECT ${VIEWER} FROM viewer_channels c JOIN viewers v ON v.user_id = c.user_id
     WHERE c.channel = @channel AND c.last_seen_at <= @seenAtMs
       AND (c.last_seen_at, c.user_id) < (@seenAtMs, @userId)
     ORDER BY c.last_seen_at DESC, c.user_id DESC LIMIT @limit`,
  );
  const named = db.prepare<[PersonsAsked & { from: string; to: string }], StoredViewer>(
    // CROSS JOIN has SQLite begin with the index of logins, which is a hundred times as fast among 100,000 people.
    `SELECT ${VIEWER} FROM viewers v CROSS JOIN viewer_channels c ON c.user_id = v.user_id
     WHERE v.login >= max(@from, @login) AND v.login < @to AND c.channel = @channel
       AND (v.login, v.user_id) > (@login, @userId)
     ORDER BY v.login, v.user_id LIMIT @limit`,
  );
  return {
    /** Those seen last first; with `name`, those whose login begins with it, by login. `after`: behind that place. */
    viewers: (
      { channel, name, after }: { channel: string; name: string; after: string | null },
      limit: number,
    ): ListPage<ViewerRow> => {
      const from = name.trim().replace(/^@/, "").toLowerCase();
      // One more than is shown says whether there are more.
      const asked = { channel, ...personPlace(after), limit: limit + 1, nowMs: now() };
      const rows =
        from === "" ? latest.all(asked) : named.all({ ...asked, from, to: `${from}\u{10ffff}` });
      const items = rows.slice(0, limit).map(asViewer);
      const last = items.at(-1);
      const hasMore = rows.length > limit && last !== undefined;
      return {
        items,
        next: hasMore ? `${last.lastSeenAtMs}.${last.userId}.${last.login}` : null,
      };
    },
  };
}

interface PersonsAsked extends ReturnType<typeof personPlace> {
  readonly channel: string;
  readonly nowMs: number;
  readonly limit: number;
}

/** Where a page of people ended: when the last was seen, their user id and their login. */
export const PERSON_PLACE = /^(\d{1,15})\.([^.]{1,40})\.(.{0,60})$/u;

function personPlace(text: string | null) {
  const [, seenAt, userId = "", login = ""] = PERSON_PLACE.exec(text ?? "") ?? [];
  return {
    seenAtMs: seenAt === undefined ? Number.MAX_SAFE_INTEGER : Number(seenAt),
    userId,
    login,
  };
}

function asViewer({ isBroadcaster, isModerator, isVip, ...row }: StoredViewer): ViewerRow {
  const roles = [
    [isBroadcaster, "streamer"],
    [isModerator, "moderator"],
    [isVip, "VIP"],
  ] as const;
  return {
    ...row,
    optedOut: row.optedOut === 1,
    role: roles.find(([is]) => is === 1)?.[1] ?? "viewer",
  };
}

interface StoredReply extends Omit<ReplyRow, "outcomes"> {
  readonly outcomes: string | null;
}

const REPLY = `r.id, r.channel, v.display_name AS viewer, r.user_id AS userId, r."trigger", r.state, r.reason,
  r.created_at AS createdAtMs, r.latency_ms AS latencyMs, r.model, r.text,
  (SELECT e.text FROM events e WHERE e.id = r.event_id) AS question,
  (SELECT group_concat(kind) FROM reply_outcomes o WHERE o.reply_id = r.id) AS outcomes
  FROM replies r LEFT JOIN viewers v ON v.user_id = r.user_id`;

/** What waits for the streamer: notes, up to a hundred of them, and proposals. */
function tallies(db: Db, now: () => number) {
  const { toReview } = noteSums(db, now);
  const held = db
    .prepare<[], number>(
      "SELECT count(*) FROM action_log WHERE decision = 'hold' AND waits_for = 'streamer'",
    )
    .pluck();
  return { tallies: () => ({ toReview: toReview(), held: held.get() ?? 0 }) };
}

function replyLists(db: Db) {
  const list = db.prepare<[{ state: string | null; before: number; limit: number }], StoredReply>(
    `SELECT ${REPLY} WHERE r.id < @before AND (@state IS NULL OR r.state = @state)
     ORDER BY r.id DESC LIMIT @limit`,
  );
  const one = db.prepare<[number], StoredReply>(`SELECT ${REPLY} WHERE r.id = ?`);
  const between = db.prepare<[number, number, number], StoredReply>(
    `SELECT * FROM (SELECT ${REPLY} ORDER BY r.id DESC LIMIT ?)
     WHERE createdAtMs >= ? AND createdAtMs <= ? ORDER BY id`,
  );
  const ofAction = db
    .prepare<[number], number | null>("SELECT reply_id FROM action_log WHERE id = ?")
    .pluck();
  const byKind = db.prepare<[number], { kind: string; count: number; withText: number }>(
    `SELECT kind, count(*) AS count, count(text) AS withText FROM
       (SELECT kind, text FROM events ORDER BY id DESC LIMIT ?) GROUP BY kind ORDER BY kind`,
  );
  const events = db.prepare<[number, number], EventRow>(
    `SELECT e.id, e.channel, e.kind, e.user_id AS userId, v.display_name AS viewer, e.text, e.to_bot AS toBot,
       e.created_at AS createdAtMs, e.expires_at AS expiresAtMs, e.episode_id AS episodeId
     FROM events e LEFT JOIN viewers v ON v.user_id = e.user_id WHERE e.id < ? ORDER BY e.id DESC LIMIT ?`,
  );
  const calls = db.prepare<[number, number], CallRow>(
    `SELECT id, purpose, model, prompt_tokens AS promptTokens, cached_tokens AS cachedTokens,
       output_tokens AS outputTokens, estimated_tokens AS estimatedTokens, latency_ms AS latencyMs, outcome, dollars,
       created_at AS createdAtMs
     FROM llm_calls WHERE id < ? ORDER BY id DESC LIMIT ?`,
  );
  const perMinute = db.prepare<
    [{ fromMs: number; back: number }],
    { minute: number; lines: number }
  >(
    `SELECT CAST((created_at - @fromMs) / 60000 AS INTEGER) AS minute, count(*) AS lines FROM
       (SELECT kind, created_at FROM events ORDER BY id DESC LIMIT @back)
     WHERE created_at > @fromMs AND kind IN ('message', 'action', 'cheer') GROUP BY minute`,
  );
  return {
    replies: (state: string | null, before: number | null, limit: number): ListPage<ReplyRow> =>
      listed(list.all({ state, before: before ?? NEWEST, limit }).map(asReply), limit),
    reply: (id: number): ReplyRow | null => {
      const row = one.get(id);
      return row === undefined ? null : asReply(row);
    },
    /** The reply in whose turn an action was proposed. */
    replyOfAction: (id: number): number | null => ofAction.get(id) ?? null,
    /** Of a stretch of time, oldest first. */
    repliesBetween: (fromMs: number, toMs: number): ReplyRow[] =>
      between.all(REPLIES_BACK, fromMs, toMs).map(asReply),
    eventKinds: () => byKind.all(EVENTS_BACK),
    events: (before: number | null, limit: number): ListPage<EventRow> =>
      listed(events.all(before ?? NEWEST, limit), limit),
    calls: (before: number | null, limit: number): ListPage<CallRow> =>
      listed(calls.all(before ?? NEWEST, limit), limit),
    /** Lines of people in each of the last minutes, oldest first. */
    linesPerMinute: (nowMs: number, minutes: number): number[] => {
      const fromMs = nowMs - minutes * 60_000;
      const found = new Map(
        perMinute.all({ fromMs, back: EVENTS_BACK }).map(({ minute, lines }) => [minute, lines]),
      );
      return Array.from({ length: minutes }, (_, n) => found.get(n) ?? 0);
    },
  };
}

/** A call to a language model. */
interface CallRow {
  readonly id: number;
  readonly purpose: string;
  readonly model: string;
  readonly promptTokens: number | null;
  readonly cachedTokens: number | null;
  readonly outputTokens: number | null;
  readonly estimatedTokens: number;
  readonly latencyMs: number;
  readonly outcome: string;
  readonly dollars: number | null;
  readonly createdAtMs: number;
}

interface EventRow {
  readonly id: number;
  readonly channel: string;
  readonly kind: string;
  readonly userId: string | null;
  readonly viewer: string | null;
  readonly text: string | null;
  readonly toBot: number;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly episodeId: number | null;
}

/** Rows that are looked back over, of the newest. */
const EVENTS_BACK = 20_000;
const REPLIES_BACK = 3_000;

function asReply({ outcomes, ...row }: StoredReply): ReplyRow {
  return { ...row, outcomes: outcomes === null ? [] : outcomes.split(",") };
}

interface StoredEpisode extends Omit<EpisodeRow, "people"> {
  readonly peopleJson: string;
}

const EPISODE = `e.id, e.channel, e.kind, e.session_id AS sessionId, e.started_at AS startedAtMs,
  e.ended_at AS endedAtMs, e.event_count AS eventCount, e.topic, e.summary, e.stage, e.status,
  (SELECT json_group_array(coalesce(v.display_name, 'someone')) FROM episode_participants p
    LEFT JOIN viewers v ON v.user_id = p.user_id WHERE p.episode_id = e.id) AS peopleJson,
  (SELECT count(*) FROM note_evidence n WHERE n.episode_id = e.id) AS notes
  FROM episodes e`;

function streamLists(db: Db, nameOf: NameOf) {
  const streams = db.prepare<[number, number], StreamRow>(
    `SELECT id, channel, started_at AS startedAtMs, ended_at AS endedAtMs, recap FROM stream_sessions
     WHERE id < ? ORDER BY id DESC LIMIT ?`,
  );
  const ofStream = db.prepare<[number, number], StoredEpisode>(
    `SELECT ${EPISODE} WHERE e.session_id = ? ORDER BY e.id LIMIT ?`,
  );
  const latest = db.prepare<
    [{ before: number; status: string | null; limit: number }],
    StoredEpisode
  >(
    `SELECT ${EPISODE} WHERE e.id < @before AND (@status IS NULL OR e.status = @status)
     ORDER BY e.id DESC LIMIT @limit`,
  );
  const shown = ({ peopleJson, ...row }: StoredEpisode): EpisodeRow => ({
    ...row,
    topic: fillNames(row.topic, nameOf),
    summary: fillNames(row.summary, nameOf),
    people: JSON.parse(peopleJson) as string[],
  });
  const told = (row: StreamRow): StreamRow => ({
    ...row,
    recap: row.recap === null ? null : fillNames(row.recap, nameOf),
  });
  return {
    streams: (before: number | null, limit: number): ListPage<StreamRow> =>
      listed(streams.all(before ?? NEWEST, limit).map(told), limit),
    episodesOf: (sessionId: number, limit: number): EpisodeRow[] =>
      ofStream.all(sessionId, limit).map(shown),
    episodes: (before: number | null, status: string | null, limit: number): ListPage<EpisodeRow> =>
      listed(latest.all({ before: before ?? NEWEST, status, limit }).map(shown), limit),
  };
}
