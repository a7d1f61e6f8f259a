import type { Log } from "../../log.ts";
import type { ConfigFile } from "../config/schema.ts";
import type { NoticeBoard, NoticeKey } from "../database/notices-store.ts";
import type { Db } from "../database/open-database.ts";
import { llmCallStore } from "./call-store.ts";
import { geminiAdapter } from "./gemini.ts";
import { openGate } from "./model-gate.ts";
import { type Adapter, failed, type Llm } from "./model-port.ts";
import { openAiAdapter } from "./openai-compatible.ts";

export interface LlmOptions {
  /** Read at each call: a reload may replace all of it but the provider and its address. */
  readonly config: ConfigFile["llm"];
  readonly apiKeys: { readonly gemini: string | null; readonly openai: string | null };
  /** The model without a network, which serves where the provider is `offline`. */
  readonly offline: Llm;
  readonly db: Db;
  readonly now: () => number;
  /** What the machine's clock shows, for the hours and days of providers; `now` where it is not said. */
  readonly wallNow?: () => number;
  readonly notices: Pick<NoticeBoard, "raise" | "clear">;
  readonly log: Log;
  /** See `AdmissionOptions.reserveShare`. */
  readonly reserveShare?: () => number;
  /** See `OpenAiOptions.budgetTokens`. */
  readonly budgetTokens?: () => number;
}

const NO_KEY =
  "GEMINI_API_KEY is missing: the bot listens, but can neither answer nor remember. End it and type `forgetmenot setup`, or set the key in the environment.";

/** Notices that no model of a provider raises: what an earlier start left of them is over. */
const OVER: Readonly<Record<ConfigFile["llm"]["provider"], readonly NoticeKey[]>> = {
  offline: [
    "model:access",
    "model:breaker",
    "model_cap:memory",
    "model_cap:reply",
    "model_context",
    "model_context:cut",
    "model:quota",
  ],
  gemini: ["model_context"],
  "openai-compatible": ["model:access"],
};

/** The model that the configuration names, behind the gate. Loads no provider's package before the first question. */
export function openLlm(options: LlmOptions): Llm {
  const { provider } = options.config;
  for (const key of OVER[provider]) options.notices.clear(key);
  if (provider === "offline") return options.offline;
  const { db, now, wallNow = now, notices, log, reserveShare } = options;
  return openGate({
    ...(reserveShare === undefined ? {} : { reserveShare }),
    adapter: adapterOf({ ...options, now: wallNow }),
    get config() {
      return options.config;
    },
    store: llmCallStore(db),
    now,
    wallNow,
    notices,
    log,
  });
}

/** The way to the provider that the configuration names; without a key to it, one that only says so. */
export function adapterOf({
  config,
  apiKeys,
  now,
  notices,
  budgetTokens,
}: Pick<LlmOptions, "config" | "apiKeys" | "now" | "notices" | "budgetTokens">): Adapter {
  const { baseUrl } = config;
  if (config.provider === "openai-compatible") {
    if (baseUrl === null) return unusable("request", "llm.baseUrl is missing");
    const apiKey = apiKeys.openai;
    return withoutKey(openAiAdapter({ apiKey, baseUrl, now, notices, budgetTokens }), apiKey);
  }
  const apiKey = apiKeys.gemini;
  if (apiKey === null) {
    notices.raise("model:access", "error", NO_KEY);
    return unusable("auth", "GEMINI_API_KEY is missing");
  }
  notices.clear("model:access");
  return withoutKey(geminiAdapter({ apiKey, baseUrl, now }), apiKey);
}

/** A detail holds codes only, but a short key of a local server can look like one. */
function withoutKey(adapter: Adapter, apiKey: string | null): Adapter {
  if (apiKey === null || apiKey === "") return adapter;
  return async (call) => {
    const answer = await adapter(call);
    const finish = answer.finish.replaceAll(apiKey, "[key]");
    if (answer.ok) return { ...answer, finish };
    return { ...answer, finish, detail: answer.detail.replaceAll(apiKey, "[key]") };
  };
}

/** Stands in for a provider that cannot be asked, so that the bot runs and says why it is silent. */
function unusable(failure: "auth" | "request", detail: string): Adapter {
  return () => Promise.resolve(failed(failure, detail));
}
