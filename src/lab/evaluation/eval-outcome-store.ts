import type { Db } from "../../platform/database/open-database.ts";
import { type Trail, trailSchema } from "../../reply/trail.ts";
import type { AuditedNote, BotLine } from "./audit.ts";

/** A recorded reply, as the measures read it. */
interface RecordedReply {
  readonly id: number;
  readonly atMs: number;
  readonly state: string;
  readonly latencyMs: number | null;
  readonly trail: Trail;
}

export interface OutcomeStore {
  /** Every reply with a trail, in order. */
  replies(): RecordedReply[];
  /** What the bot said since a reply, exclusive. */
  saidSince(replyId: number): (BotLine & { readonly id: number })[];
  activeNotes(): AuditedNote[];
  counts(): { readonly episodes: number; readonly gaps: number; readonly unsummarised: number };
}

/** Reads what a replay left behind. */
export function outcomeStore(db: Db): OutcomeStore {
  const replies = db.prepare<[], Omit<RecordedReply, "trail"> & { readonly trail: string }>(
    `SELECT id, created_at AS atMs, state, latency_ms AS latencyMs, token_usage_json AS trail FROM replies
     WHERE token_usage_json IS NOT NULL ORDER BY id`,
  );
  const said = db.prepare<[number], BotLine & { readonly id: number }>(
    "SELECT id, text, created_at AS atMs FROM replies WHERE id > ? AND text IS NOT NULL ORDER BY id",
  );
  const notes = db.prepare<[], AuditedNote>(
    `SELECT n.id, n.subject_id AS subjectId, n.fact, n.created_at AS createdAtMs,
       (SELECT count(*) FROM note_evidence v JOIN episodes e ON e.id = v.episode_id
        WHERE v.note_id = n.id AND (v.claim_n IS NULL OR EXISTS (SELECT 1 FROM episode_claims c
          WHERE c.episode_id = v.episode_id AND c.n = v.claim_n AND c.withdrawn_at IS NULL))) AS evidence
     FROM semantic_notes n WHERE n.status = 'active' ORDER BY n.id`,
  );
  const episodes = db
    .prepare<[string], number>("SELECT count(*) FROM episodes WHERE kind <> 'gap' AND stage <> ?")
    .pluck();
  const gaps = db.prepare<[], number>("SELECT count(*) FROM episodes WHERE kind = 'gap'").pluck();
  const waiting = db
    .prepare<[], number>("SELECT count(*) FROM events WHERE memorable = 1 AND episode_id IS NULL")
    .pluck();
  return {
    replies: () =>
      replies.all().map((row) => ({ ...row, trail: trailSchema.parse(JSON.parse(row.trail)) })),
    saidSince: (replyId) => said.all(replyId),
    activeNotes: () => notes.all(),
    counts: () => ({
      episodes: episodes.get("claimed") ?? 0,
      gaps: gaps.get() ?? 0,
      unsummarised: waiting.get() ?? 0,
    }),
  };
}
