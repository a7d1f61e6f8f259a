import { findListPrice, type Price } from "../catalogue/providers.ts";
import type { LlmUsage } from "./model-port.ts";

const TOKENS_PER_PRICE = 1_000_000;

/** Returns the operator's own price of a model, else the built-in one, else null. */
export function getPrice(model: string, own: Readonly<Record<string, Price>>): Price | null {
  const name = model.replace(/^models\//, "");
  return lookUp(own, model) ?? lookUp(own, name) ?? findListPrice(name);
}

/**
 * Returns the price of a call in US dollars. `promptTokens` counts if the provider gave no count: a call that timed out
 * costs money, too.
 */
export function calculateDollars(price: Price, usage: LlmUsage, promptTokens: number): number {
  const prompt = usage.promptTokens ?? promptTokens;
  const cached = Math.min(usage.cachedTokens ?? 0, prompt);
  const output = usage.outputTokens ?? 0;
  const priced = (prompt - cached) * price.input + cached * price.cached + output * price.output;
  return priced / TOKENS_PER_PRICE;
}

/** Tokens of one answer, and of an hour of memory at 30 messages a minute, the most by `npm run bench -- memory`. */
const ANSWER_TOKENS = { promptTokens: 1_500, cachedTokens: 0, outputTokens: 40 };
const MEMORY_TOKENS_AN_HOUR = { promptTokens: 37_100, cachedTokens: 0, outputTokens: 10_700 };

/** Estimates what a stream costs, in US dollars: its answers, and memory at 30 messages a minute. `docs/cost.md` agrees. */
export function estimateStream(price: Price, stream: { hours: number; answers: number }) {
  return {
    answers: calculateDollars(price, ANSWER_TOKENS, 0) * stream.answers,
    memory: calculateDollars(price, MEMORY_TOKENS_AN_HOUR, 0) * stream.hours,
  };
}

function lookUp(table: Readonly<Record<string, Price>>, model: string): Price | undefined {
  return Object.hasOwn(table, model) ? table[model] : undefined;
}
