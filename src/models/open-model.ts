import { z } from "zod";
import { type ApiKeys, findKey, findProvider, type Provider } from "../catalogue/providers.ts";
import type { ConfigFile } from "../config/schema.ts";
import type { NoticeKey, Notices } from "../database/notices-store.ts";
import type { Db } from "../database/open-database.ts";
import type { Log } from "../log.ts";
import { LlmCallStore } from "./call-store.ts";
import { exchange, isSuccess, parseJson } from "./http.ts";
import { callSafely, isSilent, type LlmConfig, ModelGate, TimeLimit } from "./model-gate.ts";
import { type Adapter, failWith, type Llm, type LlmFailure, type ModelCall } from "./model-port.ts";
import type { OpenAiOptions } from "./openai-compatible.ts";
import type { Advice } from "./reasons.ts";

/** The notices about the model: none outlives a start. */
const NOTICES: readonly NoticeKey[] = [
  "model:access",
  "model:breaker",
  "model:quota",
  "model_cap:memory",
  "model_cap:reply",
  "model_context",
  "model_context:cut",
];

/**
 * Opens the configured model behind the gate; for the provider `offline` returns `offline`, without a gate. Clears the
 * notices of an earlier start. Raises one if the provider's key is missing: the bot runs, but every call fails.
 */
export function openLlm(options: {
  /** Read at each call: a reload may replace its `llm`, but not the provider and its address. */
  readonly config: LlmConfig;
  readonly apiKeys: ApiKeys;
  /** The model without a network, for the provider `offline`. */
  readonly offline: Llm;
  readonly db: Db;
  readonly now: () => number;
  readonly notices: Notices;
  readonly log: Log;
  /** See `GateOptions`. */
  readonly reservedShare?: number;
}): Llm {
  const { apiKeys, config, db, now, notices } = options;
  const { baseUrl, provider: name } = config.llm;
  const provider = findProvider(name);
  for (const key of NOTICES) notices.clear(key);
  if (provider === null) return options.offline;
  const { isNeeded, variable } = provider.key;
  if (isNeeded && findKey(provider, apiKeys) === null)
    notices.raise(
      "model:access",
      "error",
      `${variable} is missing: the bot listens, but can neither answer nor remember. End it and type \`forgetmenot setup\`, or set the key in the environment.`,
    );
  return new ModelGate({
    ...options,
    adapter: openAdapter(provider, apiKeys, { baseUrl, now, notices }),
    canStopReasoning: provider.traits.reasoningOff !== null,
    store: new LlmCallStore(db),
  });
}

/**
 * Opens the adapter of a provider, with its own key. Without a key that it needs, every call fails. `baseUrl` is the
 * configured one; null if it is the provider's own.
 */
export function openAdapter(
  provider: Provider,
  keys: ApiKeys,
  options: {
    readonly baseUrl: string | null;
    readonly now: () => number;
    readonly notices: Notices;
  },
): Adapter {
  const { variable, isNeeded } = provider.key;
  const apiKey = findKey(provider, keys);
  if (apiKey === null && isNeeded) return async () => failWith("auth", `${variable} is missing`);
  const baseUrl = options.baseUrl ?? provider.address ?? "";
  let loading: Promise<Adapter> | null = null;
  return async (call) => {
    loading ??= ADAPTERS[provider.adapter]({ ...options, provider, apiKey, baseUrl });
    const adapter = await loading;
    return adapter(call);
  };
}

/** Openers of adapters, by protocol. Each loads its module. */
const ADAPTERS: Readonly<
  Record<Provider["adapter"], (options: OpenAiOptions & { now: () => number }) => Promise<Adapter>>
> = {
  gemini: async (options) => (await import("./gemini.ts")).createGeminiAdapter(options),
  openai: async (options) => (await import("./openai-compatible.ts")).createOpenAiAdapter(options),
};

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

/**
 * Asks the configured reply model one short question, outside of caps and without a row in `llm_calls`. Asks again
 * without reasoning if that used up all tokens. Does not ask the offline model. Never rejects, and ends within
 * `llm.timeoutSeconds`.
 */
export async function askProbe(options: {
  readonly config: ConfigFile["llm"];
  readonly apiKeys: ApiKeys;
  readonly now: () => number;
  /** The most tokens of a prompt. The probe warns about a server with a smaller context. */
  readonly budgetTokens: number;
  /** Default: a question with a one-word answer. */
  readonly question?: { readonly prefix: string; readonly tail: string };
  readonly signal?: AbortSignal;
}): Promise<Probe> {
  const { config, apiKeys, now, budgetTokens, question = READY, signal } = options;
  const { baseUrl, models, timeoutSeconds } = config;
  const model = models.reply ?? config.model;
  const provider = findProvider(config.provider);
  if (provider === null)
    return { ok: true, model: "offline", latencyMs: 0, text: null, warnings: [] };
  const refuse = (failure: LlmFailure, detail: string, advice: Advice | null = null) =>
    ({ ok: false, model, failure, detail, advice }) as const;
  if (!HEADER_SAFE.test(findKey(provider, apiKeys) ?? ""))
    return refuse("auth", "a character that no key has");
  const warnings: string[] = [];
  const notices = {
    raise: (_kind: string, _severity: string, message: string) => void warnings.push(message),
    clear: () => undefined,
  };
  const adapter = openAdapter(provider, apiKeys, { baseUrl, now, notices });
  const limit = new TimeLimit(timeoutSeconds * 1_000, signal);
  const call: ModelCall = {
    ...question,
    ...{ purpose: "reply", model, shape: null, signal: limit.signal },
    estimatedTokens: budgetTokens,
  };
  const startedAtMs = now();
  try {
    let answer = await limit.race(callSafely(adapter, call));
    if (answer !== null && isSilent(answer))
      answer = await limit.race(callSafely(adapter, { ...call, withoutReasoning: true }));
    if (answer === null) return refuse(limit.reason ?? "timeout", "");
    if (!answer.ok) return refuse(limit.reason ?? answer.failure, answer.detail, answer.advice);
    if (!/[\p{L}\p{N}]/u.test(answer.text)) return refuse("empty", "no word");
    return { ok: true, model, latencyMs: now() - startedAtMs, text: answer.text, warnings };
  } finally {
    limit.close();
  }
}

/** A local server answers in milliseconds. */
const LIST_TIMEOUT_MS = 2_000;

const tagsSchema = z.object({ models: z.array(z.object({ name: z.string() })) });

/**
 * Lists the models of the Ollama at `baseUrl`, newest first; none if no Ollama answers within 2 s. Sends no key.
 * Rejects if `baseUrl` is no URL.
 */
export async function listOllamaModels(
  baseUrl: string,
  stop: AbortSignal,
): Promise<readonly string[]> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(LIST_TIMEOUT_MS)]);
  const reply = await exchange(new URL("/api/tags", baseUrl), { signal });
  const body = reply.ok && isSuccess(reply) ? parseJson(reply.text) : null;
  return tagsSchema.safeParse(body).data?.models.map(({ name }) => name) ?? [];
}
