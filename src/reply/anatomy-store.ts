import { actionNamed } from "../actions/catalogue.ts";
import type { Db } from "../platform/database/open-database.ts";
import { readTrail, type TrailRead } from "./trail.ts";

/** One reply as it is told to the streamer: ids, codes and numbers, no text of chat and none of the reply. */
export interface ReplyAnatomy {
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
  readonly trail: TrailRead;
  readonly actions: readonly AskedAction[];
  /** What came of it in chat. */
  readonly outcomes: readonly string[];
}

interface AskedAction {
  readonly id: number;
  readonly action: string;
  readonly decision: string;
  readonly reason: string;
  readonly outcome: string | null;
}

/** Reads what a reply saw, cost and caused. Null for a number that no reply has. */
export function replyAnatomy(db: Db): (replyId: number) => ReplyAnatomy | null {
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
  return (replyId) => {
    const row = reply.get(replyId);
    if (row === undefined) return null;
    const { trailJson, ...rest } = row;
    return {
      ...rest,
      trail: readTrail(trailJson),
      actions: actions.all(replyId).map((one) => ({ ...one, action: knownName(one.action) })),
      outcomes: outcomes.all(replyId),
    };
  };
}

/** A name that the model made up may be anybody's words. */
function knownName(action: string): string {
  return action === MALFORMED || actionNamed(action) !== null ? action : "other";
}

const MALFORMED = "malformed";

interface ReplyRow extends Omit<ReplyAnatomy, "trail" | "actions" | "outcomes"> {
  readonly trailJson: string | null;
}
