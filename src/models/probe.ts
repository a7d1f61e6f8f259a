import { z } from "zod";
import { findKey, findProvider } from "../catalogue/providers.ts";
import { exchange, isFine, parseJson } from "./http.ts";
import { callSafely, openLimit } from "./model-gate.ts";
import { type LlmFailure, OUTPUT_TOKENS_MAX } from "./model-port.ts";
import { type LlmOptions, openAdapter } from "./open-model.ts";
import type { Advice } from "./reasons.ts";

export interface ProbeOptions extends Pick<LlmOptions, "config" | "apiKeys" | "now"> {
  /** The most tokens of a prompt. The probe warns about a server with a smaller context. */
  readonly budgetTokens: number;
  /** Default: a question with a one-word answer. */
  readonly question?: { readonly prefix: string; readonly tail: string };
  readonly signal?: AbortSignal;
}

/** The result of a probe. Any answer with a word in it is enough. */
export type Probe =
  | {
      readonly ok: true;
      readonly model: string;
      readonly latencyMs: number;
      /** The answer; null for the offline model. */
      readonly text: string | null;
      /** Problems with the provider's settings, for the streamer. */
      readonly warnings: readonly string[];
    }
  | {
      readonly ok: false;
      readonly model: string;
      readonly failure: LlmFailure;
      /** Codes and numbers, no key. */
      readonly detail: string;
      /** The cause and fix by the provider's own reason; null if it gave none. */
      readonly advice: Advice | null;
    };

const READY = { prefix: "You answer with one word.", tail: "Say: ready" };
/** Node refuses other characters in a header, with an error that quotes the key. */
const HEADER_SAFE = /^[\x20-\x7e]*$/;
/** The model may have spent its tokens on reasoning. */
const SILENT = new Set<LlmFailure>(["empty", "truncated"]);

/**
 * Asks the configured reply model one short question, outside of caps and without a row in `llm_calls`. Never rejects, and
 * ends within `llm.timeoutSeconds`.
 */
export async function askProbe({
  signal,
  budgetTokens,
  question = READY,
  ...options
}: ProbeOptions): Promise<Probe> {
  const { config, now } = options;
  const model = config.models.reply ?? config.model;
  const provider = findProvider(config.provider);
  if (provider === null)
    return { ok: true, model: "offline", latencyMs: 0, text: null, warnings: [] };
  const refuse = (failure: LlmFailure, detail: string, advice: Advice | null = null): Probe => ({
    ok: false,
    model,
    failure,
    detail,
    advice,
  });
  if (!HEADER_SAFE.test(findKey(provider, options.apiKeys) ?? "")) {
    return refuse("auth", "a character that no key has");
  }
  const warnings: string[] = [];
  const notices = {
    raise: (_kind: string, _severity: string, message: string) => void warnings.push(message),
    clear: () => undefined,
  };
  const limit = openLimit(config.timeoutSeconds * 1_000, signal);
  const startedAtMs = now();
  try {
    const call = {
      purpose: "reply" as const,
      model,
      ...question,
      shape: null,
      estimatedTokens: budgetTokens,
      maxOutputTokens: OUTPUT_TOKENS_MAX,
      signal: limit.signal,
    };
    const { baseUrl } = config;
    const adapter = openAdapter(provider, options.apiKeys, { ...options, baseUrl, notices });
    let answer = await limit.race(callSafely(adapter, call));
    if (answer?.ok === false && SILENT.has(answer.failure)) {
      answer = await limit.race(callSafely(adapter, { ...call, withoutReasoning: true }));
    }
    if (answer === null) return refuse(limit.reason() ?? "timeout", "");
    if (!answer.ok) return refuse(limit.reason() ?? answer.failure, answer.detail, answer.advice);
    if (!/[\p{L}\p{N}]/u.test(answer.text)) return refuse("empty", "no word");
    const latencyMs = Math.max(0, now() - startedAtMs);
    return { ok: true, model, latencyMs, text: answer.text, warnings };
  } finally {
    limit.close();
  }
}

/** A local server answers in milliseconds. */
const LIST_TIMEOUT_MS = 2_000;
const LISTED_MAX = 30;

const tagsSchema = z.object({ models: z.array(z.object({ name: z.string().min(1).max(200) })) });

/**
 * Lists the models of the Ollama at `baseUrl`, newest first. The list is empty if no Ollama answers within 2 s. Sends no
 * key. Never rejects.
 */
export async function listOllamaModels(
  baseUrl: string,
  stop: AbortSignal,
): Promise<readonly string[]> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(LIST_TIMEOUT_MS)]);
  const reply = await exchange(new URL("/api/tags", baseUrl), { signal });
  if (!reply.ok || !isFine(reply)) return [];
  const listed = tagsSchema.safeParse(parseJson(reply.text));
  if (!listed.success) return [];
  return [...new Set(listed.data.models.map(({ name }) => name))].slice(0, LISTED_MAX);
}
