import { z } from "zod";
import { exchange, isFine, jsonOf } from "../http.ts";
import { guarded, openLimit } from "./model-gate.ts";
import { type LlmFailure, type ModelAnswer, OUTPUT_TOKENS_MAX } from "./model-port.ts";
import { adapterOf, type LlmOptions } from "./open-model.ts";

export interface ProbeOptions extends Pick<LlmOptions, "config" | "apiKeys" | "now"> {
  /** The most that prompts will hold: a server that reads less than that and an answer is warned of. */
  readonly budgetTokens: number;
  /** Asked in place of the one whose answer does not matter. */
  readonly question?: { readonly prefix: string; readonly tail: string };
  /** Aborts the question: nobody waits for it any more. */
  readonly signal?: AbortSignal;
}

/** Whether a model can be asked. `failure` is never a matter of what it said: any answer will do. */
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
    };

const READY = { prefix: "You answer with one word.", tail: "Say: ready" };
/** A header takes nothing else, and says so in an error that quotes the key. */
const HEADER_SAFE = /^[\x20-\x7e]*$/;
/** The model was reached and let in: that it had nothing to say is another matter. */
const ANSWERED = new Set<LlmFailure>(["empty", "blocked", "truncated"]);

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
  if (config.provider === "offline")
    return { ok: true, model: "offline", latencyMs: 0, text: null, warnings: [] };
  const warnings: string[] = [];
  const notices = {
    raise: (_kind: string, _severity: string, message: string) => void warnings.push(message),
    clear: () => undefined,
  };
  if (!HEADER_SAFE.test(keyOf(options) ?? ""))
    return { ok: false, model, failure: "auth", detail: "a character that no key has" };
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
    const answer = await limit.race(guarded(adapterOf({ ...options, notices }), call));
    if (answer === null)
      return { ok: false, model, failure: limit.reason() ?? "timeout", detail: "" };
    if (answer.ok || ANSWERED.has(answer.failure)) {
      const latencyMs = Math.max(0, now() - startedAtMs);
      return { ok: true, model, latencyMs, text: textOf(answer), warnings };
    }
    return { ok: false, model, failure: limit.reason() ?? answer.failure, detail: answer.detail };
  } finally {
    limit.close();
  }
}

function textOf(answer: ModelAnswer): string | null {
  return answer.ok && answer.text.trim() !== "" ? answer.text : null;
}

function keyOf({ config, apiKeys }: Pick<ProbeOptions, "config" | "apiKeys">): string | null {
  return config.provider === "gemini" ? apiKeys.gemini : apiKeys.openai;
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
