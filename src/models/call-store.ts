import type { LlmPurpose } from "../config/names.ts";
import type { ConfigFile } from "../config/schema.ts";
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

type SpendBySide = Readonly<Record<Side, Spend>>;

/** An estimate, before any correction, and what the provider counted for the same prompt; tokens. */
export interface CountedPrompt {
  readonly estimated: number;
  readonly actual: number;
}

export type LlmCallStore = ReturnType<typeof llmCallStore>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface SpendRow extends Spend {
  readonly isMemory: 0 | 1;
}

const NO_SPEND: Spend = { calls: 0, tokens: 0, dollars: 0 };

// What the server turned away was not paid for. What it did not count, the estimate stands in for.
const SPEND = `purpose IN ('summarise', 'extract') AS isMemory, count(*) AS calls,
  total(CASE WHEN outcome IN ('network', 'server', 'rate_limit', 'quota', 'auth', 'request', 'model') THEN 0
    ELSE coalesce(prompt_tokens, estimated_tokens) + coalesce(output_tokens, 0) END) AS tokens,
  total(dollars) AS dollars`;

/** Statements over `llm_calls`. */
export function llmCallStore(db: Db) {
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
    /** The newest row's id, 0 in an empty table. */
    lastId: () => last.get() ?? 0,
    /** What calls recorded in (fromMs, toMs] with an id up to `idMax` cost. */
    spendBetween: (fromMs: number, toMs: number, idMax: number) =>
      bySide(between.all(fromMs, toMs, idMax)),
    /** What calls with an id above `id` cost, of those recorded after `fromMs`. */
    spendAfterId: (id: number, fromMs: number) => bySide(after.all(id, fromMs)),
    /** Estimate and provider's count of a model's last `limit` answers to one purpose, newest first. */
    recentCounts: (model: string, purpose: LlmPurpose, limit: number) =>
      counts.all(model, purpose, limit),
    /** Deletes up to `limit` calls recorded before `beforeMs`; says how many. */
    expire: (beforeMs: number, limit: number) => expire.run(beforeMs, limit).changes,
    /** Moves the calls of the last day back by `aheadMs`, by which the clock was set back: caps count them until then. */
    realign: (nowMs: number, aheadMs: number): void =>
      void move.run(aheadMs, nowMs + Math.min(0, aheadMs - DAY_MS)),
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

export type CapsConfig = ConfigFile["llm"]["caps"];
type CapName = Exclude<keyof CapsConfig, "memoryShare">;

export interface CapReached {
  readonly cap: CapName;
  readonly limit: number;
  readonly periodMs: number;
}

/** The caps on calls, tokens and dollars, as they are now, each side with its share, over what `llm_calls` says was spent. */
export function openCaps(config: () => CapsConfig, store: LlmCallStore) {
  const hour = openSpendWindow(store, HOUR_MS);
  const day = openSpendWindow(store, DAY_MS);
  const held: Record<Side, Spend> = { reply: NO_SPEND, memory: NO_SPEND };

  return {
    /**
     * The first cap that one more call of this cost would exceed; null where there is room. `keptShare` of what the side
     * has is kept for others.
     */
    exceeded(side: Side, cost: Spend, nowMs: number, keptShare = 0): CapReached | null {
      const next = plus(cost, held[side]);
      const inHour = plus(hour.read(nowMs)[side], next);
      const inDay = plus(day.read(nowMs)[side], next);
      const checks: readonly (readonly [CapName, number, number])[] = [
        ["callsPerHour", inHour.calls, HOUR_MS],
        ["callsPerDay", inDay.calls, DAY_MS],
        ["tokensPerDay", inDay.tokens, DAY_MS],
        ["dollarsPerDay", inDay.dollars, DAY_MS],
      ];
      for (const [cap, used, periodMs] of checks) {
        const share = shareOf(config(), cap, side);
        const limit = share - whole(cap, share * keptShare);
        if (used > limit) return { cap, limit, periodMs };
      }
      return null;
    },
    /** Counts a call that is under way, until the returned function is called. */
    hold(side: Side, cost: Spend) {
      held[side] = plus(held[side], cost);
      return (): void => {
        held[side] = plus(held[side], cost, -1);
      };
    },
  };
}

/** Calls and tokens come whole: what memory's share rounds off goes to replies. */
function shareOf(config: CapsConfig, cap: CapName, side: Side): number {
  const memory = whole(cap, config[cap] * config.memoryShare);
  return side === "memory" ? memory : config[cap] - memory;
}

function whole(cap: CapName, part: number): number {
  return cap === "dollarsPerDay" ? part : Math.floor(part);
}

function plus(a: Spend, b: Spend, times = 1): Spend {
  return {
    calls: a.calls + times * b.calls,
    tokens: a.tokens + times * b.tokens,
    dollars: a.dollars + times * b.dollars,
  };
}

/**
 * The calls of the last `lengthMs`, summed. The table is the only truth: each read adds the rows that are new since
 * the last one and takes off those that left, so that it costs the same on a busy day; a clock set back, or a table
 * that was emptied, sums anew.
 */
export function openSpendWindow(store: LlmCallStore, lengthMs: number) {
  let sums: SpendBySide = { reply: NO_SPEND, memory: NO_SPEND };
  let fromMs = Number.POSITIVE_INFINITY;
  let idMax = 0;

  return {
    /** What each side spent in the window that ends at `nowMs`. */
    read(nowMs: number): SpendBySide {
      const nextFromMs = nowMs - lengthMs;
      const newestId = store.lastId();
      if (nextFromMs < fromMs || newestId < idMax) {
        sums = store.spendAfterId(0, nextFromMs);
      } else {
        const left = store.spendBetween(fromMs, nextFromMs, idMax);
        const added = store.spendAfterId(idMax, nextFromMs);
        const moved = (side: Side) => plus(plus(sums[side], left[side], -1), added[side]);
        sums = { reply: moved("reply"), memory: moved("memory") };
      }
      fromMs = nextFromMs;
      idMax = newestId;
      return sums;
    },
  };
}

export type Corrections = ReturnType<typeof modelCorrections>;

/** Calls that a start looks back at: more cannot matter to a mean that forgets by a fifth each time. */
const CALLS_BACK = 60;

/** Beyond these a count is a lie, or of a prompt that the server cut: nothing is learned from it. */
const RATIO_MIN = 0.5;
const RATIO_MAX = 2.2;

/** The correction of each model's estimate, taken up at start from the calls that are on record. */
export function modelCorrections(calls: Pick<LlmCallStore, "recentCounts">) {
  const states = new Map<string, Correction>();
  const stateOf = (model: string): Correction => {
    const known = states.get(model);
    if (known !== undefined) return known;
    const counted = calls.recentCounts(model, "reply", CALLS_BACK).reverse();
    const learned = learnCorrection(
      counted.filter(({ estimated, actual }) => isPlausible(actual / estimated)),
    );
    states.set(model, learned);
    return learned;
  };
  return {
    /** What an estimate is multiplied by for this model; 1 while nothing is known. */
    factor: (model: string): number => stateOf(model).factor,
    /** `promptTokens` as the provider counted; null teaches nothing. */
    learn: (model: string, estimatedTokens: number, promptTokens: number | null): void => {
      if (promptTokens === null || !isPlausible(promptTokens / estimatedTokens)) return;
      states.set(model, nextCorrection(stateOf(model), estimatedTokens, promptTokens));
    },
  };
}

function isPlausible(ratio: number): boolean {
  return ratio >= RATIO_MIN && ratio <= RATIO_MAX;
}

/**
 * How far one model's own token counts lie from our estimates: `factor` times the estimate is what to expect.
 */
export interface Correction {
  /** Replies learned from so far. */
  readonly replies: number;
  readonly factor: number;
}

/** A model that nothing is known about: estimates stand as they are. */
export function startCorrection(): Correction {
  return { replies: 0, factor: 1 };
}

/**
 * The correction after one more reply: the plain mean of the ratios of the first ten, from then on an
 * exponential mean. Both counts are tokens; `estimated` must be uncorrected, or the factor would chase itself.
 * A pair that is no count (zero, negative, not finite) changes nothing.
 */
export function nextCorrection(state: Correction, estimated: number, actual: number): Correction {
  if (!isCount(estimated) || !isCount(actual)) return state;
  const ratio = Math.min(FACTOR_MAX, Math.max(FACTOR_MIN, actual / estimated));
  const replies = state.replies + 1;
  const share = replies <= PLAIN_MEAN_REPLIES ? 1 / replies : NEWEST_SHARE;
  return { replies, factor: state.factor + (ratio - state.factor) * share };
}

/** What a model's recorded prompts teach, oldest first: for start-up. */
export function learnCorrection(prompts: Iterable<CountedPrompt>): Correction {
  let state = startCorrection();
  for (const { estimated, actual } of prompts) state = nextCorrection(state, estimated, actual);
  return state;
}

const PLAIN_MEAN_REPLIES = 10;
const NEWEST_SHARE = 0.2;

// A ratio outside is a miscount or a prompt of another kind; clamping each ratio keeps the mean inside too.
const FACTOR_MIN = 0.7;
const FACTOR_MAX = 1.6;

function isCount(tokens: number): boolean {
  return Number.isFinite(tokens) && tokens > 0;
}
