import type { z } from "zod";
import type { LlmPurpose } from "../config/names.ts";
import { removeThoughts } from "../language/thoughts.ts";
import type { JsonSchema } from "./json.ts";
import type { Advice } from "./reasons.ts";

/** The most tokens of one answer, thinking included. */
export const OUTPUT_TOKENS_MAX = 1_024;
/** For memory, if the model takes one. */
export const LOW_TEMPERATURE = 0.2;

/** True for a purpose of memory; false for one of a reply. */
export function isOfMemory(purpose: LlmPurpose): boolean {
  return purpose === "summarise" || purpose === "extract";
}

/** A question to a language model. */
export interface LlmRequest<T = unknown> {
  readonly purpose: LlmPurpose;
  /** The part that stays byte-identical between questions. */
  readonly prefix: string;
  readonly tail: string;
  /** The shape of the answer, which is then JSON. Without it the answer is text. */
  readonly schema?: z.ZodType<T>;
  /** Our estimate of the prompt's tokens, stored next to the provider's count. */
  readonly estimatedTokens: number;
  /** True for the streamer and moderators, who may use the reserved calls. */
  readonly mayUseReserve?: boolean;
  readonly signal?: AbortSignal;
  /** Checked before each send. True if the facts in the prompt have changed: then the gate does not send it. */
  readonly isStale?: () => boolean;
}

/** Tokens by the provider's count; null if it gave none. */
export interface LlmUsage {
  readonly promptTokens: number | null;
  readonly cachedTokens: number | null;
  /** Thinking included. */
  readonly outputTokens: number | null;
}

/**
 * Why there is no usable answer. `timeout`, `network`, `server` and `rate_limit` may pass by themselves. `quota` ends
 * at `retryAtMs`. `auth`, `request` and `model` need the operator. `blocked`, `empty`, `invalid_json` and `truncated`
 * come from the model. `cap` and `breaker`: no request was sent. `aborted`: the caller ended it.
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

export type LlmAnswer<T = unknown> = {
  readonly model: string;
  /** The provider's finish reason in lower case: `stop`, `max_tokens`, … */
  readonly finish: string;
  readonly usage: LlmUsage;
  readonly latencyMs: number;
} & (
  | {
      readonly ok: true;
      readonly text: string;
      /** The parsed answer; null without a schema. */
      readonly value: T | null;
    }
  | {
      readonly ok: false;
      readonly failure: LlmFailure;
      /** Codes and numbers for the log and the streamer. No prompt text, no key. */
      readonly detail: string;
      /** When another try makes sense, epoch ms. Null if unknown. */
      readonly retryAtMs: number | null;
    }
);

/** A language model. A failed call resolves to an answer; a rejection is a bug. */
export interface Llm {
  ask<T>(request: LlmRequest<T>): Promise<LlmAnswer<T>>;
}

export const NO_USAGE: LlmUsage = { promptTokens: null, cachedTokens: null, outputTokens: null };

/** One call to an adapter. */
export interface ModelCall {
  readonly purpose: LlmPurpose;
  readonly model: string;
  readonly prefix: string;
  readonly tail: string;
  /** The shape of the answer, which the caller validates; null for text. */
  readonly shape: JsonSchema | null;
  readonly estimatedTokens: number;
  readonly mayUseReserve?: boolean;
  /** Turns reasoning off, if the server has a switch for it. */
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
  /** The wait that the server asks for, ms. Null if it gave none. */
  readonly retryAfterMs: number | null;
  /** The cause and its fix by the provider's own reason; null if it gave none. */
  readonly advice: Advice | null;
}

export type ModelAnswer = ModelText | ModelFailure;

/** Asks a provider, and again with fewer fields if it refuses some. Never rejects: an abort is a failure, too. */
export type Adapter = (call: ModelCall) => Promise<ModelAnswer>;

export type CallOutcome = "ok" | LlmFailure;

export function getOutcome(answer: ModelAnswer): CallOutcome {
  return answer.ok ? "ok" : answer.failure;
}

/**
 * Makes an answer of a text, even of a cut off one. The text stays as it is, with any reasoning in it. One that is empty
 * or only reasoning becomes a failure: `truncated` at the token limit, else `empty`.
 */
export function toModelAnswer(text: string, finish: string, usage: LlmUsage): ModelAnswer {
  if (removeThoughts(text).trim() !== "") return { ok: true, text, finish, usage };
  return failWith(finish === "max_tokens" ? "truncated" : "empty", finish, { usage, finish });
}

/** Returns the failure for an HTTP error without a known reason. */
export function classifyStatus(status: number): LlmFailure {
  if (status === 401 || status === 403) return "auth";
  if (status === 404 || status === 410) return "model";
  if (status === 429) return "rate_limit";
  return status >= 500 || status === 408 ? "server" : "request";
}

/** Makes a failure. Fields that are not `known` are empty or null. */
export function failWith(
  failure: LlmFailure,
  detail: string,
  known: Partial<ModelFailure> = {},
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
