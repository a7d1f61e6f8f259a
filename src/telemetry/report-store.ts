import { prepareNameRead } from "../chat/viewer-store.ts";
import { formatLocalDay, readLocalTime } from "../config/local-time.ts";
import type { Db } from "../database/open-database.ts";
import { Counters } from "../database/runtime-store.ts";
import { Sql } from "../database/statements.ts";
import { makeUsageFault } from "../errors.ts";
import { fillNames } from "../language/people.ts";
import { NoteReview, readNoteNews } from "../memory/note-review-store.ts";
import { SECTIONS } from "../reply/prompt/sections.ts";
import { TRAIL_VERSION, type Trail } from "../reply/trail.ts";
import { COUNTED_MAX, calculateDistribution, calculateShare, type Tally } from "./figures.ts";

/** The content of `report --json`: ids, codes and numbers. Contains no chat text, note or episode. */
export type Report = ReturnType<typeof readReport>;

/** Reads the counts and sums of a report. */
export function readReport(db: Db, period: Period, nowMs: number) {
  const replies = readReplies(db, period);
  const { channels, fromMs, toMs, callsToMs } = period;
  const counters = new Counters(db).read();
  return {
    version: 1 as const,
    madeAtMs: nowMs,
    period: { ...period, lengthMs: toMs - fromMs },
    replies: countReplies(replies),
    prompts: sumPrompts(replies),
    /** True if `spend`, `costPerDay` and `callFailures` include other channels: calls belong to none. */
    isSpendShared: listJoinedChannels(db).length > channels.length,
    ...sumModelSpend(db, fromMs, callsToMs),
    memory: {
      ...countMemoryChanges(db, { channels, fromMs, toMs: callsToMs }),
      ...countNotes(db, channels),
      backlog: readBacklog(db),
      /** Events that expired before they were summarised, since the database was made. */
      unsummarised: counters["retention.unsummarised"] ?? 0,
      /** Messages that came faster than the model read them, since the database was made. */
      linesUnread: counters["memory.lines_unread"] ?? 0,
      /** Memory's calls that a cap prevented, since the database was made. */
      cappedCalls: (counters["compaction.failed.cap"] ?? 0) + (counters["extract.failed.cap"] ?? 0),
    },
    outcomes: countOutcomes(replies),
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

/** Groups items into pairs of a key and its items: the largest group first, groups of one size by key. */
function groupBy<T, K extends string | number>(items: readonly T[], keyOf: (item: T) => K) {
  const groups = new Map<K, [T, ...T[]]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return [...groups].toSorted(
    ([one, these], [other, those]) => those.length - these.length || (one < other ? -1 : 1),
  );
}

/** Counts equal names, the most frequent first. */
function tally(names: readonly string[]): Tally {
  const groups = groupBy(names, (name) => name);
  return Object.fromEntries(groups.map(([name, group]) => [name, group.length]));
}

function sum<T>(items: readonly T[], numberOf: (item: T) => number): number {
  return items.reduce((total, item) => total + numberOf(item), 0);
}

type Reply = ReturnType<typeof readReplies>[number];

/**
 * Reads the replies of a span, also those not sent, oldest first. `trail` is null if there is none or it `isDamaged`.
 */
function readReplies(db: Db, { channels, fromMs, toMs }: Span) {
  const sql = new Sql(db);
  // Ids and times grow together.
  const ids = sql.totals<Record<"fromId" | "toId", number | null>>(
    "SELECT min(id) AS fromId, max(id) AS toId FROM replies WHERE created_at BETWEEN ? AND ?",
    ...[fromMs, toMs],
  );
  const rows = sql.all<
    Record<"channel" | "state" | "trigger", string> &
      Record<"reason" | "trailJson" | "kinds", string | null> &
      Record<"modelMs" | "turnMs", number | null> & { readonly id: number }
  >(
    `SELECT id, channel, state, "trigger", reason, latency_ms AS modelMs, sent_at - created_at AS turnMs,
       token_usage_json AS trailJson,
       (SELECT group_concat(kind) FROM reply_outcomes WHERE reply_id = r.id) AS kinds
     FROM replies r WHERE id BETWEEN :fromId AND :toId
       AND +channel IN (SELECT value FROM json_each(:channels)) ORDER BY id`,
    { ...ids, channels: JSON.stringify(channels) },
  );
  return rows.map(({ trailJson, kinds, ...reply }) => {
    let trail: Trail | null = null;
    try {
      // Only the version is checked: a report reads hundreds.
      const found = JSON.parse(trailJson ?? "null") as Trail | null;
      if (found?.version === TRAIL_VERSION) trail = found;
    } catch {
      // It counts as damaged.
    }
    const isDamaged = trail === null && trailJson !== null;
    return { ...reply, kinds: kinds?.split(",") ?? [], trail, isDamaged };
  });
}

function listReadableTrails(replies: readonly Reply[]): Trail[] {
  return replies.flatMap(({ trail }) => trail ?? []);
}

function countReplies(replies: readonly Reply[]) {
  const byState = tally(replies.map(({ state }) => state));
  const byReason = tally(replies.flatMap(({ reason }) => reason ?? []));
  const trails = listReadableTrails(replies);
  return {
    total: replies.length,
    overBudget: trails.filter(({ overBudget }) => overBudget).length,
    damaged: replies.filter(({ isDamaged }) => isDamaged).length,
    staleSnapshots: trails.filter(({ prefix }) => !prefix.fresh).length,
    sent: byState["sent"] ?? 0,
    /** Replies that a cap on calls, tokens or money prevented. */
    cappedReplies: byReason["model_cap"] ?? 0,
    byState,
    /** Counts by reason for not sending. */
    byReason,
    byTrigger: tally(replies.map(({ trigger }) => trigger)),
    guardRemoved: tally(trails.flatMap(({ guard }) => guard.removed)),
    guardStopped: tally(trails.flatMap(({ guard }) => guard.rule ?? [])),
    /** Proposals by decision and reason. */
    actions: tally(
      trails.flatMap(({ actions }) =>
        actions.map(({ decision, reason }) => `${decision} (${reason})`),
      ),
    ),
  };
}

const SECTION_ORDER = Object.keys(SECTIONS);

function sumPrompts(replies: readonly Reply[]) {
  const trails = listReadableTrails(replies);
  const sections = trails.flatMap((trail) => Object.entries(trail.sections));
  const steps = trails.flatMap(({ messageKind, ladder }) =>
    ladder.map((step) => ({ ...step, messageKind })),
  );
  const errors = trails.flatMap(({ model, estimatedTokens, promptTokens }) =>
    promptTokens ? { model: model ?? "unknown", error: estimatedTokens / promptTokens - 1 } : [],
  );
  return {
    prompts: trails.length,
    /** Mean estimated tokens of each section, in the prompt's order. */
    sections: Object.fromEntries(
      groupBy(sections, ([name]) => name)
        .map(([name, all]) => [name, sum(all, ([, tokens]) => tokens) / trails.length] as const)
        .toSorted(([one], [other]) => SECTION_ORDER.indexOf(one) - SECTION_ORDER.indexOf(other)),
    ),
    prefix: measurePrefix(replies),
    ladder: groupBy(steps, ({ messageKind, section }) => `${messageKind} ${section}`).map(
      ([, all]) => ({
        messageKind: all[0].messageKind,
        section: all[0].section,
        fired: all.length,
        savedTokens: sum(all, ({ savedTokens }) => savedTokens),
      }),
    ),
    /** The share of our estimates within 5 % of the provider's count. */
    estimates: groupBy(errors, ({ model }) => model).map(([model, all]) => ({
      model,
      prompts: all.length,
      within5: all.filter(({ error }) => Math.abs(error) <= 0.05).length / all.length,
    })),
    /** Time in the model, ms. */
    modelLatency: calculateDistribution(replies.flatMap(({ modelMs }) => modelMs ?? [])),
    /** From the start of the turn to the message in chat, ms. */
    turnLatency: calculateDistribution(replies.flatMap(({ turnMs }) => turnMs ?? [])),
  };
}

/**
 * Counts how often a channel's prefix changed with its version (`changes`). Changes only by the ladder count as `cuts`.
 * `share` is the prefix's share of all prompt tokens.
 */
function measurePrefix(replies: readonly Reply[]) {
  let [tokens, allTokens, changes, cuts] = [0, 0, 0, 0];
  const prefixes = new Map<string, Trail["prefix"]>();
  for (const { channel, trail } of replies) {
    if (trail === null) continue;
    const { hash, version } = prefixes.get(channel) ?? trail.prefix;
    if (trail.prefix.hash !== hash && trail.prefix.version === version) cuts += 1;
    if (trail.prefix.hash !== hash && trail.prefix.version !== version) changes += 1;
    prefixes.set(channel, trail.prefix);
    tokens += trail.prefix.tokens;
    allTokens += sum(Object.values(trail.sections), (one) => one);
  }
  return { share: calculateShare(tokens, allTokens).share, changes, cuts };
}

const IDS_SHOWN = 10;
/** A note in fewer prompts has no score. */
const SCORED_MIN = 5;
const UNWELCOME: readonly string[] = ["bad", "deleted", "timed_out"];
const WELCOME: readonly string[] = ["good", "viewer_answered"];

/**
 * Counts the outcomes of sent replies. Scores notes that were in five prompts or more, by the share of welcome replies.
 */
function countOutcomes(replies: readonly Reply[]) {
  const sent = replies
    .filter(({ state }) => state === "sent")
    .map(({ id, kinds, trail }) => {
      const isUnwelcome = kinds.some((kind) => UNWELCOME.includes(kind));
      const isWelcome = !isUnwelcome && kinds.some((kind) => WELCOME.includes(kind));
      return { id, kinds, trail, isUnwelcome, isWelcome };
    });
  const welcome = calculateWelcomeShare(sent);
  const unwelcome = sent.filter(({ isUnwelcome }) => isUnwelcome);
  const shown = sent.flatMap(({ trail, isWelcome }) =>
    (trail?.notes.kept ?? []).map((noteId) => ({ noteId, isWelcome })),
  );
  const ranked = groupBy(shown, ({ noteId }) => noteId)
    .filter(([, all]) => all.length >= SCORED_MIN)
    .map(([noteId, all]) => ({ noteId, score: calculateWelcomeShare(all) }))
    .toSorted((one, other) => other.score.share - one.score.share);
  const notes = new Set(unwelcome.flatMap(({ trail }) => trail?.ids["lore"] ?? []));
  return {
    /** Sent replies with an outcome. */
    known: sent.filter(({ kinds }) => kinds.length > 0).length,
    byKind: tally(sent.flatMap(({ kinds }) => kinds)),
    /** Share of all sent replies. Welcome: the viewer followed up or a thumb praised it, and it is not unwelcome. */
    welcome,
    /** The last 10 replies with a thumb down, a deletion or a timeout, the latest first. */
    unwelcomeIds: takeLastReversed(unwelcome.map(({ id }) => id)),
    /** Notes about the viewer that were in the prompts of all such replies. */
    unwelcomeNotes: [...notes].toSorted((one, other) => one - other),
    /** Notes whose replies were welcome more often than all together, at most 10, the best first. */
    bestNotes: ranked.filter(({ score }) => score.share > welcome.share).slice(0, IDS_SHOWN),
    /** Notes whose replies were welcome less often than all together, at most 10, the worst first. */
    worstNotes: takeLastReversed(ranked.filter(({ score }) => score.share < welcome.share)),
  };
}

function calculateWelcomeShare(replies: readonly { readonly isWelcome: boolean }[]) {
  return calculateShare(replies.filter(({ isWelcome }) => isWelcome).length, replies.length);
}

/** Returns the last 10 items, the last one first. */
function takeLastReversed<T>(items: readonly T[]): T[] {
  return items.slice(-IDS_SHOWN).reverse();
}

/**
 * Counts summaries, gaps, and candidates for notes by decision. Candidates older than 30 days are deleted, so not
 * counted.
 */
export function countMemoryChanges(db: Db, { channels, fromMs, toMs }: Span) {
  const sql = new Sql(db, () => ({ channels: JSON.stringify(channels), fromMs, toMs }));
  const here = "channel IN (SELECT value FROM json_each(:channels))";
  const ended = `e.${here} AND e.ended_at >= :fromMs AND e.ended_at <= :toMs`;
  const episodes = makeTally(
    sql.all<NameCount>(
      `SELECT kind AS name, count(*) AS count FROM episodes e
       WHERE ${ended} AND stage <> 'claimed' GROUP BY kind`,
    ),
  );
  const candidates = sql.all<{ decision: string; reason: string; count: number }>(
    `SELECT decision, reason, count(*) AS count
     FROM episodes e JOIN note_candidates c ON c.episode_id = e.id WHERE ${ended}
     GROUP BY decision, reason ORDER BY count DESC, decision, reason`,
  );
  const countDecision = (name: string): number =>
    sum(candidates, ({ decision, count }) => (decision === name ? count : 0));
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

/** Counts active notes, and the viewers they are about. An expired note counts until the next sweep. */
function countNotes(db: Db, channels: readonly string[]) {
  return new Sql(db).totals<Record<"active" | "viewersWithNotes", number>>(
    `SELECT coalesce(sum(n), 0) AS active, count(DISTINCT subject_id) AS viewersWithNotes
     FROM (SELECT subject_id, count(*) AS n FROM semantic_notes
       WHERE channel IN (SELECT value FROM json_each(?)) AND scope IN ('viewer', 'channel', 'bit')
         AND status = 'active' GROUP BY channel, scope, subject_id)`,
    JSON.stringify(channels),
  );
}

const DRIFT_MS = 30 * 86_400_000;
/** Fewer notes on a side make no comparison. */
const DRIFT_NOTES_MIN = 5;

/**
 * Compares the extracted notes before and after the last change of the memory policy. Each side has 30 days at most,
 * and none before an earlier change. The cosine is of their counts by scope and kind; null if a side has fewer than
 * five. Returns null if the policy did not change in the 30 days before `toMs`.
 */
function calculateDrift(db: Db, { channels, toMs }: Span) {
  const sql = new Sql(db);
  const [policy, previous] = sql.all<{ number: number; source: string; atMs: number }>(
    `SELECT number, source, created_at AS atMs FROM policy_history
     WHERE created_at <= ? ORDER BY number DESC LIMIT 2`,
    toMs,
  );
  if (policy === undefined || previous === undefined) return null;
  const { atMs } = policy;
  if (atMs < toMs - DRIFT_MS) return null;
  const span = { channels: JSON.stringify(channels), toMs, atMs };
  const { notesBefore, notesAfter, cosine } = sql.totals<
    Record<"notesBefore" | "notesAfter", number> & Record<"cosine", number | null>
  >(
    `SELECT coalesce(sum(b), 0) AS notesBefore, coalesce(sum(a), 0) AS notesAfter,
       sum(a * b) / nullif(sqrt(sum(a * a)) * sqrt(sum(b * b)), 0) AS cosine
     FROM (SELECT count(*) FILTER (WHERE created_at <= :atMs) AS b, count(*) FILTER (WHERE created_at > :atMs) AS a
       FROM semantic_notes WHERE channel IN (SELECT value FROM json_each(:channels))
         AND created_at > :fromMs AND created_at <= :toMs AND source_kind = 'extracted' GROUP BY scope, kind)`,
    { ...span, fromMs: Math.max(previous.atMs, atMs - DRIFT_MS) },
  );
  const isEnough = Math.min(notesBefore, notesAfter) >= DRIFT_NOTES_MIN;
  return { policy, notesBefore, notesAfter, cosine: isEnough ? cosine : null };
}

/** The calls of a local day to a model, for a purpose, with an outcome. */
type Calls = readonly (Record<"day" | "model" | "purpose" | "outcome", string> &
  Record<"calls" | "unpriced" | "tokensIn" | "tokensCached" | "tokensOut", number> &
  Record<"dollars", number | null>)[];

/**
 * Reads the calls to language models from `fromMs` to `toMs`, both included. Returns a sum for each local day, model,
 * purpose and outcome that has calls.
 */
function readCalls(db: Db, fromMs: number, toMs: number): Calls {
  const sql = new Sql(db);
  const firstMs = sql.value<number>("SELECT min(created_at) FROM llm_calls") ?? toMs;
  const calls = [];
  for (let startMs = Math.max(fromMs, firstMs); startMs <= toMs; ) {
    const nextMs = new Date(startMs).setHours(24, 0, 0, 0);
    const ofDay = sql.all<Calls[number]>(
      `SELECT :day AS day, model, purpose, outcome, count(*) AS calls, sum(dollars) AS dollars,
         sum(dollars IS NULL AND outcome = 'ok') AS unpriced, coalesce(sum(prompt_tokens), 0) AS tokensIn,
         coalesce(sum(cached_tokens), 0) AS tokensCached, coalesce(sum(output_tokens), 0) AS tokensOut
       FROM llm_calls WHERE created_at BETWEEN :startMs AND :endMs
       GROUP BY model, purpose, outcome ORDER BY model, purpose, outcome`,
      { day: formatLocalDay(startMs), startMs, endMs: Math.min(toMs, nextMs - 1) },
    );
    calls.push(...ofDay);
    startMs = nextMs;
  }
  return calls;
}

/** Adds up calls. `dollars` is null if no call has a price; `unpriced` counts answered calls without one. */
function addCalls(calls: Calls) {
  const priced = calls.flatMap(({ dollars }) => dollars ?? []);
  return {
    calls: sum(calls, (row) => row.calls),
    failed: sum(calls, (row) => (row.outcome === "ok" ? 0 : row.calls)),
    tokensIn: sum(calls, (row) => row.tokensIn),
    tokensCached: sum(calls, (row) => row.tokensCached),
    tokensOut: sum(calls, (row) => row.tokensOut),
    unpriced: sum(calls, (row) => row.unpriced),
    dollars: priced.length === 0 ? null : sum(priced, (dollars) => dollars),
  };
}

/** Adds up tokens and dollars, those of memory apart from all others. A side's dollars are null if none has a price. */
function splitCalls(calls: Calls) {
  const isMemory = ({ purpose }: Calls[number]) => ["summarise", "extract"].includes(purpose);
  const answers = addCalls(calls.filter((row) => !isMemory(row)));
  const memory = addCalls(calls.filter(isMemory));
  return {
    answerTokens: answers.tokensIn + answers.tokensOut,
    memoryTokens: memory.tokensIn + memory.tokensOut,
    answerDollars: answers.dollars,
    memoryDollars: memory.dollars,
  };
}

function sumModelSpend(db: Db, fromMs: number, toMs: number) {
  const calls = readCalls(db, fromMs, toMs);
  const total = addCalls(calls);
  const { memoryTokens, memoryDollars } = splitCalls(calls);
  const sumBy = (key: "model" | "purpose" | "outcome") =>
    groupBy(calls, (row) => row[key])
      .map(([name, group]) => ({ name, ...addCalls(group) }))
      .toSorted(
        (one, other) => (other.dollars ?? 0) - (one.dollars ?? 0) || other.calls - one.calls,
      );
  return {
    spend: {
      ...total,
      memoryTokenShare: calculateShare(memoryTokens, total.tokensIn + total.tokensOut).share,
      /** null if no price is known. */
      memoryDollarShare: total.dollars ? (memoryDollars ?? 0) / total.dollars : null,
      /** null if there were no input tokens. */
      cachedShare: total.tokensIn === 0 ? null : total.tokensCached / total.tokensIn,
      byModel: sumBy("model").map(({ name: model, ...sums }) => ({ model, ...sums })),
      byPurpose: sumBy("purpose").map(({ name: purpose, ...sums }) => ({ purpose, ...sums })),
    },
    callFailures: makeTally(
      sumBy("outcome").flatMap(({ name, failed }) => (failed > 0 ? { name, count: failed } : [])),
    ),
    /** By local day, memory apart from answers. Dollars are null if no price is known. */
    costPerDay: groupBy(calls, ({ day }) => day)
      .map(([day, group]) => ({ day, ...splitCalls(group) }))
      .toSorted((one, other) => (one.day < other.day ? -1 : 1)),
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
 * Returns the period that the user asked for: a stream, or the time since `since`. Default: the last stream, or the
 * last day if there was none. Throws a Fault for an unknown channel or stream, a wrong time, or `session` with `since`.
 */
export function choosePeriod(
  db: Db,
  { session, since, channel }: PeriodAsked,
  wallMs: number,
): Period {
  const sql = new Sql(db);
  const known = listJoinedChannels(db);
  if (channel !== null && !known.includes(channel))
    throw makeUsageFault(
      `no data about a channel ${channel}`,
      "name one that the bot has joined, or leave out --channel",
    );
  if (since !== null && session !== null)
    throw makeUsageFault("--session and --since exclude each other", "leave out one of them");
  // A demo's clock may be ahead of the machine's.
  const latest = sql.value<number>("SELECT created_at FROM replies ORDER BY id DESC LIMIT 1");
  const nowMs = Math.max(wallMs, latest ?? 0);
  const makePeriod = (fromMs: number): Period => {
    const channels = channel === null ? known : [channel];
    return { sessionId: null, channels, fromMs, toMs: nowMs, callsToMs: nowMs, isOver: true };
  };
  if (since !== null) return makePeriod(readSince(since, nowMs));
  // A text that is no number finds no stream.
  const number = /^\d{1,15}$/.test(session ?? "") ? Number(session) : 0;
  const id = session === null || session === "last" ? null : number;
  // `endedAtMs` is null while it is live; `nextAtMs` is the start of the channel's next stream, or null.
  const stream = sql.one<
    Record<"channel", string> &
      Record<"id" | "startedAtMs", number> &
      Record<"endedAtMs" | "nextAtMs", number | null>
  >(
    `SELECT id, channel, started_at AS startedAtMs, ended_at AS endedAtMs,
       (SELECT min(started_at) FROM stream_sessions l WHERE l.channel = s.channel AND l.started_at > s.started_at) AS nextAtMs
     FROM stream_sessions s WHERE (:id IS NULL OR id = :id) AND (:channel IS NULL OR channel = :channel)
     ORDER BY id DESC LIMIT 1`,
    { id, channel },
  );
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
  if (session === null) return makePeriod(nowMs - DAY_MS);
  throw makeUsageFault(
    "no such stream",
    "leave out --session for the last one, or use --since 24h",
  );
}

function listJoinedChannels(db: Db): string[] {
  return new Sql(db).values("SELECT channel FROM channel_state ORDER BY channel");
}

const SPAN = /^(\d{1,4})([hd])$/;
const DATE = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * Reads `24h`, `7d`, `2026-05-01`, `2026-05-01T18:00` (local time), `2026-05-01T18:00Z` or one with an offset such as
 * `+02:00`, as epoch ms. Throws a Fault for any other text, and for a time after `nowMs`. February 30 is March 2.
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

/** The names and texts of a period. For a screen, never for a file. */
export type Story = ReturnType<typeof readStory>;

const PEOPLE_MAX = 10;
const TOPICS_MAX = 3;

/** Reads the names and texts of a period, with viewers' names filled in. */
export function readStory(db: Db, period: Period, nowMs: number) {
  const { fromMs, toMs, callsToMs: lateMs, sessionId } = period;
  const nameOf = prepareNameRead(db);
  const span = { channels: JSON.stringify(period.channels), fromMs, toMs, lateMs, sessionId };
  const sql = new Sql(db, () => span);
  const here = "IN (SELECT value FROM json_each(:channels))";
  const { learned, faded, ...counts } = readNoteNews(db, {
    ...span,
    nowMs,
    countMax: COUNTED_MAX,
  });
  // CROSS JOIN begins with the few episodes of the period, not with all participants.
  const present = sql.all<{ name: string; isNew: number }>(
    `SELECT v.display_name AS name, c.first_seen_at >= :fromMs AS isNew
     FROM (SELECT DISTINCT e.channel, p.user_id FROM episodes e CROSS JOIN episode_participants p ON p.episode_id = e.id
       WHERE e.channel ${here} AND e.ended_at BETWEEN :fromMs AND :lateMs) s
     CROSS JOIN viewer_channels c ON c.channel = s.channel AND c.user_id = s.user_id
     JOIN viewers v ON v.user_id = s.user_id
     WHERE c.is_broadcaster = 0 AND c.first_seen_at <= :toMs ORDER BY c.message_count DESC`,
  );
  return {
    /** The 10 viewers who got most replies, most first. */
    talked: sql.all<{ name: string; replies: number }>(
      `SELECT v.display_name AS name, count(*) AS replies FROM replies r JOIN viewers v USING (user_id)
       WHERE +r.channel ${here} AND r.state = 'sent' AND r.created_at BETWEEN :fromMs AND :toMs
       GROUP BY r.user_id ORDER BY replies DESC, name LIMIT ${PEOPLE_MAX}`,
    ),
    /** Viewers who chatted here for the first time. */
    newcomers: present.flatMap(({ name, isNew }) => (isNew ? name : [])),
    /** Viewers known from before, in this period's summaries. */
    back: present.flatMap(({ name, isNew }) => (isNew ? [] : name)),
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
      sql.value<number>(
        "SELECT count(*) FROM forgets WHERE forgotten_at BETWEEN :fromMs AND :lateMs",
      ) ?? 0,
    raids: sql.all<{ name: string; raiders: number | null }>(
      `SELECT coalesce(v.display_name, 'somebody') AS name, m.amount AS raiders
       FROM moments m LEFT JOIN viewers v USING (user_id)
       WHERE m.channel ${here} AND m.kind = 'raid' AND m.at BETWEEN :fromMs AND :toMs ORDER BY m.id`,
    ),
    /** Counts Twitch's other reports by kind. */
    moments: sql.all<{ kind: string; many: number }>(
      `SELECT kind, count(*) AS many FROM moments WHERE channel ${here} AND kind <> 'raid'
         AND at BETWEEN :fromMs AND :toMs GROUP BY kind ORDER BY many DESC, kind`,
    ),
    /** The three topics with the most messages. */
    busiest: sql.all<{ topic: string; messages: number }>(
      `SELECT topic, sum(event_count) AS messages FROM episodes WHERE channel ${here} AND topic <> ''
         AND ${sessionId === null ? "ended_at BETWEEN :fromMs AND :lateMs" : "session_id = :sessionId"}
       GROUP BY topic ORDER BY messages DESC LIMIT ${TOPICS_MAX}`,
    ),
  };
}

/** Events that no episode covers yet. */
const WAITING = "FROM events WHERE memorable = 1 AND no_window = 0 AND episode_id IS NULL";

/** Counts all events and viewers, sent replies, active notes, and summaries of chat. */
export function countStored(db: Db, now: () => number) {
  const count = (from: string) => new Sql(db).value<number>(`SELECT count(*) FROM ${from}`) ?? 0;
  return {
    events: count("events"),
    episodes: count("episodes WHERE kind IN ('window', 'direct') AND stage <> 'claimed'"),
    replies: count("replies WHERE state = 'sent'"),
    viewers: count("viewers"),
    notes: new NoteReview(db, now).countActive(),
  };
}

/** Counts what memory must still process, and failed episodes. `oldestWaitingAtMs` is null if no event waits. */
export function readBacklog(db: Db) {
  const sql = new Sql(db);
  return {
    waitingEvents: sql.value<number>(`SELECT count(*) ${WAITING}`) ?? 0,
    oldestWaitingAtMs: sql.value<number>(
      `SELECT created_at FROM events WHERE id = (SELECT min(id) ${WAITING})`,
    ),
    pendingEpisodes: countEpisodes(sql, "pending"),
    failedEpisodes: countEpisodes(sql, "failed"),
  };
}

function countEpisodes(sql: Sql, status: string): number {
  return sql.value<number>("SELECT count(*) FROM episodes WHERE status = ?", status) ?? 0;
}

/**
 * Sums the model's calls of the last hour and the last 24 h. Adds our estimate if the provider gave no count of tokens.
 * Dollars are null if no call had a known price.
 */
export function sumRecentCalls(db: Db, nowMs: number) {
  const sql = new Sql(db);
  const sumSince = (fromMs: number, purposes = "") =>
    sql.totals<{ calls: number; tokens: number; dollars: number | null }>(
      `SELECT count(*) AS calls, sum(dollars) AS dollars,
         coalesce(sum(coalesce(prompt_tokens, estimated_tokens) + coalesce(output_tokens, 0)), 0) AS tokens
       FROM llm_calls WHERE created_at > ? ${purposes}`,
      fromMs,
    );
  const dayMs = nowMs - DAY_MS;
  const { calls, tokens, dollars } = sumSince(dayMs);
  return {
    callsLastHour: sumSince(nowMs - HOUR_MS).calls,
    callsLastDay: calls,
    tokensLastDay: tokens,
    dollarsLastDay: dollars,
    failuresLastDay: countSince(db, dayMs, "outcome", "llm_calls WHERE outcome <> 'ok'"),
    answersLastDay: sumSince(dayMs, "AND purpose NOT IN ('summarise', 'extract')"),
    memoryLastDay: sumSince(dayMs, "AND purpose IN ('summarise', 'extract')"),
  };
}

/** Counts the replies of the last 24 h. `byReason`: why replies were not sent. */
export function countRecentReplies(db: Db, nowMs: number) {
  const fromMs = nowMs - DAY_MS;
  return {
    byState: countSince(db, fromMs, "state", "replies WHERE state IS NOT NULL"),
    byReason: countSince(db, fromMs, "reason", "replies WHERE reason IS NOT NULL"),
  };
}

/** Counts rows after `fromMs` by the values of `column`. `from` is a table and its WHERE clause. */
function countSince(db: Db, fromMs: number, column: string, from: string): Tally {
  return makeTally(
    new Sql(db).all<NameCount>(
      `SELECT ${column} AS name, count(*) AS count FROM ${from} AND created_at > ? GROUP BY 1 ORDER BY 1`,
      fromMs,
    ),
  );
}

/** Reads the channels in order of their names. `isLive` is 1 or 0; null if it is unknown. */
export function readChannelStates(db: Db) {
  return new Sql(db).all<
    Record<"channel" | "title" | "category", string> & Record<"isLive", number | null>
  >("SELECT channel, title, category, is_live AS isLive FROM channel_state ORDER BY channel");
}
