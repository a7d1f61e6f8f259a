import type { Config } from "../config/load.ts";
import type { Db } from "../database/open-database.ts";
import { noteReviewStore } from "../memory/note-view-store.ts";
import { dollarsOf, priceOf } from "../models/models.ts";
import { knownAction } from "./reply-store.ts";
import { readTrail, subjectOf, type Trail } from "./trail.ts";

export type ReplyAnatomy = NonNullable<ReturnType<ReturnType<typeof replyAnatomy>>>;

/**
 * One reply as it is told to the streamer: what it saw, cost and caused, in ids, codes and numbers, and the notes that
 * were weighed as they stand now. No text of chat and none of the reply. Null for a number that no reply has.
 */
export function replyAnatomy(db: Db, { llm: { prices } }: Pick<Config, "llm">, nowMs: number) {
  const reply = db.prepare<[number], ReplyRow>(
    `SELECT r.id, r.channel, v.display_name AS viewer, r."trigger" AS "trigger", r.state, r.reason,
       r.created_at AS createdAtMs, r.sent_at AS sentAtMs, r.latency_ms AS latencyMs, r.token_usage_json AS trailJson
     FROM replies r LEFT JOIN viewers v ON v.user_id = r.user_id WHERE r.id = ?`,
  );
  const actions = db.prepare<[number], AskedAction>(
    `SELECT id, action, decision, reason, outcome FROM action_log
     WHERE reply_id = ? AND reply_id IS NOT NULL ORDER BY id`,
  );
  const outcomes = db
    .prepare<[number], string>("SELECT kind FROM reply_outcomes WHERE reply_id = ? ORDER BY kind")
    .pluck();
  return (replyId: number) => {
    const row = reply.get(replyId);
    if (row === undefined) return null;
    const { trailJson, ...rest } = row;
    const read = readTrail(trailJson);
    const trail = read.kind === "read" ? read.trail : null;
    const price = trail?.model ? priceOf(trail.model, prices) : null;
    return {
      ...rest,
      trail: read,
      dollars: trail && price && dollarsOf(price, trail, trail.estimatedTokens),
      facts: trail === null ? [] : weighedIn(trail, noteReviewStore(db, nowMs).note),
      actions: actions.all(replyId).map((one) => ({ ...one, action: knownAction(one.action) })),
      outcomes: outcomes.all(replyId),
    };
  };
}

/** The notes that were weighed, with what each says now; null for what is no more. */
function weighedIn(trail: Trail, noteOf: ReturnType<typeof noteReviewStore>["note"]) {
  const subject = subjectOf(trail);
  return trail.notes.candidates.map((weighed) => {
    const { id, score } = weighed;
    const { fact = null, status = null } = noteOf(id) ?? {};
    const isKept = trail.notes.kept.includes(id);
    return { id, score, fact, status, isKept, about: subject(weighed) };
  });
}

interface AskedAction {
  readonly id: number;
  readonly action: string;
  readonly decision: string;
  readonly reason: string;
  readonly outcome: string | null;
}

interface ReplyRow {
  readonly id: number;
  readonly channel: string;
  /** Who was answered, as they are called now; null for somebody who is forgotten. */
  readonly viewer: string | null;
  readonly trigger: string;
  readonly state: string;
  /** One code, where nothing was sent. */
  readonly reason: string | null;
  readonly createdAtMs: number;
  readonly sentAtMs: number | null;
  readonly latencyMs: number | null;
  readonly trailJson: string | null;
}
