import { nameReader } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { statements } from "../database/statements.ts";
import { fillNames } from "../language/people.ts";
import type { EpisodeKind } from "./episode-store.ts";
import type { PropertyRow } from "./fact-key.ts";
import { IN_FORCE, NOTES_AND_NAMES, STATUS_NOW } from "./note-lists-store.ts";
import type { NoteRecord } from "./note-records-store.ts";

/** A note as the streamer sees it: names put in. What it says of somebody, such as a `home`, stands beside it. */
export interface NoteView
  extends Omit<NoteRecord, "subjectId" | "property" | "statusBefore">,
    PropertyRow {
  /** Display name; null for the channel. */
  readonly about: string | null;
  readonly importance: number;
  readonly createdAtMs: number;
  readonly lastConfirmedAtMs: number;
  /** When it last stood in the prompt of a reply that was sent. */
  readonly lastUsedAtMs: number | null;
  readonly useCount: number;
  readonly expiresAtMs: number | null;
  /** How many episodes it rests on. */
  readonly evidence: number;
}

interface EvidenceView {
  readonly episodeId: number;
  readonly episodeKind: string;
  readonly topic: string;
  /** What the episode claims that supports the note; null where the claim was withdrawn. */
  readonly claim: string | null;
  readonly method: string;
  readonly model: string | null;
  readonly createdAtMs: number;
}

interface NoteDetail extends NoteView {
  readonly evidenceRows: readonly EvidenceView[];
  /** Notes that this one took the place of. */
  readonly superseded: readonly number[];
  /** The notes that took its place, one after the other. */
  readonly successors: readonly number[];
}

/** What extraction, a viewer or the streamer offered, and what became of it. */
interface CandidateView {
  readonly id: number;
  readonly episodeId: number;
  readonly createdAtMs: number;
  /** Null where it must not be kept, or was forgotten. */
  readonly fact: string | null;
  readonly decision: string;
  readonly reason: string;
  readonly noteId: number | null;
}

interface NoteFilter {
  /** The accounts of one person; null for everybody. */
  readonly accounts: readonly string[] | null;
  readonly channel: string | null;
  /** One status as of now, or null for those that count: active, shadow and pending. */
  readonly status: string | null;
  /** One kind or scope; null for all. */
  readonly kind: string | null;
  readonly scope: string | null;
  /** Only notes that were active at this time, epoch ms; null for those of now. */
  readonly atMs?: number | null;
  readonly limit: number;
}

const COLUMNS = `n.id, n.channel, n.scope, v.display_name AS about, n.subject_id AS subjectId, n.kind, n.fact, n.topics,
  n.property, n.property_value AS propertyValue, n.property_game AS propertyGame, n.lifetime, n.persona, n.confidence, n.importance,
  ${STATUS_NOW} AS status, n.pinned, n.superseded_by AS supersededBy,
  n.source_kind AS source, n.created_at AS createdAtMs, n.last_confirmed_at AS lastConfirmedAtMs,
  n.last_used_at AS lastUsedAtMs, n.use_count AS useCount, n.expires_at AS expiresAtMs,
  (SELECT count(*) FROM note_evidence e WHERE e.note_id = n.id) AS evidence FROM ${NOTES_AND_NAMES}`;

interface NoteRow extends Omit<NoteView, "pinned"> {
  readonly subjectId: string | null;
  readonly pinned: number;
}

/** What the streamer can see of notes at a moment. Serves command line and page alike. */
export function noteReviewStore(db: Db, nowMs: number) {
  const sql = statements(db);
  const nameOf = nameReader(db);
  const view = ({ subjectId, ...row }: NoteRow): NoteView => ({
    ...row,
    about: subjectId === null ? null : (row.about ?? "someone"),
    pinned: row.pinned === 1,
    fact: fillNames(row.fact, nameOf),
  });
  const scopes = sql.all<
    [{ channel: string | null; nowMs: number }],
    { scope: string; count: number }
  >(
    `SELECT scope, count(*) AS count FROM semantic_notes
     WHERE ${IN_FORCE} AND (:channel IS NULL OR channel = :channel) GROUP BY scope ORDER BY scope`,
  );
  const candidates = sql.all<[{ reason: string | null; limit: number }], CandidateView>(
    `SELECT id, episode_id AS episodeId, created_at AS createdAtMs, fact, decision, reason, note_id AS noteId
     FROM note_candidates WHERE :reason IS NULL OR reason = :reason ORDER BY id DESC LIMIT :limit`,
  );
  return {
    /** Newest first. */
    notes: noteLister(db, nowMs, view),
    /** How many notes are in force, by scope. */
    countsByScope: (channel: string | null): Readonly<Record<string, number>> =>
      Object.fromEntries(scopes({ channel, nowMs }).map(({ scope, count }) => [scope, count])),
    /** A note with the chain of what it rests on: note → episode → claim. */
    note: noteDetails(db, nowMs, view),
    /** Newest first; kept for thirty days. */
    candidates: (filter: { readonly reason: string | null; readonly limit: number }) =>
      candidates(filter).map((row) => ({ ...row, fact: row.fact && fillNames(row.fact, nameOf) })),
    /** All that is kept of candidates, counted, most frequent first. */
    candidateCounts: sql.all<[], { decision: string; reason: string; count: number }>(
      `SELECT decision, reason, count(*) AS count FROM note_candidates
       GROUP BY decision, reason ORDER BY count DESC, decision, reason`,
    ),
  };
}

function noteLister(db: Db, nowMs: number, view: (row: NoteRow) => NoteView) {
  const list = db.prepare<[Readonly<Record<string, string | number | null>>], NoteRow>(
    `SELECT ${COLUMNS}
     WHERE (:channel IS NULL OR n.channel = :channel)
       AND (:accounts IS NULL OR n.subject_id IN (SELECT value FROM json_each(:accounts)))
       AND CASE WHEN :atMs IS NOT NULL THEN n.active_from <= :atMs AND coalesce(n.ended_at, :atMs + 1) > :atMs
           AND (n.pinned = 1 OR coalesce(n.expires_at, :atMs + 1) > :atMs)
         WHEN :status IS NULL THEN ${STATUS_NOW} IN ('active', 'shadow', 'pending') ELSE ${STATUS_NOW} = :status END
       AND (:kind IS NULL OR n.kind = :kind) AND (:scope IS NULL OR n.scope = :scope)
     ORDER BY n.id DESC LIMIT :limit`,
  );
  return ({ accounts, atMs = null, ...filter }: NoteFilter): NoteView[] =>
    list.all({ ...filter, atMs, accounts: accounts && JSON.stringify(accounts), nowMs }).map(view);
}

function noteDetails(db: Db, nowMs: number, view: (row: NoteRow) => NoteView) {
  const sql = statements(db);
  const one = sql.one<[{ id: number; nowMs: number }], NoteRow>(
    `SELECT ${COLUMNS} WHERE n.id = :id`,
  );
  const evidence = sql.all<[number], EvidenceView>(
    `SELECT e.episode_id AS episodeId, p.kind AS episodeKind, p.topic,
       (SELECT c.statement FROM episode_claims c
        WHERE c.episode_id = e.episode_id AND c.n = e.claim_n AND c.withdrawn_at IS NULL) AS claim,
       e.method, e.model, e.created_at AS createdAtMs
     FROM note_evidence e JOIN episodes p ON p.id = e.episode_id
     WHERE e.note_id = ? ORDER BY e.created_at, e.episode_id`,
  );
  const successors = sql.values<[number], number>(
    `WITH RECURSIVE chain (id, next) AS (
       SELECT id, superseded_by FROM semantic_notes WHERE id = ?
       UNION
       SELECT s.id, s.superseded_by FROM semantic_notes s JOIN chain ON s.id = chain.next
     ) SELECT next FROM chain WHERE next IS NOT NULL`,
  );
  const superseded = sql.values<[number], number>(
    "SELECT id FROM semantic_notes WHERE superseded_by = ? ORDER BY id",
  );
  const nameOf = nameReader(db);
  return (id: number): NoteDetail | null => {
    const row = one({ id, nowMs });
    if (row === null) return null;
    const evidenceRows = evidence(id).map(({ topic, claim, ...rest }) => ({
      ...rest,
      topic: fillNames(topic, nameOf),
      claim: claim && fillNames(claim, nameOf),
    }));
    return { ...view(row), evidenceRows, superseded: superseded(id), successors: successors(id) };
  };
}

/** An episode as the streamer sees it: names put in. */
interface EpisodeView {
  readonly id: number;
  readonly channel: string;
  readonly kind: EpisodeKind;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly eventCount: number;
  readonly topic: string;
  readonly summary: string;
  /** Sentences that no known viewers carry: nobody else is shown them. */
  readonly unproven: string;
  readonly stage: string;
  readonly status: string;
  readonly attempts: number;
  readonly nextAttemptAtMs: number | null;
}

interface ClaimView {
  readonly n: number;
  readonly scope: string;
  /** Display name; null for the channel. */
  readonly subject: string | null;
  readonly statement: string;
  /** How many events stand behind it. */
  readonly support: number;
  readonly withdrawn: boolean;
}

interface ClaimRow extends Omit<ClaimView, "subject" | "withdrawn"> {
  readonly subjectId: string | null;
  readonly withdrawn: number;
}

export interface EpisodeDetail extends EpisodeView {
  readonly participants: readonly string[];
  readonly claims: readonly ClaimView[];
}

const EPISODES = `SELECT id, channel, kind, started_at AS startedAtMs, ended_at AS endedAtMs, event_count AS eventCount,
  topic, summary, unproven, stage, status, attempts, next_attempt_at AS nextAttemptAtMs FROM episodes`;

/** What the streamer can see of episodes, and do about them. Serves command line and page alike. */
export function reviewStore(db: Db) {
  const sql = statements(db);
  const one = sql.one<[number], EpisodeView>(`${EPISODES} WHERE id = ?`);
  const participants = sql.values<[number], string>(
    `SELECT coalesce(v.display_name, 'someone') FROM episode_participants p
     LEFT JOIN viewers v ON v.user_id = p.user_id WHERE p.episode_id = ? ORDER BY 1`,
  );
  const claims = sql.all<[number], ClaimRow>(
    `SELECT n, scope, subject_id AS subjectId, statement, json_array_length(event_ids_json) AS support,
       withdrawn_at IS NOT NULL AS withdrawn
     FROM episode_claims WHERE episode_id = ? ORDER BY n`,
  );
  // What was summarised is paid for: only its extraction is done again, and that needs no chat.
  const retry = sql.run<[number]>(
    `UPDATE episodes SET kind = CASE kind WHEN 'gap' THEN 'window' ELSE kind END,
       stage = CASE WHEN kind = 'gap' THEN 'claimed' ELSE stage END,
       status = 'pending', attempts = 0, next_attempt_at = 0
     WHERE id = ? AND (status = 'failed' OR stage = 'claimed')
       AND ((kind <> 'gap' AND stage = 'summarised')
         OR EXISTS (SELECT 1 FROM events e WHERE e.episode_id = episodes.id AND e.text IS NOT NULL))`,
  );
  const nameOf = nameReader(db);
  const named = (view: EpisodeView): EpisodeView => ({
    ...view,
    topic: fillNames(view.topic, nameOf),
    summary: fillNames(view.summary, nameOf),
    unproven: fillNames(view.unproven, nameOf),
  });
  const claimView = ({ subjectId, statement, withdrawn, ...claim }: ClaimRow): ClaimView => ({
    ...claim,
    subject: subjectId === null ? null : (nameOf(subjectId) ?? "someone"),
    statement: fillNames(statement, nameOf),
    withdrawn: withdrawn === 1,
  });
  return {
    episode: (id: number): EpisodeDetail | null => {
      const view = one(id);
      return (
        view && {
          ...named(view),
          participants: participants(id),
          claims: claims(id).map(claimView),
        }
      );
    },
    /** Makes an episode that failed, or waits, due at once. False where there is nothing left to summarise. */
    retry: (id: number): boolean => retry(id) > 0,
  };
}
