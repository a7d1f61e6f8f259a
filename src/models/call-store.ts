import { findListPrice, type Price } from "../catalogue/providers.ts";
import type { LlmPurpose } from "../config/names.ts";
import type { Db } from "../database/open-database.ts";
import { Sql } from "../database/statements.ts";
import type { LlmFailure, LlmUsage } from "./model-port.ts";

export interface LlmCallRow extends LlmUsage {
  readonly purpose: LlmPurpose;
  readonly model: string;
  /** Our estimate of the prompt; 0 if `correction` must ignore this call. */
  readonly estimatedTokens: number;
  readonly latencyMs: number;
  readonly outcome: "ok" | LlmFailure;
  readonly dollars: number | null;
  readonly createdAtMs: number;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** A correction is the mean over this many replies at most. */
const CORRECTION_CALLS = 12;
/** A correction looks for replies among this many newest calls: a month of memory without any reply. */
const CALLS_BACK = 5_000;

/** Reads and writes `llm_calls`. */
export class LlmCallStore {
  readonly #sql: Sql;

  constructor(db: Db) {
    this.#sql = new Sql(db);
  }

  add(row: LlmCallRow): void {
    this.#sql.run(
      `INSERT INTO llm_calls (purpose, model, prompt_tokens, cached_tokens, output_tokens, estimated_tokens,
         latency_ms, outcome, dollars, created_at)
       VALUES (@purpose, @model, @promptTokens, @cachedTokens, @outputTokens, @estimatedTokens,
         @latencyMs, @outcome, @dollars, @createdAtMs)`,
      row,
    );
  }

  /** Returns the calls recorded after `fromMs`, oldest first. */
  since(fromMs: number): LlmCallRow[] {
    return this.#sql.all(
      `SELECT purpose, model, prompt_tokens AS promptTokens, cached_tokens AS cachedTokens,
         output_tokens AS outputTokens, estimated_tokens AS estimatedTokens, latency_ms AS latencyMs,
         outcome, dollars, created_at AS createdAtMs
       FROM llm_calls WHERE created_at > ? ORDER BY created_at`,
      fromMs,
    );
  }

  /** Deletes up to `limit` calls recorded before `beforeMs`. Returns how many. */
  expire(beforeMs: number, limit: number): number {
    return this.#sql.run(
      `DELETE FROM llm_calls WHERE id IN
         (SELECT id FROM llm_calls WHERE created_at < ? ORDER BY created_at LIMIT ?)`,
      ...[beforeMs, limit],
    );
  }

  /**
   * Returns the factor by which to multiply a token estimate for a model: 0.7 to 1.6; 1 if unknown. It is the mean
   * ratio of count to estimate over the last 12 replies with a ratio from 0.5 to 2.2.
   */
  correction(model: string): number {
    // A ratio outside is an error, or of a prompt that the server cut.
    const mean = this.#sql.value<number>(
      `SELECT min(1.6, max(0.7, avg(ratio))) FROM
         (SELECT 1.0 * prompt_tokens / estimated_tokens AS ratio FROM llm_calls
          WHERE model = ? AND purpose = 'reply' AND outcome = 'ok' AND estimated_tokens > 0
            AND id > (SELECT max(id) FROM llm_calls) - ${CALLS_BACK} AND ratio BETWEEN 0.5 AND 2.2
          ORDER BY id DESC LIMIT ${CORRECTION_CALLS})`,
      model,
    );
    return mean ?? 1;
  }

  /**
   * Call it after the clock was set back by `aheadMs` to `nowMs`. Moves the calls of the last day, which caps count,
   * back by as much.
   */
  realign(nowMs: number, aheadMs: number): void {
    this.#sql.run(
      "UPDATE llm_calls SET created_at = created_at - ? WHERE created_at >= ?",
      ...[aheadMs, nowMs + Math.min(0, aheadMs - DAY_MS)],
    );
  }
}

/**
 * Returns the operator's own price of a model, with or without `models/` in front, else the list price, else null.
 */
export function getPrice(model: string, own: Readonly<Record<string, Price>>): Price | null {
  const prices = new Map(Object.entries(own));
  const name = model.replace(/^models\//, "");
  return prices.get(model) ?? prices.get(name) ?? findListPrice(name);
}

const TOKENS_PER_PRICE = 1_000_000;

/** Returns the price of a call in US dollars, by our estimate of the prompt if the provider gave no count. */
export function calculateDollars(price: Price, usage: LlmUsage, estimatedTokens: number): number {
  const prompt = usage.promptTokens ?? estimatedTokens;
  const cached = Math.min(usage.cachedTokens ?? 0, prompt);
  const output = usage.outputTokens ?? 0;
  const priced = (prompt - cached) * price.input + cached * price.cached + output * price.output;
  return priced / TOKENS_PER_PRICE;
}

/** Tokens of one answer, and of an hour of memory at 30 messages a minute, the most by `npm run bench -- memory`. */
const ANSWER_TOKENS = { promptTokens: 1_500, cachedTokens: 0, outputTokens: 40 };
const MEMORY_TOKENS_AN_HOUR = { promptTokens: 31_200, cachedTokens: 0, outputTokens: 10_500 };

/**
 * Estimates what a stream costs, in US dollars: its answers, and memory at 30 messages a minute. `docs/cost.md` agrees.
 */
export function estimateStream(price: Price, stream: { hours: number; answers: number }) {
  return {
    answers: calculateDollars(price, ANSWER_TOKENS, 0) * stream.answers,
    memory: calculateDollars(price, MEMORY_TOKENS_AN_HOUR, 0) * stream.hours,
  };
}
