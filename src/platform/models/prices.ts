import type { LlmUsage } from "./model-port.ts";

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
