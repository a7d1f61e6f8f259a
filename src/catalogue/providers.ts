// Pure: values in, values out.
/** The switch for the least reasoning: a level, a budget of tokens, an effort, or none. */
type ReasoningSwitch =
  | { readonly kind: "level"; readonly lowest: "minimal" | "low" }
  | { readonly kind: "budget"; readonly lowest: number }
  | { readonly kind: "effort"; readonly lowest: "low" }
  | { readonly kind: "none" };

/** The request fields that a model accepts. */
export interface ModelTraits {
  readonly reasoning: ReasoningSwitch;
  /** False if the model ignores or refuses a temperature, or is said to loop below its default. */
  readonly takesTemperature: boolean;
  readonly takesSchema: boolean;
  /** The field with the most tokens of an answer, if the protocol knows more than one. */
  readonly limitField?: "max_tokens" | "max_completion_tokens";
}

/** US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

export interface Provider {
  readonly label: string;
  /** Setup's description, after the usual model. */
  readonly hint: string;
  readonly adapter: "gemini" | "openai";
  /** Its own address, for a provider with a usual model; null if the user has to give address and model. */
  readonly address: string | null;
  readonly key: {
    /** The key's name in the secrets file. */
    readonly secret: string;
    readonly variable: string;
    /** False if its servers may want none. */
    readonly isNeeded: boolean;
    /** The page that gives keys; null if that depends on the server. */
    readonly page: string | null;
    /** A warning before the user gets a key there. */
    readonly advice: string | null;
  };
  /** The list of its models: a whole address, or a path that follows the server's address. */
  readonly modelList: string;
  readonly usualModel: string | null;
  readonly traits: {
    /** Traits by the beginning of a model's name. The longest match counts. */
    readonly byPrefix: Readonly<Record<string, ModelTraits>>;
    readonly unknown: ModelTraits;
    /** Fields of a request that turn reasoning off, where the server knows the switch; null if there is no such switch. */
    readonly reasoningOff: Readonly<Record<string, unknown>> | null;
  };
  /** By model, from the provider's price list in the month `asOf`. `llm.prices` adds others. */
  readonly prices: Readonly<Record<string, Price & { readonly asOf: string }>>;
}

const MINIMAL: ModelTraits = {
  reasoning: { kind: "level", lowest: "minimal" },
  takesTemperature: false,
  takesSchema: true,
};
const PLAIN: ModelTraits = {
  reasoning: { kind: "none" },
  takesTemperature: true,
  takesSchema: true,
};
const budget = (lowest: number): ModelTraits => ({
  ...PLAIN,
  reasoning: { kind: "budget", lowest },
});
const EFFORT: ModelTraits = {
  reasoning: { kind: "effort", lowest: "low" },
  takesTemperature: false,
  takesSchema: true,
  limitField: "max_completion_tokens",
};

/**
 * The providers of language models. A new one is an entry here: its key, address, checks, advice and prices follow from
 * it. Traits are from the providers' model pages, October 2026.
 */
export const PROVIDERS = {
  gemini: {
    label: "Google Gemini",
    hint: "with a key",
    adapter: "gemini",
    address: "https://generativelanguage.googleapis.com",
    key: {
      secret: "geminiApiKey",
      variable: "GEMINI_API_KEY",
      isNeeded: true,
      page: "https://aistudio.google.com/apikey",
      advice:
        "On Google’s free tier, prompts may be used for training and read by people. In the European Economic Area, Switzerland and the United Kingdom you need the paid tier.",
    },
    modelList: "https://ai.google.dev/gemini-api/docs/models",
    usualModel: "gemini-3.5-flash-lite",
    traits: {
      byPrefix: {
        "gemini-3.5-flash": MINIMAL,
        "gemini-3.1-flash-lite": MINIMAL,
        "gemini-3-flash": MINIMAL,
        // 3.6 and 3.7 Flash refuse `minimal`, as the Pro models do.
        "gemini-3": { ...MINIMAL, reasoning: { kind: "level", lowest: "low" } },
        "gemini-2.5-pro": budget(128),
        "gemini-2.5-flash": budget(0),
        "gemini-2.0": PLAIN,
        "gemma-": { ...PLAIN, takesSchema: false },
      },
      unknown: { ...PLAIN, takesTemperature: false },
      reasoningOff: { thinkingConfig: { thinkingBudget: 0 } },
    },
    prices: {
      "gemini-3.5-flash-lite": { asOf: "2026-10", input: 0.3, cached: 0.03, output: 2.5 },
    },
  },
  "openai-compatible": {
    label: "A model on this machine, or another server",
    hint: "Ollama, LM Studio, llama.cpp, OpenRouter …",
    adapter: "openai",
    address: null,
    key: {
      secret: "openaiApiKey",
      variable: "OPENAI_API_KEY",
      isNeeded: false,
      page: null,
      advice: null,
    },
    modelList: "/models",
    usualModel: null,
    traits: {
      byPrefix: { "gpt-5": EFFORT, o1: EFFORT, o3: EFFORT, o4: EFFORT },
      unknown: { ...PLAIN, limitField: "max_tokens" },
      // Ollama and OpenAI, Ollama, llama.cpp and vLLM.
      reasoningOff: {
        reasoning_effort: "none",
        think: false,
        chat_template_kwargs: { enable_thinking: false },
      },
    },
    prices: {},
  },
} as const satisfies Readonly<Record<string, Provider>>;

export type ProviderName = keyof typeof PROVIDERS;
export const PROVIDER_NAMES = Object.keys(PROVIDERS) as ProviderName[];
/** The provider of a new configuration. */
export const USUAL_PROVIDER = "gemini" satisfies ProviderName;
/** The name of a provider's key in the secrets file. */
export type KeyName = (typeof PROVIDERS)[ProviderName]["key"]["secret"];
export type ApiKeys = Readonly<Record<KeyName, string | null>>;
export const KEY_NAMES: readonly KeyName[] = PROVIDER_NAMES.map(
  (name) => PROVIDERS[name].key.secret,
);

/** Collects the keys of all providers. `read` finds one by its name in the secrets file, or returns null. */
export function collectKeys(read: (name: KeyName) => string | null): ApiKeys {
  return Object.fromEntries(KEY_NAMES.map((name) => [name, read(name)])) as ApiKeys;
}

/** Returns a provider by its name in `llm.provider`; null for `offline`, where recorded answers replace a model. */
export function findProvider(name: ProviderName | "offline"): Provider | null {
  return name === "offline" ? null : PROVIDERS[name];
}

/**
 * Returns the address of a provider's list of models. If `modelList` is a path, it follows `baseUrl`, or the provider's
 * address if that is null. Any other `modelList` is the whole address.
 */
export function findModelList(provider: Provider, baseUrl: string | null): string {
  const { modelList, address } = provider;
  if (!modelList.startsWith("/")) return modelList;
  return `${(baseUrl ?? address ?? "").replace(/\/+$/, "")}${modelList}`;
}

export function findKey({ key }: Provider, keys: ApiKeys): string | null {
  return keys[key.secret as KeyName] ?? null;
}

/** Returns the traits by the longest known beginning of a model's name, else the provider's `unknown` ones. */
export function findTraits({ traits }: Provider, model: string): ModelTraits {
  const name = model.replace(/^models\//, "");
  const prefixes = Object.keys(traits.byPrefix).filter((prefix) => name.startsWith(prefix));
  const longest = prefixes.toSorted((a, b) => b.length - a.length)[0] ?? "";
  return traits.byPrefix[longest] ?? traits.unknown;
}

/** Finds the list price of a model; null if no provider lists one. */
export function findListPrice(model: string): Price | null {
  const name = model.replace(/^models\//, "");
  const listed = Object.values(PROVIDERS).flatMap(({ prices }) => Object.entries(prices));
  return listed.find(([known]) => known === name)?.[1] ?? null;
}
