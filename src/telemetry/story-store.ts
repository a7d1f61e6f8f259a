import { nameReader } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { statements } from "../database/statements.ts";
import { fillNames } from "../language/people.ts";
import { noteNews } from "../memory/note-view-store.ts";
import type { Period } from "./period-store.ts";

/** People, notes and moments of a period, with names. For a screen, never for a file. */
export type Story = ReturnType<typeof readStory>;

const PEOPLE_MAX = 10;
const TOPICS_MAX = 3;

/** Reads it in short statements. Raids are known for as long as events are stored. */
export function readStory(db: Db, period: Period, nowMs: number) {
  const { fromMs, toMs, callsToMs: lateMs, sessionId } = period;
  const nameOf = nameReader(db);
  const span = { channels: JSON.stringify(period.channels), fromMs, toMs, lateMs, sessionId };
  const rows = <T>(sql: string): T[] => statements(db).all<[object], T>(sql)(span);
  const here = "IN (SELECT value FROM json_each(:channels))";
  const { learned, faded, ...counts } = noteNews(db, { ...span, nowMs });
  const firstSeen = (sign: ">=" | "<"): string[] =>
    rows<{ name: string }>(
      `SELECT v.display_name AS name FROM viewer_channels c JOIN viewers v USING (user_id)
       WHERE c.channel ${here} AND c.is_broadcaster = 0 AND c.first_seen_at ${sign} :fromMs AND c.first_seen_at <= :toMs
         AND (c.channel, c.user_id) IN (SELECT e.channel, p.user_id FROM episodes e
           JOIN episode_participants p ON p.episode_id = e.id WHERE e.ended_at BETWEEN :fromMs AND :lateMs)
       ORDER BY c.message_count DESC`,
    ).map(({ name }) => name);
  return {
    /** Viewers who got replies, most first. */
    talked: rows<{ name: string; replies: number }>(
      `SELECT v.display_name AS name, count(*) AS replies FROM replies r JOIN viewers v USING (user_id)
       WHERE r.channel ${here} AND r.state = 'sent' AND r.created_at BETWEEN :fromMs AND :toMs
       GROUP BY r.user_id ORDER BY replies DESC, name LIMIT ${PEOPLE_MAX}`,
    ),
    /** Viewers who chatted here for the first time. */
    fresh: firstSeen(">="),
    /** Viewers known from before, in what was summarised of this period. */
    back: firstSeen("<"),
    /** `before`: the fact that it replaced, or null. */
    learned: learned.map((note) => ({
      ...note,
      fact: fillNames(note.fact, nameOf),
      before: note.before === null ? null : fillNames(note.before, nameOf),
    })),
    /** Older notes that expired or made room. */
    fadedCount: faded[0]?.total ?? 0,
    faded: faded.map(({ id, fact }) => ({ id, fact: fillNames(fact, nameOf) })),
    ...counts,
    forgotten:
      rows<{ viewers: number }>(
        "SELECT count(*) AS viewers FROM forgets WHERE forgotten_at BETWEEN :fromMs AND :lateMs",
      )[0]?.viewers ?? 0,
    raids: rows<{ name: string; raiders: number | null }>(
      `SELECT coalesce(v.display_name, 'somebody') AS name, e.amount AS raiders
       FROM events e LEFT JOIN viewers v USING (user_id)
       WHERE e.channel ${here} AND e.kind = 'raid' AND e.created_at BETWEEN :fromMs AND :toMs ORDER BY e.id`,
    ),
    /** How often something else was that Twitch reported. */
    moments: rows<{ kind: string; many: number }>(
      `SELECT kind, count(*) AS many FROM moments WHERE channel ${here} AND kind <> 'raid'
         AND at BETWEEN :fromMs AND :toMs GROUP BY kind ORDER BY many DESC, kind`,
    ),
    /** The topics with the most messages. */
    busiest: rows<{ topic: string; messages: number }>(
      `SELECT topic, sum(event_count) AS messages FROM episodes WHERE channel ${here} AND topic <> ''
         AND (session_id = :sessionId OR (:sessionId IS NULL AND ended_at BETWEEN :fromMs AND :lateMs))
       GROUP BY topic ORDER BY messages DESC LIMIT ${TOPICS_MAX}`,
    ),
  };
}
