import type { Db } from "../db/open.ts";

export interface ForgottenSupport {
  readonly claimsWithdrawn: number;
  readonly notesRemoved: number;
  readonly summariesRewritten: number;
}

export interface RemovalStore {
  /**
   * Takes these events away from everything that was learned from them: claims lose their support, a claim without
   * any is withdrawn, evidence that rested on it alone goes, a note without evidence goes, and the episode's summary
   * becomes what its other claims about the channel say. One transaction.
   */
  removeSupport(eventIds: readonly number[]): ForgottenSupport;
}

interface ClaimRow {
  readonly n: number;
  readonly scope: string;
  readonly statement: string;
  readonly eventIdsJson: string;
}

/** What removed chat takes with it. Design part 6, point 12. */
export function removalStore(db: Db, now: () => number): RemovalStore {
  const rows = statements(db);
  /** Only claims about the channel: everybody's prompt shows a summary, and a viewer's claims are the viewer's. */
  const rewrite = (episodeId: number): void => {
    const left = rows.claims.all(episodeId).filter(({ scope }) => scope !== "viewer");
    rows.setSummary.run(left.map(({ statement }) => statement).join(" "), episodeId);
  };
  const fromEpisode = (episodeId: number, gone: ReadonlySet<number>): { claims: number; notes: number } => {
    let claims = 0;
    let notes = 0;
    for (const claim of rows.claims.all(episodeId)) {
      const ids: number[] = JSON.parse(claim.eventIdsJson);
      const left = ids.filter((id) => !gone.has(id));
      if (left.length === ids.length) continue;
      rows.setSupport.run(JSON.stringify(left), left.length > 0 ? null : now(), episodeId, claim.n);
      if (left.length > 0) continue;
      claims += 1;
      rows.dropEvidence.run(episodeId, claim.n);
    }
    if (claims > 0) notes = rows.dropUnfounded.run().changes;
    rewrite(episodeId);
    return { claims, notes };
  };
  return {
    removeSupport: (eventIds) =>
      db.transaction(() => {
        const gone = new Set(eventIds);
        const episodeIds = new Set(eventIds.flatMap((id) => rows.episodeOf.get(id) ?? []));
        const parts = [...episodeIds].map((id) => fromEpisode(id, gone));
        return {
          claimsWithdrawn: parts.reduce((sum, { claims }) => sum + claims, 0),
          notesRemoved: parts.reduce((sum, { notes }) => sum + notes, 0),
          summariesRewritten: parts.length,
        };
      })(),
  };
}

function statements(db: Db) {
  return {
    episodeOf: db
      .prepare<[number], number>(
        `SELECT e.episode_id FROM events e JOIN episodes p ON p.id = e.episode_id
         WHERE e.id = ? AND p.stage <> 'claimed' AND p.kind <> 'gap'`,
      )
      .pluck(),
    claims: db.prepare<[number], ClaimRow>(
      `SELECT n, scope, statement, event_ids_json AS eventIdsJson FROM episode_claims
       WHERE episode_id = ? AND withdrawn_at IS NULL ORDER BY n`,
    ),
    setSupport: db.prepare<[string, number | null, number, number]>(
      "UPDATE episode_claims SET event_ids_json = ?, withdrawn_at = ? WHERE episode_id = ? AND n = ?",
    ),
    dropEvidence: db.prepare<[number, number]>(
      "DELETE FROM note_evidence WHERE episode_id = ? AND claim_n = ?",
    ),
    dropUnfounded: db.prepare(
      "DELETE FROM semantic_notes WHERE NOT EXISTS (SELECT 1 FROM note_evidence v WHERE v.note_id = semantic_notes.id)",
    ),
    setSummary: db.prepare<[string, number]>("UPDATE episodes SET topic = '', summary = ? WHERE id = ?"),
  };
}
