import type { Db } from "../platform/database/open-database.ts";

/**
 * Gives a function that makes an episode's summary what its claims about the channel still say, and takes away the recap
 * of its stream. Only claims about the channel: everybody's prompt shows a summary, and a viewer's claims are the
 * viewer's. Design part 6, point 12.
 */
export function summaryRewriter(db: Db): (episodeId: number) => void {
  const claims = db
    .prepare<[number], string>(
      `SELECT statement FROM episode_claims
       WHERE episode_id = ? AND withdrawn_at IS NULL AND scope <> 'viewer' ORDER BY n`,
    )
    .pluck();
  const setSummary = db.prepare<[string, number]>(
    "UPDATE episodes SET topic = '', summary = ? WHERE id = ?",
  );
  /** It was made from the summary as it was; a new one is written while the stream is recent. */
  const dropRecap = db.prepare<[number]>(
    `UPDATE stream_sessions SET recap = NULL
     WHERE id = (SELECT session_id FROM episodes WHERE id = ?) AND recap IS NOT NULL`,
  );
  return (episodeId) => {
    setSummary.run(claims.all(episodeId).join(" "), episodeId);
    dropRecap.run(episodeId);
  };
}
