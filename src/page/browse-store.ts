import { z } from "zod";
import { NOTE_SCOPES } from "../catalogue/note-kinds.ts";
import { prepareNameRead } from "../chat/viewer-store.ts";
import { NOTE_STATUSES } from "../config/names.ts";
import type { Db } from "../database/open-database.ts";
import { fillNames } from "../language/people.ts";
import { readStems } from "../language/stems.ts";
import {
  IN_FORCE,
  NOTE_CHANNELS,
  NOTES_AND_NAMES,
  NOTES_OF_VIEWER,
  prepareNewestNote,
  STATUS_NOW,
} from "../memory/note-reads-store.ts";
import type { notesQuery, viewersQuery } from "./memory-routes.ts";
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

type Row<S extends { readonly read: (...given: never) => unknown }> = ReturnType<S["read"]>;

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
export type ListedNote = Row<typeof NOTE>;

export const VIEWER = shapeRow({
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
});

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
export type ReplyEnd = Row<typeof REPLY_END>;

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
export type ReplyRow = Row<typeof REPLY>;

export const STREAM = shapeRow({
  id: [number, "id"],
  channel: [text, "channel"],
  startedAtMs: [timeMs, "started_at"],
  endedAtMs: [timeMs.nullable(), "ended_at"],
  recap: [text.nullable(), "recap", readText],
});
export type ListedStream = Row<typeof STREAM>;

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
export type EpisodeRow = Row<typeof EPISODE>;

const EVENT = shapeRow({
  id: [number, "e.id"],
  kind: [text, "e.kind"],
  userId: [text.nullable(), "e.user_id"],
  viewer: [text.nullable(), "v.display_name"],
  text: [text.nullable(), "e.text"],
  amount: [number.nullable(), "e.amount"],
  createdAtMs: [timeMs, "e.created_at"],
});
export type EventRow = Row<typeof EVENT>;

interface Shape<R> {
  readonly columns: string;
  readonly read: (row: object, nameOf: NameOf) => R;
}

/** A page of a list. `next` begins the next page; null on the last one. */
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
const NOTES_BACK = 1_000;
/** The most notes that one page reads if no index serves. That takes some milliseconds. */
const NOTES_READ_MAX = 20_000;
/** Shorter words are part of too many names. */
const NAME_CHARS_MIN = 3;
const REPLIES = "replies r LEFT JOIN viewers v ON v.user_id = r.user_id";
const COUNTS = `n.status IN ('active', 'shadow', 'pending') AND ${STATUS_NOW} <> 'expired'`;

/** The end of a page of viewers: the sort key, user id and login of its last row. */
export const PERSON_PLACE = /^(\d{1,15})\.([^.]{1,40})\.(.{0,60})$/u;

/** The notes about each viewer of a channel, counted in an index. An expired one counts until the next sweep. */
const COUNTED = `(SELECT subject_id AS user_id, count(*) AS n FROM semantic_notes
  WHERE channel = @channel AND scope = 'viewer' AND subject_id IS NOT NULL
    AND status IN ('active', 'shadow', 'pending') GROUP BY subject_id)`;
/** The sort key and the rows of each list of viewers. */
const VIEWER_LISTS = {
  latest: [
    "c.last_seen_at",
    `viewer_channels c JOIN viewers v ON v.user_id = c.user_id
     WHERE c.channel = @channel AND c.last_seen_at <= @place
       AND (c.last_seen_at, c.user_id) < (@place, @userId)
     ORDER BY c.last_seen_at DESC, c.user_id DESC LIMIT @limit`,
  ],
  // The inner queries sort two columns alone: the others are read for the rows of the page.
  withNotes: [
    "s.seen_at",
    `(SELECT c.user_id AS id, c.last_seen_at AS seen_at
       FROM ${COUNTED} s CROSS JOIN viewer_channels c ON c.channel = @channel AND c.user_id = s.user_id
       WHERE (c.last_seen_at, c.user_id) < (@place, @userId) ORDER BY 2 DESC, 1 DESC LIMIT @limit) s
     JOIN viewer_channels c ON c.channel = @channel AND c.user_id = s.id
     JOIN viewers v ON v.user_id = s.id ORDER BY s.seen_at DESC, s.id DESC`,
  ],
  mostNotes: [
    "s.n",
    `(SELECT s.user_id AS id, s.n FROM ${COUNTED} s
       WHERE (s.n, s.user_id) < (@place, @userId) ORDER BY s.n DESC, s.user_id DESC LIMIT @limit) s
     JOIN viewer_channels c ON c.channel = @channel AND c.user_id = s.id
     JOIN viewers v ON v.user_id = s.id ORDER BY s.n DESC, s.id DESC`,
  ],
  // CROSS JOIN has SQLite begin with the index of logins, which is a hundred times as fast among 100,000 viewers.
  byLogin: [
    "0",
    `viewers v CROSS JOIN viewer_channels c ON c.user_id = v.user_id
     WHERE v.login >= max(@from, @login) AND v.login < @to AND c.channel = @channel
       AND (v.login, v.user_id) > (@login, @userId)
     ORDER BY v.login, v.user_id LIMIT @limit`,
  ],
} as const;

/** Reads the lists of the page: one page at a time, in a few milliseconds however much is stored. */
export class BrowseStore {
  readonly nameOf: NameOf;
  readonly #db: Db;
  readonly #now: () => number;

  constructor(db: Db, now: () => number) {
    this.#db = db;
    this.#now = now;
    this.nameOf = prepareNameRead(db);
  }

  #rows<R>(sql: string, values: object = {}): R[] {
    return this.#db.prepare<[object], R>(sql).all({ nowMs: this.#now(), ...values });
  }

  #select<R>({ columns, read }: Shape<R>, from: string, values: object): R[] {
    const rows = this.#rows<object>(`SELECT ${columns} FROM ${from}`, values);
    return rows.map((row) => read(row, this.nameOf));
  }

  /** Selects a page, newest first. Each of `filters` may be "". */
  #selectPage<R extends { readonly id: number }>(
    shape: Shape<R>,
    from: string,
    { after = NEWEST, limit, ...filters }: PageQuery & { state?: string; status?: string },
  ): ListPage<R> {
    const values = { ...filters, before: after, limit: limit + 1 };
    return cutPage(this.#select(shape, `${from} ORDER BY id DESC LIMIT @limit`, values), limit);
  }

  /** Returns viewers, last seen or most notes first; with `q`, those whose login begins with it. */
  viewers({ channel, q, sort, only, after = "", limit }: z.output<typeof viewersQuery>) {
    const from = q.trim().replace(/^@/, "").toLowerCase();
    const [, at = NEWEST, userId = "", login = ""] = PERSON_PLACE.exec(after) ?? [];
    let name: keyof typeof VIEWER_LISTS = only === "notes" ? "withNotes" : "latest";
    if (sort === "notes") name = "mostNotes";
    if (from !== "") name = "byLogin";
    const [place, list] = VIEWER_LISTS[name];
    const bounds = { from, to: `${from}\u{10ffff}`, place: Number(at), userId, login };
    const found = this.#rows<{ place: number; userId: string; login: string }>(
      `SELECT ${place} AS place, ${VIEWER.columns} FROM ${list}`,
      { channel, ...bounds, limit: limit + 1 },
    );
    const items = found.slice(0, limit).map((row) => VIEWER.read(row, this.nameOf));
    const last = found.length > limit ? found[limit - 1] : undefined;
    return { items, next: last ? `${last.place}.${last.userId}.${last.login}` : null };
  }

  /** `state` "": every reply. */
  replies(query: PageQuery & { state: string }): ListPage<ReplyRow> {
    const from = `${REPLIES} WHERE r.id < @before AND @state IN ('', r.state)`;
    return this.#selectPage(REPLY, from, query);
  }

  reply(id: number): ReplyRow | null {
    return this.#select(REPLY, `${REPLIES} WHERE r.id = @id`, { id })[0] ?? null;
  }

  /** Returns the newest sent replies that had a note in their prompt. */
  repliesWith(noteId: number, limit: number): ReplyRow[] {
    const from = `${REPLIES} WHERE r.id > (SELECT max(id) FROM replies) - ${TRAILS_BACK} AND r.state = 'sent'
      AND json_valid(r.token_usage_json)
      AND @noteId IN (SELECT value FROM json_each(r.token_usage_json, '$.notes.kept'))
      ORDER BY r.id DESC LIMIT @limit`;
    return this.#select(REPLY, from, { noteId, limit });
  }

  /** Returns the newest replies from `fromMs` to `toMs`, without texts, oldest first. */
  repliesBetween(fromMs: number, toMs: number): ReplyEnd[] {
    const from = "replies r WHERE r.created_at BETWEEN @fromMs AND @toMs";
    const values = { fromMs, toMs, limit: REPLIES_MAX };
    return this.#select(REPLY_END, `${from} ORDER BY r.id DESC LIMIT @limit`, values).reverse();
  }

  /** Returns chat and moments without the bot's answers, newest first. */
  chat(limit: number): EventRow[] {
    const from = `events e LEFT JOIN viewers v ON v.user_id = e.user_id
      WHERE e.id > (SELECT max(id) FROM events) - ${CHAT_BACK} AND e.reply_id IS NULL
        AND (e.text IS NOT NULL OR e.kind IN ('raid', 'sub', 'resub', 'gift', 'mystery_gift', 'streak'))
      ORDER BY e.id DESC LIMIT @limit`;
    return this.#select(EVENT, from, { limit });
  }

  streams(query: PageQuery): ListPage<ListedStream> {
    return this.#selectPage(STREAM, "stream_sessions WHERE id < @before", query);
  }

  /** `status` "": every episode. */
  episodes(query: PageQuery & { status: string }): ListPage<EpisodeRow> {
    const from = "episodes e WHERE e.id < @before AND @status IN ('', e.status)";
    return this.#selectPage(EPISODE, from, query);
  }

  failedEpisodes(limit: number): EpisodeRow[] {
    const from = "episodes e WHERE e.status = 'failed' ORDER BY e.id DESC LIMIT @limit";
    return this.#select(EPISODE, from, { limit });
  }

  episodesOf(sessionId: number, limit: number): EpisodeRow[] {
    const from = "episodes e WHERE e.session_id = @sessionId ORDER BY e.id LIMIT @limit";
    return this.#select(EPISODE, from, { sessionId, limit });
  }

  /** Returns summaries with sentences that only unknown viewers support, newest first. */
  unproven(limit: number): EpisodeRow[] {
    const from = "episodes e WHERE e.unproven <> '' ORDER BY e.ended_at DESC LIMIT @limit";
    return this.#select(EPISODE, from, { limit });
  }

  /**
   * Returns notes, newest first. `subjects`: only notes about these accounts, a JSON list of user ids; "": all. A
   * search ends early among very many notes, and `next` continues it.
   */
  notes(query: z.output<typeof notesQuery>, subjects: string): ListPage<ListedNote> {
    const { limit } = query;
    const before = Math.min(query.after ?? NEWEST, prepareNewestNote(this.#db)() + 1);
    const { where, values, isIndexed } = filterNotes(query, subjects);
    const from = isIndexed ? 0 : Math.max(0, before - NOTES_READ_MAX);
    // The inner query sorts numbers alone: columns are read for the rows of the page.
    const found = this.#selectNotes(
      `n.id IN (SELECT n.id FROM ${NOTES_AND_NAMES} WHERE n.id >= @from AND n.id < @before${where}
         ORDER BY n.id DESC LIMIT @limit) ORDER BY n.id DESC`,
      { ...query, ...values, subjects, from, before, limit: limit + 1 },
    );
    if (found.length > limit) return cutPage(found, limit);
    return { items: found, next: from > 0 ? String(from) : null };
  }

  #selectNotes(where: string, values: object): ListedNote[] {
    return this.#select(NOTE, `${NOTES_AND_NAMES} WHERE ${where}`, values);
  }

  note(id: number): ListedNote | null {
    return this.#selectNotes("n.id = @id", { id })[0] ?? null;
  }

  newestNotes(limit: number): ListedNote[] {
    const where = `n.id > (SELECT max(id) FROM semantic_notes) - ${NOTES_BACK} AND ${COUNTS}`;
    return this.#selectNotes(`${where} ORDER BY n.id DESC LIMIT @limit`, { limit });
  }

  /** Returns the notes that wait for the streamer, oldest first. */
  waitingNotes(limit: number): ListedNote[] {
    const where = `n.status IN ('shadow', 'pending') AND ${STATUS_NOW} <> 'expired'
      ORDER BY n.last_confirmed_at, n.id LIMIT @limit`;
    return this.#selectNotes(where, { limit });
  }

  /** Returns active notes made after a note and since a time, newest first. */
  notesSince(id: number, sinceMs: number, limit: number): ListedNote[] {
    const where = `n.channel = @channel AND n.created_at >= @sinceMs AND +n.id > @id AND ${IN_FORCE}
      ORDER BY n.created_at DESC, n.id DESC LIMIT @limit`;
    return this.#rows<{ channel: string }>(NOTE_CHANNELS)
      .flatMap(({ channel }) => this.#selectNotes(where, { channel, sinceMs, id, limit }))
      .toSorted((one, other) => other.createdAtMs - one.createdAtMs || other.id - one.id)
      .slice(0, limit);
  }

  notesOfEpisode(episodeId: number): ListedNote[] {
    const ids = "SELECT note_id FROM note_evidence WHERE episode_id = @episodeId";
    return this.#selectNotes(`n.id IN (${ids}) ORDER BY n.id`, { episodeId });
  }

  /** Returns the replies in whose turn the viewer corrected a note. */
  corrected(): ReadonlySet<number> {
    const found = this.#rows<{ id: number }>(
      `SELECT reply_id AS id FROM
         (SELECT action, reply_id FROM action_log WHERE decision = 'run' ORDER BY id DESC LIMIT ${RUNS_BACK})
       WHERE action = 'correct' AND reply_id IS NOT NULL`,
    );
    return new Set(found.map(({ id }) => id));
  }
}

/** Cuts off the row that only shows whether there are more. */
function cutPage<R extends { readonly id: number }>(
  rows: readonly R[],
  limit: number,
): ListPage<R> {
  const items = rows.slice(0, limit);
  return { items, next: rows.length > limit ? String(items.at(-1)?.id) : null };
}

/** Names only the filters that are set, so that the planner sees which index serves. */
function filterNotes(query: z.output<typeof notesQuery>, subjects: string) {
  const { q, scope, status, kind, channel } = query;
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
