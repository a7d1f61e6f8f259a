import type { z } from "zod";
import { describeBug } from "../../errors.ts";
import type { Log } from "../../log.ts";
import { type Adapter, failed, type ModelAnswer, type ModelCall } from "./adapter.ts";
import type { AdmissionOptions, CallEnd, Pass } from "./admission.ts";
import type { Limit } from "./limit.ts";
import type { LlmFailure, LlmUsage } from "./model-port.ts";
import { dollarsOf, priceOf } from "./prices.ts";
import { type Settled, settle } from "./settle.ts";

export interface SendOptions extends AdmissionOptions {
  readonly adapter: Adapter;
  readonly log: Log;
}

export interface Attempt {
  readonly call: ModelCall;
  readonly retries: number;
  readonly isRepair: boolean;
}

export type Send = <T>(
  attempt: Attempt,
  schema: z.ZodType<T> | undefined,
  limit: Limit,
  pass: Pass,
) => Promise<Settled<T>>;

const UNPAID = new Set<"ok" | LlmFailure>([
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
export function openSend(options: SendOptions): Send {
  return async (attempt, schema, limit, pass) => {
    const { call } = attempt;
    const sentAtMs = options.now();
    const raw = await limit.race(guarded(options.adapter, call));
    const isLate = limit.reason() === "timeout";
    const settled = settle(schema, call, raw ?? failed("aborted", "under way"), isLate);
    if (isCut(call, settled.usage)) warnOfCut(options, call);
    const end = endOf(settled);
    record(options, attempt, settled, sentAtMs);
    pass.settle(end);
    const { purpose, model } = call;
    const { outcome, detail } = end;
    if (outcome !== "ok")
      options.log.warn({ purpose, model, outcome, detail }, "model call failed");
    return settled;
  };
}

function endOf(settled: Settled<unknown>): CallEnd {
  if (settled.ok) return { outcome: "ok", detail: "", retryAfterMs: null };
  return { outcome: settled.failure, detail: settled.detail, retryAfterMs: settled.retryAfterMs };
}

/** A row that cannot be written is a pity; the answer is there all the same. */
function record(
  { now, log, config, store }: SendOptions,
  { call, isRepair }: Attempt,
  settled: Settled<unknown>,
  sentAtMs: number,
): void {
  const isComparable = !isRepair && !isCut(call, settled.usage);
  const { outcome } = endOf(settled);
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
    "llm_prompt_cut",
    "warning",
    `${call.model} read far less of a prompt than was sent: its context is likely too small. Give it a ` +
      "larger one (Ollama: OLLAMA_CONTEXT_LENGTH) or lower prompt.budgetTokens.",
  );
}

function paid(
  call: ModelCall,
  outcome: "ok" | LlmFailure,
  usage: LlmUsage,
  config: AdmissionOptions["config"],
): number | null {
  const price = priceOf(call.model, config.prices);
  if (price === null) return null;
  return UNPAID.has(outcome) ? 0 : dollarsOf(price, usage, call.estimatedTokens);
}
