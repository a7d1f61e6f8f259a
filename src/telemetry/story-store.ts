import { nameReader } from "../chat/viewer-store.ts";
import { fillNames } from "../language/people.ts";
import { noteNews } from "../memory/note-lists-store.ts";
import { localTime } from "../platform/config/local-time.ts";
import type { Db } from "../platform/database/open-database.ts";
import { statements } from "../platform/database/statements.ts";
import { dollars, plural, span } from "./figures.ts";
import type { Period } from "./period-store.ts";
import { mendOfSilence, whySilent } from "./plain-names.ts";
import type { Report } from "./report.ts";
import { titleOf } from "./report-figures.ts";

/** What a streamer wants to read after a stream: people, what was learned, moments, what went wrong. With names. */
export type Story = ReturnType<typeof readStory>;

const PEOPLE_MAX = 10;
const TOPICS_MAX = 3;

/** Reads it from the database in short statements. Raids are known for as long as events are kept. */
export function readStory(
  db: Db,
  { channels, fromMs, toMs, callsToMs, sessionId }: Period,
  nowMs: number,
) {
  const nameOf = nameReader(db);
  const named = (text: string): string => fillNames(text, nameOf);
  const span = { channels: JSON.stringify(channels), fromMs, toMs, lateMs: callsToMs, sessionId };
  const rows = <T>(sql: string): T[] => statements(db).all<[object], T>(sql)(span);
  const here = "IN (SELECT value FROM json_each(:channels))";
  const news = noteNews(db, { channels: span.channels, fromMs, lateMs: callsToMs, nowMs });
  const seenSince = (sign: string): string[] =>
    rows<{ name: string }>(
      `SELECT v.display_name AS name FROM viewer_channels c JOIN viewers v USING (user_id)
       WHERE c.channel ${here} AND c.is_broadcaster = 0 AND c.first_seen_at ${sign} :fromMs AND c.first_seen_at <= :toMs
         AND EXISTS (SELECT 1 FROM episode_participants p JOIN episodes e ON e.id = p.episode_id
           WHERE p.user_id = c.user_id AND e.channel = c.channel AND e.ended_at BETWEEN :fromMs AND :lateMs)
       ORDER BY c.message_count DESC`,
    ).map(({ name }) => name);
  return {
    /** Who had an answer, most first. */
    talked: rows<{ name: string; replies: number }>(
      `SELECT v.display_name AS name, count(*) AS replies FROM replies r JOIN viewers v USING (user_id)
       WHERE r.channel ${here} AND r.state = 'sent' AND r.created_at BETWEEN :fromMs AND :toMs
       GROUP BY r.user_id ORDER BY replies DESC, name LIMIT ${PEOPLE_MAX}`,
    ),
    /** Who chatted here for the first time. */
    fresh: seenSince(">="),
    /** Known from before, and in what was summarised of this stream. */
    back: seenSince("<"),
    /** With what each replaced; null where nothing. */
    learned: news.learned.map((note) => ({
      ...note,
      fact: named(note.fact),
      before: note.before === null ? null : named(note.before),
    })),
    forgotten:
      rows<{ people: number }>(
        "SELECT count(*) AS people FROM forgets WHERE forgotten_at BETWEEN :fromMs AND :lateMs",
      )[0]?.people ?? 0,
    /** Notes of before that ran out, or made room, meanwhile. */
    faded: news.faded.map(({ id, fact }) => ({ id, fact: named(fact) })),
    /** What was talked of most, by lines that a summary covers. */
    busiest: rows<{ topic: string; lines: number }>(
      `SELECT topic, sum(event_count) AS lines FROM episodes WHERE channel ${here} AND topic <> ''
         AND (session_id = :sessionId OR (:sessionId IS NULL AND ended_at BETWEEN :fromMs AND :lateMs))
       GROUP BY topic ORDER BY lines DESC LIMIT ${TOPICS_MAX}`,
    ),
    raids: rows<{ name: string; people: number | null }>(
      `SELECT coalesce(v.display_name, 'somebody') AS name, e.amount AS people
       FROM events e LEFT JOIN viewers v USING (user_id)
       WHERE e.channel ${here} AND e.kind = 'raid' AND e.created_at BETWEEN :fromMs AND :toMs ORDER BY e.id`,
    ),
    /** Answers that somebody faulted or a moderator deleted, with the notes about the viewer that stood in their prompts. */
    faulted: rows<{ reply: number; notes: string | null }>(
      `SELECT r.id AS reply, json_extract(r.token_usage_json, '$.ids.lore') AS notes FROM replies r
       WHERE r.channel ${here} AND r.created_at BETWEEN :fromMs AND :toMs AND EXISTS (SELECT 1
         FROM reply_outcomes o WHERE o.reply_id = r.id AND o.kind IN ('bad', 'negative', 'deleted'))
       ORDER BY r.id`,
    ).map(({ reply, notes }) => ({ reply, notes: idsIn(notes) })),
    pending: news.pending,
  };
}

function idsIn(json: string | null): number[] {
  const ids: unknown = json === null ? [] : JSON.parse(json);
  return Array.isArray(ids) ? ids.filter((id) => typeof id === "number") : [];
}

const NAMES_MAX = 12;
const FACTS_MAX = 25;
/** Of the reasons for silence the most frequent are told. */
const REASONS_MAX = 4;

/**
 * A stream on one page: people first, then what was learned, moments, what went wrong and what to do about it, and what
 * it cost. What there is nothing to say of has no heading.
 */
export function storyText(story: Story, report: Report): string {
  const { fromMs, toMs } = report.period;
  return [
    `${titleOf(report.period)}, ${localTime(fromMs)}, ${span(toMs - fromMs)}`,
    ...part("People", people(story)),
    ...part(story.learned.length > 0 ? "What it learned" : "What it forgot", learned(story)),
    ...part("Moments", moments(story)),
    ...part("What to look at", lookAt(story, report)),
    ...part("Cost", cost(report)),
    "",
    "`forgetmenot report --details` has the numbers, `forgetmenot replies` what it said.",
  ].join("\n");
}

function part(name: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", name, ...lines.map((line) => `  ${line}`)];
}

function people({ talked, fresh, back }: Story): string[] {
  const most = talked.map(({ name, replies }) => (replies === 1 ? name : `${name} (${replies})`));
  return [
    ...(most.length === 0 ? ["Nobody had an answer."] : [`Talked to it: ${list(most)}`]),
    ...(fresh.length === 0 ? [] : [`Here for the first time: ${list(fresh)}`]),
    ...(back.length === 0 ? [] : [`Came back: ${list(back)}`]),
  ];
}

function learned({ learned: facts, faded, forgotten }: Story): string[] {
  return [
    ...few(
      facts.map(({ id, fact, status, before }) => {
        const instead = before === null ? "" : `; before: ${before}`;
        return `[${id}] ${fact}${instead}${status === "pending" ? " (waits for you)" : ""}`;
      }),
    ),
    ...few(faded.map(({ id, fact }) => `[${id}] ${fact} (ran out)`)),
    ...when(
      forgotten,
      `${plural(forgotten, "person", "people")} ${forgotten === 1 ? "is" : "are"} forgotten.`,
    ),
  ];
}

function few(lines: readonly string[]): string[] {
  const more = lines.length - FACTS_MAX;
  return [...lines.slice(0, FACTS_MAX), ...(more > 0 ? [`and ${more} more`] : [])];
}

function moments({ busiest, raids }: Story): string[] {
  return [
    ...raids.map(({ name, people: count }) =>
      count === null
        ? `${name} raided.`
        : `${name} raided with ${plural(count, "person", "people")}.`,
    ),
    ...(busiest.length === 0
      ? []
      : [
          `Most chatted about: ${busiest.map(({ topic, lines }) => `${topic} (${plural(lines, "line")})`).join("; ")}`,
        ]),
  ];
}

function lookAt({ faulted, pending }: Story, report: Report): string[] {
  const { callFailures, memory } = report;
  const failed = Object.values(callFailures).reduce((sum, count) => sum + count, 0);
  const { failedEpisodes } = memory.backlog;
  return [
    ...faults(faulted),
    ...when(
      pending,
      `${plural(pending, "note")} ${pending === 1 ? "waits" : "wait"} for your word: \`forgetmenot memory list --status pending\``,
    ),
    ...silences(report),
    ...when(
      failed,
      `${plural(failed, "call")} to the model failed: \`forgetmenot doctor\` tries it`,
    ),
    ...when(
      failedEpisodes,
      `${plural(failedEpisodes, "stretch", "stretches")} of chat could not be summarised: \`forgetmenot memory episodes\``,
    ),
  ];
}

function when(count: number, line: string): string[] {
  return count === 0 ? [] : [line];
}

function faults(faulted: Story["faulted"]): string[] {
  const replies = faulted.map(({ reply }) => reply);
  const notes = [...new Set(faulted.flatMap((one) => one.notes))].sort((a, b) => a - b);
  const isOne = replies.length === 1;
  return [
    ...when(
      replies.length,
      `${isOne ? "Reply" : "Replies"} ${all(replies)} ${isOne ? "was" : "were"} not liked: \`forgetmenot explain ${replies[0]}\``,
    ),
    ...when(
      notes.length,
      `look at ${notes.length === 1 ? "note" : "notes"} ${all(notes)}: \`forgetmenot memory show ${notes[0]}\``,
    ),
  ];
}

function silences({ replies }: Report): string[] {
  return Object.entries(replies.byReason)
    .filter(([reason]) => reason !== "shadow")
    .sort(([, one], [, other]) => other - one)
    .slice(0, REASONS_MAX)
    .map(([reason, count]) => {
      const mend = mendOfSilence(reason);
      const told = `Silent ${plural(count, "time")}: ${whySilent(reason)}`;
      return mend === null ? told : `${told}; ${mend}`;
    });
}

function cost({ spend }: Report): string[] {
  if (spend.calls === 0) return [];
  return [`${dollars(spend.dollars)} for ${plural(spend.calls, "call")} to the model`];
}

/** `13`, `13 and 31`, `7, 13 and 31`. */
function all(ids: readonly number[]): string {
  return ids.join(", ").replace(/, (\d+)$/, " and $1");
}

function list(names: readonly string[]): string {
  const more = names.length - NAMES_MAX;
  return `${names.slice(0, NAMES_MAX).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
