import type { z } from "zod";
import type { LlmPurpose } from "../config/names.ts";
import { withoutThoughts } from "../language/thoughts.ts";
import type { JsonSchema } from "./json.ts";
import type { Advice } from "./reasons.ts";

/** The upper limit of one answer in tokens, thinking included. */
export const OUTPUT_TOKENS_MAX = 1_024;

/** One question to a language model. `prefix` is the part that stays byte-identical between questions. */
export interface LlmRequest<T = unknown> {
  readonly purpose: LlmPurpose;
  readonly prefix: string;
  readonly tail: string;
  /** Where given, the answer is JSON of this shape, validated here; otherwise it is text. */
  readonly schema?: z.ZodType<T>;
  /** Our estimate of the prompt's size, in tokens: kept beside the provider's count. */
  readonly estimatedTokens: number;
  /** For the streamer or a moderator: it may use the calls that are kept for them. */
  readonly mayUseReserve?: boolean;
  /** Aborts the call: a turn that became pointless. */
  readonly signal?: AbortSignal;
  /** Whether what it was made of changed meanwhile: asked before anything is sent, each time; then nothing is. */
  readonly isStale?: () => boolean;
}

/** Tokens as the provider counted them; null where it did not say. */
export interface LlmUsage {
  readonly promptTokens: number | null;
  readonly cachedTokens: number | null;
  /** What was generated, thinking included. */
  readonly outputTokens: number | null;
}

/**
 * Why there is no answer. `timeout`, `network`, `server` and `rate_limit` may pass by themselves;
 * `quota` ends at `retryAtMs`; `auth`, `request` and `model` need the operator; `blocked` and `empty`
 * are the model's own; `cap`, `breaker` and `aborted` are ours: nothing was sent.
 */
export type LlmFailure =
  | "timeout"
  | "network"
  | "server"
  | "rate_limit"
  | "quota"
  | "auth"
  | "request"
  | "model"
  | "blocked"
  | "empty"
  | "invalid_json"
  | "truncated"
  | "cap"
  | "breaker"
  | "aborted";

export type LlmAnswer<T = unknown> =
  | {
      readonly ok: true;
      readonly text: string;
      /** The parsed object where a schema was given, otherwise null. */
      readonly value: T | null;
      readonly model: string;
      /** The provider's finish reason, lower-case: `stop`, `max_tokens`, … */
      readonly finish: string;
      readonly usage: LlmUsage;
      readonly latencyMs: number;
    }
  | {
      readonly ok: false;
      readonly failure: LlmFailure;
      /** For the log and the streamer: codes and numbers, no prompt text, no key. */
      readonly detail: string;
      readonly model: string;
      readonly finish: string;
      readonly usage: LlmUsage;
      readonly latencyMs: number;
      /** When trying again can make sense, epoch ms; null when it is not known. */
      readonly retryAtMs: number | null;
    };

/**
 * A language model. Never rejects for a model's failure: every outcome is an `LlmAnswer`. A rejection is a bug.
 */
export interface Llm {
  ask<T>(request: LlmRequest<T>): Promise<LlmAnswer<T>>;
}

export const NO_USAGE: LlmUsage = { promptTokens: null, cachedTokens: null, outputTokens: null };

/** One question as a provider gets it: the gate has chosen the model and set the limit. */
export interface ModelCall {
  readonly purpose: LlmPurpose;
  readonly model: string;
  readonly prefix: string;
  readonly tail: string;
  /** The shape the answer should have; null for text. The gate validates, whatever the provider promises. */
  readonly shape: JsonSchema | null;
  readonly estimatedTokens: number;
  readonly mayUseReserve?: boolean;
  readonly maxOutputTokens: number;
  /** Turns reasoning off, where the server knows how: the model spent its tokens on it and said nothing. */
  readonly withoutReasoning?: boolean;
  readonly signal: AbortSignal;
}

export interface ModelText {
  readonly ok: true;
  readonly text: string;
  readonly finish: string;
  readonly usage: LlmUsage;
}

export interface ModelFailure {
  readonly ok: false;
  readonly failure: LlmFailure;
  /** Codes and numbers only. */
  readonly detail: string;
  readonly finish: string;
  readonly usage: LlmUsage;
  /** How long the server asks to wait; null where it did not say. */
  readonly retryAfterMs: number | null;
  /** The cause and its fix, by the provider's own reason; null if it gave none. */
  readonly advice: Advice | null;
}

export type ModelAnswer = ModelText | ModelFailure;

/** Asks a provider once. Never rejects; an abort of `signal` becomes the failure `aborted`. */
export type Adapter = (call: ModelCall) => Promise<ModelAnswer>;

/** How a call ended, in a word. */
export type CallOutcome = "ok" | LlmFailure;

export function outcomeOf(answer: ModelAnswer): CallOutcome {
  return answer.ok ? "ok" : answer.failure;
}

/** Returns what a model said, also if it was cut off. Nothing, or reasoning alone, is a failure. */
export function saidBy(text: string, finish: string, usage: LlmUsage): ModelAnswer {
  if (withoutThoughts(text).trim() !== "") return { ok: true, text, finish, usage };
  return failed(finish === "max_tokens" ? "truncated" : "empty", finish, { usage, finish });
}

/** What the HTTP status of a refused call says by itself. */
export function failureOfStatus(status: number): LlmFailure {
  if (status === 401 || status === 403) return "auth";
  if (status === 404 || status === 410) return "model";
  if (status === 429) return "rate_limit";
  return status >= 500 || status === 408 ? "server" : "request";
}

/** A failure, with whatever of `known` is known. */
export function failed(
  failure: LlmFailure,
  detail: string,
  known: Partial<Pick<ModelFailure, "finish" | "usage" | "retryAfterMs" | "advice">> = {},
): ModelFailure {
  return {
    ok: false,
    failure,
    detail,
    finish: "",
    usage: NO_USAGE,
    retryAfterMs: null,
    advice: null,
    ...known,
  };
}
