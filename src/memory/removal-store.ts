import type { Db } from "../platform/database/open-database.ts";
import { summaryRewriter } from "./summary-rewrite-store.ts";

interface ForgottenSupport {
  readonly claimsWithdrawn: number;
  readonly notesRemoved: number;
  readonly summariesRewritten: number;
}

export interface RemovalStore {
  /**
   * Takes the events whose text was removed since the last call away from everything that was learned from them:
   * claims lose their support, a claim without any is withdrawn, evidence that rested on it alone goes, a note without
   * evidence goes, and the episode's summary becomes what its other claims about the channel say; the recap of its
   * stream goes. The database remembers what is due, so nothing is missed by a crash. One transaction.
   */
  settle(): ForgottenSupport;
}

const NOTHING: ForgottenSupport = { claimsWithdrawn: 0, notesRemoved: 0, summariesRewritten: 0 };

interface ClaimRow {
  readonly n: number;
  readonly eventIdsJson: string;
}

/** What removed chat takes with it. Design part 6, point 12. */
export function removalStore(db: Db, now: () => number): RemovalStore {
  const rows = statements(db);
  const rewrite = summaryRewriter(db);
  /** Gives how many notes went with it. What such a note had superseded is not taken for true again on its own. */
  const dropEvidence = (episodeId: number, claimN: number): number => {
    let notes = 0;
    for (const noteId of rows.dropEvidence.all(episodeId, claimN)) {
      if (rows.hasEvidence.get(noteId) !== undefined) continue;
      rows.unlinkSuperseded.run(noteId);
      notes += rows.dropNote.run(noteId).changes;
    }
    return notes;
  };
  const fromEpisode = (
    episodeId: number,
    gone: ReadonlySet<number>,
  ): { claims: number; notes: number } => {
    let claims = 0;
    let notes = 0;
    for (const { n, eventIdsJson } of rows.claims.all(episodeId)) {
      const left = parseIds(eventIdsJson).filter((id) => !gone.has(id));
      rows.setSupport.run(JSON.stringify(left), episodeId, n);
      if (left.length > 0) continue;
      rows.withdraw.run(now(), episodeId, n);
      claims += 1;
      notes += dropEvidence(episodeId, n);
    }
    if (claims > 0) rows.blankCandidates.run(episodeId);
    rewrite(episodeId);
    return { claims, notes };
  };
  return {
    settle: () => {
      if (rows.due.all().length === 0) return NOTHING;
      return db
        .transaction(() => {
          const gone = new Map<number, Set<number>>();
          for (const { episodeId, eventId } of rows.due.all()) {
            gone.set(episodeId, (gone.get(episodeId) ?? new Set()).add(eventId));
          }
          const parts = [...gone].map(([episodeId, eventIds]) => fromEpisode(episodeId, eventIds));
          rows.settled.run();
          return {
            claimsWithdrawn: parts.reduce((sum, { claims }) => sum + claims, 0),
            notesRemoved: parts.reduce((sum, { notes }) => sum + notes, 0),
            summariesRewritten: parts.length,
          };
        })
        .immediate();
    },
  };
}

function parseIds(json: string): number[] {
  return JSON.parse(json);
}

function statements(db: Db) {
  return {
    due: db.prepare<[], { episodeId: number; eventId: number }>(
      "SELECT episode_id AS episodeId, event_id AS eventId FROM removed_support",
    ),
    settled: db.prepare("DELETE FROM removed_support"),
    claims: db.prepare<[number], ClaimRow>(
      `SELECT n, event_ids_json AS eventIdsJson FROM episode_claims
       WHERE episode_id = ? AND withdrawn_at IS NULL ORDER BY n`,
    ),
    setSupport: db.prepare<[string, number, number]>(
      "UPDATE episode_claims SET event_ids_json = ? WHERE episode_id = ? AND n = ?",
    ),
    /** It says what was removed: nothing of it stays. */
    withdraw: db.prepare<[number, number, number]>(
      "UPDATE episode_claims SET statement = '', withdrawn_at = ? WHERE episode_id = ? AND n = ?",
    ),
    dropEvidence: db
      .prepare<[number, number], number>(
        "DELETE FROM note_evidence WHERE episode_id = ? AND claim_n = ? RETURNING note_id",
      )
      .pluck(),
    hasEvidence: db
      .prepare<[number], number>("SELECT 1 FROM note_evidence WHERE note_id = ? LIMIT 1")
      .pluck(),
    unlinkSuperseded: db.prepare<[number]>(
      "UPDATE semantic_notes SET superseded_by = NULL, status = 'stale', status_before = NULL WHERE superseded_by = ?",
    ),
    dropNote: db.prepare<[number]>("DELETE FROM semantic_notes WHERE id = ?"),
    blankCandidates: db.prepare<[number]>(
      "UPDATE note_candidates SET fact = NULL WHERE episode_id = ? AND fact IS NOT NULL",
    ),
  };
}
