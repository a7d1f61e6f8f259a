import type { Db } from "../../platform/database/open-database.ts";
import type { Recognise } from "./recognise.ts";

export interface TierStore {
  /** Whether a checked claim about this subject, or a summary where it is the channel (null), holds a fact. */
  isClaimed(subjectId: string | null, holds: Recognise): boolean;
  /** Active notes of this subject that hold it. */
  notesWith(subjectId: string | null, holds: Recognise): number[];
  /** How many active notes a subject has. */
  activeCount(subjectId: string | null): number;
  /** Whether one of these notes, or for the channel one of these episodes, holds it. */
  shownIn(
    shown: { readonly noteIds: readonly number[]; readonly episodeIds: readonly number[] },
    subjectId: string | null,
    holds: Recognise,
  ): boolean;
}

interface Held {
  readonly id: number;
  readonly subjectId: string | null;
  readonly text: string;
}

/** Reads what each tier of memory holds, for one channel. */
export function tierStore(db: Db, channel: string): TierStore {
  const claims = db.prepare<[string], Held>(
    `SELECT c.episode_id AS id, c.subject_id AS subjectId, c.statement AS text FROM episode_claims c
     JOIN episodes e ON e.id = c.episode_id WHERE e.channel = ? AND c.withdrawn_at IS NULL`,
  );
  const summaries = db.prepare<[string], Held>(
    "SELECT id, NULL AS subjectId, summary AS text FROM episodes WHERE channel = ? AND summary <> ''",
  );
  const notes = db.prepare<[string, string | null], Held>(
    `SELECT id, subject_id AS subjectId, fact || ' ' || topics AS text FROM semantic_notes
     WHERE channel = ? AND scope IN ('viewer', 'channel', 'bit') AND subject_id IS ? AND status = 'active' ORDER BY id`,
  );
  const note = db.prepare<[number], Held>(
    "SELECT id, subject_id AS subjectId, fact || ' ' || topics AS text FROM semantic_notes WHERE id = ?",
  );
  const summary = db.prepare<[number], Held>(
    "SELECT id, NULL AS subjectId, summary AS text FROM episodes WHERE id = ?",
  );
  const notesWith = (subjectId: string | null, holds: Recognise): number[] =>
    notes
      .all(channel, subjectId)
      .filter(({ text }) => holds(text))
      .map(({ id }) => id);
  return {
    isClaimed: (subjectId, holds) =>
      claims.all(channel).some((claim) => claim.subjectId === subjectId && holds(claim.text)) ||
      (subjectId === null && summaries.all(channel).some(({ text }) => holds(text))),
    notesWith,
    activeCount: (subjectId) => notes.all(channel, subjectId).length,
    shownIn: ({ noteIds, episodeIds }, subjectId, holds) =>
      noteIds.some((id) => {
        const row = note.get(id);
        return row !== undefined && row.subjectId === subjectId && holds(row.text);
      }) ||
      (subjectId === null && episodeIds.some((id) => holds(summary.get(id)?.text ?? ""))),
  };
}
