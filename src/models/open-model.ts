import {
  type ApiKeys,
  findAddress,
  findKey,
  findProvider,
  type Provider,
} from "../catalogue/providers.ts";
import type { ConfigFile } from "../config/schema.ts";
import type { NoticeKey, Notices } from "../database/notices-store.ts";
import type { Db } from "../database/open-database.ts";
import type { Log } from "../log.ts";
import { openLlmCallStore } from "./call-store.ts";
import { openGate } from "./model-gate.ts";
import { type Adapter, failWith, type Llm } from "./model-port.ts";
import type { OpenAiOptions } from "./openai-compatible.ts";

export interface LlmOptions {
  /** Read at each call: a reload may replace all of it but the provider and its address. */
  readonly config: ConfigFile["llm"];
  readonly apiKeys: ApiKeys;
  /** The model without a network, for the provider `offline`. */
  readonly offline: Llm;
  readonly db: Db;
  readonly now: () => number;
  /** See `AdmissionOptions.wallNow`. */
  readonly wallNow?: () => number;
  readonly notices: Notices;
  readonly log: Log;
  /** See `AdmissionOptions.reserveShare`. */
  readonly reserveShare?: () => number;
  /** See `OpenAiOptions.budgetTokens`. */
  readonly budgetTokens?: () => number;
}

const NOTICES: readonly NoticeKey[] = [
  "model:access",
  "model:breaker",
  "model_cap:memory",
  "model_cap:reply",
  "model_context",
  "model_context:cut",
  "model:quota",
];
/** Notices that a protocol never raises. They may be left from an earlier start. */
const FOREIGN_NOTICES: Readonly<Record<Provider["adapter"], readonly NoticeKey[]>> = {
  gemini: ["model_context"],
  openai: [],
};

/** Opens the configured model behind the gate. Loads the provider's package with the first question. */
export function openLlm(options: LlmOptions): Llm {
  const provider = findProvider(options.config.provider);
  for (const key of provider === null ? NOTICES : FOREIGN_NOTICES[provider.adapter])
    options.notices.clear(key);
  if (provider === null) return options.offline;
  const { db, now, wallNow = now, notices, log, reserveShare } = options;
  return openGate({
    ...(reserveShare === undefined ? {} : { reserveShare }),
    adapter: openAdapter(provider, options.apiKeys, {
      ...options,
      baseUrl: options.config.baseUrl,
      now: wallNow,
    }),
    canStopReasoning: provider.traits.reasoningOff !== null,
    get config() {
      return options.config;
    },
    store: openLlmCallStore(db),
    now,
    wallNow,
    notices,
    log,
  });
}

interface AdapterOptions extends Pick<LlmOptions, "now" | "notices" | "budgetTokens"> {
  /** `llm.baseUrl` */
  readonly baseUrl: string | null;
}

/** Opens the adapter of a provider, with its own key. Without a key that it needs, every call fails. */
export function openAdapter(
  provider: Provider,
  keys: ApiKeys,
  { baseUrl: configured, now, notices, budgetTokens }: AdapterOptions,
): Adapter {
  const { variable, isNeeded } = provider.key;
  const apiKey = findKey(provider, keys);
  const baseUrl = findAddress(provider, configured);
  if (baseUrl === null) return failAlways("request", "llm.baseUrl is missing");
  if (apiKey === null && isNeeded) {
    notices.raise(
      "model:access",
      "error",
      `${variable} is missing: the bot listens, but can neither answer nor remember. End it and type \`forgetmenot setup\`, or set the key in the environment.`,
    );
    return failAlways("auth", `${variable} is missing`);
  }
  notices.clear("model:access");
  const options = { provider, apiKey, baseUrl, now, notices, budgetTokens };
  let loading: Promise<Adapter> | null = null;
  return redactKey(async (call) => {
    loading ??= ADAPTERS[provider.adapter](options);
    const adapter = await loading;
    return await adapter(call);
  }, apiKey);
}

/** Loaded with the first question. */
const ADAPTERS: Readonly<
  Record<Provider["adapter"], (options: OpenAiOptions) => Promise<Adapter>>
> = {
  gemini: async (options) => (await import("./gemini.ts")).createGeminiAdapter(options),
  openai: async (options) => (await import("./openai-compatible.ts")).openAiAdapter(options),
};

/** Redacts the key in details. They hold only codes, but a short key of a local server can look like one. */
function redactKey(adapter: Adapter, apiKey: string | null): Adapter {
  if (apiKey === null || apiKey === "") return adapter;
  return async (call) => {
    const answer = await adapter(call);
    const finish = answer.finish.replaceAll(apiKey, "[key]");
    if (answer.ok) return { ...answer, finish };
    return { ...answer, finish, detail: answer.detail.replaceAll(apiKey, "[key]") };
  };
}

/** Makes an adapter that always fails, so that the bot runs and the streamer learns why it is silent. */
function failAlways(failure: "auth" | "request", detail: string): Adapter {
  return () => Promise.resolve(failWith(failure, detail));
}
