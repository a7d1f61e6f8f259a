import type { Db } from "../platform/database/open-database.ts";
import { REST_EVENTS_MIN } from "./windows.ts";

export interface EndedStream {
  readonly id: number;
  readonly channel: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Answers that were no recap. */
  readonly tries: number;
}

export interface StreamDigest {
  readonly topic: string;
  readonly summary: string;
}

export interface SessionStore {
  /** Streams that ended since `sinceMs`, whose chat is all summarised, and of which a recap may still come. */
  withoutRecap(channel: string, sinceMs: number, triesMax: number): EndedStream[];
  digests(sessionId: number): StreamDigest[];
  setRecap(sessionId: number, recap: string): void;
  setTries(sessionId: number, tries: number): void;
  /** The last stream with a recap, or null. */
  lastRecap(channel: string): (EndedStream & { readonly recap: string }) | null;
}

export function sessionStore(db: Db): SessionStore {
  const columns =
    "s.id, s.channel, s.started_at AS startedAtMs, s.ended_at AS endedAtMs, s.recap_tries AS tries";
  const withoutRecap = db.prepare<[string, number, number], EndedStream>(
    `SELECT ${columns} FROM stream_sessions s
     WHERE s.channel = ? AND s.ended_at > ? AND s.recap IS NULL AND s.recap_tries < ?
       AND EXISTS (SELECT 1 FROM episodes e WHERE e.session_id = s.id AND e.summary <> '')
       AND NOT EXISTS (SELECT 1 FROM episodes e WHERE e.session_id = s.id AND e.stage = 'claimed')
       AND (SELECT count(*) FROM (SELECT 1 FROM events w WHERE w.channel = s.channel AND w.memorable = 1
              AND w.episode_id IS NULL AND w.text IS NOT NULL AND w.created_at <= s.ended_at
              ORDER BY w.id LIMIT ${REST_EVENTS_MIN})) < ${REST_EVENTS_MIN}
     ORDER BY s.id`,
  );
  const digests = db.prepare<[number], StreamDigest>(
    "SELECT topic, summary FROM episodes WHERE session_id = ? AND summary <> '' ORDER BY ended_at, id",
  );
  const setRecap = db.prepare<[string, number]>(
    "UPDATE stream_sessions SET recap = ? WHERE id = ?",
  );
  const setTries = db.prepare<[number, number]>(
    "UPDATE stream_sessions SET recap_tries = ? WHERE id = ?",
  );
  const lastRecap = db.prepare<[string], EndedStream & { recap: string }>(
    `SELECT ${columns}, s.recap FROM stream_sessions s
     WHERE s.channel = ? AND s.recap IS NOT NULL AND s.recap <> '' ORDER BY s.id DESC LIMIT 1`,
  );
  return {
    withoutRecap: (channel, sinceMs, triesMax) => withoutRecap.all(channel, sinceMs, triesMax),
    digests: (sessionId) => digests.all(sessionId),
    setRecap: (sessionId, recap) => {
      setRecap.run(recap, sessionId);
    },
    setTries: (sessionId, tries) => {
      setTries.run(tries, sessionId);
    },
    lastRecap: (channel) => lastRecap.get(channel) ?? null,
  };
}
