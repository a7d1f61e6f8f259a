import { setTimeout as delay } from "node:timers/promises";
import type { z } from "zod";
import { calculateBackoffMs } from "../clock.ts";
import type { LlmPurpose } from "../config/names.ts";
import { describeBug } from "../errors.ts";
import type { Log } from "../log.ts";
import { type AdmissionOptions, openAdmission } from "./admission.ts";
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
  type LlmUsage,
  type ModelAnswer,
  type ModelCall,
  type ModelFailure,
  type ModelText,
  OUTPUT_TOKENS_MAX,
} from "./model-port.ts";
import { calculateDollars, getPrice } from "./prices.ts";

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

interface Gate {
  readonly options: GateOptions;
  readonly admission: ReturnType<typeof openAdmission>;
  /** Models that spent all tokens on reasoning, and whether they answer without it. */
  readonly answersWithoutReasoning: Map<string, boolean>;
}

interface Attempt {
  readonly call: ModelCall;
  readonly retries: number;
  readonly isRepair: boolean;
}

/**
 * Opens the only way to a provider: one time limit for all calls of a question, caps, breaker, retries, validation
 * with one repair, and a row in `llm_calls` for each call. Never rejects.
 */
export function openGate(options: GateOptions): Llm {
  const answersWithoutReasoning = new Map<string, boolean>();
  const gate: Gate = { options, admission: openAdmission(options), answersWithoutReasoning };
  return {
    async ask(request) {
      const { config, now } = options;
      const startedAtMs = now();
      const limit = openLimit(config.timeoutSeconds * 1_000, request.signal);
      const { purpose, prefix, tail, estimatedTokens, schema, mayUseReserve = false } = request;
      const model = config.models[purpose] ?? config.model;
      const call: ModelCall = {
        ...{ purpose, model, prefix, tail, estimatedTokens, mayUseReserve },
        shape: schema === undefined ? null : toJsonSchema(schema),
        maxOutputTokens: OUTPUT_TOKENS_MAX,
        withoutReasoning: answersWithoutReasoning.get(model) === true,
        signal: limit.signal,
      };
      try {
        const outcome = await askUntilSettled(gate, request, call, limit);
        return toAnswer(outcome, model, startedAtMs, now());
      } finally {
        limit.close();
      }
    },
  };
}

async function askUntilSettled<T>(
  gate: Gate,
  request: LlmRequest<T>,
  call: ModelCall,
  limit: Limit,
): Promise<Outcome<T>> {
  let attempt: Attempt = { call, retries: 0, isRepair: false };
  for (;;) {
    const isPointless = limit.signal.aborted || request.isStale?.() === true;
    if (isPointless) return failWith("aborted", "before it was sent");
    const pass = gate.admission.admit(attempt.call);
    if (!pass.ok) return pass;
    const outcome = await send(gate.options, attempt, request.schema, limit);
    pass.settle(outcome);
    const next = planRetry(gate, attempt, outcome);
    if (next === null || next.waitMs >= limit.leftMs()) return outcome;
    await limit.wait(next.waitMs);
    if (limit.reason() === "timeout") return outcome;
    attempt = next.attempt;
  }
}

/** Returns the next attempt and the wait before it, ms. Null if another try makes no sense. */
function planRetry(
  { options, answersWithoutReasoning }: Gate,
  { call, retries, isRepair }: Attempt,
  outcome: Outcome<unknown>,
): { attempt: Attempt; waitMs: number } | null {
  if (call.withoutReasoning === true) answersWithoutReasoning.set(call.model, outcome.ok);
  if (outcome.ok) return null;
  const { failure, detail, usage, repair, retryAfterMs } = outcome;
  const isSilent = failure === "empty" || (failure === "truncated" && detail !== CUT_OFF_JSON);
  const isOnlyThinking = isSilent && (usage.outputTokens ?? 0) > 0 && options.canStopReasoning;
  if (isOnlyThinking && !answersWithoutReasoning.has(call.model)) {
    answersWithoutReasoning.set(call.model, false);
    const silenced = { ...call, withoutReasoning: true };
    return { attempt: { call: silenced, retries, isRepair }, waitMs: 0 };
  }
  if (repair !== undefined) {
    const repairing = { ...call, tail: repair };
    return isRepair ? null : { attempt: { call: repairing, retries, isRepair: true }, waitMs: 0 };
  }
  if (retries >= RETRIES_MAX[call.purpose] || !MAY_PASS.has(failure)) return null;
  const baseMs = options.retryDelayMs ?? RETRY_DELAY_MS;
  const waitMs =
    retryAfterMs ?? calculateBackoffMs(retries, 1, { baseMs, capMs: RETRY_DELAY_MS_MAX });
  return { attempt: { call, retries: retries + 1, isRepair }, waitMs };
}

/** Sends one call within the limit, and writes its row. */
async function send<T>(
  { adapter, now, log, notices, store, config }: GateOptions,
  { call, isRepair }: Attempt,
  schema: z.ZodType<T> | undefined,
  limit: Limit,
): Promise<Outcome<T>> {
  const sentAtMs = now();
  const raw = await limit.race(callSafely(adapter, call));
  const isLate = limit.reason() === "timeout";
  const answer = validate(schema, call, raw ?? failWith("aborted", "in progress"), isLate);
  const isCut = isPromptCut(call, answer.usage);
  const { purpose, model } = call;
  if (isCut) {
    notices.raise(
      "model_context:cut",
      "warning",
      `${model} read far less of a prompt than was sent: its context is likely too small. Give it a ` +
        "larger one (Ollama: `OLLAMA_CONTEXT_LENGTH`), or lower `prompt.budgetTokens`.",
    );
  }
  const outcome = getOutcome(answer);
  try {
    store.add({
      ...answer.usage,
      purpose,
      model,
      estimatedTokens: isRepair || isCut ? 0 : call.estimatedTokens,
      latencyMs: Math.max(0, now() - sentAtMs),
      outcome,
      dollars: priceCall(call, outcome, answer.usage, config),
      createdAtMs: now(),
    });
  } catch (error) {
    // The answer is usable without its row.
    log.error({ model, ...describeBug(error) }, "model call not recorded");
  }
  if (!answer.ok) log.warn({ purpose, model, outcome, detail: answer.detail }, "model call failed");
  return answer;
}

function toAnswer<T>(
  outcome: Outcome<T>,
  model: string,
  startedAtMs: number,
  nowMs: number,
): LlmAnswer<T> {
  const { finish, usage } = outcome;
  const latencyMs = Math.max(0, nowMs - startedAtMs);
  if (outcome.ok) {
    const { text, value } = outcome;
    return { ok: true, text, value, model, finish, usage, latencyMs };
  }
  const { failure, detail, retryAfterMs } = outcome;
  const retryAtMs = retryAfterMs === null ? null : nowMs + retryAfterMs;
  return { ok: false, failure, detail, model, finish, usage, latencyMs, retryAtMs };
}

/** Turns a throw of an adapter, which is a bug, into a failure. Its message is left out: it could quote a key. */
export async function callSafely(adapter: Adapter, call: ModelCall): Promise<ModelAnswer> {
  try {
    return await adapter(call);
  } catch (error) {
    return failWith("request", `bug: ${error instanceof Error ? error.name : "throw"}`);
  }
}

/** Estimates are off by a third at most. A count below this share of one is of a prompt that the server cut. */
const CUT_RATIO = 0.6;
const CUT_TOKENS_MIN = 1_000;

function isPromptCut({ estimatedTokens }: ModelCall, { promptTokens }: LlmUsage): boolean {
  if (promptTokens === null || estimatedTokens < CUT_TOKENS_MIN) return false;
  return promptTokens < estimatedTokens * CUT_RATIO;
}

const UNPAID = new Set<CallOutcome>([
  "network",
  "server",
  "rate_limit",
  "quota",
  "auth",
  "request",
  "model",
]);

/** Returns the price of a call in US dollars. Null if the model's price is unknown. */
function priceCall(
  call: ModelCall,
  outcome: CallOutcome,
  usage: LlmUsage,
  config: AdmissionOptions["config"],
): number | null {
  const price = getPrice(call.model, config.prices);
  if (price === null) return null;
  return UNPAID.has(outcome) ? 0 : calculateDollars(price, usage, call.estimatedTokens);
}

interface InvalidAnswer extends ModelFailure {
  /** The tail of a question that may repair an invalid answer. */
  readonly repair?: string;
}

type Outcome<T> = (ModelText & { readonly value: T | null }) | InvalidAnswer;

/** The model answered, but not to the end. */
const CUT_OFF_JSON = "cut off JSON";
const TEXT_CHARACTERS_MAX = 64_000;

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
  let reason: "timeout" | "aborted" | null = null;
  const end = (why: "timeout" | "aborted") => {
    reason ??= why;
    controller.abort();
  };
  const onCaller = () => end("aborted");
  const timer = setTimeout(() => end("timeout"), timeoutMs);
  caller?.addEventListener("abort", onCaller, { once: true });
  if (caller?.aborted === true) onCaller();

  const { signal } = controller;
  const over = new Promise<null>((resolve) => {
    signal.addEventListener("abort", () => resolve(null), { once: true });
    if (signal.aborted) resolve(null);
  });
  return {
    /** Aborts at the time limit, or with the caller. */
    signal,
    /** Why it aborted; null if it did not. */
    reason: () => reason,
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
