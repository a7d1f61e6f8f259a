import { z } from "zod";
import { prepareNameRead } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { fillNames } from "../language/people.ts";

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

const readList = (json: string): unknown => JSON.parse(json);
const readText = (stored: string | null, nameOf: NameOf): string | null =>
  stored === null ? null : fillNames(stored, nameOf);
const text = z.string();
const number = z.int();
const timeMs = z.int();

const NAME = "coalesce(v.display_name, 'someone')";

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
const REPLIES = "replies r LEFT JOIN viewers v ON v.user_id = r.user_id";
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
