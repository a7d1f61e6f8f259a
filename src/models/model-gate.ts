import { setTimeout as delay } from "node:timers/promises";
import type { z } from "zod";
import { backoffMs } from "../clock.ts";
import type { LlmPurpose } from "../config/names.ts";
import { describeBug } from "../errors.ts";
import type { Log } from "../log.ts";
import { type Admission, type AdmissionOptions, openAdmission } from "./admission.ts";
import { jsonSchemaOf, parseAnswer, repairTail } from "./json.ts";
import {
  type Adapter,
  type CallOutcome,
  failed,
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
  outcomeOf,
} from "./model-port.ts";
import { dollarsOf, priceOf } from "./models.ts";

export interface GateOptions extends SendOptions {
  /** Whether its provider knows how to turn reasoning off. */
  readonly canStopReasoning?: boolean;
  /** Pause before the first retry, ms; each further one is twice as long. Default 400. */
  readonly retryDelayMs?: number;
}

interface Gate {
  readonly options: GateOptions;
  /** Models that spent all tokens on reasoning: whether they answer without it. */
  readonly answersWithoutReasoning: Map<string, boolean>;
  readonly admission: Admission;
}

/** A reply that is late is worth little; memory can wait. */
const RETRIES_MAX: Readonly<Record<LlmPurpose, number>> = {
  reply: 1,
  rerank: 0,
  summarise: 2,
  extract: 2,
};
const RETRY_DELAY_MS = 400;
const RETRY_DELAY_MS_MAX = 10_000;
const MAY_PASS = new Set<LlmFailure>(["network", "server", "rate_limit"]);

/**
 * The one way to a provider: a time limit over everything a question needs, caps, breaker, retries, validation with
 * one repair, and a row in `llm_calls` for each call that was sent. Never rejects.
 */
export function openGate(options: GateOptions): Llm {
  const gate: Gate = {
    options,
    admission: openAdmission(options),
    answersWithoutReasoning: new Map(),
  };
  return {
    async ask(request) {
      const startedAtMs = options.now();
      const limit = openLimit(options.config.timeoutSeconds * 1_000, request.signal);
      const first = firstAttempt(gate, request, limit);
      try {
        const settled = await untilSettled(gate, request, first, limit);
        return toAnswer(settled, first.call.model, startedAtMs, options.now());
      } finally {
        limit.close();
      }
    },
  };
}

async function untilSettled<T>(
  gate: Gate,
  request: LlmRequest<T>,
  attempt: Attempt,
  limit: Limit,
): Promise<Settled<T>> {
  const isPointless = limit.signal.aborted || request.isStale?.() === true;
  if (isPointless) return failed("aborted", "before it was sent");
  const { retryDelayMs = RETRY_DELAY_MS } = gate.options;
  const pass = gate.admission.admit(attempt.call);
  if (!pass.ok) return pass;
  const settled = await send(gate.options, attempt, request.schema, limit);
  pass.settle(settled);
  if (mayStopReasoning(gate, attempt.call, settled)) {
    const call = { ...attempt.call, withoutReasoning: true };
    const again = await untilSettled(gate, request, { ...attempt, call }, limit);
    gate.answersWithoutReasoning.set(call.model, again.ok);
    return again;
  }
  const waitMs = pauseBeforeNext(settled, attempt, retryDelayMs);
  if (settled.ok || waitMs === null || waitMs >= limit.leftMs()) return settled;
  await limit.wait(waitMs);
  if (limit.reason() === "timeout") return settled;
  return await untilSettled(gate, request, nextAttempt(attempt, settled.repair), limit);
}

/** True if a model generated tokens and said nothing, and was not asked without reasoning yet. */
function mayStopReasoning(
  { options, answersWithoutReasoning }: Gate,
  { model, withoutReasoning }: ModelCall,
  settled: Settled<unknown>,
): boolean {
  if (settled.ok || withoutReasoning === true || options.canStopReasoning !== true) return false;
  const { failure, detail, usage } = settled;
  const isSilent = failure === "empty" || (failure === "truncated" && detail !== CUT_OFF_JSON);
  return isSilent && (usage.outputTokens ?? 0) > 0 && !answersWithoutReasoning.has(model);
}

function firstAttempt(
  { options: { config }, answersWithoutReasoning }: Gate,
  request: LlmRequest<unknown>,
  limit: Limit,
): Attempt {
  const { purpose, prefix, tail, estimatedTokens, schema, mayUseReserve = false } = request;
  const model = config.models[purpose] ?? config.model;
  const call: ModelCall = {
    purpose,
    model,
    prefix,
    tail,
    shape: schema === undefined ? null : jsonSchemaOf(schema),
    estimatedTokens,
    mayUseReserve,
    maxOutputTokens: OUTPUT_TOKENS_MAX,
    withoutReasoning: answersWithoutReasoning.get(model) === true,
    signal: limit.signal,
  };
  return { call, retries: 0, isRepair: false };
}

function nextAttempt(attempt: Attempt, repair: string | undefined): Attempt {
  if (repair === undefined) return { ...attempt, retries: attempt.retries + 1 };
  return { ...attempt, call: { ...attempt.call, tail: repair }, isRepair: true };
}

/** How long to wait before another try, ms; null where another makes no sense. */
function pauseBeforeNext<T>(settled: Settled<T>, attempt: Attempt, delayMs: number): number | null {
  if (settled.ok) return null;
  if (settled.repair !== undefined) return attempt.isRepair ? null : 0;
  const isWorthIt = attempt.retries < RETRIES_MAX[attempt.call.purpose];
  if (!isWorthIt || !MAY_PASS.has(settled.failure)) return null;
  const limits = { baseMs: delayMs, capMs: RETRY_DELAY_MS_MAX };
  return settled.retryAfterMs ?? backoffMs(attempt.retries, 1, limits);
}

function toAnswer<T>(
  settled: Settled<T>,
  model: string,
  startedAtMs: number,
  nowMs: number,
): LlmAnswer<T> {
  const { finish, usage } = settled;
  const latencyMs = Math.max(0, nowMs - startedAtMs);
  if (settled.ok) {
    const { text, value } = settled;
    return { ok: true, text, value, model, finish, usage, latencyMs };
  }
  const { failure, detail, retryAfterMs } = settled;
  const retryAtMs = retryAfterMs === null ? null : nowMs + retryAfterMs;
  return { ok: false, failure, detail, model, finish, usage, latencyMs, retryAtMs };
}

interface SendOptions extends AdmissionOptions {
  readonly adapter: Adapter;
  readonly log: Log;
}

interface Attempt {
  readonly call: ModelCall;
  readonly retries: number;
  readonly isRepair: boolean;
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
/** Estimates are off by a third at worst; a count below this part of one is of a prompt that the server cut. */
const CUT_RATIO = 0.6;
const CUT_TOKENS_MIN = 1_000;

/** Sends one call, waits for it no longer than the limit, and writes its row. */
async function send<T>(
  options: SendOptions,
  attempt: Attempt,
  schema: z.ZodType<T> | undefined,
  limit: Limit,
): Promise<Settled<T>> {
  const { call } = attempt;
  const sentAtMs = options.now();
  const raw = await limit.race(guarded(options.adapter, call));
  const isLate = limit.reason() === "timeout";
  const settled = settle(schema, call, raw ?? failed("aborted", "under way"), isLate);
  if (isCut(call, settled.usage)) warnOfCut(options, call);
  record(options, attempt, settled, sentAtMs);
  if (!settled.ok) {
    const { purpose, model } = call;
    const { failure: outcome, detail } = settled;
    options.log.warn({ purpose, model, outcome, detail }, "model call failed");
  }
  return settled;
}

/** A row that cannot be written is a pity; the answer is there all the same. */
function record(
  { now, log, config, store }: SendOptions,
  { call, isRepair }: Attempt,
  settled: Settled<unknown>,
  sentAtMs: number,
): void {
  const isComparable = !isRepair && !isCut(call, settled.usage);
  const outcome = outcomeOf(settled);
  try {
    store.add({
      ...settled.usage,
      purpose: call.purpose,
      model: call.model,
      estimatedTokens: isComparable ? call.estimatedTokens : 0,
      latencyMs: Math.max(0, now() - sentAtMs),
      outcome,
      dollars: paid(call, outcome, settled.usage, config),
      createdAtMs: now(),
    });
  } catch (error) {
    log.error({ model: call.model, ...describeBug(error) }, "model call not recorded");
  }
}

/** An adapter that throws is a bug, and still no reason to bring a turn down. What it said could quote a key. */
export async function guarded(adapter: Adapter, call: ModelCall): Promise<ModelAnswer> {
  try {
    return await adapter(call);
  } catch (error) {
    return failed("request", `bug: ${error instanceof Error ? error.name : "throw"}`);
  }
}

function isCut(call: ModelCall, usage: LlmUsage): boolean {
  if (usage.promptTokens === null || call.estimatedTokens < CUT_TOKENS_MIN) return false;
  return usage.promptTokens < call.estimatedTokens * CUT_RATIO;
}

function warnOfCut({ notices }: SendOptions, call: ModelCall): void {
  notices.raise(
    "model_context:cut",
    "warning",
    `${call.model} read far less of a prompt than was sent: its context is likely too small. Give it a ` +
      "larger one (Ollama: `OLLAMA_CONTEXT_LENGTH`), or lower `prompt.budgetTokens`.",
  );
}

function paid(
  call: ModelCall,
  outcome: CallOutcome,
  usage: LlmUsage,
  config: AdmissionOptions["config"],
): number | null {
  const price = priceOf(call.model, config.prices);
  if (price === null) return null;
  return UNPAID.has(outcome) ? 0 : dollarsOf(price, usage, call.estimatedTokens);
}

interface Accepted<T> extends ModelText {
  readonly value: T | null;
}

interface Rejected extends ModelFailure {
  /** The question that may repair an answer which did not validate. */
  readonly repair?: string;
}

type Settled<T> = Accepted<T> | Rejected;

/** Something was said, as far as the limit let it. */
const CUT_OFF_JSON = "cut off JSON";
const TEXT_CHARACTERS_MAX = 64_000;

/**
 * What a provider's answer is worth. An abort by our own clock (`isLate`) is a time-out; with a schema the text must
 * be JSON that validates.
 */
function settle<T>(
  schema: z.ZodType<T> | undefined,
  call: ModelCall,
  raw: ModelAnswer,
  isLate: boolean,
): Settled<T> {
  if (!raw.ok) {
    const isOurs = raw.failure === "aborted" && isLate;
    return isOurs ? { ...raw, failure: "timeout", detail: "no answer in time" } : raw;
  }
  const text = raw.text.slice(0, TEXT_CHARACTERS_MAX);
  if (schema === undefined) return { ...raw, text, value: null };
  const parsed = parseAnswer(text, schema);
  if (parsed.ok) return { ...raw, text, value: parsed.value };
  const { finish, usage } = raw;
  if (finish === "max_tokens") return failed("truncated", CUT_OFF_JSON, { finish, usage });
  const rejected = failed("invalid_json", "does not validate", { finish, usage });
  return { ...rejected, repair: repairTail(call.tail, text, parsed.complaint) };
}

type Limit = ReturnType<typeof openLimit>;

/** A time limit of `timeoutMs` over everything that one question needs, joined with the caller's own signal. */
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
    /** Aborts when the time is over or the caller gave up. */
    signal,
    /** Why it aborted; null while it has not. */
    reason: () => reason,
    /** What is left of the time, ms; measured on the monotonic clock that the timer runs on. */
    leftMs: () => endsAtMs - performance.now(),
    /** Resolves with what `work` gives, or with null once the signal aborts, whichever is first. */
    race: <T>(work: Promise<T>): Promise<T | null> => Promise.race([work, over]),
    /** Waits `delayMs`, or until the signal aborts. */
    wait: (delayMs: number): Promise<void> =>
      delay(delayMs, undefined, { signal }).catch(() => undefined),
    /** Ends the timer and lets go of the caller's signal. */
    close: (): void => {
      clearTimeout(timer);
      caller?.removeEventListener("abort", onCaller);
    },
  };
}
