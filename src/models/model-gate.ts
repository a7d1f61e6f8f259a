import { setTimeout as delay } from "node:timers/promises";
import type { z } from "zod";
import { calculateBackoffMs } from "../clock.ts";
import type { LlmPurpose } from "../config/names.ts";
import { describeBug } from "../errors.ts";
import type { Log } from "../log.ts";
import { Admission, type AdmissionOptions } from "./admission.ts";
import { calculateDollars, getPrice } from "./call-store.ts";
import { parseAnswer, repairTail, toJsonSchema } from "./json.ts";
import {
  type Adapter,
  type CallOutcome,
  failWith,
  getOutcome,
  type Llm,
  type LlmAnswer,
  type LlmFailure,
  type LlmRequest,
  type ModelAnswer,
  type ModelCall,
  type ModelFailure,
  type ModelText,
  OUTPUT_TOKENS_MAX,
} from "./model-port.ts";

export interface GateOptions extends AdmissionOptions {
  readonly adapter: Adapter;
  readonly log: Log;
  /** True if the provider has a switch for reasoning. */
  readonly canStopReasoning?: boolean;
  /** The wait before the first retry, ms. It doubles with each further one. Default: 400. */
  readonly retryDelayMs?: number;
}

/** A late reply is worth little; memory can wait. */
const RETRIES_MAX: Readonly<Record<LlmPurpose, number>> = {
  reply: 1,
  rerank: 0,
  summarise: 2,
  extract: 2,
};
const RETRY_DELAY_MS = 400;
const RETRY_DELAY_MS_MAX = 10_000;
const MAY_PASS = new Set<LlmFailure>(["network", "server", "rate_limit"]);

interface Attempt {
  readonly call: ModelCall;
  readonly retries: number;
  readonly isRepair: boolean;
}

interface InvalidAnswer extends ModelFailure {
  /** The tail of a question that may repair an invalid answer. */
  readonly repair?: string;
}

type Outcome<T> = (ModelText & { readonly value: T | null }) | InvalidAnswer;

/** The model answered, but not to the end. */
const CUT_OFF_JSON = "cut off JSON";
const TEXT_CHARACTERS_MAX = 64_000;
/** Estimates are off by a third at most. A count below this share of one is of a prompt that the server cut. */
const CUT_RATIO = 0.6;
const CUT_TOKENS_MIN = 1_000;
const UNPAID = new Set<CallOutcome>([
  ...(["network", "server", "rate_limit", "quota", "auth", "request", "model"] as const),
]);

/**
 * The only way to a provider. All calls of a question share one time limit. The gate holds the caps, retries, validates
 * with one repair, and writes a row in `llm_calls` for each call. Never rejects.
 */
export class ModelGate implements Llm {
  readonly #options: GateOptions;
  readonly #admission: Admission;
  /** Models that spent all tokens on reasoning, and whether they answer without it. */
  readonly #answersWithoutReasoning = new Map<string, boolean>();

  constructor(options: GateOptions) {
    this.#options = options;
    this.#admission = new Admission(options);
  }

  async ask<T>(request: LlmRequest<T>): Promise<LlmAnswer<T>> {
    const { config, now } = this.#options;
    const startedAtMs = now();
    const limit = openLimit(config.timeoutSeconds * 1_000, request.signal);
    const { purpose, prefix, tail, estimatedTokens, schema, mayUseReserve = false } = request;
    const model = config.models[purpose] ?? config.model;
    const call: ModelCall = {
      ...{ purpose, model, prefix, tail, estimatedTokens, mayUseReserve },
      shape: schema === undefined ? null : toJsonSchema(schema),
      maxOutputTokens: OUTPUT_TOKENS_MAX,
      withoutReasoning: this.#answersWithoutReasoning.get(model) === true,
      signal: limit.signal,
    };
    try {
      const outcome = await this.#askUntilSettled(request, call, limit);
      const nowMs = now();
      const latencyMs = Math.max(0, nowMs - startedAtMs);
      if (outcome.ok) return { ...outcome, model, latencyMs };
      const { failure, detail, finish, usage, retryAfterMs } = outcome;
      const retryAtMs = retryAfterMs === null ? null : nowMs + retryAfterMs;
      return { ok: false, failure, detail, model, finish, usage, latencyMs, retryAtMs };
    } finally {
      limit.close();
    }
  }

  async #askUntilSettled<T>(request: LlmRequest<T>, first: ModelCall, limit: Limit) {
    let attempt: Attempt = { call: first, retries: 0, isRepair: false };
    for (;;) {
      const isPointless = limit.signal.aborted || request.isStale?.() === true;
      if (isPointless) return failWith("aborted", "before it was sent");
      const pass = this.#admission.admit(attempt.call);
      if (!pass.ok) return pass;
      const outcome = await this.#send(attempt, request.schema, limit);
      pass.settle(outcome);
      const next = this.#planRetry(attempt, outcome);
      if (next === null || next.waitMs >= limit.leftMs()) return outcome;
      await limit.wait(next.waitMs);
      if (limit.reason() === "timeout") return outcome;
      attempt = next.attempt;
    }
  }

  /** Returns the next attempt and the wait before it, ms. Null if another try makes no sense. */
  #planRetry(
    { call, retries, isRepair }: Attempt,
    outcome: Outcome<unknown>,
  ): { attempt: Attempt; waitMs: number } | null {
    const known = this.#answersWithoutReasoning;
    if (call.withoutReasoning === true) known.set(call.model, outcome.ok);
    if (outcome.ok) return null;
    const { failure, detail, usage, repair, retryAfterMs } = outcome;
    const { canStopReasoning, retryDelayMs = RETRY_DELAY_MS } = this.#options;
    const isSilent = failure === "empty" || (failure === "truncated" && detail !== CUT_OFF_JSON);
    const isOnlyThinking = isSilent && (usage.outputTokens ?? 0) > 0 && canStopReasoning;
    if (isOnlyThinking && !known.has(call.model)) {
      known.set(call.model, false);
      const silenced = { ...call, withoutReasoning: true };
      return { attempt: { call: silenced, retries, isRepair }, waitMs: 0 };
    }
    if (repair !== undefined) {
      const repairing = { ...call, tail: repair };
      return isRepair ? null : { attempt: { call: repairing, retries, isRepair: true }, waitMs: 0 };
    }
    if (retries >= RETRIES_MAX[call.purpose] || !MAY_PASS.has(failure)) return null;
    const limits = { baseMs: retryDelayMs, capMs: RETRY_DELAY_MS_MAX };
    const waitMs = retryAfterMs ?? calculateBackoffMs(retries, 1, limits);
    return { attempt: { call, retries: retries + 1, isRepair }, waitMs };
  }

  /** Sends one call within the limit, and writes its row. */
  async #send<T>(
    { call, isRepair }: Attempt,
    schema: z.ZodType<T> | undefined,
    limit: Limit,
  ): Promise<Outcome<T>> {
    const { adapter, now, log, notices, store, config } = this.#options;
    const { purpose, model, estimatedTokens } = call;
    const sentAtMs = now();
    const raw = await limit.race(callSafely(adapter, call));
    const isLate = limit.reason() === "timeout";
    const answer = validate(schema, call, raw ?? failWith("aborted", "in progress"), isLate);
    const counted = answer.usage.promptTokens ?? estimatedTokens;
    const isCut = estimatedTokens >= CUT_TOKENS_MIN && counted < estimatedTokens * CUT_RATIO;
    if (isCut) {
      notices.raise(
        "model_context:cut",
        "warning",
        `${model} read far less of a prompt than was sent: its context is likely too small. Give it a ` +
          "larger one (Ollama: `OLLAMA_CONTEXT_LENGTH`), or lower `prompt.budgetTokens`.",
      );
    }
    const outcome = getOutcome(answer);
    const price = getPrice(model, config.prices);
    const dollars = price && calculateDollars(price, answer.usage, estimatedTokens);
    try {
      store.add({
        ...answer.usage,
        purpose,
        model,
        estimatedTokens: isRepair || isCut ? 0 : estimatedTokens,
        latencyMs: Math.max(0, now() - sentAtMs),
        outcome,
        dollars: dollars && UNPAID.has(outcome) ? 0 : dollars,
        createdAtMs: now(),
      });
    } catch (error) {
      // The answer is usable without its row.
      log.error({ model, ...describeBug(error) }, "model call not recorded");
    }
    if (!answer.ok)
      log.warn({ purpose, model, outcome, detail: answer.detail }, "model call failed");
    return answer;
  }
}

/** Turns a throw of an adapter, which is a bug, into a failure. Its message is left out: it could quote a key. */
export async function callSafely(adapter: Adapter, call: ModelCall): Promise<ModelAnswer> {
  try {
    return await adapter(call);
  } catch (error) {
    return failWith("request", `bug: ${error instanceof Error ? error.name : "throw"}`);
  }
}

/** Validates a provider's answer. An abort by our own clock (`isLate`) becomes a timeout. */
function validate<T>(
  schema: z.ZodType<T> | undefined,
  call: ModelCall,
  raw: ModelAnswer,
  isLate: boolean,
): Outcome<T> {
  if (!raw.ok) {
    const isOurs = raw.failure === "aborted" && isLate;
    return isOurs ? { ...raw, failure: "timeout", detail: "no answer in time" } : raw;
  }
  const text = raw.text.slice(0, TEXT_CHARACTERS_MAX);
  if (schema === undefined) return { ...raw, text, value: null };
  const parsed = parseAnswer(text, schema);
  if (parsed.ok) return { ...raw, text, value: parsed.value };
  const { finish, usage } = raw;
  if (finish === "max_tokens") return failWith("truncated", CUT_OFF_JSON, { finish, usage });
  const invalid = failWith("invalid_json", "does not validate", { finish, usage });
  return { ...invalid, repair: repairTail(call.tail, text, parsed.complaint) };
}

type Limit = ReturnType<typeof openLimit>;

/** Opens a time limit for all that one question needs, joined with the caller's own signal. */
export function openLimit(timeoutMs: number, caller: AbortSignal | undefined) {
  const endsAtMs = performance.now() + timeoutMs;
  const controller = new AbortController();
  const { signal } = controller;
  const onCaller = () => controller.abort("aborted");
  const timer = setTimeout(() => controller.abort("timeout"), timeoutMs);
  caller?.addEventListener("abort", onCaller, { once: true });
  if (caller?.aborted === true) onCaller();
  const over = new Promise<null>((resolve) => {
    signal.addEventListener("abort", () => resolve(null), { once: true });
    if (signal.aborted) resolve(null);
  });
  return {
    /** Aborts at the time limit, or with the caller. */
    signal,
    /** Why it aborted; null if it did not. */
    reason: (): "timeout" | "aborted" | null => signal.reason ?? null,
    /** The time left, ms, by the monotonic clock. */
    leftMs: () => endsAtMs - performance.now(),
    /** Resolves to the result of `work`, or to null if the signal aborts first. */
    race: <T>(work: Promise<T>): Promise<T | null> => Promise.race([work, over]),
    /** Waits `delayMs`, or until the signal aborts. */
    wait: (delayMs: number): Promise<void> =>
      delay(delayMs, undefined, { signal }).catch(() => undefined),
    close: (): void => {
      clearTimeout(timer);
      caller?.removeEventListener("abort", onCaller);
    },
  };
}
