import { prepareNameRead } from "../chat/viewer-store.ts";
import { readLocalTime } from "../config/local-time.ts";
import type { Db } from "../database/open-database.ts";
import { openCounterStore } from "../database/runtime-store.ts";
import { prepareStatements } from "../database/statements.ts";
import { makeUsageFault } from "../errors.ts";
import { fillNames } from "../language/people.ts";
import { prepareNoteNews, prepareNoteSums } from "../memory/note-reads-store.ts";
import { COUNTED_MAX, calculateDistribution, calculateShare, type Tally } from "./figures.ts";

/** The content of `report --json`: ids, codes and numbers. Contains no chat text, note or episode. */
export type Report = ReturnType<typeof readReport>;

/** Reads every sum of a report, in SQL. `readStory` reads names and notes. */
export function readReport(db: Db, period: Period, nowMs: number) {
  const queries = prepareReplyQueries(db, period);
  const { channels, fromMs, toMs, callsToMs } = period;
  const counters = openCounterStore(db).read();
  return {
    version: 1 as const,
    madeAtMs: nowMs,
    period: { ...period, lengthMs: toMs - fromMs },
    replies: countReplies(queries),
    prompts: promptSums(queries),
    /** True if `spend`, `costPerDay` and `callFailures` include other channels: calls belong to none. */
    isSpendShared: listJoinedChannels(db).length > channels.length,
    ...sumModelSpend(db, fromMs, callsToMs),
    memory: {
      ...countMemoryChanges(db, { channels, fromMs, toMs: callsToMs }),
      ...countNotes(db, channels),
      backlog: openTelemetryStore(db, () => nowMs).backlog(),
      /** These count since the database was made. Events that expired before they were summarised: */
      unsummarised: counters["retention.unsummarised"] ?? 0,
      /** Messages that came faster than the model read them: */
      linesUnread: counters["memory.lines_unread"] ?? 0,
      /** Memory's calls that a cap prevented: */
      cappedCalls: (counters["compaction.failed.cap"] ?? 0) + (counters["extract.failed.cap"] ?? 0),
    },
    outcomes: countOutcomes(queries),
    drift: calculateDrift(db, period),
  };
}

interface Span {
  readonly channels: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
}

type NameCount = Record<"name", string> & Record<"count", number>;

function makeTally(rows: readonly NameCount[]): Tally {
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

const IDS_SHOWN = 10;
/** The replies of a span, as `r`. `trail` is null if no prompt was made or its record is damaged. */
const REPLIES = `r AS (SELECT *, CASE WHEN json_valid(token_usage_json) THEN token_usage_json END AS trail
  FROM replies WHERE id BETWEEN :fromId AND :toId AND +channel IN (SELECT value FROM json_each(:channels)))`;
/**
 * Outcomes of each sent reply, as `j`. Welcome: the viewer followed up or a thumb praised it, without thumb down,
 * deletion or timeout.
 */
const JUDGED = `o AS (SELECT r.id, kind FROM r JOIN reply_outcomes ON reply_id = r.id WHERE r.state = 'sent'),
  j AS (SELECT id, count(kind) > 0 AS isKnown, coalesce(max(kind IN ('bad', 'deleted', 'timed_out')), 0) AS isUnwelcome,
    max(kind IN ('good', 'viewer_answered')) AND NOT max(kind IN ('bad', 'deleted', 'timed_out')) AS isWelcome
  FROM r LEFT JOIN o USING (id) WHERE r.state = 'sent' GROUP BY id)`;
/** A note in fewer prompts has no score. */
const SCORED_MIN = 5;

type ReplyQueries = ReturnType<typeof prepareReplyQueries>;

function prepareReplyQueries(db: Db, { channels, fromMs, toMs }: Span) {
  // Ids and times grow together.
  const ids = prepareStatements(db).one<[number, number], Record<"fromId" | "toId", number | null>>(
    "SELECT min(id) AS fromId, max(id) AS toId FROM replies WHERE created_at BETWEEN ? AND ?",
  )(fromMs, toMs);
  const span = { ...ids, channels: JSON.stringify(channels) };
  const rows = <T>(sql: string): T[] =>
    prepareStatements(db).all<[object], T>(`WITH ${REPLIES}, ${JUDGED} ${sql}`)(span);
  const row = <T>(sql: string): T => rows<T>(sql)[0] as T;
  const tally = (name: string, from = "r"): Tally =>
    makeTally(
      rows<NameCount>(
        `SELECT ${name} AS name, count(*) AS count FROM ${from} GROUP BY 1 HAVING name IS NOT NULL ORDER BY 2 DESC, 1`,
      ),
    );
  return { rows, row, tally };
}

/** Counts replies by their result, and the decisions of guard and policy. */
function countReplies({ row, tally }: ReplyQueries) {
  const byState = tally("state");
  const byReason = tally("reason");
  return {
    ...row<Record<"total" | "overBudget" | "damaged" | "staleSnapshots", number>>(
      `SELECT count(*) AS total, coalesce(sum(trail ->> 'overBudget'), 0) AS overBudget,
         count(token_usage_json) - count(trail) AS damaged,
         coalesce(sum((trail ->> '$.prefix.fresh') = 0), 0) AS staleSnapshots FROM r`,
    ),
    sent: byState["sent"] ?? 0,
    /** Replies that a cap on calls, tokens or money prevented. */
    cappedReplies: byReason["model_cap"] ?? 0,
    byState,
    /** Counts by reason for not sending. */
    byReason,
    byTrigger: tally('"trigger"'),
    guardRemoved: tally("value", "r, json_each(trail, '$.guard.removed')"),
    guardStopped: tally("trail ->> '$.guard.rule'"),
    /** Proposals by decision and reason. */
    actions: tally(
      "format('%s (%s)', value ->> 'decision', value ->> 'reason')",
      "r, json_each(trail, '$.actions')",
    ),
  };
}

/** Measures prompts: sections, prefix, ladder, estimate and time. */
function promptSums({ rows, row }: ReplyQueries) {
  const latencies = (ms: string) =>
    calculateDistribution(
      rows<{ ms: number }>(`SELECT ${ms} AS ms FROM r WHERE ms IS NOT NULL`).map(({ ms }) => ms),
    );
  return {
    prompts: row<{ n: number }>("SELECT count(trail) AS n FROM r").n,
    /** Mean estimated tokens of each section, in the prompt's order. */
    sections: makeTally(
      rows<NameCount>(
        `SELECT s.key AS name, sum(s.value) * 1.0 / (SELECT count(trail) FROM r) AS count
         FROM r, json_each(trail, '$.sections') s GROUP BY 1 ORDER BY avg(s.id)`,
      ),
    ),
    /** Share of all estimated tokens; how often its version changed between prompts; how often the ladder cut it. */
    prefix: row<Record<"share" | "changes" | "cuts", number>>(
      `SELECT coalesce(sum(tokens) * 1.0 / nullif(sum(allTokens), 0), 0) AS share,
         coalesce(sum(hash <> lastHash AND version <> lastVersion), 0) AS changes,
         coalesce(sum(hash <> lastHash AND version = lastVersion), 0) AS cuts
       FROM (SELECT *, lag(hash) OVER w AS lastHash, lag(version) OVER w AS lastVersion
         FROM (SELECT id, channel, trail ->> '$.prefix.tokens' AS tokens, trail ->> '$.prefix.hash' AS hash,
             trail ->> '$.prefix.version' AS version,
             (SELECT sum(value) FROM json_each(trail, '$.sections')) AS allTokens FROM r WHERE trail IS NOT NULL)
         WINDOW w AS (PARTITION BY channel ORDER BY id))`,
    ),
    ladder: rows<
      Record<"messageKind" | "section", string> &
        Record<"fired" | "droppedLines" | "savedTokens", number>
    >(
      `SELECT trail ->> 'messageKind' AS messageKind, value ->> 'section' AS section, count(*) AS fired,
       sum((value ->> 'from') - (value ->> 'to')) AS droppedLines, sum(value ->> 'savedTokens') AS savedTokens
     FROM r, json_each(trail, '$.ladder') GROUP BY 1, 2 ORDER BY fired DESC, 1 DESC, 2`,
    ),
    /** Our estimate against the provider's count: mean error (0.1 is a tenth too many), and the share within 5 %. */
    estimates: rows<{ model: string; prompts: number; meanError: number; within5: number }>(
      `SELECT model, count(*) AS prompts, avg(error) AS meanError, avg(abs(error) <= 0.05) AS within5
       FROM (SELECT coalesce(trail ->> 'model', 'unknown') AS model,
           (trail ->> 'estimatedTokens') * 1.0 / (trail ->> 'promptTokens') - 1 AS error FROM r)
       WHERE error IS NOT NULL GROUP BY model ORDER BY prompts DESC, model`,
    ),
    /** Time in the model, ms. */
    modelLatency: latencies("latency_ms"),
    /** From the start of the turn to the message in chat, ms. */
    turnLatency: latencies("sent_at - created_at"),
  };
}

/** Joins outcomes to the notes in the prompts: correlation, not cause. */
function countOutcomes({ rows, row, tally }: ReplyQueries) {
  const counts = row<Record<"hits" | "known" | "of", number>>(
    `SELECT coalesce(sum(isWelcome), 0) AS hits, coalesce(sum(isKnown), 0) AS known, count(*) AS "of" FROM j`,
  );
  const ids = (sql: string): number[] => rows<{ id: number }>(sql).map(({ id }) => id);
  const welcome = calculateShare(counts.hits, counts.of);
  const ranked = rows<{ noteId: number; hits: number; of: number }>(
    `SELECT value AS noteId, coalesce(sum(isWelcome), 0) AS hits, count(*) AS "of"
     FROM j JOIN r USING (id), json_each(trail, '$.notes.kept')
     GROUP BY 1 HAVING count(*) >= ${SCORED_MIN} ORDER BY avg(coalesce(isWelcome, 0)) DESC, 3 DESC, 1`,
  ).map(({ noteId, hits, of }) => ({ noteId, score: calculateShare(hits, of) }));
  return {
    /** Sent replies with an outcome. */
    known: counts.known,
    byKind: tally("kind", "o"),
    /** Share of all sent replies. */
    welcome,
    /** The latest first. */
    unwelcomeIds: ids(`SELECT id FROM j WHERE isUnwelcome ORDER BY id DESC LIMIT ${IDS_SHOWN}`),
    /** Notes about the viewers of those replies, that were in the prompts. */
    unwelcomeNotes: ids(
      `SELECT DISTINCT value AS id FROM j JOIN r USING (id), json_each(trail, '$.ids.lore')
       WHERE isUnwelcome ORDER BY 1`,
    ),
    /** Notes whose replies were welcome more often than all together, and less often. */
    bestNotes: ranked.filter(({ score }) => score.share > welcome.share).slice(0, IDS_SHOWN),
    worstNotes: ranked
      .filter(({ score }) => score.share < welcome.share)
      .slice(-IDS_SHOWN)
      .reverse(),
  };
}

/**
 * Counts what memory made of a period's chat, and the active notes. Candidates, and with them the counts of notes,
 * are stored for 30 days.
 */
export function countMemoryChanges(db: Db, { channels, fromMs, toMs }: Span) {
  const given = { channels: JSON.stringify(channels), fromMs, toMs };
  const rows = <T>(sql: string): T[] => prepareStatements(db).all<[object], T>(sql)(given);
  const here = "channel IN (SELECT value FROM json_each(:channels))";
  const ended = `e.${here} AND e.ended_at >= :fromMs AND e.ended_at <= :toMs`;
  const episodes = makeTally(
    rows<NameCount>(
      `SELECT kind AS name, count(*) AS count FROM episodes e
       WHERE ${ended} AND stage <> 'claimed' GROUP BY kind`,
    ),
  );
  const candidates = rows<{ decision: string; reason: string; count: number }>(
    `SELECT decision, reason, count(*) AS count
     FROM episodes e JOIN note_candidates c ON c.episode_id = e.id WHERE ${ended}
     GROUP BY decision, reason ORDER BY count DESC, decision, reason`,
  );
  const countDecision = (name: string): number =>
    candidates.reduce((sum, { decision, count }) => sum + (decision === name ? count : 0), 0);
  return {
    /** Summaries of chat. Requests, imports and the streamer's own words are episodes too, and not counted. */
    episodes: (episodes["window"] ?? 0) + (episodes["direct"] ?? 0),
    gaps: episodes["gap"] ?? 0,
    notesMade: countDecision("write"),
    notesConfirmed: countDecision("confirm"),
    notesSuperseded: countDecision("supersede"),
    notesEvicted: countDecision("evict"),
    candidates,
  };
}

/** Counts active notes and their viewers in an index. An expired note counts until the next sweep. */
function countNotes(db: Db, channels: readonly string[]) {
  const found = prepareStatements(db).one<[string], Record<"active" | "viewersWithNotes", number>>(
    `SELECT coalesce(sum(n), 0) AS active, count(DISTINCT subject_id) AS viewersWithNotes
     FROM (SELECT subject_id, count(*) AS n FROM semantic_notes
       WHERE channel IN (SELECT value FROM json_each(?)) AND scope IN ('viewer', 'channel', 'bit')
         AND status = 'active' GROUP BY channel, scope, subject_id)`,
  )(JSON.stringify(channels));
  return { active: found?.active ?? 0, viewersWithNotes: found?.viewersWithNotes ?? 0 };
}

const DRIFT_MS = 30 * 86_400_000;
/** Fewer notes on a side make no comparison. */
const DRIFT_NOTES_MIN = 5;

/**
 * Compares learning before and after the last change of the memory policy: the cosine between counts of extracted
 * notes by scope and kind. 1 means the same mix. Returns null if the policy did not change for 30 days.
 */
function calculateDrift(db: Db, { channels, toMs }: Span) {
  const sql = prepareStatements(db);
  const [policy, previous] = sql.all<[number], { number: number; source: string; atMs: number }>(
    `SELECT number, source, created_at AS atMs FROM policy_history
     WHERE created_at <= ? ORDER BY number DESC LIMIT 2`,
  )(toMs);
  if (policy === undefined || previous === undefined) return null;
  const { atMs } = policy;
  if (atMs < toMs - DRIFT_MS) return null;
  const span = { channels: JSON.stringify(channels), toMs, atMs };
  const found = sql.one<
    [object],
    Record<"notesBefore" | "notesAfter", number> & Record<"cosine", number | null>
  >(
    `SELECT coalesce(sum(b), 0) AS notesBefore, coalesce(sum(a), 0) AS notesAfter,
       sum(a * b) / nullif(sqrt(sum(a * a)) * sqrt(sum(b * b)), 0) AS cosine
     FROM (SELECT count(*) FILTER (WHERE created_at <= :atMs) AS b, count(*) FILTER (WHERE created_at > :atMs) AS a
       FROM semantic_notes WHERE channel IN (SELECT value FROM json_each(:channels))
         AND created_at > :fromMs AND created_at <= :toMs AND source_kind = 'extracted' GROUP BY scope, kind)`,
  )({ ...span, fromMs: Math.max(previous.atMs, atMs - DRIFT_MS) });
  const { notesBefore = 0, notesAfter = 0, cosine = null } = found ?? {};
  const isEnough = Math.min(notesBefore, notesAfter) >= DRIFT_NOTES_MIN;
  return { policy, notesBefore, notesAfter, cosine: isEnough ? cosine : null };
}

/** `dollars` is null if no price is known; `unpriced` counts answered calls without one. */
type Sum = Record<
  "calls" | "failed" | "tokensIn" | "tokensCached" | "tokensOut" | "unpriced",
  number
> & { readonly dollars: number | null };

/** Memory is summaries, notes and recaps. null if no price is known; cached: if there were no input tokens. */
type Shares = Record<"memoryTokenShare", number> &
  Record<"memoryDollarShare" | "cachedShare", number | null>;

const CALLS = `(SELECT *, coalesce(prompt_tokens, 0) + coalesce(output_tokens, 0) AS tokens,
    purpose IN ('summarise', 'extract') AS isMemory
  FROM llm_calls WHERE created_at >= :fromMs AND created_at <= :toMs)`;
const SUMS = `count(*) AS calls, coalesce(sum(outcome <> 'ok'), 0) AS failed,
  coalesce(sum(prompt_tokens), 0) AS tokensIn, coalesce(sum(cached_tokens), 0) AS tokensCached,
  coalesce(sum(output_tokens), 0) AS tokensOut, sum(dollars) AS dollars,
  coalesce(sum(dollars IS NULL AND outcome = 'ok'), 0) AS unpriced`;
const SHARES = `coalesce(sum(tokens) FILTER (WHERE isMemory) * 1.0 / nullif(sum(tokens), 0), 0) AS memoryTokenShare,
  coalesce(sum(dollars) FILTER (WHERE isMemory), 0) / nullif(sum(dollars), 0) AS memoryDollarShare,
  coalesce(sum(cached_tokens), 0) * 1.0 / nullif(sum(prompt_tokens), 0) AS cachedShare`;
/** Sums the calls to language models. They belong to no channel. */
function sumModelSpend(db: Db, fromMs: number, toMs: number) {
  const rows = <T>(columns: string, rest = ""): T[] =>
    prepareStatements(db).all<[object], T>(`SELECT ${columns} FROM ${CALLS} ${rest}`)({
      fromMs,
      toMs,
    });
  const sumBy = <K extends string>(name: K) =>
    rows<Sum & { readonly [key in K]: string }>(
      `${name}, ${SUMS}`,
      `GROUP BY ${name} ORDER BY coalesce(sum(dollars), 0) DESC, calls DESC, ${name}`,
    );
  const [total] = rows<Sum & Shares>(`${SUMS}, ${SHARES}`);
  return {
    spend: { ...(total as Sum & Shares), byModel: sumBy("model"), byPurpose: sumBy("purpose") },
    callFailures: makeTally(
      rows<NameCount>(
        "outcome AS name, count(*) AS count",
        "WHERE outcome <> 'ok' GROUP BY outcome ORDER BY count DESC, name",
      ),
    ),
    /** By local day, memory apart from answers. Dollars are null if no price is known. */
    costPerDay: rows<
      { readonly day: string } & Record<"answerTokens" | "memoryTokens", number> &
        Record<"answerDollars" | "memoryDollars", number | null>
    >(
      // Local days begin at a quarter of an hour, and to find the day of each call would take most of the time.
      `date(quarter * 900, 'unixepoch', 'localtime') AS day,
       coalesce(sum(tokens) FILTER (WHERE NOT isMemory), 0) AS answerTokens,
       coalesce(sum(tokens) FILTER (WHERE isMemory), 0) AS memoryTokens,
       sum(dollars) FILTER (WHERE NOT isMemory) AS answerDollars,
       sum(dollars) FILTER (WHERE isMemory) AS memoryDollars
       FROM (SELECT created_at / 900000 AS quarter, isMemory, sum(tokens) AS tokens, sum(dollars) AS dollars`,
      "GROUP BY 1, 2) GROUP BY day ORDER BY day",
    ),
  };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Memory may still process a stream in this time after its end. */
const AFTERWORK_MS = HOUR_MS;

/** `session` is a stream's number, or `last`. */
export type PeriodAsked = Readonly<Record<"session" | "since" | "channel", string | null>>;

/** The period of a report, both ends included. */
export interface Period {
  /** null if it is a period of time instead of a stream. */
  readonly sessionId: number | null;
  readonly channels: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
  /** Until when calls to the model count: memory summarises for a while after a stream. */
  readonly callsToMs: number;
  /** False while the stream is live. */
  readonly isOver: boolean;
}

/**
 * Returns the stream or the time until now that the user asked for. Default: the last stream, or the last day if there
 * was none. Throws a Fault for anything impossible. A demo's clock may be ahead of `wallMs`.
 */
export function choosePeriod(
  db: Db,
  { session, since, channel }: PeriodAsked,
  wallMs: number,
): Period {
  const sql = prepareStatements(db);
  const known = listJoinedChannels(db);
  if (channel !== null && !known.includes(channel))
    throw makeUsageFault(
      `no data about a channel ${channel}`,
      "name one that the bot has joined, or leave out --channel",
    );
  if (since !== null && session !== null)
    throw makeUsageFault("--session and --since exclude each other", "leave out one of them");
  const latest = sql.value<[], number>("SELECT created_at FROM replies ORDER BY id DESC LIMIT 1")();
  const nowMs = Math.max(wallMs, latest ?? 0);
  const readPeriod = (fromMs: number): Period => {
    const channels = channel === null ? known : [channel];
    return { sessionId: null, channels, fromMs, toMs: nowMs, callsToMs: nowMs, isOver: true };
  };
  if (since !== null) return readPeriod(readSince(since, nowMs));
  // A text that is no number finds no stream.
  const number = /^\d{1,15}$/.test(session ?? "") ? Number(session) : 0;
  const id = session === null || session === "last" ? null : number;
  // `endedAtMs` is null while it is live; `nextAtMs` is the start of the channel's next stream, or null.
  const stream = sql.one<
    [object],
    Record<"channel", string> &
      Record<"id" | "startedAtMs", number> &
      Record<"endedAtMs" | "nextAtMs", number | null>
  >(
    `SELECT id, channel, started_at AS startedAtMs, ended_at AS endedAtMs,
       (SELECT min(started_at) FROM stream_sessions l WHERE l.channel = s.channel AND l.started_at > s.started_at) AS nextAtMs
     FROM stream_sessions s WHERE (:id IS NULL OR id = :id) AND (:channel IS NULL OR channel = :channel)
     ORDER BY id DESC LIMIT 1`,
  )({ id, channel });
  if (stream !== null) {
    const { endedAtMs, nextAtMs } = stream;
    const toMs = endedAtMs ?? nowMs;
    return {
      sessionId: stream.id,
      channels: [stream.channel],
      fromMs: stream.startedAtMs,
      toMs,
      callsToMs: Math.min(toMs + AFTERWORK_MS, nextAtMs ?? Number.POSITIVE_INFINITY),
      isOver: endedAtMs !== null,
    };
  }
  if (session === null) return readPeriod(nowMs - DAY_MS);
  throw makeUsageFault(
    "no such stream",
    "leave out --session for the last one, or use --since 24h",
  );
}

function listJoinedChannels(db: Db): string[] {
  return prepareStatements(db).values<[], string>(
    "SELECT channel FROM channel_state ORDER BY channel",
  )();
}

const SPAN = /^(\d{1,4})([hd])$/;
const DATE = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * Reads `24h`, `7d`, `2026-05-01`, `2026-05-01T18:00` or `2026-05-01T18:00Z` as epoch ms. Without a Z or an offset it is
 * this machine's local time; a day begins at its midnight.
 */
function readSince(since: string, nowMs: number): number {
  const [, amount, unit] = SPAN.exec(since) ?? [];
  const fromMs =
    amount === undefined
      ? readLocalTime(DATE.test(since) ? since : "")
      : nowMs - Number(amount) * (unit === "h" ? HOUR_MS : DAY_MS);
  if (Number.isNaN(fromMs) || fromMs > nowMs)
    throw makeUsageFault(
      `--since ${since}: no time in the past`,
      "such as 24h, 7d, 2026-05-01 or 2026-05-01T18:00 by your clock, or 2026-05-01T18:00Z",
    );
  return fromMs;
}

/** People, notes and moments of a period, with names. For a screen, never for a file. */
export type Story = ReturnType<typeof readStory>;

const PEOPLE_MAX = 10;
const TOPICS_MAX = 3;

/** Reads it in short statements. Raids are known for as long as events are stored. */
export function readStory(db: Db, period: Period, nowMs: number) {
  const { fromMs, toMs, callsToMs: lateMs, sessionId } = period;
  const nameOf = prepareNameRead(db);
  const span = { channels: JSON.stringify(period.channels), fromMs, toMs, lateMs, sessionId };
  const rows = <T>(sql: string): T[] => prepareStatements(db).all<[object], T>(sql)(span);
  const here = "IN (SELECT value FROM json_each(:channels))";
  const { learned, faded, ...counts } = prepareNoteNews(db, {
    ...span,
    nowMs,
    countMax: COUNTED_MAX,
  });
  // CROSS JOIN begins with the few episodes of the period, not with all participants.
  const present = rows<{ name: string; isNew: number }>(
    `SELECT v.display_name AS name, c.first_seen_at >= :fromMs AS isNew
     FROM (SELECT DISTINCT e.channel, p.user_id FROM episodes e CROSS JOIN episode_participants p ON p.episode_id = e.id
       WHERE e.channel ${here} AND e.ended_at BETWEEN :fromMs AND :lateMs) s
     CROSS JOIN viewer_channels c ON c.channel = s.channel AND c.user_id = s.user_id
     JOIN viewers v ON v.user_id = s.user_id
     WHERE c.is_broadcaster = 0 AND c.first_seen_at <= :toMs ORDER BY c.message_count DESC`,
  );
  const seenNames = (isNew: number) =>
    present.filter((one) => one.isNew === isNew).map(({ name }) => name);
  return {
    /** Viewers who got replies, most first. */
    talked: rows<{ name: string; replies: number }>(
      `SELECT v.display_name AS name, count(*) AS replies FROM replies r JOIN viewers v USING (user_id)
       WHERE +r.channel ${here} AND r.state = 'sent' AND r.created_at BETWEEN :fromMs AND :toMs
       GROUP BY r.user_id ORDER BY replies DESC, name LIMIT ${PEOPLE_MAX}`,
    ),
    /** Viewers who chatted here for the first time. */
    fresh: seenNames(1),
    /** Viewers known from before, in this period's summaries. */
    back: seenNames(0),
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
    /** Counts Twitch's other reports by kind. */
    moments: rows<{ kind: string; many: number }>(
      `SELECT kind, count(*) AS many FROM moments WHERE channel ${here} AND kind <> 'raid'
         AND at BETWEEN :fromMs AND :toMs GROUP BY kind ORDER BY many DESC, kind`,
    ),
    /** The topics with the most messages. */
    busiest: rows<{ topic: string; messages: number }>(
      `SELECT topic, sum(event_count) AS messages FROM episodes WHERE channel ${here} AND topic <> ''
         AND ${sessionId === null ? "ended_at BETWEEN :fromMs AND :lateMs" : "session_id = :sessionId"}
       GROUP BY topic ORDER BY messages DESC LIMIT ${TOPICS_MAX}`,
    ),
  };
}

/** Events that no episode covers yet. */
const WAITING = "FROM events WHERE memorable = 1 AND no_window = 0 AND episode_id IS NULL";

/** Counts and sums of the last hour and day. No text is read here. */
export function openTelemetryStore(db: Db, now: () => number) {
  const rows = <T>(query: string): T[] =>
    prepareStatements(db).all<[object], T>(query)({
      hourMs: now() - HOUR_MS,
      dayMs: now() - DAY_MS,
    });
  /** Reads the one row of a query. */
  const row = <T>(query: string): T => rows<T>(query)[0] as T;
  const tallyLastDay = (column: string, from: string): Tally => {
    const found = rows<{ name: string; value: number }>(
      `SELECT ${column} AS name, count(*) AS value FROM ${from} AND created_at > :dayMs
       GROUP BY ${column} ORDER BY ${column}`,
    );
    return Object.fromEntries(found.map(({ name, value }) => [name, value]));
  };
  const sumCalls = (which: string) =>
    row<{ calls: number; tokens: number; dollars: number | null }>(
      `SELECT count(*) AS calls, sum(dollars) AS dollars,
         coalesce(sum(coalesce(prompt_tokens, estimated_tokens) + coalesce(output_tokens, 0)), 0) AS tokens
       FROM llm_calls WHERE ${which}`,
    );
  return {
    counts: () => ({
      ...row<Record<"events" | "episodes" | "replies" | "viewers", number>>(
        `SELECT (SELECT count(*) FROM events) AS events,
           (SELECT count(*) FROM episodes WHERE kind IN ('window', 'direct') AND stage <> 'claimed') AS episodes,
           (SELECT count(*) FROM replies WHERE state = 'sent') AS replies,
           (SELECT count(*) FROM viewers) AS viewers`,
      ),
      notes: prepareNoteSums(db, now).active(),
    }),
    backlog: () =>
      row<
        Record<"waitingEvents" | "pendingEpisodes" | "failedEpisodes", number> &
          Record<"oldestWaitingAtMs", number | null>
      >(
        `SELECT (SELECT count(*) ${WAITING}) AS waitingEvents,
           (SELECT created_at FROM events WHERE id = (SELECT min(id) ${WAITING})) AS oldestWaitingAtMs,
           (SELECT count(*) FROM episodes WHERE status = 'pending') AS pendingEpisodes,
           (SELECT count(*) FROM episodes WHERE status = 'failed') AS failedEpisodes`,
      ),
    /** Dollars are null if no call had a known price. */
    spend: () => {
      const { calls, tokens, dollars } = sumCalls("created_at > :dayMs");
      return {
        callsLastHour: sumCalls("created_at > :hourMs").calls,
        callsLastDay: calls,
        tokensLastDay: tokens,
        dollarsLastDay: dollars,
        failuresLastDay: tallyLastDay("outcome", "llm_calls WHERE outcome <> 'ok'"),
        answersLastDay: sumCalls("created_at > :dayMs AND purpose NOT IN ('summarise', 'extract')"),
        memoryLastDay: sumCalls("created_at > :dayMs AND purpose IN ('summarise', 'extract')"),
      };
    },
    /** `byReason`: why replies were not sent. */
    replies: () => ({
      byState: tallyLastDay("state", "replies WHERE state IS NOT NULL"),
      byReason: tallyLastDay("reason", "replies WHERE reason IS NOT NULL"),
    }),
    channels: () =>
      rows<{ channel: string; title: string; category: string; isLive: number | null }>(
        "SELECT channel, title, category, is_live AS isLive FROM channel_state ORDER BY channel",
      ),
  };
}

/** Counts what became of offered notes since a time, from `note_candidates`. */
export function countNoteOutcomes(db: Db, now: () => number, sinceMs: number) {
  const all = prepareStatements(db).all<
    [number],
    { decision: string; reason: string; count: number }
  >(
    `SELECT decision, reason, count(*) AS count FROM note_candidates
     WHERE created_at > ? GROUP BY decision, reason ORDER BY count(*) DESC, reason`,
  )(sinceMs);
  const rowsOf = (name: string) => all.filter(({ decision }) => decision === name);
  const count = (name: string): number => rowsOf(name).reduce((total, row) => total + row.count, 0);
  return {
    /** Pending and shadow included. */
    made: count("write"),
    confirmed: count("confirm"),
    superseded: count("supersede"),
    evicted: count("evict"),
    dropped: count("drop"),
    droppedByReason: Object.fromEntries(
      rowsOf("drop").map((row) => [row.reason, row.count]),
    ) as Tally,
    /** Notes that wait for the streamer's approval now, whenever they were made. */
    waiting: prepareNoteSums(db, now).pending(),
  };
}
