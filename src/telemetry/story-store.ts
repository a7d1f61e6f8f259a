import { fillNames } from "../language/people.ts";
import type { Db } from "../platform/database/open-database.ts";
import type { Period } from "./period.ts";

/** What a streamer wants to read after a stream: people, what was learned, moments, what went wrong. With names. */
export interface Story {
  /** Who had an answer, most first. */
  readonly talked: readonly { readonly name: string; readonly replies: number }[];
  /** Who chatted here for the first time. */
  readonly fresh: readonly string[];
  /** Known from before, and in what was summarised of this stream. */
  readonly back: readonly string[];
  readonly learned: readonly {
    readonly id: number;
    readonly fact: string;
    readonly status: string;
  }[];
  readonly replaced: readonly { readonly before: string; readonly after: string }[];
  /** Notes of before that ran out, or made room, meanwhile. */
  readonly faded: number;
  /** What was talked of most, by lines that a summary covers. */
  readonly busiest: readonly { readonly topic: string; readonly lines: number }[];
  readonly raids: readonly { readonly name: string; readonly people: number | null }[];
  /** Answers that somebody faulted or a moderator deleted, with the notes about the viewer that stood in their prompts. */
  readonly faulted: readonly { readonly reply: number; readonly notes: readonly number[] }[];
  readonly pending: number;
}

const PEOPLE_MAX = 10;
const TOPICS_MAX = 3;

/** Reads it from the database in short statements. Raids are known for as long as events are kept. */
export function readStory(db: Db, { channels, fromMs, toMs, callsToMs, sessionId }: Period): Story {
  const names = db
    .prepare<[string], string>("SELECT display_name FROM viewers WHERE user_id = ?")
    .pluck();
  const named = (text: string): string => fillNames(text, (userId) => names.get(userId) ?? null);
  const span = { channels: JSON.stringify(channels), fromMs, toMs, lateMs: callsToMs, sessionId };
  const rows = <T>(sql: string): T[] => db.prepare<unknown[], T>(sql).all(span);
  const here = "IN (SELECT value FROM json_each(:channels))";
  const seenSince = (sign: string): string[] =>
    rows<{ name: string }>(
      `SELECT v.display_name AS name FROM viewer_channels c JOIN viewers v USING (user_id)
       WHERE c.channel ${here} AND c.first_seen_at ${sign} :fromMs AND c.first_seen_at <= :toMs
         AND EXISTS (SELECT 1 FROM episode_participants p JOIN episodes e ON e.id = p.episode_id
           WHERE p.user_id = c.user_id AND e.channel = c.channel AND e.ended_at BETWEEN :fromMs AND :lateMs)
       ORDER BY c.message_count DESC`,
    ).map(({ name }) => name);
  return {
    talked: rows(
      `SELECT v.display_name AS name, count(*) AS replies FROM replies r JOIN viewers v USING (user_id)
       WHERE r.channel ${here} AND r.state = 'sent' AND r.created_at BETWEEN :fromMs AND :toMs
       GROUP BY r.user_id ORDER BY replies DESC, name LIMIT ${PEOPLE_MAX}`,
    ),
    fresh: seenSince(">="),
    back: seenSince("<"),
    learned: rows<Story["learned"][number]>(
      `SELECT id, fact, status FROM semantic_notes WHERE channel ${here}
         AND created_at BETWEEN :fromMs AND :lateMs AND status IN ('active', 'pending') ORDER BY scope DESC, id`,
    ).map((note) => ({ ...note, fact: named(note.fact) })),
    replaced: rows<Story["replaced"][number]>(
      `SELECT old.fact AS "before", new.fact AS "after" FROM semantic_notes old
       JOIN semantic_notes new ON new.id = old.superseded_by
       WHERE old.channel ${here} AND new.created_at BETWEEN :fromMs AND :lateMs ORDER BY new.id`,
    ).map(({ before, after }) => ({ before: named(before), after: named(after) })),
    faded:
      rows<{ faded: number }>(
        `SELECT count(*) AS faded FROM semantic_notes WHERE channel ${here} AND status = 'expired'
         AND expires_at BETWEEN :fromMs AND :lateMs`,
      )[0]?.faded ?? 0,
    busiest: rows(
      `SELECT topic, sum(event_count) AS lines FROM episodes WHERE channel ${here} AND topic <> ''
         AND (session_id = :sessionId OR (:sessionId IS NULL AND ended_at BETWEEN :fromMs AND :lateMs))
       GROUP BY topic ORDER BY lines DESC LIMIT ${TOPICS_MAX}`,
    ),
    raids: rows(
      `SELECT coalesce(v.display_name, 'somebody') AS name, e.amount AS people
       FROM events e LEFT JOIN viewers v USING (user_id)
       WHERE e.channel ${here} AND e.kind = 'raid' AND e.created_at BETWEEN :fromMs AND :toMs ORDER BY e.id`,
    ),
    faulted: rows<{ reply: number; notes: string | null }>(
      `SELECT r.id AS reply, json_extract(r.token_usage_json, '$.ids.lore') AS notes FROM replies r
       WHERE r.channel ${here} AND r.created_at BETWEEN :fromMs AND :toMs AND EXISTS (SELECT 1
         FROM reply_outcomes o WHERE o.reply_id = r.id AND o.kind IN ('bad', 'negative', 'deleted'))
       ORDER BY r.id`,
    ).map(({ reply, notes }) => ({ reply, notes: idsIn(notes) })),
    pending:
      rows<{ pending: number }>(
        `SELECT count(*) AS pending FROM semantic_notes WHERE channel ${here} AND status = 'pending'`,
      )[0]?.pending ?? 0,
  };
}

function idsIn(json: string | null): number[] {
  const ids: unknown = json === null ? [] : JSON.parse(json);
  return Array.isArray(ids) ? ids.filter((id) => typeof id === "number") : [];
}
