import type { LlmPurpose } from "../config/names.ts";
import { type LlmFailure, type LlmUsage, NO_USAGE } from "./model-port.ts";
import type { JsonSchema } from "./response-schema.ts";

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
}

export type ModelAnswer = ModelText | ModelFailure;

/** Asks a provider once. Never rejects; an abort of `signal` becomes the failure `aborted`. */
export type Adapter = (call: ModelCall) => Promise<ModelAnswer>;

/** A failure, with whatever of `known` is known. */
export function failed(
  failure: LlmFailure,
  detail: string,
  known: Partial<Pick<ModelFailure, "finish" | "usage" | "retryAfterMs">> = {},
): ModelFailure {
  return { ok: false, failure, detail, finish: "", usage: NO_USAGE, retryAfterMs: null, ...known };
}
