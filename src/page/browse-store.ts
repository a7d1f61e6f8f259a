import { z } from "zod";
import { NOTE_SCOPES } from "../catalogue/note-kinds.ts";
import { prepareNameRead } from "../chat/viewer-store.ts";
import { NOTE_STATUSES } from "../config/names.ts";
import type { Db } from "../database/open-database.ts";
import { prepareStatements } from "../database/statements.ts";
import { fillNames } from "../language/people.ts";
import { readStems } from "../language/stems.ts";
import {
  IN_FORCE,
  NOTE_CHANNELS,
  NOTES_AND_NAMES,
  NOTES_OF_VIEWER,
  prepareNewestNote,
  prepareNoteSums,
  STATUS_NOW,
} from "../memory/note-reads-store.ts";
import { timeMs } from "./route.ts";

type NameOf = (userId: string) => string | null;
/** The schema of a column, its SQL, and the reader of its stored value if it needs one. */
type Column = readonly [
  shape: z.ZodType,
  sql: string,
  read?: (stored: never, nameOf: NameOf) => unknown,
];

/** Makes the columns of a statement, the reader of its rows, and the schema that `/api` shows. */
function shapeRow<C extends Readonly<Record<string, Column>>>(columns: C) {
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

const readFlag = (stored: number): boolean => stored === 1;
const readList = (json: string): unknown => JSON.parse(json);
const readText = (stored: string | null, nameOf: NameOf): string | null =>
  stored === null ? null : fillNames(stored, nameOf);
const readOrigin = (json: string | null, nameOf: NameOf): unknown => {
  if (json === null) return null;
  const origin = JSON.parse(json);
  return { ...origin, topic: fillNames(origin.topic, nameOf) };
};

const text = z.string();
const number = z.int();

const NAME = "coalesce(v.display_name, 'someone')";

export const NOTE = shapeRow({
  id: [number, "n.id"],
  channel: [text, "n.channel"],
  scope: [z.enum(NOTE_SCOPES), "n.scope"],
  about: [text.nullable(), `iif(n.subject_id IS NULL, NULL, ${NAME})`],
  subjectId: [text.nullable(), "n.subject_id"],
  kind: [text, "n.kind"],
  fact: [text, "n.fact", readText],
  topics: [text, "n.topics", readText],
  confidence: [z.number(), "n.confidence"],
  status: [z.enum(NOTE_STATUSES), STATUS_NOW],
  pinned: [z.boolean(), "n.pinned", readFlag],
  source: [text, "n.source_kind"],
  createdAtMs: [timeMs, "n.created_at"],
  lastConfirmedAtMs: [timeMs, "n.last_confirmed_at"],
  useCount: [number, "n.use_count"],
  lastUsedAtMs: [timeMs.nullable(), "n.last_used_at"],
  expiresAtMs: [timeMs.nullable(), "n.expires_at"],
  supersededBy: [number.nullable(), "n.superseded_by"],
  evidence: [
    number.describe("The number of its episodes."),
    "(SELECT count(*) FROM note_evidence e WHERE e.note_id = n.id)",
  ],
  origin: [
    z
      .object({ method: text, episodeId: number, topic: text, atMs: timeMs })
      .nullable()
      .describe("Its first evidence; null if that is gone."),
    `(SELECT json_object('method', e.method, 'episodeId', e.episode_id, 'topic', p.topic, 'atMs', p.ended_at)
      FROM note_evidence e JOIN episodes p ON p.id = e.episode_id WHERE e.note_id = n.id ORDER BY e.episode_id LIMIT 1)`,
    readOrigin,
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
  optedOut: [z.boolean(), "v.opted_out", readFlag],
  notes: [number.describe("Notes about this account."), NOTES_OF_VIEWER],
} satisfies Readonly<Record<string, Column>>;
export const VIEWER = shapeRow(VIEWER_COLUMNS);
/** `counted` sorts the list of most notes. */
const COUNTED_VIEWER = shapeRow({ ...VIEWER_COLUMNS, counted: [number, "s.n"] });

const REPLY_END_COLUMNS = {
  id: [number, "r.id"],
  userId: [text, "r.user_id"],
  trigger: [text, 'r."trigger"'],
  state: [text, "r.state"],
  reason: [text.nullable(), "r.reason"],
  outcomes: [
    z.array(text).readonly(),
    "(SELECT json_group_array(kind) FROM reply_outcomes o WHERE o.reply_id = r.id)",
    readList,
  ],
} satisfies Readonly<Record<string, Column>>;
/** The end of a reply: its state, reason and outcomes. */
const REPLY_END = shapeRow(REPLY_END_COLUMNS);
export type ReplyEnd = ReturnType<typeof REPLY_END.read>;

export const REPLY = shapeRow({
  ...REPLY_END_COLUMNS,
  channel: [text, "r.channel"],
  viewer: [text.nullable(), "v.display_name"],
  createdAtMs: [timeMs, "r.created_at"],
  latencyMs: [number.nullable(), "r.latency_ms"],
  model: [text.nullable(), "r.model"],
  text: [text.nullable().describe("Lives 24 hours."), "r.text"],
  question: [
    text.nullable().describe("Lives 24 hours."),
    "(SELECT e.text FROM events e WHERE e.id = r.event_id)",
  ],
});
export type ReplyRow = ReturnType<typeof REPLY.read>;

export const STREAM = shapeRow({
  id: [number, "id"],
  channel: [text, "channel"],
  startedAtMs: [timeMs, "started_at"],
  endedAtMs: [timeMs.nullable(), "ended_at"],
  recap: [text.nullable(), "recap", readText],
});
export type ListedStream = ReturnType<typeof STREAM.read>;

export const EPISODE = shapeRow({
  id: [number, "e.id"],
  channel: [text, "e.channel"],
  kind: [text, "e.kind"],
  sessionId: [number.nullable(), "e.session_id"],
  startedAtMs: [timeMs, "e.started_at"],
  endedAtMs: [timeMs, "e.ended_at"],
  eventCount: [number, "e.event_count"],
  topic: [text, "e.topic", readText],
  summary: [text, "e.summary", readText],
  unproven: [text.describe("Sentences that only unknown viewers support."), "e.unproven", readText],
  stage: [text, "e.stage"],
  status: [text, "e.status"],
  people: [
    z.array(text).readonly(),
    `(SELECT json_group_array(${NAME}) FROM episode_participants p
       LEFT JOIN viewers v ON v.user_id = p.user_id WHERE p.episode_id = e.id)`,
    readList,
  ],
  notes: [
    number.describe("Notes made from it."),
    "(SELECT count(*) FROM note_evidence n WHERE n.episode_id = e.id)",
  ],
});
export type EpisodeRow = ReturnType<typeof EPISODE.read>;

const EVENT = shapeRow({
  id: [number, "e.id"],
  kind: [text, "e.kind"],
  userId: [text.nullable(), "e.user_id"],
  viewer: [text.nullable(), "v.display_name"],
  text: [text.nullable(), "e.text"],
  amount: [number.nullable(), "e.amount"],
  createdAtMs: [timeMs, "e.created_at"],
});
export type EventRow = ReturnType<typeof EVENT.read>;

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
/** Bounds of the newest rows that a view reads. */
const CHAT_BACK = 400;
const REPLIES_MAX = 3_000;
const RUNS_BACK = 200;
const TRAILS_BACK = 500;
const REPLIES = "replies r LEFT JOIN viewers v ON v.user_id = r.user_id";

interface Shape<R> {
  readonly columns: string;
  readonly read: (row: object, nameOf: NameOf) => R;
}

export type Browse = ReturnType<typeof openBrowseStore>;

/** Reads the lists of the page: one page at a time, in a few milliseconds however much is stored. */
export function openBrowseStore(db: Db, now: () => number) {
  const nameOf = prepareNameRead(db);
  const select = <R>({ columns, read }: Shape<R>, from: string) => {
    const found = db.prepare<[object], object>(`SELECT ${columns} FROM ${from}`);
    return (values: Readonly<Record<string, string | number>>): R[] =>
      found.all(values).map((row) => read(row, nameOf));
  };
  /** Selects pages, newest first. */
  const selectPages = <R extends { readonly id: number }>(shape: Shape<R>, from: string) => {
    const found = select(shape, `${from} ORDER BY id DESC LIMIT @limit`);
    return ({
      after = NEWEST,
      limit,
      ...filters
    }: PageQuery & { state?: string; status?: string }) =>
      cutPage(found({ ...filters, before: after, limit: limit + 1 }), limit, ({ id }) => `${id}`);
  };
  const reply = select(REPLY, `${REPLIES} WHERE r.id = @id`);
  return {
    nameOf,
    viewers: prepareViewerPages(select, now),
    /** `state` "": every reply. */
    replies: selectPages(REPLY, `${REPLIES} WHERE r.id < @before AND @state IN ('', r.state)`),
    reply: (id: number): ReplyRow | null => reply({ id })[0] ?? null,
    /** The newest sent replies that had `noteId` in their prompt. */
    repliesWith: select(
      REPLY,
      `${REPLIES} WHERE r.id > (SELECT max(id) FROM replies) - ${TRAILS_BACK} AND r.state = 'sent'
         AND json_valid(r.token_usage_json) AND @noteId IN
           (SELECT value FROM json_each(r.token_usage_json, '$.notes.kept'))
       ORDER BY r.id DESC LIMIT @limit`,
    ),
    /** The newest replies from `fromMs` to `toMs`, without texts, oldest first. */
    repliesBetween: (fromMs: number, toMs: number): ReplyEnd[] =>
      select(
        REPLY_END,
        `replies r WHERE r.created_at BETWEEN @fromMs AND @toMs ORDER BY r.id DESC LIMIT @limit`,
      )({ fromMs, toMs, limit: REPLIES_MAX }).reverse(),
    /** Chat and moments without the bot's answers, newest first. */
    chat: select(
      EVENT,
      `events e LEFT JOIN viewers v ON v.user_id = e.user_id
       WHERE e.id > (SELECT max(id) FROM events) - ${CHAT_BACK} AND e.reply_id IS NULL
         AND (e.text IS NOT NULL OR e.kind IN ('raid', 'sub', 'resub', 'gift', 'mystery_gift', 'streak'))
       ORDER BY e.id DESC LIMIT @limit`,
    ),
    streams: selectPages(STREAM, "stream_sessions WHERE id < @before"),
    episodesOf: select(
      EPISODE,
      "episodes e WHERE e.session_id = @sessionId ORDER BY e.id LIMIT @limit",
    ),
    /** `status` "": every episode. */
    episodes: selectPages(EPISODE, "episodes e WHERE e.id < @before AND @status IN ('', e.status)"),
    failedEpisodes: select(
      EPISODE,
      "episodes e WHERE e.status = 'failed' ORDER BY e.id DESC LIMIT @limit",
    ),
    /** Summaries with sentences that only unknown viewers support, newest first. */
    unproven: select(
      EPISODE,
      "episodes e WHERE e.unproven <> '' ORDER BY e.ended_at DESC LIMIT @limit",
    ),
    ...prepareOverviewReads(db, now),
  };
}

/** Cuts off the row that only shows whether there are more. */
function cutPage<R>(rows: readonly R[], limit: number, placeOf: (row: R) => string): ListPage<R> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? placeOf(last) : null };
}

/** The end of a page of viewers: the sort key, user id and login of its last row. */
export const PERSON_PLACE = /^(\d{1,15})\.([^.]{1,40})\.(.{0,60})$/u;

/** The notes about each viewer of a channel, counted in an index. An expired one counts until the next sweep. */
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
  // CROSS JOIN has SQLite begin with the index of logins, which is a hundred times as fast among 100,000 viewers.
  byLogin: `viewers v CROSS JOIN viewer_channels c ON c.user_id = v.user_id
    WHERE v.login >= max(@from, @login) AND v.login < @to AND c.channel = @channel
      AND (v.login, v.user_id) > (@login, @userId)
    ORDER BY v.login, v.user_id LIMIT @limit`,
} as const;

/** Pages of viewers: last seen first, or most notes first; with `q`, those whose login begins with it. */
function prepareViewerPages(
  select: <R>(
    shape: Shape<R>,
    from: string,
  ) => (values: Readonly<Record<string, string | number>>) => R[],
  now: () => number,
) {
  const byNotes = select(COUNTED_VIEWER, VIEWER_LISTS.mostNotes);
  const byLogin = select(VIEWER, VIEWER_LISTS.byLogin);
  const withNotes = select(VIEWER, VIEWER_LISTS.withNotes);
  const latest = select(VIEWER, VIEWER_LISTS.latest);
  return (query: {
    channel: string;
    q: string;
    sort: "" | "seen" | "notes";
    only: "" | "all" | "notes";
    after?: string | undefined;
    limit: number;
  }) => {
    const { channel, q, sort, only, after = "", limit } = query;
    const from = q.trim().replace(/^@/, "").toLowerCase();
    const [, at, userId = "", login = ""] = PERSON_PLACE.exec(after) ?? [];
    const values = {
      ...{ channel, from, to: `${from}\u{10ffff}`, place: Number(at ?? NEWEST), userId, login },
      ...{ nowMs: now(), limit: limit + 1 },
    };
    if (from === "" && sort === "notes")
      return cutPage(
        byNotes(values),
        limit,
        (last) => `${last.counted}.${last.userId}.${last.login}`,
      );
    const bySeen = only === "notes" ? withNotes : latest;
    const found = from === "" ? bySeen : byLogin;
    return cutPage(
      found(values),
      limit,
      (last) => `${last.lastSeenAtMs}.${last.userId}.${last.login}`,
    );
  };
}

/** Prepares small reads for the page: what waits, corrected replies, the live channel, and forgets by day. */
function prepareOverviewReads(db: Db, now: () => number) {
  const { toReview, waitingForRegulars } = prepareNoteSums(db, now);
  const sql = prepareStatements(db);
  const held = sql.value<[], number>(
    "SELECT count(*) FROM action_log WHERE decision = 'hold' AND waits_for = 'streamer'",
  );
  const corrected = sql.values<[], number>(
    `SELECT reply_id FROM
       (SELECT action, reply_id FROM action_log WHERE decision = 'run' ORDER BY id DESC LIMIT ${RUNS_BACK})
     WHERE action = 'correct' AND reply_id IS NOT NULL`,
  );
  const live = sql.one<[string], { isLive: number | null; title: string; category: string }>(
    `SELECT is_live AS isLive, title, category FROM channel_state
     WHERE channel IN (SELECT value FROM json_each(?)) ORDER BY is_live DESC, channel LIMIT 1`,
  );
  return {
    waitingForRegulars,
    /** Counts the notes, up to a hundred, and the proposals that wait for the streamer. */
    tallies: () => ({ toReview: toReview(), held: held() ?? 0 }),
    /** Returns the replies in whose turn the viewer corrected a note. */
    corrected: (): ReadonlySet<number> => new Set(corrected()),
    /** Returns the state of the live channel, or of the first one. `isLive` is null if unknown. */
    liveState: (channels: readonly string[]) => {
      const row = live(JSON.stringify(channels));
      const isLive = row?.isLive == null ? null : row.isLive === 1;
      return { isLive, title: row?.title ?? "", category: row?.category ?? "" };
    },
    /** Counts the forgotten viewers of each day, newest first, without names. */
    forgets: sql.all<[number], { day: string; viewers: number; lastAtMs: number }>(
      `SELECT date(forgotten_at / 1000, 'unixepoch', 'localtime') AS day, count(*) AS viewers,
         max(forgotten_at) AS lastAtMs FROM forgets GROUP BY day ORDER BY day DESC LIMIT ?`,
    ),
  };
}

/** Filters of a list of notes; "" is no filter. */
interface NotesQuery extends PageQuery {
  /** Words of the fact, part of a name, or a note's number. */
  readonly q: string;
  readonly scope: string;
  /** "": active, shadow and pending; `all`: every status. */
  readonly status: string;
  readonly kind: string;
  /** A JSON list of user ids. */
  readonly subjects: string;
  readonly channel: string;
}

/** The most notes that one page reads if no index serves. That takes some milliseconds. */
const NOTES_READ_MAX = 20_000;
const NEWEST_BACK = 1_000;
/** Shorter words are part of too many names. */
const NAME_CHARS_MIN = 3;
const COUNTS = `n.status IN ('active', 'shadow', 'pending') AND ${STATUS_NOW} <> 'expired'`;

/** Reads notes as the page lists them. */
export function readNotes(data: { db: Db; nowMs: number; browse: { nameOf: NameOf } }) {
  const { db, nowMs, browse } = data;
  const select = (where: string, values: object): ListedNote[] =>
    db
      .prepare<[object], object>(`SELECT ${NOTE.columns} FROM ${NOTES_AND_NAMES} WHERE ${where}`)
      .all({ ...values, nowMs })
      .map((row) => NOTE.read(row, browse.nameOf));
  const newestNoteId = prepareNewestNote(db);
  return {
    newestNoteId,
    /** Returns notes, newest first. A search ends early among very many notes; `next` goes on. */
    notes: (query: NotesQuery): ListPage<ListedNote> => {
      const { limit } = query;
      const before = Math.min(query.after ?? NEWEST, newestNoteId() + 1);
      const { where, values, isIndexed } = filterNotes(query);
      const from = isIndexed ? 0 : Math.max(0, before - NOTES_READ_MAX);
      // The inner query sorts numbers alone: columns are read for the rows of the page.
      const found = select(
        `n.id IN (SELECT n.id FROM ${NOTES_AND_NAMES} WHERE n.id >= @from AND n.id < @before${where}
           ORDER BY n.id DESC LIMIT @limit) ORDER BY n.id DESC`,
        { ...query, ...values, from, before, limit: limit + 1 },
      );
      if (found.length > limit) return cutPage(found, limit, ({ id }) => String(id));
      return { items: found, next: from > 0 ? String(from) : null };
    },
    note: (id: number): ListedNote | null => select("n.id = @id", { id })[0] ?? null,
    newest: (limit: number): ListedNote[] =>
      select(`n.id > @from AND ${COUNTS} ORDER BY n.id DESC LIMIT @limit`, {
        from: newestNoteId() - NEWEST_BACK,
        limit,
      }),
    /** Returns the notes that wait for the streamer, oldest first. */
    waiting: (limit: number): ListedNote[] =>
      select(
        `n.status IN ('shadow', 'pending') AND ${STATUS_NOW} <> 'expired'
         ORDER BY n.last_confirmed_at, n.id LIMIT @limit`,
        { limit },
      ),
    /** Returns active notes made after a note and since a time, newest first. */
    newSince: (id: number, sinceMs: number, limit: number): ListedNote[] =>
      prepareStatements(db)
        .values<[], string>(NOTE_CHANNELS)()
        .flatMap((channel) =>
          select(
            `n.channel = @channel AND n.created_at >= @sinceMs AND +n.id > @id AND ${IN_FORCE}
             ORDER BY n.created_at DESC, n.id DESC LIMIT @limit`,
            { channel, sinceMs, id, limit },
          ),
        )
        .toSorted((one, other) => other.createdAtMs - one.createdAtMs || other.id - one.id)
        .slice(0, limit),
    notesOfEpisode: (episodeId: number): ListedNote[] =>
      select(
        "n.id IN (SELECT note_id FROM note_evidence WHERE episode_id = @episodeId) ORDER BY n.id",
        { episodeId },
      ),
  };
}

/** Names only the filters that are set, so that the planner sees which index serves. */
function filterNotes({ q, scope, status, kind, subjects, channel }: NotesQuery) {
  const isOfChannel = scope === "channel" || scope === "bit";
  const search = searchNotes(q);
  const terms = [
    scope !== "" && "n.scope = @scope",
    kind !== "" && "n.kind = @kind",
    subjects !== "" && "n.subject_id IN (SELECT value FROM json_each(@subjects))",
    channel !== "" && "n.channel = @channel",
    status === "" && COUNTS,
    status !== "" && status !== "all" && `n.status = @status AND ${STATUS_NOW} = n.status`,
    // The index over channel, scope and subject serves if all three are named.
    isOfChannel && "n.subject_id IS NULL",
    isOfChannel && channel === "" && `n.channel IN (${NOTE_CHANNELS})`,
    search.term !== "" && search.term,
  ].filter((term) => term !== false);
  const where = terms.map((term) => ` AND ${term}`).join("");
  return { where, values: search.values, isIndexed: isOfChannel || subjects !== "" };
}

/** Finds notes with the stem or the first letters of every word; also by number and by part of a name. */
function searchNotes(q: string) {
  const stems = readStems(q);
  const parts = q.split(/[\s@#]+/u).filter((part) => part !== "");
  const words = stems.map((_, n) => `instr(' ' || n.words || ' ', @stem${n}) > 0`).join(" AND ");
  const others = parts.map((part, n) => {
    const inName = `instr(lower(${NAME}), @part${n}) > 0`;
    return part.length < NAME_CHARS_MIN ? `n.id = @part${n}` : `(n.id = @part${n} OR ${inName})`;
  });
  const terms = [...(words === "" ? [] : [`(${words})`]), ...others];
  const values = Object.fromEntries([
    ...stems.map((stem, n) => [
      `stem${n}`,
      stem.length < NAME_CHARS_MIN ? ` ${stem} ` : ` ${stem}`,
    ]),
    ...parts.map((part, n) => [`part${n}`, part.toLowerCase()]),
  ]);
  return { term: terms.length === 0 ? "" : `(${terms.join(" OR ")})`, values };
}
