import { z } from "zod";
import { type ApiKeys, findKey, findProvider, type Provider } from "../catalogue/providers.ts";
import type { ConfigFile } from "../config/schema.ts";
import type { NoticeKey, Notices } from "../database/notices-store.ts";
import type { Db } from "../database/open-database.ts";
import type { Log } from "../log.ts";
import { LlmCallStore } from "./call-store.ts";
import { exchange, isFine, parseJson } from "./http.ts";
import { callSafely, type LlmConfig, ModelGate, TimeLimit } from "./model-gate.ts";
import {
  type Adapter,
  failWith,
  type Llm,
  type LlmFailure,
  OUTPUT_TOKENS_MAX,
} from "./model-port.ts";
import type { OpenAiOptions } from "./openai-compatible.ts";
import type { Advice } from "./reasons.ts";

const CONTEXT_NOTICES: readonly NoticeKey[] = ["model_context"];
const NOTICES: readonly NoticeKey[] = [
  ...CONTEXT_NOTICES,
  "model:access",
  "model:breaker",
  "model_cap:memory",
  "model_cap:reply",
  "model_context:cut",
  "model:quota",
];

/**
 * Opens the configured model behind the gate. Loads the provider's package with the first question. Returns `offline`,
 * without a gate, for the provider of that name.
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
  // Notices of an earlier start: only the gate ends its own.
  for (const key of provider === null ? NOTICES : CONTEXT_NOTICES) notices.clear(key);
  if (provider === null) return options.offline;
  return new ModelGate({
    ...options,
    adapter: openAdapter(provider, apiKeys, { baseUrl, now, notices }),
    canStopReasoning: provider.traits.reasoningOff !== null,
    store: new LlmCallStore(db),
  });
}

/**
 * Opens the adapter of a provider, with its own key. Without an address, or a key that it needs, every call fails, so
 * that the bot runs and the streamer learns why it is silent. A missing key raises a notice, a key that is there
 * clears it. Codes in answers show the key as `[key]`. `baseUrl`: the configured one; null: the provider's.
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
  const baseUrl = options.baseUrl ?? provider.address;
  if (baseUrl === null) return async () => failWith("request", "llm.baseUrl is missing");
  if (apiKey === null && isNeeded) {
    options.notices.raise(
      "model:access",
      "error",
      `${variable} is missing: the bot listens, but can neither answer nor remember. End it and type \`forgetmenot setup\`, or set the key in the environment.`,
    );
    return async () => failWith("auth", `${variable} is missing`);
  }
  options.notices.clear("model:access");
  let loading: Promise<Adapter> | null = null;
  return async (call) => {
    loading ??= ADAPTERS[provider.adapter]({ ...options, provider, apiKey, baseUrl });
    const adapter = await loading;
    const answer = await adapter(call);
    // Details hold only codes, but a short key of a local server can look like one.
    const redact = (text: string) => (apiKey ? text.replaceAll(apiKey, "[key]") : text);
    const finish = redact(answer.finish);
    return answer.ok ? { ...answer, finish } : { ...answer, finish, detail: redact(answer.detail) };
  };
}

/** Openers of adapters, by protocol. Each loads its module. */
const ADAPTERS: Readonly<
  Record<Provider["adapter"], (options: OpenAiOptions) => Promise<Adapter>>
> = {
  gemini: async (options) => (await import("./gemini.ts")).createGeminiAdapter(options),
  openai: async (options) => (await import("./openai-compatible.ts")).openAiAdapter(options),
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
/** Failures after which the probe asks again without reasoning: it may have used up all tokens. */
const SILENT = new Set<LlmFailure>(["empty", "truncated"]);

/**
 * Asks the configured reply model one short question, outside of caps and without a row in `llm_calls`. Asks again
 * without reasoning if the answer is empty or cut off. Does not ask the offline model. Never rejects, and ends within
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
  const model = config.models.reply ?? config.model;
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
  const limit = new TimeLimit(config.timeoutSeconds * 1_000, signal);
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
    const adapter = openAdapter(provider, apiKeys, { baseUrl, now, notices });
    let answer = await limit.race(callSafely(adapter, call));
    if (answer?.ok === false && SILENT.has(answer.failure)) {
      answer = await limit.race(callSafely(adapter, { ...call, withoutReasoning: true }));
    }
    if (answer === null) return refuse(limit.reason ?? "timeout", "");
    if (!answer.ok) return refuse(limit.reason ?? answer.failure, answer.detail, answer.advice);
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
 * Lists up to 30 models of the Ollama at `baseUrl`, newest first. The list is empty if no Ollama answers within 2 s.
 * Sends no key. Rejects only if `baseUrl` is no URL.
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
