import type { Db } from "../platform/database/open-database.ts";
import { OUTCOME_KINDS, type OutcomeKind } from "./outcome.ts";
import type { Period } from "./period.ts";
import type { ReplyFacts } from "./reply-facts.ts";
import { trailFigures } from "./trail-figures.ts";

export interface RepliesStore {
  /**
   * Shows each reply of a period, oldest first, in short statements of their own: nothing is locked in between.
   * With `atMost`, so many of them, evenly.
   */
  visit(period: Span, take: (reply: ReplyFacts) => void, atMost?: number): void;
}

export type Span = Pick<Period, "channels" | "fromMs" | "toMs">;

/** About 2 ms of reading. */
const SLICE_ROWS = 250;

interface ReplyRow extends Omit<ReplyFacts, "trail" | "isDamaged" | "outcomes"> {
  readonly trailJson: string | null;
  readonly outcomes: string | null;
}

export function repliesStore(db: Db): RepliesStore {
  const after = db.prepare<[number], { id: number; atMs: number }>(
    "SELECT id, created_at AS atMs FROM replies WHERE id >= ? ORDER BY id LIMIT 1",
  );
  const newest = db.prepare<[], number>("SELECT coalesce(max(id), 0) FROM replies").pluck();
  const slice = db.prepare<[number, number, number, number], ReplyRow>(
    `SELECT id, channel, "trigger", state, reason, created_at AS atMs, sent_at AS sentAtMs,
       latency_ms AS latencyMs, model, token_usage_json AS trailJson,
       (SELECT group_concat(kind) FROM reply_outcomes WHERE reply_id = replies.id) AS outcomes
     FROM replies WHERE id >= ? AND id < ? AND id % ? = 0 ORDER BY id LIMIT ?`,
  );
  /** The first id whose row is not older than `ms`: ids and times grow together. */
  const firstAt = (ms: number): number => {
    let low = 1;
    let high = (newest.get() ?? 0) + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const found = after.get(middle);
      if (found === undefined || found.atMs >= ms) high = middle;
      else low = found.id + 1;
    }
    return low;
  };
  return {
    visit: ({ channels, fromMs, toMs }, take, atMost = Number.POSITIVE_INFINITY) => {
      const endId = firstAt(toMs + 1);
      let fromId = firstAt(fromMs);
      const stride = Math.max(1, Math.ceil((endId - fromId) / atMost));
      const wanted = new Set(channels);
      for (;;) {
        const rows = slice.all(fromId, endId, stride, SLICE_ROWS);
        for (const row of rows) if (wanted.has(row.channel)) take(factsOf(row));
        const last = rows.at(-1);
        if (last === undefined) return;
        fromId = last.id + 1;
      }
    },
  };
}

function factsOf(row: ReplyRow): ReplyFacts {
  const trail = trailFigures(row.trailJson);
  return {
    id: row.id,
    channel: row.channel,
    trigger: row.trigger,
    state: row.state,
    reason: row.reason,
    atMs: row.atMs,
    sentAtMs: row.sentAtMs,
    latencyMs: row.latencyMs,
    model: row.model,
    trail,
    isDamaged: row.trailJson !== null && trail === null,
    outcomes: row.outcomes === null ? [] : row.outcomes.split(",").filter(isKind),
  };
}

const KINDS: ReadonlySet<string> = new Set(OUTCOME_KINDS);

function isKind(name: string): name is OutcomeKind {
  return KINDS.has(name);
}
