import type { LlmPurpose } from "../config/names.ts";
import type { Db } from "../database/open-database.ts";
import type { LlmFailure, LlmUsage } from "./model-port.ts";

/** Who pays for a call: each side has its own share of every cap. */
export type Side = "reply" | "memory";

export interface LlmCallRow extends LlmUsage {
  readonly purpose: LlmPurpose;
  readonly model: string;
  /** 0 where the estimate is not of this very prompt, so that nothing is learned from the pair. */
  readonly estimatedTokens: number;
  readonly latencyMs: number;
  readonly outcome: "ok" | LlmFailure;
  readonly dollars: number | null;
  readonly createdAtMs: number;
}

export interface Spend {
  readonly calls: number;
  readonly tokens: number;
  readonly dollars: number;
}

export type SpendBySide = Readonly<Record<Side, Spend>>;

interface CountPair {
  readonly estimatedTokens: number;
  readonly promptTokens: number;
}

export interface LlmCallStore {
  add(row: LlmCallRow): void;
  /** The newest row's id, 0 in an empty table. */
  lastId(): number;
  /** What calls recorded in (fromMs, toMs] with an id up to `idMax` cost. */
  spendBetween(fromMs: number, toMs: number, idMax: number): SpendBySide;
  /** What calls with an id above `id` cost, of those recorded after `fromMs`. */
  spendAfterId(id: number, fromMs: number): SpendBySide;
  /** Estimate and provider's count of a model's last `limit` answers to one purpose, newest first. */
  recentCounts(model: string, purpose: LlmPurpose, limit: number): CountPair[];
  /** Deletes up to `limit` calls recorded before `beforeMs`; says how many. */
  expire(beforeMs: number, limit: number): number;
  /** Moves the calls of the last day back by `aheadMs`, by which the clock was set back: caps count them until then. */
  realign(nowMs: number, aheadMs: number): void;
}

const DAY_MS = 86_400_000;

interface SpendRow extends Spend {
  readonly isMemory: 0 | 1;
}

export const NO_SPEND: Spend = { calls: 0, tokens: 0, dollars: 0 };

// What the server turned away was not paid for. What it did not count, the estimate stands in for.
const SPEND = `purpose IN ('summarise', 'extract') AS isMemory, count(*) AS calls,
  total(CASE WHEN outcome IN ('network', 'server', 'rate_limit', 'quota', 'auth', 'request', 'model') THEN 0
    ELSE coalesce(prompt_tokens, estimated_tokens) + coalesce(output_tokens, 0) END) AS tokens,
  total(dollars) AS dollars`;

/** Statements over `llm_calls`. */
export function llmCallStore(db: Db): LlmCallStore {
  const insert = db.prepare<[LlmCallRow]>(
    `INSERT INTO llm_calls (purpose, model, prompt_tokens, cached_tokens, output_tokens, estimated_tokens,
       latency_ms, outcome, dollars, created_at)
     VALUES (@purpose, @model, @promptTokens, @cachedTokens, @outputTokens, @estimatedTokens,
       @latencyMs, @outcome, @dollars, @createdAtMs)`,
  );
  const last = db.prepare<[], number>("SELECT coalesce(max(id), 0) FROM llm_calls").pluck();
  const between = db.prepare<[number, number, number], SpendRow>(
    `SELECT ${SPEND} FROM llm_calls WHERE created_at > ? AND created_at <= ? AND +id <= ? GROUP BY 1`,
  );
  // The plus keeps the planner off the index on created_at, which would walk the whole day.
  const after = db.prepare<[number, number], SpendRow>(
    `SELECT ${SPEND} FROM llm_calls WHERE id > ? AND +created_at > ? GROUP BY 1`,
  );
  const counts = db.prepare<[string, LlmPurpose, number], CountPair>(
    `SELECT estimated_tokens AS estimatedTokens, prompt_tokens AS promptTokens FROM llm_calls
     WHERE model = ? AND purpose = ? AND outcome = 'ok' AND estimated_tokens > 0 AND prompt_tokens > 0
     ORDER BY id DESC LIMIT ?`,
  );
  const move = db.prepare<[number, number]>(
    "UPDATE llm_calls SET created_at = created_at - ? WHERE created_at >= ?",
  );
  const expire = db.prepare<[number, number]>(
    `DELETE FROM llm_calls WHERE id IN
       (SELECT id FROM llm_calls WHERE created_at < ? ORDER BY created_at LIMIT ?)`,
  );
  return {
    add: (row) => {
      insert.run(row);
    },
    lastId: () => last.get() ?? 0,
    spendBetween: (fromMs, toMs, idMax) => bySide(between.all(fromMs, toMs, idMax)),
    spendAfterId: (id, fromMs) => bySide(after.all(id, fromMs)),
    recentCounts: (model, purpose, limit) => counts.all(model, purpose, limit),
    expire: (beforeMs, limit) => expire.run(beforeMs, limit).changes,
    realign: (nowMs, aheadMs) => void move.run(aheadMs, nowMs + aheadMs - DAY_MS),
  };
}

/** Summaries and extraction serve memory; replies and their ranking serve the chat. */
export function sideOf(purpose: LlmPurpose): Side {
  return purpose === "summarise" || purpose === "extract" ? "memory" : "reply";
}

function bySide(rows: readonly SpendRow[]): SpendBySide {
  const spendOf = (side: 0 | 1): Spend => {
    const row = rows.find(({ isMemory }) => isMemory === side) ?? NO_SPEND;
    return { calls: row.calls, tokens: row.tokens, dollars: row.dollars };
  };
  return { reply: spendOf(0), memory: spendOf(1) };
}
