import type { Db } from "../platform/database/open-database.ts";

/** A stream as a report finds it. */
export interface StreamRow {
  readonly id: number;
  readonly channel: string;
  readonly startedAtMs: number;
  /** null while it runs. */
  readonly endedAtMs: number | null;
}

export interface StreamStore {
  stream(id: number): StreamRow | null;
  /** The newest; of one channel, or of all. */
  last(channel: string | null): StreamRow | null;
  /** The streams of a channel before one of them, newest first. */
  before(stream: StreamRow, limit: number): readonly StreamRow[];
  /** When the next one in its channel began; null where none did. */
  nextStartMs(stream: StreamRow): number | null;
  channels(): readonly string[];
  /** When the bot last had something to answer, by its own clock; 0 where it never had. */
  latestMs(): number;
}

const COLUMNS = "id, channel, started_at AS startedAtMs, ended_at AS endedAtMs";

export function streamStore(db: Db): StreamStore {
  const one = db.prepare<[number], StreamRow>(
    `SELECT ${COLUMNS} FROM stream_sessions WHERE id = ?`,
  );
  const newest = db.prepare<[{ channel: string | null }], StreamRow>(
    `SELECT ${COLUMNS} FROM stream_sessions WHERE :channel IS NULL OR channel = :channel
     ORDER BY id DESC LIMIT 1`,
  );
  const earlier = db.prepare<[string, number, number], StreamRow>(
    `SELECT ${COLUMNS} FROM stream_sessions WHERE channel = ? AND started_at < ?
     ORDER BY started_at DESC LIMIT ?`,
  );
  const next = db
    .prepare<[string, number], number | null>(
      "SELECT min(started_at) FROM stream_sessions WHERE channel = ? AND started_at > ?",
    )
    .pluck();
  const channels = db
    .prepare<[], string>("SELECT channel FROM channel_state ORDER BY channel")
    .pluck();
  const latest = db
    .prepare<[], number>("SELECT created_at FROM replies ORDER BY id DESC LIMIT 1")
    .pluck();
  return {
    stream: (id) => one.get(id) ?? null,
    last: (channel) => newest.get({ channel }) ?? null,
    before: ({ channel, startedAtMs }, limit) => earlier.all(channel, startedAtMs, limit),
    nextStartMs: ({ channel, startedAtMs }) => next.get(channel, startedAtMs) ?? null,
    channels: () => channels.all(),
    latestMs: () => latest.get() ?? 0,
  };
}
