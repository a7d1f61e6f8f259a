import type { LlmUsage } from "./model-port.ts";

/** How a Gemini model is told to think little, if at all: 3.x by level, 2.5 by budget; both together are refused. */
type GeminiThinking =
  | { readonly kind: "level"; readonly lowest: "minimal" | "low" }
  | { readonly kind: "budget"; readonly lowest: number }
  | { readonly kind: "none" };

export interface GeminiTraits {
  readonly thinking: GeminiThinking;
  /** False where the model ignores or refuses a temperature, or is said to loop below its default. */
  readonly takesTemperature: boolean;
  readonly takesSchema: boolean;
}

export interface OpenAiTraits {
  readonly takesTemperature: boolean;
  readonly limitField: "max_tokens" | "max_completion_tokens";
  readonly reasoningEffort: "low" | null;
}

/** For summaries and extraction, where the model takes one. */
export const LOW_TEMPERATURE = 0.2;

const MINIMAL: GeminiThinking = { kind: "level", lowest: "minimal" };
const LOW: GeminiThinking = { kind: "level", lowest: "low" };
const UNTHINKING: GeminiThinking = { kind: "none" };

// Google's model pages, October 2026. 3.6 and 3.7 Flash refuse `minimal`, as the Pro models do.
const GEMINI: readonly (readonly [prefix: string, traits: GeminiTraits])[] = [
  ["gemini-3.5-flash", { thinking: MINIMAL, takesTemperature: false, takesSchema: true }],
  ["gemini-3.1-flash-lite", { thinking: MINIMAL, takesTemperature: false, takesSchema: true }],
  ["gemini-3-flash", { thinking: MINIMAL, takesTemperature: false, takesSchema: true }],
  ["gemini-3", { thinking: LOW, takesTemperature: false, takesSchema: true }],
  [
    "gemini-2.5-pro",
    { thinking: { kind: "budget", lowest: 128 }, takesTemperature: true, takesSchema: true },
  ],
  [
    "gemini-2.5-flash",
    { thinking: { kind: "budget", lowest: 0 }, takesTemperature: true, takesSchema: true },
  ],
  ["gemini-2.0", { thinking: UNTHINKING, takesTemperature: true, takesSchema: true }],
  ["gemma-", { thinking: UNTHINKING, takesTemperature: true, takesSchema: false }],
];
const UNKNOWN_GEMINI: GeminiTraits = {
  thinking: UNTHINKING,
  takesTemperature: false,
  takesSchema: true,
};

const REASONING: OpenAiTraits = {
  takesTemperature: false,
  limitField: "max_completion_tokens",
  reasoningEffort: "low",
};
const OPENAI: readonly (readonly [prefix: string, traits: OpenAiTraits])[] = [
  ["gpt-5", REASONING],
  ["o1", REASONING],
  ["o3", REASONING],
  ["o4", REASONING],
];
const UNKNOWN_OPENAI: OpenAiTraits = {
  takesTemperature: true,
  limitField: "max_tokens",
  reasoningEffort: null,
};

/** What a Gemini model takes, by the longest prefix of its name. An unknown one gets the fewest fields. */
export function geminiTraits(model: string): GeminiTraits {
  return longestPrefix(GEMINI, model) ?? UNKNOWN_GEMINI;
}

/** What a model behind a `/chat/completions` endpoint takes. Unknown names are taken for local models. */
export function openAiTraits(model: string): OpenAiTraits {
  return longestPrefix(OPENAI, model) ?? UNKNOWN_OPENAI;
}

function longestPrefix<T>(rows: readonly (readonly [string, T])[], model: string): T | null {
  const name = model.replace(/^models\//, "");
  const fitting = rows.filter(([prefix]) => name.startsWith(prefix));
  return fitting.toSorted(([a], [b]) => b.length - a.length)[0]?.[1] ?? null;
}

/** US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

interface ListedPrice extends Price {
  /** The month in which it stood in the provider's price list. */
  readonly asOf: string;
}

/** From Google's price list. A model that is not here has no known price; `llm.prices` in the configuration adds some. */
const PRICES: Readonly<Record<string, ListedPrice>> = {
  "gemini-3.5-flash-lite": { asOf: "2026-10", input: 0.3, cached: 0.03, output: 2.5 },
};
const TOKENS_PER_PRICE = 1_000_000;

/** The price of a model: the operator's own, else the built-in one, else null. */
export function priceOf(model: string, own: Readonly<Record<string, Price>>): Price | null {
  const name = model.replace(/^models\//, "");
  return lookUp(own, model) ?? lookUp(own, name) ?? lookUp(PRICES, name) ?? null;
}

/**
 * What a call cost, in US dollars. Where the provider did not count the prompt, `promptTokens` stands in:
 * a call that timed out is billed all the same.
 */
export function dollarsOf(price: Price, usage: LlmUsage, promptTokens: number): number {
  const prompt = usage.promptTokens ?? promptTokens;
  const cached = Math.min(usage.cachedTokens ?? 0, prompt);
  const output = usage.outputTokens ?? 0;
  const priced = (prompt - cached) * price.input + cached * price.cached + output * price.output;
  return priced / TOKENS_PER_PRICE;
}

function lookUp(table: Readonly<Record<string, Price>>, model: string): Price | undefined {
  return Object.hasOwn(table, model) ? table[model] : undefined;
}
