import { openLimit } from "./limit.ts";
import type { LlmFailure } from "./model-port.ts";
import { adapterOf, type LlmOptions } from "./open-model.ts";
import { guarded } from "./send.ts";

export interface ProbeOptions extends Pick<LlmOptions, "config" | "apiKeys" | "now"> {
  /** The most that prompts will hold: a server that reads less than that and an answer is warned of. */
  readonly budgetTokens: number;
  /** Aborts the question: nobody waits for it any more. */
  readonly signal?: AbortSignal;
}

/** Whether a model can be asked. `failure` is never a matter of what it said: any answer will do. */
export type Probe =
  | {
      readonly ok: true;
      readonly model: string;
      readonly latencyMs: number;
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

const PREFIX = "You answer with one word.";
const TAIL = "Say: ready";
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
  ...options
}: ProbeOptions): Promise<Probe> {
  const { config, now } = options;
  const model = config.models.reply ?? config.model;
  if (config.provider === "offline")
    return { ok: true, model: "offline", latencyMs: 0, warnings: [] };
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
      prefix: PREFIX,
      tail: TAIL,
      shape: null,
      estimatedTokens: budgetTokens,
      maxOutputTokens: config.maxOutputTokens,
      signal: limit.signal,
    };
    const answer = await limit.race(guarded(adapterOf({ ...options, notices }), call));
    if (answer === null)
      return { ok: false, model, failure: limit.reason() ?? "timeout", detail: "" };
    if (answer.ok || ANSWERED.has(answer.failure))
      return { ok: true, model, latencyMs: Math.max(0, now() - startedAtMs), warnings };
    return { ok: false, model, failure: limit.reason() ?? answer.failure, detail: answer.detail };
  } finally {
    limit.close();
  }
}

function keyOf({ config, apiKeys }: Pick<ProbeOptions, "config" | "apiKeys">): string | null {
  return config.provider === "gemini" ? apiKeys.gemini : apiKeys.openai;
}
