import { IN_FORCE, newestNote } from "../memory/note-lists-store.ts";
import type { Db } from "../platform/database/open-database.ts";
import { statements } from "../platform/database/statements.ts";
import type { Tally } from "./figures.ts";
import type { Span } from "./replies-store.ts";

const SLICE_NOTES = 10_000;
const SLICE_VIEWERS = 250;
const NEVER_USED_SHOWN = 10;
/** Episodes of channels in a stretch of time, by an index. */
const EPISODES = `e.channel IN (SELECT value FROM json_each(:channels))
  AND e.ended_at >= :fromMs AND e.ended_at <= :toMs`;
const EVIDENCE = "episodes e JOIN note_evidence v ON v.episode_id = e.id";
/** The first evidence of a note is what made it. */
const FIRST = `NOT EXISTS (SELECT 1 FROM note_evidence f WHERE f.note_id = v.note_id
  AND (f.created_at < v.created_at OR (f.created_at = v.created_at AND f.episode_id < v.episode_id)))`;

interface At {
  readonly nowMs: number;
}

export type MemoryChanges = ReturnType<ReturnType<typeof memoryReportStore>["changes"]>;

/** What memory made of the chat of a period, and what it holds. */
export function memoryReportStore(db: Db) {
  const sql = statements(db);
  const inSpan = <T>(query: string) => {
    const rows = sql.all<[object], T>(query);
    return ({ channels, fromMs, toMs }: Span): T[] =>
      rows({ channels: JSON.stringify(channels), fromMs, toMs });
  };
  const countIn = (from: string) => {
    const rows = inSpan<{ n: number }>(`SELECT count(*) AS n FROM ${from}`);
    return (span: Span): number => rows(span)[0]?.n ?? 0;
  };
  const episodes = countIn(
    `episodes e WHERE ${EPISODES} AND e.stage <> 'claimed' AND e.kind IN ('window', 'direct')`,
  );
  const gaps = countIn(`episodes e WHERE ${EPISODES} AND e.stage <> 'claimed' AND e.kind = 'gap'`);
  const madeIn = inSpan<{ kind: string; scope: string; count: number; confidence: number }>(
    `SELECT n.kind, n.scope, count(*) AS count, avg(v.confidence) AS confidence
     FROM ${EVIDENCE} JOIN semantic_notes n ON n.id = v.note_id
     WHERE ${EPISODES} AND ${FIRST} GROUP BY n.kind, n.scope ORDER BY count DESC, n.kind, n.scope`,
  );
  const confirmed = countIn(`${EVIDENCE} WHERE ${EPISODES} AND NOT (${FIRST})`);
  const superseded = countIn(
    `${EVIDENCE} JOIN semantic_notes old ON old.superseded_by = v.note_id
     WHERE ${EPISODES} AND ${FIRST}`,
  );
  const candidatesIn = inSpan<{ decision: string; reason: string; count: number }>(
    `SELECT c.decision, c.reason, count(*) AS count
     FROM episodes e JOIN note_candidates c ON c.episode_id = e.id
     WHERE ${EPISODES} GROUP BY c.decision, c.reason ORDER BY count DESC, c.decision, c.reason`,
  );
  const shownEpisodes = inSpan<{ id: number }>(
    `SELECT e.id FROM episodes e WHERE ${EPISODES} AND e.stage <> 'claimed' AND e.kind <> 'gap'
       AND e.summary <> '' ORDER BY e.ended_at, e.id`,
  );
  const activeAmong = sql.value<[At, string], number>(
    `SELECT count(*) FROM semantic_notes WHERE id IN (SELECT value FROM json_each(?)) AND ${IN_FORCE}`,
  );
  return {
    changes: (span: Span) => {
      const made = madeIn(span);
      const candidates = candidatesIn(span);
      const evicted = candidates.filter(({ decision }) => decision === "evict");
      return {
        /** Of chat: those that keep a wish, an import or the streamer's word are bookkeeping. */
        episodes: episodes(span),
        gaps: gaps(span),
        notesMade: sumOf(made),
        notesConfirmed: confirmed(span),
        notesSuperseded: superseded(span),
        /** By kind and by scope, with their confidence when they were made. */
        made,
        /** What became of each candidate; kept for 30 days. */
        candidates,
        notesEvicted: sumOf(evicted),
      };
    },
    /** Episodes that a prompt could have shown: those with a summary, oldest first. */
    shownEpisodes: (span: Span): readonly number[] => shownEpisodes(span).map(({ id }) => id),
    stock: noteStock(db),
    activeAmong: (ids: readonly number[], at: At): number =>
      activeAmong(at, JSON.stringify(ids)) ?? 0,
  };
}

function sumOf(rows: readonly { readonly count: number }[]): number {
  return rows.reduce((sum, { count }) => sum + count, 0);
}

/** What memory holds of some channels at a time. Read in steps: there may be a million notes. */
function noteStock(db: Db) {
  const sql = statements(db);
  const channelNotes = sql.value<[At, string], number>(
    `SELECT count(*) FROM semantic_notes WHERE channel = ? AND scope IN ('channel', 'bit') AND ${IN_FORCE}`,
  );
  const viewers = sql.all<[At, string, string, number], { subjectId: string; count: number }>(
    `SELECT subject_id AS subjectId, count(*) AS count FROM semantic_notes
     WHERE channel = ? AND scope = 'viewer' AND subject_id > ? AND ${IN_FORCE}
     GROUP BY subject_id ORDER BY subject_id LIMIT ?`,
  );
  const unused = sql.values<[At, number, number, string], number>(
    `SELECT id FROM semantic_notes WHERE id > ? AND id <= ? AND use_count = 0 AND ${IN_FORCE}
       AND scope = 'viewer' AND +channel IN (SELECT value FROM json_each(?)) ORDER BY id`,
  );
  const newest = newestNote(db);
  return function* stock(channels: readonly string[], at: At) {
    const sums = { active: 0, viewerNotes: 0, viewersWithNotes: 0 };
    for (const channel of channels) {
      sums.active += channelNotes(at, channel) ?? 0;
      for (let after: string | undefined = ""; after !== undefined; yield) {
        const rows = viewers(at, channel, after, SLICE_VIEWERS);
        sums.viewerNotes += sumOf(rows);
        sums.viewersWithNotes += rows.length;
        after = rows.at(-1)?.subjectId;
      }
    }
    const { active, viewerNotes, viewersWithNotes } = sums;
    const neverUsedIds: number[] = [];
    let neverUsed = 0;
    const last = newest();
    for (let from = 0; from < last; from += SLICE_NOTES) {
      const ids = unused(at, from, from + SLICE_NOTES, JSON.stringify(channels));
      neverUsed += ids.length;
      neverUsedIds.push(...ids.slice(0, NEVER_USED_SHOWN - neverUsedIds.length));
      yield;
    }
    return {
      ...sums,
      active: active + viewerNotes,
      /** On average, of viewers with notes. */
      notesPerViewer: viewersWithNotes === 0 ? 0 : viewerNotes / viewersWithNotes,
      /** Active notes about viewers that never stood in a prompt that was sent; and the oldest of them. */
      neverUsed,
      neverUsedIds,
    };
  };
}

/** The policies accepted in (fromMs, toMs], oldest first. */
export function policiesBetween(db: Db, fromMs: number, toMs: number) {
  return statements(db).all<[number, number], { number: number; source: string; atMs: number }>(
    `SELECT number, source, created_at AS atMs FROM policy_history
     WHERE created_at > ? AND created_at <= ? ORDER BY number`,
  )(fromMs, toMs);
}

/** What calls to language models came to. */
interface Sum {
  readonly calls: number;
  readonly failed: number;
  readonly tokensIn: number;
  readonly tokensCached: number;
  readonly tokensOut: number;
  /** null where no price is known: money is never made up. */
  readonly dollars: number | null;
  /** Answered calls whose price was not known. */
  readonly unpriced: number;
}

interface Shares {
  /** Of all tokens, those for summaries, notes and recaps. */
  readonly memoryTokenShare: number;
  /** The same of the money; null where no price is known. */
  readonly memoryDollarShare: number | null;
  /** Of the tokens that went in, those that the provider had cached; null where none went in. */
  readonly cachedShare: number | null;
}

const CALLS = `(SELECT *, coalesce(prompt_tokens, 0) + coalesce(output_tokens, 0) AS tokens,
    purpose IN ('summarise', 'extract') AS is_memory
  FROM llm_calls WHERE created_at >= :fromMs AND created_at <= :toMs)`;
const SUMS = `count(*) AS calls, coalesce(sum(outcome <> 'ok'), 0) AS failed,
  coalesce(sum(prompt_tokens), 0) AS tokensIn, coalesce(sum(cached_tokens), 0) AS tokensCached,
  coalesce(sum(output_tokens), 0) AS tokensOut, sum(dollars) AS dollars,
  coalesce(sum(dollars IS NULL AND outcome = 'ok'), 0) AS unpriced`;
const SHARES = `coalesce(sum(tokens) FILTER (WHERE is_memory) * 1.0 / nullif(sum(tokens), 0), 0) AS memoryTokenShare,
  coalesce(sum(dollars) FILTER (WHERE is_memory), 0) / nullif(sum(dollars), 0) AS memoryDollarShare,
  coalesce(sum(cached_tokens), 0) * 1.0 / nullif(sum(prompt_tokens), 0) AS cachedShare`;

/** What calls to language models came to in a time, why they failed, and by model and purpose. They belong to no channel. */
export function spendBetween(db: Db, fromMs: number, toMs: number) {
  const rows = <T>(columns: string, rest = ""): T[] =>
    statements(db).all<[object], T>(`SELECT ${columns} FROM ${CALLS} ${rest}`)({ fromMs, toMs });
  const by = <K extends string>(name: K) =>
    rows<Sum & { readonly [key in K]: string }>(
      `${name}, ${SUMS}`,
      `GROUP BY ${name} ORDER BY coalesce(sum(dollars), 0) DESC, calls DESC, ${name}`,
    );
  const failures = rows<{ name: string; value: number }>(
    "outcome AS name, count(*) AS value",
    "WHERE outcome <> 'ok' GROUP BY outcome ORDER BY value DESC, name",
  );
  const [total] = rows<Sum & Shares>(`${SUMS}, ${SHARES}`);
  return {
    spend: { ...(total as Sum & Shares), byModel: by("model"), byPurpose: by("purpose") },
    callFailures: Object.fromEntries(failures.map(({ name, value }) => [name, value])) as Tally,
  };
}
