import { z } from "zod";
import { keyOf, providerOf } from "../catalogue/providers.ts";
import { exchange, isFine, jsonOf } from "./http.ts";
import { guarded, openLimit } from "./model-gate.ts";
import { type LlmFailure, OUTPUT_TOKENS_MAX } from "./model-port.ts";
import { type LlmOptions, openAdapter } from "./open-model.ts";
import type { Advice } from "./reasons.ts";

export interface ProbeOptions extends Pick<LlmOptions, "config" | "apiKeys" | "now"> {
  /** The most that prompts will hold: a server that reads less than that and an answer is warned of. */
  readonly budgetTokens: number;
  /** Asked in place of the one whose answer does not matter. */
  readonly question?: { readonly prefix: string; readonly tail: string };
  /** Aborts the question: nobody waits for it any more. */
  readonly signal?: AbortSignal;
}

/** Whether a model answers: any answer with a word in it will do. */
export type Probe =
  | {
      readonly ok: true;
      readonly model: string;
      readonly latencyMs: number;
      /** What it said; null where it was reached and said nothing. */
      readonly text: string | null;
      /** What the provider's settings leave to be desired, as the streamer is told it. */
      readonly warnings: readonly string[];
    }
  | {
      readonly ok: false;
      readonly model: string;
      readonly failure: LlmFailure;
      /** Codes and numbers, no key. */
      readonly detail: string;
      /** By the provider's own reason; null if it gave none. */
      readonly advice: Advice | null;
    };

const READY = { prefix: "You answer with one word.", tail: "Say: ready" };
/** A header takes nothing else, and says so in an error that quotes the key. */
const HEADER_SAFE = /^[\x20-\x7e]*$/;
/** It was reached and said nothing: perhaps it spent its tokens on reasoning. */
const SILENT = new Set<LlmFailure>(["empty", "truncated"]);

/**
 * Asks the configured reply model one short question, once, outside of caps and without a row: for a person who waits
 * to hear whether key and address are right. Never rejects, and ends within `llm.timeoutSeconds`.
 */
export async function probeModel({
  signal,
  budgetTokens,
  question = READY,
  ...options
}: ProbeOptions): Promise<Probe> {
  const { config, now } = options;
  const model = config.models.reply ?? config.model;
  const provider = providerOf(config.provider);
  if (provider === null)
    return { ok: true, model: "offline", latencyMs: 0, text: null, warnings: [] };
  const warnings: string[] = [];
  const notices = {
    raise: (_kind: string, _severity: string, message: string) => void warnings.push(message),
    clear: () => undefined,
  };
  if (!HEADER_SAFE.test(keyOf(provider, options.apiKeys) ?? ""))
    return {
      ok: false,
      model,
      failure: "auth",
      detail: "a character that no key has",
      advice: null,
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
    const first = await limit.race(guarded(adapter, call));
    const isSilent = first?.ok === false && SILENT.has(first.failure);
    const answer = isSilent
      ? await limit.race(guarded(adapter, { ...call, withoutReasoning: true }))
      : first;
    if (answer === null)
      return { ok: false, model, failure: limit.reason() ?? "timeout", detail: "", advice: null };
    if (answer.ok && /[\p{L}\p{N}]/u.test(answer.text)) {
      const latencyMs = Math.max(0, now() - startedAtMs);
      return { ok: true, model, latencyMs, text: answer.text, warnings };
    }
    if (answer.ok) return { ok: false, model, failure: "empty", detail: "no word", advice: null };
    const { failure, detail, advice } = answer;
    return { ok: false, model, failure: limit.reason() ?? failure, detail, advice };
  } finally {
    limit.close();
  }
}

/** A server on this machine answers in milliseconds; a person waits for the question. */
const LIST_TIMEOUT_MS = 2_000;
const LISTED_MAX = 30;

const tagsSchema = z.object({ models: z.array(z.object({ name: z.string().min(1).max(200) })) });

/**
 * The models that the Ollama at `baseUrl` has, newest first as it tells them; none where no Ollama answers there within
 * 2 s. Sends no key. Never rejects.
 */
export async function listOllamaModels(
  baseUrl: string,
  stop: AbortSignal,
): Promise<readonly string[]> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(LIST_TIMEOUT_MS)]);
  const reply = await exchange(new URL("/api/tags", baseUrl), { signal });
  if (!reply.ok || !isFine(reply)) return [];
  const listed = tagsSchema.safeParse(jsonOf(reply.text));
  if (!listed.success) return [];
  return [...new Set(listed.data.models.map(({ name }) => name))].slice(0, LISTED_MAX);
}
