import { readOffer } from "../../memory/candidate-json.ts";
import type { Candidate } from "../../memory/check-candidate.ts";
import type { Db } from "../../platform/database/open-database.ts";

/** A candidate as it was offered, and what became of it then. */
export interface RecordedCandidate {
  readonly candidate: Candidate;
  readonly model: string | null;
  /** The note that it made or confirmed. */
  readonly noteId: number | null;
}

/** An episode with what was offered of it, oldest first. */
export interface RecordedEpisode {
  readonly id: number;
  readonly channel: string;
  readonly sessionId: number | null;
  readonly topic: string;
  readonly atMs: number;
  readonly claims: readonly RecordedClaim[];
  readonly candidates: readonly RecordedCandidate[];
}

interface RecordedClaim {
  readonly n: number;
  readonly scope: "viewer" | "channel" | "bit";
  readonly subjectId: string | null;
  readonly statement: string;
}

export interface Recorded {
  readonly episodes: readonly RecordedEpisode[];
  /** Candidates whose offer was not written down, or must not be. */
  readonly unreadable: number;
}

/** More are not looked at. */
const CANDIDATES_MAX = 20_000;

interface Row {
  readonly episodeId: number;
  readonly fact: string | null;
  readonly offer: string | null;
  readonly noteId: number | null;
  readonly atMs: number;
  readonly channel: string;
  readonly sessionId: number | null;
  readonly topic: string;
}

/** Reads what was offered in a time, by episode. Writes nothing. */
export function recordedEpisodes(
  db: Db,
  { fromMs, toMs, sessionId }: { fromMs: number; toMs: number; sessionId: number | null },
): Recorded {
  const rows = db
    .prepare<[{ fromMs: number; toMs: number; sessionId: number | null }], Row>(
      `SELECT c.episode_id AS episodeId, c.fact, c.offer_json AS offer, c.note_id AS noteId,
         c.created_at AS atMs, e.channel, e.session_id AS sessionId, e.topic
       FROM note_candidates c JOIN episodes e ON e.id = c.episode_id
       WHERE c.created_at BETWEEN :fromMs AND :toMs AND c.decision <> 'evict'
         AND (:sessionId IS NULL OR e.session_id = :sessionId)
       ORDER BY c.created_at, c.id LIMIT ${CANDIDATES_MAX}`,
    )
    .all({ fromMs, toMs, sessionId });
  const claims = db.prepare<[number], RecordedClaim>(
    `SELECT n, scope, subject_id AS subjectId, statement FROM episode_claims
     WHERE episode_id = ? AND withdrawn_at IS NULL ORDER BY n`,
  );
  const byEpisode = new Map<number, Row[]>();
  for (const row of rows) {
    byEpisode.set(row.episodeId, [...(byEpisode.get(row.episodeId) ?? []), row]);
  }
  let unreadable = 0;
  const episodes = [...byEpisode].flatMap(([id, own]): RecordedEpisode[] => {
    const candidates = own.flatMap(candidateOf);
    unreadable += own.length - candidates.length;
    const [first] = own;
    if (first === undefined || candidates.length === 0) return [];
    const { channel, sessionId: session, topic, atMs } = first;
    return [{ id, channel, sessionId: session, topic, atMs, claims: claims.all(id), candidates }];
  });
  return { episodes, unreadable };
}

function candidateOf({ fact, offer, noteId }: Row): RecordedCandidate[] {
  const candidate = readOffer(fact, offer);
  return candidate === null ? [] : [{ candidate, model: null, noteId }];
}

/** Puts recorded episodes into a database of their own, for notes to rest on. */
export function episodeCopier(db: Db): (episode: RecordedEpisode) => void {
  const session = db.prepare<[number, string, number]>(
    "INSERT INTO stream_sessions (id, channel, started_at) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING",
  );
  const insert = db.prepare<[Omit<RecordedEpisode, "claims" | "candidates">]>(
    `INSERT INTO episodes (id, channel, kind, session_id, event_count, started_at, ended_at, topic, stage, status, created_at)
     VALUES (:id, :channel, 'window', :sessionId, 0, :atMs, :atMs, :topic, 'extracted', 'done', :atMs)`,
  );
  const claim = db.prepare<[RecordedClaim & { readonly episodeId: number }]>(
    `INSERT INTO episode_claims (episode_id, n, scope, subject_id, statement, event_ids_json)
     VALUES (:episodeId, :n, :scope, :subjectId, :statement, '[]')`,
  );
  return ({ claims, candidates: _, ...episode }) => {
    if (episode.sessionId !== null) session.run(episode.sessionId, episode.channel, episode.atMs);
    insert.run(episode);
    for (const one of claims) claim.run({ ...one, episodeId: episode.id });
  };
}

/** The facts of notes that count. */
export function activeFacts(db: Db): string[] {
  return db
    .prepare<[], string>("SELECT fact FROM semantic_notes WHERE status = 'active' ORDER BY id")
    .pluck()
    .all();
}
