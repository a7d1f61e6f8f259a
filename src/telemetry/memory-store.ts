import type { Db } from "../platform/database/open-database.ts";
import type { Span } from "./replies-store.ts";

/** What memory made of the chat of a period. */
export interface MemoryChanges {
  readonly episodes: number;
  readonly gaps: number;
  readonly notesMade: number;
  readonly notesConfirmed: number;
  readonly notesSuperseded: number;
  /** Made by kind and by scope, with their confidence when they were made. */
  readonly made: readonly MadeRow[];
  /** What became of each candidate; kept for 30 days. */
  readonly candidates: readonly CandidateRow[];
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
  /** Active notes about viewers that never stood in a prompt that was sent. */
  readonly neverUsed: number;
  /** The oldest of them. */
  readonly neverUsedIds: readonly number[];
}

interface MemoryReportStore {
  changes(span: Span): MemoryChanges;
  /** Episodes that a prompt could have shown: those with a summary, oldest first. */
  shownEpisodes(span: Span): readonly number[];
  /** As it is now. Read in slices: there may be a million notes. */
  stock(channels: readonly string[]): NoteStock;
  /** How many of these notes are active now. */
  activeAmong(ids: readonly number[]): number;
}

const SLICE_NOTES = 20_000;
const NEVER_USED_SHOWN = 10;
/** Episodes of a channel in a stretch of time, by an index. */
const EPISODES = "e.channel = :channel AND e.ended_at >= :fromMs AND e.ended_at <= :toMs";
/** The first evidence of a note is what made it. */
const FIRST = `NOT EXISTS (SELECT 1 FROM note_evidence f WHERE f.note_id = v.note_id
  AND (f.created_at < v.created_at OR (f.created_at = v.created_at AND f.episode_id < v.episode_id)))`;

interface ChannelSpan {
  readonly channel: string;
  readonly fromMs: number;
  readonly toMs: number;
}

export function memoryReportStore(db: Db): MemoryReportStore {
  const rows = statements(db);
  const changesIn = (span: ChannelSpan): MemoryChanges => {
    const made = rows.made.all(span);
    const counts = rows.counts.get(span) ?? { episodes: 0, gaps: 0 };
    return {
      ...counts,
      notesMade: made.reduce((sum, row) => sum + row.count, 0),
      notesConfirmed: rows.confirmed.get(span) ?? 0,
      notesSuperseded: rows.superseded.get(span) ?? 0,
      made,
      candidates: rows.candidates.all(span),
    };
  };
  return {
    changes: ({ channels, fromMs, toMs }) =>
      channels.map((channel) => changesIn({ channel, fromMs, toMs })).reduce(together, NOTHING),
    shownEpisodes: ({ channels, fromMs, toMs }) =>
      channels.flatMap((channel) => rows.shownEpisodes.all({ channel, fromMs, toMs })),
    stock: (channels) => {
      const sums = channels.map((channel) => rows.perViewer.get(channel) ?? NO_NOTES);
      const never = neverUsed(rows, new Set(channels));
      return {
        active: sums.reduce((sum, { active }) => sum + active, 0),
        viewerNotes: sums.reduce((sum, { viewerNotes }) => sum + viewerNotes, 0),
        viewersWithNotes: sums.reduce((sum, { viewers }) => sum + viewers, 0),
        ...never,
      };
    },
    activeAmong: (ids) => rows.activeAmong.get(JSON.stringify(ids)) ?? 0,
  };
}

function statements(db: Db) {
  return {
    counts: db.prepare<[ChannelSpan], { episodes: number; gaps: number }>(
      `SELECT count(*) AS episodes, coalesce(sum(e.kind = 'gap'), 0) AS gaps FROM episodes e
       WHERE ${EPISODES} AND e.stage <> 'claimed'`,
    ),
    shownEpisodes: db
      .prepare<[ChannelSpan], number>(
        `SELECT e.id FROM episodes e
         WHERE ${EPISODES} AND e.stage <> 'claimed' AND e.kind <> 'gap' AND e.summary <> '' ORDER BY e.ended_at, e.id`,
      )
      .pluck(),
    made: db.prepare<[ChannelSpan], MadeRow>(
      `SELECT n.kind, n.scope, count(*) AS count, avg(v.confidence) AS confidence
       FROM episodes e JOIN note_evidence v ON v.episode_id = e.id JOIN semantic_notes n ON n.id = v.note_id
       WHERE ${EPISODES} AND ${FIRST} GROUP BY n.kind, n.scope ORDER BY count DESC, n.kind, n.scope`,
    ),
    confirmed: db
      .prepare<[ChannelSpan], number>(
        `SELECT count(*) FROM episodes e JOIN note_evidence v ON v.episode_id = e.id
         WHERE ${EPISODES} AND NOT (${FIRST})`,
      )
      .pluck(),
    superseded: db
      .prepare<[ChannelSpan], number>(
        `SELECT count(*) FROM episodes e JOIN note_evidence v ON v.episode_id = e.id
         JOIN semantic_notes old ON old.superseded_by = v.note_id
         WHERE ${EPISODES} AND ${FIRST}`,
      )
      .pluck(),
    candidates: db.prepare<[ChannelSpan], CandidateRow>(
      `SELECT c.decision, c.reason, count(*) AS count
       FROM episodes e JOIN note_candidates c ON c.episode_id = e.id
       WHERE ${EPISODES} GROUP BY c.decision, c.reason ORDER BY count DESC, c.decision, c.reason`,
    ),
    perViewer: db.prepare<[string], PerViewer>(
      `SELECT count(*) AS active, count(subject_id) AS viewerNotes, count(DISTINCT subject_id) AS viewers
       FROM semantic_notes WHERE channel = ? AND scope IN ('viewer', 'channel', 'bit') AND status = 'active'`,
    ),
    slice: db.prepare<[number, number], NoteRow>(
      `SELECT id, channel FROM semantic_notes
       WHERE id > ? AND id <= ? AND use_count = 0 AND status = 'active' AND scope = 'viewer' ORDER BY id`,
    ),
    newest: db.prepare<[], number>("SELECT coalesce(max(id), 0) FROM semantic_notes").pluck(),
    activeAmong: db
      .prepare<[string], number>(
        `SELECT count(*) FROM semantic_notes
         WHERE id IN (SELECT value FROM json_each(?)) AND status = 'active'`,
      )
      .pluck(),
  };
}

interface PerViewer {
  readonly active: number;
  readonly viewerNotes: number;
  readonly viewers: number;
}

interface NoteRow {
  readonly id: number;
  readonly channel: string;
}

const NO_NOTES: PerViewer = { active: 0, viewerNotes: 0, viewers: 0 };
const NOTHING: MemoryChanges = {
  episodes: 0,
  gaps: 0,
  notesMade: 0,
  notesConfirmed: 0,
  notesSuperseded: 0,
  made: [],
  candidates: [],
};

function neverUsed(
  { slice, newest }: ReturnType<typeof statements>,
  channels: ReadonlySet<string>,
): Pick<NoteStock, "neverUsed" | "neverUsedIds"> {
  const ids: number[] = [];
  let count = 0;
  const last = newest.get() ?? 0;
  for (let from = 0; from < last; from += SLICE_NOTES) {
    for (const { id, channel } of slice.all(from, from + SLICE_NOTES)) {
      if (!channels.has(channel)) continue;
      count += 1;
      if (ids.length < NEVER_USED_SHOWN) ids.push(id);
    }
  }
  return { neverUsed: count, neverUsedIds: ids };
}

function together(one: MemoryChanges, other: MemoryChanges): MemoryChanges {
  return {
    episodes: one.episodes + other.episodes,
    gaps: one.gaps + other.gaps,
    notesMade: one.notesMade + other.notesMade,
    notesConfirmed: one.notesConfirmed + other.notesConfirmed,
    notesSuperseded: one.notesSuperseded + other.notesSuperseded,
    made: [...one.made, ...other.made],
    candidates: [...one.candidates, ...other.candidates],
  };
}

export interface PolicyRow {
  readonly number: number;
  readonly source: string;
  readonly atMs: number;
}

/** A function that gives the policies accepted in (fromMs, toMs], oldest first. */
export function policiesBetween(db: Db): (fromMs: number, toMs: number) => readonly PolicyRow[] {
  const rows = db.prepare<[number, number], PolicyRow>(
    `SELECT number, source, created_at AS atMs FROM policy_history
     WHERE created_at > ? AND created_at <= ? ORDER BY number`,
  );
  return (fromMs, toMs) => rows.all(fromMs, toMs);
}
