import { findListPrice, type Price } from "../catalogue/providers.ts";
import type { LlmPurpose } from "../config/names.ts";
import type { Db } from "../database/open-database.ts";
import type { LlmFailure, LlmUsage } from "./model-port.ts";

/** Each side has its own share of every cap. */
export type Side = "reply" | "memory";

export interface LlmCallRow extends LlmUsage {
  readonly purpose: LlmPurpose;
  readonly model: string;
  /** 0 if the estimate is of another prompt, so that no correction is learned from it. */
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

type SpendBySide = Readonly<Record<Side, Spend>>;

/** The uncorrected estimate and the provider's count of one prompt, in tokens. */
interface CountedPrompt {
  readonly estimated: number;
  readonly actual: number;
}

export type LlmCallStore = ReturnType<typeof openLlmCallStore>;

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

interface SpendRow extends Spend {
  readonly isMemory: 0 | 1;
}

export const NO_SPEND: Spend = { calls: 0, tokens: 0, dollars: 0 };

// A refused call costs nothing. Without the provider's count the estimate counts.
const SPEND = `purpose IN ('summarise', 'extract') AS isMemory, count(*) AS calls,
  total(CASE WHEN outcome IN ('network', 'server', 'rate_limit', 'quota', 'auth', 'request', 'model') THEN 0
    ELSE coalesce(prompt_tokens, estimated_tokens) + coalesce(output_tokens, 0) END) AS tokens,
  total(dollars) AS dollars`;

/** Reads and writes `llm_calls`. */
export function openLlmCallStore(db: Db) {
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
  const counts = db.prepare<[string, LlmPurpose, number], CountedPrompt>(
    `SELECT estimated_tokens AS estimated, prompt_tokens AS actual FROM llm_calls
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
    add: (row: LlmCallRow): void => void insert.run(row),
    /** Returns the newest row's id, 0 in an empty table. */
    lastId: () => last.get() ?? 0,
    /** Sums the calls recorded in (fromMs, toMs] with an id up to `idMax`. */
    spendBetween: (fromMs: number, toMs: number, idMax: number) =>
      groupBySide(between.all(fromMs, toMs, idMax)),
    /** Sums the calls with an id above `id` that were recorded after `fromMs`. */
    spendAfterId: (id: number, fromMs: number) => groupBySide(after.all(id, fromMs)),
    /** Returns the estimates and counts of a model's last `limit` answers to one purpose, newest first. */
    recentCounts: (model: string, purpose: LlmPurpose, limit: number) =>
      counts.all(model, purpose, limit),
    /** Deletes up to `limit` calls recorded before `beforeMs`. Returns how many. */
    expire: (beforeMs: number, limit: number) => expire.run(beforeMs, limit).changes,
    /** Moves the calls of the last day back by `aheadMs`, after the clock was set back by as much. Caps count them. */
    realign: (nowMs: number, aheadMs: number): void =>
      void move.run(aheadMs, nowMs + Math.min(0, aheadMs - DAY_MS)),
  };
}

/** Returns the side that a purpose belongs to. */
export function getSide(purpose: LlmPurpose): Side {
  return purpose === "summarise" || purpose === "extract" ? "memory" : "reply";
}

function groupBySide(rows: readonly SpendRow[]): SpendBySide {
  const spendOf = (side: 0 | 1): Spend => {
    const row = rows.find(({ isMemory }) => isMemory === side) ?? NO_SPEND;
    return { calls: row.calls, tokens: row.tokens, dollars: row.dollars };
  };
  return { reply: spendOf(0), memory: spendOf(1) };
}

/** Adds spends; `times` -1 subtracts the second. */
export function addSpend(a: Spend, b: Spend, times = 1): Spend {
  return {
    calls: a.calls + times * b.calls,
    tokens: a.tokens + times * b.tokens,
    dollars: a.dollars + times * b.dollars,
  };
}

/**
 * Sums the calls of the last `lengthMs`. Each read adds the rows since the last one and subtracts the rows that left,
 * so that a busy day costs no more. After the clock was set back, or the table emptied, it sums all rows again.
 */
export function openSpendWindow(store: LlmCallStore, lengthMs: number) {
  let sums: SpendBySide = { reply: NO_SPEND, memory: NO_SPEND };
  let fromMs = Number.POSITIVE_INFINITY;
  let idMax = 0;

  return {
    /** Returns the spend of each side in the window that ends at `nowMs`. */
    read(nowMs: number): SpendBySide {
      const nextFromMs = nowMs - lengthMs;
      const newestId = store.lastId();
      if (nextFromMs < fromMs || newestId < idMax) {
        sums = store.spendAfterId(0, nextFromMs);
      } else {
        const left = store.spendBetween(fromMs, nextFromMs, idMax);
        const added = store.spendAfterId(idMax, nextFromMs);
        const slideSum = (side: Side) =>
          addSpend(addSpend(sums[side], left[side], -1), added[side]);
        sums = { reply: slideSum("reply"), memory: slideSum("memory") };
      }
      fromMs = nextFromMs;
      idMax = newestId;
      return sums;
    },
  };
}

export type Corrections = ReturnType<typeof openModelCorrections>;

/** Older calls hardly count in an exponential mean. */
const CALLS_BACK = 60;

/** Learns the correction of each model's estimates, at first from the stored calls. */
export function openModelCorrections(calls: {
  readonly recentCounts: LlmCallStore["recentCounts"];
}) {
  const corrections = new Map<string, Correction>();
  const correctionOf = (model: string): Correction => {
    const known = corrections.get(model);
    if (known !== undefined) return known;
    const learned = learnCorrection(calls.recentCounts(model, "reply", CALLS_BACK).reverse());
    corrections.set(model, learned);
    return learned;
  };
  return {
    /** Returns the factor that an estimate for this model is multiplied by. 1 if unknown. */
    factor: (model: string): number => correctionOf(model).factor,
    /** Learns from the provider's count of a prompt. */
    learn: (model: string, estimated: number, promptTokens: number | null): void => {
      const learned = nextCorrection(correctionOf(model), estimated, promptTokens ?? 0);
      corrections.set(model, learned);
    },
  };
}

/** The difference between a model's token counts and our estimates. */
export interface Correction {
  /** Replies learned from. */
  readonly replies: number;
  /** The expected count is the estimate times this. */
  readonly factor: number;
}

export const NO_CORRECTION: Correction = { replies: 0, factor: 1 };

const PLAIN_MEAN_REPLIES = 10;
const NEWEST_SHARE = 0.2;
/** A ratio outside is an error, or of a prompt that the server cut. */
const RATIO_MIN = 0.5;
const RATIO_MAX = 2.2;
const FACTOR_MIN = 0.7;
const FACTOR_MAX = 1.6;

/**
 * Returns the correction after one more reply: the mean of the first ten ratios, then an exponential mean. `estimated` must
 * be uncorrected. An implausible pair changes nothing.
 */
export function nextCorrection(state: Correction, estimated: number, actual: number): Correction {
  const ratio = actual / estimated;
  if (!(estimated > 0 && ratio >= RATIO_MIN && ratio <= RATIO_MAX)) return state;
  const clamped = Math.min(FACTOR_MAX, Math.max(FACTOR_MIN, ratio));
  const replies = state.replies + 1;
  const share = replies <= PLAIN_MEAN_REPLIES ? 1 / replies : NEWEST_SHARE;
  return { replies, factor: state.factor + (clamped - state.factor) * share };
}

/** Learns from stored prompts, oldest first. */
export function learnCorrection(prompts: readonly CountedPrompt[]): Correction {
  return prompts.reduce(
    (state, { estimated, actual }) => nextCorrection(state, estimated, actual),
    NO_CORRECTION,
  );
}

const TOKENS_PER_PRICE = 1_000_000;

/** Returns the operator's own price of a model, else the built-in one, else null. */
export function getPrice(model: string, own: Readonly<Record<string, Price>>): Price | null {
  const name = model.replace(/^models\//, "");
  return lookUp(own, model) ?? lookUp(own, name) ?? findListPrice(name);
}

/**
 * Returns the price of a call in US dollars. `promptTokens` counts if the provider gave no count: a call that timed out
 * costs money, too.
 */
export function calculateDollars(price: Price, usage: LlmUsage, promptTokens: number): number {
  const prompt = usage.promptTokens ?? promptTokens;
  const cached = Math.min(usage.cachedTokens ?? 0, prompt);
  const output = usage.outputTokens ?? 0;
  const priced = (prompt - cached) * price.input + cached * price.cached + output * price.output;
  return priced / TOKENS_PER_PRICE;
}

/** Tokens of one answer, and of an hour of memory at 30 messages a minute, the most by `npm run bench -- memory`. */
const ANSWER_TOKENS = { promptTokens: 1_500, cachedTokens: 0, outputTokens: 40 };
const MEMORY_TOKENS_AN_HOUR = { promptTokens: 31_200, cachedTokens: 0, outputTokens: 10_500 };

/** Estimates what a stream costs, in US dollars: its answers, and memory at 30 messages a minute. `docs/cost.md` agrees. */
export function estimateStream(price: Price, stream: { hours: number; answers: number }) {
  return {
    answers: calculateDollars(price, ANSWER_TOKENS, 0) * stream.answers,
    memory: calculateDollars(price, MEMORY_TOKENS_AN_HOUR, 0) * stream.hours,
  };
}

function lookUp(table: Readonly<Record<string, Price>>, model: string): Price | undefined {
  return Object.hasOwn(table, model) ? table[model] : undefined;
}
