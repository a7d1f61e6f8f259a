import { z } from "zod";
import { NOTE_SCOPES } from "../catalogue/note-kinds.ts";
import { nameReader } from "../chat/viewer-store.ts";
import { NOTE_STATUSES } from "../config/names.ts";
import type { Db } from "../database/open-database.ts";
import { fillNames } from "../language/people.ts";
import { readStems } from "../language/stems.ts";
import {
  IN_FORCE,
  NOTE_CHANNELS,
  NOTES_AND_NAMES,
  NOTES_OF_VIEWER,
  newestNote,
  noteSums,
  STATUS_NOW,
} from "../memory/note-reads-store.ts";
import { type PageData, timeMs } from "./route.ts";

type NameOf = (userId: string) => string | null;
/** The schema of a column, its SQL, and how its value is read if that is not as it is stored. */
type Column = readonly [
  shape: z.ZodType,
  sql: string,
  read?: (stored: never, nameOf: NameOf) => unknown,
];

/** A kind of row: the columns of its statement, its reader, and the schema that `/api` shows. */
function rowShape<C extends Readonly<Record<string, Column>>>(columns: C) {
  const each: (readonly [string, Column])[] = Object.entries(columns);
  return {
    schema: z.object(Object.fromEntries(each.map(([name, [shape]]) => [name, shape]))),
    columns: each.map(([name, [, sql]]) => `${sql} AS "${name}"`).join(", "),
    read: (row: object, nameOf: NameOf) => {
      const stored = row as Readonly<Record<string, never>>;
      const values = each.map(([name, [, , read]]) => [
        name,
        read === undefined ? stored[name] : read(stored[name] as never, nameOf),
      ]);
      return Object.fromEntries(values) as { readonly [K in keyof C]: z.output<C[K][0]> };
    },
  };
}

const isTrue = (stored: number): boolean => stored === 1;
/** Puts the names of people in. */
const named = (stored: string | null, nameOf: NameOf): string | null =>
  stored === null ? null : fillNames(stored, nameOf);
const listIn = (json: string): unknown => JSON.parse(json);
const originIn = (json: string | null, nameOf: NameOf): unknown => {
  if (json === null) return null;
  const origin = JSON.parse(json);
  return { ...origin, topic: fillNames(origin.topic, nameOf) };
};

const text = z.string();
const number = z.int();

const NAME = "coalesce(v.display_name, 'someone')";

export const NOTE = rowShape({
  id: [number, "n.id"],
  channel: [text, "n.channel"],
  scope: [z.enum(NOTE_SCOPES), "n.scope"],
  about: [text.nullable(), `iif(n.subject_id IS NULL, NULL, ${NAME})`],
  subjectId: [text.nullable(), "n.subject_id"],
  kind: [text, "n.kind"],
  fact: [text, "n.fact", named],
  topics: [text, "n.topics", named],
  confidence: [z.number(), "n.confidence"],
  status: [z.enum(NOTE_STATUSES), STATUS_NOW],
  pinned: [z.boolean(), "n.pinned", isTrue],
  source: [text, "n.source_kind"],
  createdAtMs: [timeMs, "n.created_at"],
  lastConfirmedAtMs: [timeMs, "n.last_confirmed_at"],
  useCount: [number, "n.use_count"],
  lastUsedAtMs: [timeMs.nullable(), "n.last_used_at"],
  expiresAtMs: [timeMs.nullable(), "n.expires_at"],
  supersededBy: [number.nullable(), "n.superseded_by"],
  evidence: [
    number.describe("How many episodes it rests on."),
    "(SELECT count(*) FROM note_evidence e WHERE e.note_id = n.id)",
  ],
  origin: [
    z
      .object({ method: text, episodeId: number, topic: text, atMs: timeMs })
      .nullable()
      .describe("What it rested on first; null: nothing is left of that."),
    `(SELECT json_object('method', e.method, 'episodeId', e.episode_id, 'topic', p.topic, 'atMs', p.ended_at)
      FROM note_evidence e JOIN episodes p ON p.id = e.episode_id WHERE e.note_id = n.id ORDER BY e.episode_id LIMIT 1)`,
    originIn,
  ],
});
export type ListedNote = ReturnType<typeof NOTE.read>;

const VIEWER_COLUMNS = {
  userId: [text, "v.user_id"],
  login: [text, "v.login"],
  displayName: [text, "v.display_name"],
  channel: [text, "c.channel"],
  role: [
    text,
    `CASE WHEN c.is_broadcaster THEN 'streamer' WHEN c.is_moderator THEN 'moderator' WHEN c.is_vip THEN 'VIP'
       ELSE 'viewer' END`,
  ],
  messages: [number, "c.message_count"],
  streams: [number, "c.stream_count"],
  firstSeenAtMs: [timeMs, "c.first_seen_at"],
  lastSeenAtMs: [timeMs, "c.last_seen_at"],
  optedOut: [z.boolean(), "v.opted_out", isTrue],
  notes: [number.describe("About this account, that count."), NOTES_OF_VIEWER],
} satisfies Readonly<Record<string, Column>>;
export const VIEWER = rowShape(VIEWER_COLUMNS);
/** `counted` is what a list of most notes is sorted by. */
const COUNTED_VIEWER = rowShape({ ...VIEWER_COLUMNS, counted: [number, "s.n"] });

export const REPLY = rowShape({
  id: [number, "r.id"],
  channel: [text, "r.channel"],
  viewer: [text.nullable(), "v.display_name"],
  userId: [text, "r.user_id"],
  trigger: [text, 'r."trigger"'],
  state: [text, "r.state"],
  reason: [text.nullable(), "r.reason"],
  createdAtMs: [timeMs, "r.created_at"],
  latencyMs: [number.nullable(), "r.latency_ms"],
  model: [text.nullable(), "r.model"],
  text: [text.nullable().describe("Lives 24 hours."), "r.text"],
  question: [
    text.nullable().describe("As long as that line of chat is kept."),
    "(SELECT e.text FROM events e WHERE e.id = r.event_id)",
  ],
  outcomes: [
    z.array(text).readonly(),
    "(SELECT json_group_array(kind) FROM reply_outcomes o WHERE o.reply_id = r.id)",
    listIn,
  ],
});
export type ReplyRow = ReturnType<typeof REPLY.read>;

export const STREAM = rowShape({
  id: [number, "id"],
  channel: [text, "channel"],
  startedAtMs: [timeMs, "started_at"],
  endedAtMs: [timeMs.nullable(), "ended_at"],
  recap: [text.nullable(), "recap", named],
});
export type ListedStream = ReturnType<typeof STREAM.read>;

export const EPISODE = rowShape({
  id: [number, "e.id"],
  channel: [text, "e.channel"],
  kind: [text, "e.kind"],
  sessionId: [number.nullable(), "e.session_id"],
  startedAtMs: [timeMs, "e.started_at"],
  endedAtMs: [timeMs, "e.ended_at"],
  eventCount: [number, "e.event_count"],
  topic: [text, "e.topic", named],
  summary: [text, "e.summary", named],
  unproven: [
    text.describe("Sentences that no known viewers carry: shown on the page alone."),
    "e.unproven",
    named,
  ],
  stage: [text, "e.stage"],
  status: [text, "e.status"],
  people: [
    z.array(text).readonly(),
    `(SELECT json_group_array(${NAME}) FROM episode_participants p
       LEFT JOIN viewers v ON v.user_id = p.user_id WHERE p.episode_id = e.id)`,
    listIn,
  ],
  notes: [
    number.describe("That rest on it."),
    "(SELECT count(*) FROM note_evidence n WHERE n.episode_id = e.id)",
  ],
});
export type EpisodeRow = ReturnType<typeof EPISODE.read>;

export const EVENT = rowShape({
  id: [number, "e.id"],
  channel: [text, "e.channel"],
  kind: [text, "e.kind"],
  userId: [text.nullable(), "e.user_id"],
  viewer: [text.nullable(), "v.display_name"],
  text: [text.nullable(), "e.text"],
  toBot: [number, "e.to_bot"],
  amount: [number.nullable().describe("Bits, months, gifts or raiders, by kind."), "e.amount"],
  createdAtMs: [timeMs, "e.created_at"],
  expiresAtMs: [timeMs, "e.expires_at"],
  episodeId: [number.nullable(), "e.episode_id"],
});
export type EventRow = ReturnType<typeof EVENT.read>;

/** A call to a language model. */
export const CALL = rowShape({
  id: [number, "id"],
  purpose: [text, "purpose"],
  model: [text, "model"],
  promptTokens: [number.nullable(), "prompt_tokens"],
  cachedTokens: [number.nullable(), "cached_tokens"],
  outputTokens: [number.nullable(), "output_tokens"],
  estimatedTokens: [number, "estimated_tokens"],
  latencyMs: [number, "latency_ms"],
  outcome: [text, "outcome"],
  dollars: [z.number().nullable(), "dollars"],
  createdAtMs: [timeMs, "created_at"],
});

/** A page of a list. `next` begins the next page; null if nothing is left. */
interface ListPage<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

interface PageQuery {
  readonly limit: number;
  readonly after?: number | undefined;
}

const NEWEST = Number.MAX_SAFE_INTEGER;
/** The newest rows that a count reads. */
const EVENTS_BACK = 20_000;
/** The newest rows that hold the chat of a view, whatever else was stored between them. */
const CHAT_BACK = 400;
const REPLIES_BACK = 3_000;
const RUNS_BACK = 200;
const TRAILS_BACK = 500;

export type Browse = ReturnType<typeof browseStore>;

/** What the page lists: a page at a time, each in a few milliseconds however much is kept. */
export function browseStore(db: Db, now: () => number) {
  const nameOf = nameReader(db);
  const rows = <R>({ columns, read }: Rows<R>, from: string) => {
    const found = db.prepare<[object], object>(`SELECT ${columns} FROM ${from}`);
    return (asked: object): R[] => found.all(asked).map((row) => read(row, nameOf));
  };
  /** By falling numbers. */
  const pages = <R extends { readonly id: number }, A>(shape: Rows<R>, from: string) => {
    const found = rows(shape, `${from} ORDER BY id DESC LIMIT @limit`);
    return (asked: A & PageQuery): ListPage<R> =>
      pageOf(
        found({ ...asked, before: asked.after ?? NEWEST, limit: asked.limit + 1 }),
        asked.limit,
        ({ id }) => String(id),
      );
  };
  const replies = "replies r LEFT JOIN viewers v ON v.user_id = r.user_id";
  const reply = rows(REPLY, `${replies} WHERE r.id = @id`);
  const withNote = rows(
    REPLY,
    `${replies} WHERE r.id > (SELECT max(id) FROM replies) - ${TRAILS_BACK} AND r.state = 'sent'
       AND json_valid(r.token_usage_json) AND @noteId IN
         (SELECT value FROM json_each(r.token_usage_json, '$.notes.kept'))
     ORDER BY r.id DESC LIMIT @limit`,
  );
  const between = rows(
    REPLY,
    `${replies} WHERE r.id > (SELECT max(id) FROM replies) - ${REPLIES_BACK}
       AND r.created_at BETWEEN @fromMs AND @toMs ORDER BY r.id`,
  );
  const chat = rows(
    EVENT,
    `events e LEFT JOIN viewers v ON v.user_id = e.user_id
     WHERE e.id > (SELECT max(id) FROM events) - ${CHAT_BACK} AND e.reply_id IS NULL
       AND (e.text IS NOT NULL OR e.kind IN ('raid', 'sub', 'resub', 'gift', 'mystery_gift', 'streak'))
     ORDER BY e.id DESC LIMIT @limit`,
  );
  const unproven = rows(
    EPISODE,
    "episodes e WHERE e.unproven <> '' ORDER BY e.ended_at DESC LIMIT @limit",
  );
  const episodesOf = rows(
    EPISODE,
    "episodes e WHERE e.session_id = @sessionId ORDER BY e.id LIMIT @limit",
  );
  return {
    nameOf,
    viewers: viewerPages(rows, now),
    replies: pages<ReplyRow, { readonly state: string }>(
      REPLY,
      `${replies} WHERE r.id < @before AND @state IN ('', r.state)`,
    ),
    /** The newest sent replies that had a note in their prompt. */
    repliesWith: (noteId: number, limit: number): ReplyRow[] => withNote({ noteId, limit }),
    reply: (id: number): ReplyRow | null => reply({ id })[0] ?? null,
    /** Chat and moments without the bot's answers, newest first. */
    chat: (limit: number): EventRow[] => chat({ limit }),
    /** Of a stretch of time, oldest first. */
    repliesBetween: (fromMs: number, toMs: number): ReplyRow[] => between({ fromMs, toMs }),
    streams: pages(STREAM, "stream_sessions WHERE id < @before"),
    episodesOf: (sessionId: number, limit: number): EpisodeRow[] =>
      episodesOf({ sessionId, limit }),
    episodes: pages<EpisodeRow, { readonly status: string }>(
      EPISODE,
      "episodes e WHERE e.id < @before AND @status IN ('', e.status)",
    ),
    /** Summaries with sentences that no known viewers carry, newest first. */
    unproven: (limit: number): EpisodeRow[] => unproven({ limit }),
    events: pages(
      EVENT,
      "events e LEFT JOIN viewers v ON v.user_id = e.user_id WHERE e.id < @before",
    ),
    calls: pages(CALL, "llm_calls WHERE id < @before"),
    ...tallies(db, now),
  };
}

interface Rows<R> {
  readonly columns: string;
  readonly read: (row: object, nameOf: NameOf) => R;
}

/** One row more than is shown says whether there are more. */
function pageOf<R>(rows: readonly R[], limit: number, placeOf: (row: R) => string): ListPage<R> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? placeOf(last) : null };
}

/** Where a page of people ended: what they are sorted by, their user id and their login. */
export const PERSON_PLACE = /^(\d{1,15})\.([^.]{1,40})\.(.{0,60})$/u;

/** The notes about each viewer of a channel, counted in an index. One that ran out counts until the next sweep. */
const COUNTED = `(SELECT subject_id AS user_id, count(*) AS n FROM semantic_notes
  WHERE channel = @channel AND scope = 'viewer' AND subject_id IS NOT NULL
    AND status IN ('active', 'shadow', 'pending') GROUP BY subject_id)`;
const VIEWER_LISTS = {
  latest: `viewer_channels c JOIN viewers v ON v.user_id = c.user_id
    WHERE c.channel = @channel AND c.last_seen_at <= @place
      AND (c.last_seen_at, c.user_id) < (@place, @userId)
    ORDER BY c.last_seen_at DESC, c.user_id DESC LIMIT @limit`,
  // The inner queries sort two columns alone: the others are read for the rows of the page.
  withNotes: `(SELECT c.user_id AS id, c.last_seen_at AS seen_at
      FROM ${COUNTED} s CROSS JOIN viewer_channels c ON c.channel = @channel AND c.user_id = s.user_id
      WHERE (c.last_seen_at, c.user_id) < (@place, @userId) ORDER BY 2 DESC, 1 DESC LIMIT @limit) s
    JOIN viewer_channels c ON c.channel = @channel AND c.user_id = s.id
    JOIN viewers v ON v.user_id = s.id ORDER BY s.seen_at DESC, s.id DESC`,
  mostNotes: `(SELECT s.user_id AS id, s.n FROM ${COUNTED} s
      WHERE (s.n, s.user_id) < (@place, @userId) ORDER BY s.n DESC, s.user_id DESC LIMIT @limit) s
    JOIN viewer_channels c ON c.channel = @channel AND c.user_id = s.id
    JOIN viewers v ON v.user_id = s.id ORDER BY s.n DESC, s.id DESC`,
  // CROSS JOIN has SQLite begin with the index of logins, which is a hundred times as fast among 100,000 people.
  byLogin: `viewers v CROSS JOIN viewer_channels c ON c.user_id = v.user_id
    WHERE v.login >= max(@from, @login) AND v.login < @to AND c.channel = @channel
      AND (v.login, v.user_id) > (@login, @userId)
    ORDER BY v.login, v.user_id LIMIT @limit`,
} as const;

/** Viewers seen last first, or those with most notes first; with `q`, those whose login begins with it. */
function viewerPages(
  rows: <R>(shape: Rows<R>, from: string) => (asked: object) => R[],
  now: () => number,
) {
  const { latest, withNotes, byLogin, mostNotes } = VIEWER_LISTS;
  const ranked = rows(COUNTED_VIEWER, mostNotes);
  const lists = {
    latest: rows(VIEWER, latest),
    withNotes: rows(VIEWER, withNotes),
    byLogin: rows(VIEWER, byLogin),
  };
  return (asked: {
    channel: string;
    q: string;
    sort: "" | "seen" | "notes";
    only: "" | "all" | "notes";
    after?: string | undefined;
    limit: number;
  }) => {
    const { sort, only, limit } = asked;
    const from = asked.q.trim().replace(/^@/, "").toLowerCase();
    const [, at, userId = "", login = ""] = PERSON_PLACE.exec(asked.after ?? "") ?? [];
    const place = Number(at ?? NEWEST);
    const more = { nowMs: now(), from, to: `${from}\u{10ffff}`, place, userId, login };
    const query = { ...asked, ...more, limit: limit + 1 };
    if (from === "" && sort === "notes")
      return pageOf(ranked(query), limit, (last) => `${last.counted}.${last.userId}.${last.login}`);
    const list = from !== "" ? lists.byLogin : lists[only === "notes" ? "withNotes" : "latest"];
    return pageOf(
      list(query),
      limit,
      (last) => `${last.lastSeenAtMs}.${last.userId}.${last.login}`,
    );
  };
}

function tallies(db: Db, now: () => number) {
  const { toReview, waitingForRegulars } = noteSums(db, now);
  const held = db
    .prepare<[], number>(
      "SELECT count(*) FROM action_log WHERE decision = 'hold' AND waits_for = 'streamer'",
    )
    .pluck();
  const corrected = db
    .prepare<[], number>(
      `SELECT reply_id FROM
         (SELECT action, reply_id FROM action_log WHERE decision = 'run' ORDER BY id DESC LIMIT ${RUNS_BACK})
       WHERE action = 'correct' AND reply_id IS NOT NULL`,
    )
    .pluck();
  const byKind = db.prepare<[number], { kind: string; count: number; withText: number }>(
    `SELECT kind, count(*) AS count, count(text) AS withText FROM
       (SELECT kind, text FROM events ORDER BY id DESC LIMIT ?) GROUP BY kind ORDER BY kind`,
  );
  const live = db.prepare<[string], { isLive: number | null; title: string; category: string }>(
    `SELECT is_live AS isLive, title, category FROM channel_state
     WHERE channel IN (SELECT value FROM json_each(?)) ORDER BY is_live DESC, channel LIMIT 1`,
  );
  const forgets = db.prepare<[number], { day: string; viewers: number; lastAtMs: number }>(
    `SELECT date(forgotten_at / 1000, 'unixepoch', 'localtime') AS day, count(*) AS viewers,
       max(forgotten_at) AS lastAtMs FROM forgets GROUP BY day ORDER BY day DESC LIMIT ?`,
  );
  return {
    waitingForRegulars,
    /** What waits for the streamer: notes, up to a hundred of them, and proposals. */
    tallies: () => ({ toReview: toReview(), held: held.get() ?? 0 }),
    /** Replies in whose turn the viewer put a note right. */
    corrected: (): ReadonlySet<number> => new Set(corrected.all()),
    eventKinds: () => byKind.all(EVENTS_BACK),
    /** Of the channel that is live, or the first of these. `isLive` is null if unknown. */
    liveState: (channels: readonly string[]) => {
      const row = live.get(JSON.stringify(channels));
      const isLive = row?.isLive == null ? null : row.isLive === 1;
      return { isLive, title: row?.title ?? "", category: row?.category ?? "" };
    },
    /** How many viewers were forgotten, by day, newest first. It names nobody. */
    forgets: (days: number) => forgets.all(days),
  };
}

/** Filters of a list of notes; "" is no filter. `subjects` is a JSON list of user ids. */
interface NotesQuery extends PageQuery {
  /** Words of the fact, part of a name, or a note's number. */
  readonly q: string;
  readonly scope: string;
  /** "": active, shadow and pending; `all`: every one. */
  readonly status: string;
  readonly kind: string;
  readonly subjects: string;
  readonly channel: string;
}

/** Notes that one page reads at most where no index serves, so that it takes some milliseconds among any number. */
const NOTES_READ_MAX = 40_000;
const NEWEST_BACK = 1_000;
/** Shorter words are part of too many names. */
const NAME_CHARS_MIN = 3;
const FILTERS = {
  scope: "n.scope = @scope",
  kind: "n.kind = @kind",
  subjects: "n.subject_id IN (SELECT value FROM json_each(@subjects))",
  channel: "n.channel = @channel",
  status: `n.status = @status AND ${STATUS_NOW} = n.status`,
} as const;

/** Notes as the page lists them. */
export function notesIn({ db, nowMs, browse }: Pick<PageData, "db" | "nowMs" | "browse">) {
  const notesBy = (rest: string, values: object): ListedNote[] =>
    db
      .prepare<[object], object>(`SELECT ${NOTE.columns} FROM ${NOTES_AND_NAMES} WHERE ${rest}`)
      .all({ ...values, nowMs })
      .map((row) => NOTE.read(row, browse.nameOf));
  const newestNoteId = newestNote(db);
  return {
    newestNoteId,
    /** Newest first. A search ends early among very many notes; `next` goes on. */
    notes: (asked: NotesQuery): ListPage<ListedNote> => {
      const { limit } = asked;
      const before = Math.min(asked.after ?? NEWEST, newestNoteId() + 1);
      const { terms, values, isIndexed } = filterOf(asked);
      const from = isIndexed ? 0 : Math.max(0, before - NOTES_READ_MAX);
      // The inner query sorts numbers alone: columns are read for the rows of the page.
      const found = notesBy(
        `n.id IN (SELECT n.id FROM ${NOTES_AND_NAMES} WHERE n.id >= @from AND n.id < @before${terms}
           ORDER BY n.id DESC LIMIT @limit) ORDER BY n.id DESC`,
        { ...asked, ...values, from, before, limit: limit + 1 },
      );
      if (found.length > limit) return pageOf(found, limit, ({ id }) => String(id));
      return { items: found, next: from > 0 ? String(from) : null };
    },
    /** Notes by their numbers, in that order; leaves out those that were deleted. */
    notesOf: (ids: readonly number[]): ListedNote[] =>
      ids.flatMap((id) => notesBy("n.id = @id", { id })),
    /** The newest notes that count. */
    newest: (limit: number): ListedNote[] =>
      notesBy(
        `n.id > @from AND n.status IN ('active', 'shadow', 'pending') AND ${STATUS_NOW} <> 'expired'
         ORDER BY n.id DESC LIMIT @limit`,
        { from: newestNoteId() - NEWEST_BACK, limit },
      ),
    /** Notes that wait for the streamer, oldest first. */
    waiting: (limit: number): ListedNote[] =>
      notesBy(
        `n.status IN ('shadow', 'pending') AND ${STATUS_NOW} <> 'expired'
         ORDER BY n.last_confirmed_at, n.id LIMIT @limit`,
        { limit },
      ),
    /** Active notes made since, newest first. */
    newSince: (id: number, sinceMs: number, limit: number): ListedNote[] =>
      db
        .prepare<[], string>(NOTE_CHANNELS)
        .pluck()
        .all()
        .flatMap((channel) =>
          notesBy(
            `n.channel = @channel AND n.created_at >= @sinceMs AND +n.id > @id AND ${IN_FORCE}
             ORDER BY n.created_at DESC, n.id DESC LIMIT @limit`,
            { channel, sinceMs, id, limit },
          ),
        )
        .toSorted((one, other) => other.createdAtMs - one.createdAtMs || other.id - one.id)
        .slice(0, limit),
    notesOfEpisode: (episodeId: number): ListedNote[] =>
      notesBy(
        "n.id IN (SELECT note_id FROM note_evidence WHERE episode_id = @episodeId) ORDER BY n.id",
        { episodeId },
      ),
  };
}

/** The statement names only the filters that are set, so that the planner sees which index serves. */
function filterOf(asked: NotesQuery) {
  const { scope, status, channel, subjects } = asked;
  const isOfChannel = scope === "channel" || scope === "bit";
  const isSet = (name: keyof typeof FILTERS) => asked[name] !== "" && asked[name] !== "all";
  const search = searchOf(asked.q);
  const terms = [
    ...(Object.keys(FILTERS) as (keyof typeof FILTERS)[]).filter(isSet).map((one) => FILTERS[one]),
    // The index over channel, scope and subject serves if all three are named.
    ...(isOfChannel ? ["n.subject_id IS NULL"] : []),
    ...(isOfChannel && channel === "" ? [`n.channel IN (${NOTE_CHANNELS})`] : []),
    ...(status === ""
      ? [`n.status IN ('active', 'shadow', 'pending') AND ${STATUS_NOW} <> 'expired'`]
      : []),
    ...search.terms,
  ];
  return {
    terms: terms.map((term) => ` AND ${term}`).join(""),
    values: search.values,
    isIndexed: isOfChannel || subjects !== "",
  };
}

/** Finds notes that have every word's stem, or begin of one; also by a note's number and by part of a name. */
function searchOf(q: string) {
  const stems = readStems(q);
  const parts = q.split(/[\s@#]+/u).filter((part) => part !== "");
  const byWords = stems.map((stem, n) => ({
    term: `instr(' ' || n.words || ' ', @stem${n}) > 0`,
    value: [`stem${n}`, stem.length < NAME_CHARS_MIN ? ` ${stem} ` : ` ${stem}`] as const,
  }));
  const byName = parts.map((part, n) => ({
    term:
      part.length < NAME_CHARS_MIN
        ? `n.id = @part${n}`
        : `(n.id = @part${n} OR instr(lower(${NAME}), @part${n}) > 0)`,
    value: [`part${n}`, part.toLowerCase()] as const,
  }));
  const words = byWords.map(({ term }) => term).join(" AND ");
  const all = [...(words === "" ? [] : [`(${words})`]), ...byName.map(({ term }) => term)];
  return {
    terms: all.length === 0 ? [] : [`(${all.join(" OR ")})`],
    values: Object.fromEntries([...byWords, ...byName].map(({ value }) => value)),
  };
}
