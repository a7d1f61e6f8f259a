import type { LlmPurpose } from "../config/names.ts";
import { failed, type ModelCall } from "./adapter.ts";
import { type Admission, openAdmission } from "./admission.ts";
import { type Limit, openLimit } from "./limit.ts";
import type { Llm, LlmAnswer, LlmFailure, LlmRequest } from "./model-port.ts";
import { jsonSchemaOf } from "./response-schema.ts";
import { type Attempt, openSend, type Send, type SendOptions } from "./send.ts";
import type { Settled } from "./settle.ts";

export interface GateOptions extends SendOptions {
  /** Pause before the first retry, ms; each further one is twice as long. Default 400. */
  readonly retryDelayMs?: number;
}

interface Gate {
  readonly options: GateOptions;
  readonly admission: Admission;
  readonly send: Send;
}

/** A reply that is late is worth little; memory can wait. */
const RETRIES_MAX: Readonly<Record<LlmPurpose, number>> = {
  reply: 1,
  rerank: 0,
  summarise: 2,
  extract: 2,
};
const RETRY_DELAY_MS = 400;
const MAY_PASS = new Set<LlmFailure>(["network", "server", "rate_limit"]);

/**
 * The one way to a provider: a time limit over everything a question needs, caps, breaker, retries, validation with
 * one repair, and a row in `llm_calls` for each call that was sent. Never rejects.
 */
export function openGate(options: GateOptions): Llm {
  const gate: Gate = {
    options,
    admission: openAdmission(options),
    send: openSend(options),
  };
  return {
    async ask(request) {
      const startedAtMs = options.now();
      const limit = openLimit(options.config.timeoutSeconds * 1_000, request.signal);
      const first = firstAttempt(request, options, limit);
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
  if (limit.signal.aborted) return failed("aborted", "before it was sent");
  const { retryDelayMs = RETRY_DELAY_MS } = gate.options;
  const pass = gate.admission.admit(attempt.call);
  if (!pass.ok) return pass;
  const settled = await gate.send(attempt, request.schema, limit, pass);
  const waitMs = pauseBeforeNext(settled, attempt, retryDelayMs);
  if (settled.ok || waitMs === null || waitMs >= limit.leftMs()) return settled;
  await limit.wait(waitMs);
  if (limit.reason() === "timeout") return settled;
  return await untilSettled(gate, request, nextAttempt(attempt, settled.repair), limit);
}

function firstAttempt(
  request: LlmRequest<unknown>,
  { config }: GateOptions,
  limit: Limit,
): Attempt {
  const { purpose, prefix, tail, estimatedTokens, schema, mayUseReserve = false } = request;
  const call: ModelCall = {
    purpose,
    model: config.models[purpose] ?? config.model,
    prefix,
    tail,
    shape: schema === undefined ? null : jsonSchemaOf(schema),
    estimatedTokens,
    mayUseReserve,
    maxOutputTokens: config.maxOutputTokens,
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
  return settled.retryAfterMs ?? delayMs * 2 ** attempt.retries;
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
