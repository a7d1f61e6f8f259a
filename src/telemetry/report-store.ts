import { IN_FORCE } from "../memory/note-lists-store.ts";
import type { Db } from "../platform/database/open-database.ts";
import type { Tally } from "./figures.ts";
import type { Span } from "./replies-store.ts";

/** What memory made of the chat of a period. */
export interface MemoryChanges {
  /** Of chat: those that keep a wish, an import or the streamer's word are bookkeeping. */
  readonly episodes: number;
  readonly gaps: number;
  readonly notesMade: number;
  readonly notesConfirmed: number;
  readonly notesSuperseded: number;
  /** Made by kind and by scope, with their confidence when they were made. */
  readonly made: readonly MadeRow[];
  /** What became of each candidate; kept for 30 days. */
  readonly candidates: readonly CandidateRow[];
  /** Notes that made room under a cap. */
  readonly notesEvicted: number;
}

interface MadeRow {
  readonly kind: string;
  readonly scope: string;
  readonly count: number;
  readonly confidence: number;
}

interface CandidateRow {
  readonly decision: string;
  readonly reason: string;
  readonly count: number;
}

export interface NoteStock {
  readonly active: number;
  readonly viewerNotes: number;
  readonly viewersWithNotes: number;
  /** On average, of those viewers. */
  readonly notesPerViewer: number;
  /** Active notes about viewers that never stood in a prompt that was sent. */
  readonly neverUsed: number;
  /** The oldest of them. */
  readonly neverUsedIds: readonly number[];
}

const SLICE_NOTES = 10_000;
const SLICE_VIEWERS = 250;
const NEVER_USED_SHOWN = 10;
/** Episodes of channels in a stretch of time, by an index. */
const EPISODES = `e.channel IN (SELECT value FROM json_each(:channels))
  AND e.ended_at >= :fromMs AND e.ended_at <= :toMs`;
/** The first evidence of a note is what made it. */
const FIRST = `NOT EXISTS (SELECT 1 FROM note_evidence f WHERE f.note_id = v.note_id
  AND (f.created_at < v.created_at OR (f.created_at = v.created_at AND f.episode_id < v.episode_id)))`;

interface InChannels {
  /** A JSON array. */
  readonly channels: string;
  readonly fromMs: number;
  readonly toMs: number;
}

function inChannels({ channels, fromMs, toMs }: Span): InChannels {
  return { channels: JSON.stringify(channels), fromMs, toMs };
}

export function memoryReportStore(db: Db) {
  const rows = statements(db);
  return {
    changes: (span: Span): MemoryChanges => {
      const asked = inChannels(span);
      const made = rows.made.all(asked);
      const candidates = rows.candidates.all(asked);
      const evicted = candidates.filter(({ decision }) => decision === "evict");
      return {
        ...(rows.counts.get(asked) ?? { episodes: 0, gaps: 0 }),
        notesMade: made.reduce((sum, row) => sum + row.count, 0),
        notesConfirmed: rows.confirmed.get(asked) ?? 0,
        notesSuperseded: rows.superseded.get(asked) ?? 0,
        made,
        candidates,
        notesEvicted: evicted.reduce((sum, row) => sum + row.count, 0),
      };
    },
    /** Episodes that a prompt could have shown: those with a summary, oldest first. */
    shownEpisodes: (span: Span): readonly number[] => rows.shownEpisodes.all(inChannels(span)),
    /** As it is at `at`. Read in steps: there may be a million notes. */
    *stock(channels: readonly string[], at: At): Generator<void, NoteStock> {
      const sums = { active: 0, viewerNotes: 0, viewersWithNotes: 0 };
      for (const channel of channels) {
        sums.active += rows.channelNotes.get(at, channel) ?? 0;
        for (const { viewers, notes } of yield* viewersIn(rows, channel, at)) {
          sums.active += notes;
          sums.viewerNotes += notes;
          sums.viewersWithNotes += viewers;
        }
      }
      const { viewerNotes, viewersWithNotes } = sums;
      const notesPerViewer = viewersWithNotes === 0 ? 0 : viewerNotes / viewersWithNotes;
      return { ...sums, notesPerViewer, ...(yield* neverUsed(rows, new Set(channels), at)) };
    },
    /** How many of these notes are active then. */
    activeAmong: (ids: readonly number[], at: At): number =>
      rows.activeAmong.get(at, JSON.stringify(ids)) ?? 0,
  };
}

function statements(db: Db) {
  return {
    counts: db.prepare<[InChannels], { episodes: number; gaps: number }>(
      `SELECT coalesce(sum(e.kind IN ('window', 'direct')), 0) AS episodes,
         coalesce(sum(e.kind = 'gap'), 0) AS gaps
       FROM episodes e WHERE ${EPISODES} AND e.stage <> 'claimed'`,
    ),
    shownEpisodes: db
      .prepare<[InChannels], number>(
        `SELECT e.id FROM episodes e
         WHERE ${EPISODES} AND e.stage <> 'claimed' AND e.kind <> 'gap' AND e.summary <> '' ORDER BY e.ended_at, e.id`,
      )
      .pluck(),
    made: db.prepare<[InChannels], MadeRow>(
      `SELECT n.kind, n.scope, count(*) AS count, avg(v.confidence) AS confidence
       FROM episodes e JOIN note_evidence v ON v.episode_id = e.id JOIN semantic_notes n ON n.id = v.note_id
       WHERE ${EPISODES} AND ${FIRST} GROUP BY n.kind, n.scope ORDER BY count DESC, n.kind, n.scope`,
    ),
    confirmed: db
      .prepare<[InChannels], number>(
        `SELECT count(*) FROM episodes e JOIN note_evidence v ON v.episode_id = e.id
         WHERE ${EPISODES} AND NOT (${FIRST})`,
      )
      .pluck(),
    superseded: db
      .prepare<[InChannels], number>(
        `SELECT count(*) FROM episodes e JOIN note_evidence v ON v.episode_id = e.id
         JOIN semantic_notes old ON old.superseded_by = v.note_id
         WHERE ${EPISODES} AND ${FIRST}`,
      )
      .pluck(),
    candidates: db.prepare<[InChannels], CandidateRow>(
      `SELECT c.decision, c.reason, count(*) AS count
       FROM episodes e JOIN note_candidates c ON c.episode_id = e.id
       WHERE ${EPISODES} GROUP BY c.decision, c.reason ORDER BY count DESC, c.decision, c.reason`,
    ),
    channelNotes: db
      .prepare<[At, string], number>(
        `SELECT count(*) FROM semantic_notes
         WHERE channel = ? AND scope IN ('channel', 'bit') AND ${IN_FORCE}`,
      )
      .pluck(),
    viewers: db.prepare<[At, string, string, number], { subjectId: string; notes: number }>(
      `SELECT subject_id AS subjectId, count(*) AS notes FROM semantic_notes
       WHERE channel = ? AND scope = 'viewer' AND subject_id > ? AND ${IN_FORCE}
       GROUP BY subject_id ORDER BY subject_id LIMIT ?`,
    ),
    slice: db.prepare<[At, number, number], NoteRow>(
      `SELECT id, channel FROM semantic_notes
       WHERE id > ? AND id <= ? AND use_count = 0 AND ${IN_FORCE} AND scope = 'viewer' ORDER BY id`,
    ),
    newest: db.prepare<[], number>("SELECT coalesce(max(id), 0) FROM semantic_notes").pluck(),
    activeAmong: db
      .prepare<[At, string], number>(
        `SELECT count(*) FROM semantic_notes
         WHERE id IN (SELECT value FROM json_each(?)) AND ${IN_FORCE}`,
      )
      .pluck(),
  };
}

interface At {
  readonly nowMs: number;
}

interface NoteRow {
  readonly id: number;
  readonly channel: string;
}

/** How many viewers have notes, and how many notes, a thousand viewers at a time. */
function* viewersIn({ viewers }: ReturnType<typeof statements>, channel: string, at: At) {
  const found: { viewers: number; notes: number }[] = [];
  for (let after = ""; ; ) {
    const rows = viewers.all(at, channel, after, SLICE_VIEWERS);
    const last = rows.at(-1);
    if (last === undefined) return found;
    found.push({ viewers: rows.length, notes: rows.reduce((sum, { notes }) => sum + notes, 0) });
    after = last.subjectId;
    yield;
  }
}

function* neverUsed(
  { slice, newest }: ReturnType<typeof statements>,
  channels: ReadonlySet<string>,
  at: At,
): Generator<void, { readonly neverUsed: number; readonly neverUsedIds: readonly number[] }> {
  const ids: number[] = [];
  let count = 0;
  const last = newest.get() ?? 0;
  for (let from = 0; from < last; from += SLICE_NOTES) {
    for (const { id, channel } of slice.all(at, from, from + SLICE_NOTES)) {
      if (!channels.has(channel)) continue;
      count += 1;
      if (ids.length < NEVER_USED_SHOWN) ids.push(id);
    }
    yield;
  }
  return { neverUsed: count, neverUsedIds: ids };
}

export interface AcceptedPolicy {
  readonly number: number;
  readonly source: string;
  readonly atMs: number;
}

/** The policies accepted in (fromMs, toMs], oldest first. */
export function policiesBetween(db: Db, fromMs: number, toMs: number): readonly AcceptedPolicy[] {
  return db
    .prepare<[number, number], AcceptedPolicy>(
      `SELECT number, source, created_at AS atMs FROM policy_history
       WHERE created_at > ? AND created_at <= ? ORDER BY number`,
    )
    .all(fromMs, toMs);
}

type Sum = Omit<CallsRow, "model" | "purpose">;

/** What calls to language models cost. */
export interface ModelSpend extends Sum {
  readonly byModel: readonly (Sum & { readonly model: string })[];
  readonly byPurpose: readonly (Sum & { readonly purpose: string })[];
  /** Of all tokens, those for summaries, notes and recaps. */
  readonly memoryTokenShare: number;
  /** The same of the money; null where no price is known. */
  readonly memoryDollarShare: number | null;
  /** Of the tokens that went in, those that the provider had cached; null where none went in. */
  readonly cachedShare: number | null;
}

const SUMMED = ["calls", "failed", "tokensIn", "tokensCached", "tokensOut", "unpriced"] as const;
const NO_CALLS: Sum = {
  calls: 0,
  failed: 0,
  tokensIn: 0,
  tokensCached: 0,
  tokensOut: 0,
  unpriced: 0,
  dollars: null,
};
const MEMORY: ReadonlySet<string> = new Set(["summarise", "extract"]);

export function spendOf(rows: readonly CallsRow[]): ModelSpend {
  const total = rows.reduce(plus, NO_CALLS);
  const memory = rows.filter(({ purpose }) => MEMORY.has(purpose)).reduce(plus, NO_CALLS);
  const tokens = (sum: Sum): number => sum.tokensIn + sum.tokensOut;
  return {
    ...total,
    byModel: grouped(rows, ({ model }) => model).map(([model, sum]) => ({ model, ...sum })),
    byPurpose: grouped(rows, ({ purpose }) => purpose).map(([purpose, sum]) => ({
      purpose,
      ...sum,
    })),
    cachedShare: total.tokensIn === 0 ? null : total.tokensCached / total.tokensIn,
    memoryTokenShare: tokens(total) === 0 ? 0 : tokens(memory) / tokens(total),
    memoryDollarShare:
      total.dollars === null || total.dollars === 0 ? null : (memory.dollars ?? 0) / total.dollars,
  };
}

function grouped(
  rows: readonly CallsRow[],
  nameOf: (row: CallsRow) => string,
): (readonly [string, Sum])[] {
  const sums = new Map<string, Sum>();
  for (const row of rows) sums.set(nameOf(row), plus(sums.get(nameOf(row)) ?? NO_CALLS, row));
  return [...sums].sort(
    ([, one], [, other]) => (other.dollars ?? 0) - (one.dollars ?? 0) || other.calls - one.calls,
  );
}

/** No known price on either side stays no known price: money is never made up. */
function plus(one: Sum, other: Sum): Sum {
  const sum = { ...one };
  for (const key of SUMMED) sum[key] += other[key];
  if (other.dollars !== null) sum.dollars = (one.dollars ?? 0) + other.dollars;
  return sum;
}

/** Calls to one model for one purpose. */
interface CallsRow {
  readonly model: string;
  readonly purpose: string;
  readonly calls: number;
  readonly failed: number;
  readonly tokensIn: number;
  readonly tokensCached: number;
  readonly tokensOut: number;
  /** null where no price is known of the model. */
  readonly dollars: number | null;
  /** Answered calls whose price was not known. */
  readonly unpriced: number;
}

/** What calls to language models came to, by model and purpose. They belong to no channel. */
export function callsBetween(db: Db, fromMs: number, toMs: number): readonly CallsRow[] {
  return db
    .prepare<[number, number], CallsRow>(
      `SELECT model, purpose, count(*) AS calls, sum(outcome <> 'ok') AS failed,
         coalesce(sum(prompt_tokens), 0) AS tokensIn, coalesce(sum(cached_tokens), 0) AS tokensCached,
         coalesce(sum(output_tokens), 0) AS tokensOut, sum(dollars) AS dollars,
         sum(dollars IS NULL AND outcome = 'ok') AS unpriced
       FROM llm_calls WHERE created_at >= ? AND created_at <= ? GROUP BY model, purpose ORDER BY model, purpose`,
    )
    .all(fromMs, toMs);
}

/** Why calls failed, how often, most first. */
export function callFailures(db: Db, fromMs: number, toMs: number): Tally {
  const rows = db
    .prepare<[number, number], { name: string; value: number }>(
      `SELECT outcome AS name, count(*) AS value FROM llm_calls
       WHERE created_at >= ? AND created_at <= ? AND outcome <> 'ok' GROUP BY outcome ORDER BY value DESC, name`,
    )
    .all(fromMs, toMs);
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}
