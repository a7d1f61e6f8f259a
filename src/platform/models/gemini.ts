import type { GenerationConfig } from "@google/generative-ai";
import {
  type Adapter,
  failed,
  type ModelAnswer,
  type ModelCall,
  type ModelFailure,
} from "./adapter.ts";
import { readGeminiAnswer, readGeminiError } from "./gemini-answer.ts";
import { exchange, type HttpReply, isFine } from "./http.ts";
import { geminiTraits, LOW_TEMPERATURE } from "./models.ts";
import { type JsonSchema, schemaInWords } from "./response-schema.ts";

interface GeminiConfig extends GenerationConfig {
  thinkingConfig?: { thinkingLevel: string } | { thinkingBudget: number };
  responseJsonSchema?: JsonSchema;
}

export interface GeminiOptions {
  readonly apiKey: string;
  /** Null: Google's own. */
  readonly baseUrl: string | null;
  readonly now: () => number;
}

/** All fields; then without sampling and thinking; then with the schema in words as well. */
const PLAINNESS_MAX = 2;

/**
 * Gemini through Google's package, which is loaded with the first question. A 400 is asked again with fewer fields,
 * and a model that took it plainer is asked so from then on.
 */
export function geminiAdapter(options: GeminiOptions): Adapter {
  const plainnessOf = new Map<string, number>();

  return async (call) => await ask(call, plainnessOf.get(call.model) ?? 0);

  async function ask(call: ModelCall, plainness: number): Promise<ModelAnswer> {
    const reply = await post(options, call, plainness);
    const answer = reply.ok ? read(reply, options.now()) : reply;
    if (answer.ok) plainnessOf.set(call.model, plainness);
    const plainest = call.shape === null ? PLAINNESS_MAX - 1 : PLAINNESS_MAX;
    if (answer.ok || answer.failure !== "request" || plainness >= plainest) return answer;
    return await ask(call, plainness + 1);
  }
}

function read(reply: HttpReply, nowMs: number): ModelAnswer {
  return isFine(reply) ? readGeminiAnswer(reply.text) : readGeminiError(reply, nowMs);
}

async function post(
  options: GeminiOptions,
  call: ModelCall,
  plainness: number,
): Promise<HttpReply | ModelFailure> {
  const { GoogleGenerativeAI } = await import("@google/generative-ai");
  const { baseUrl } = options;
  const model = new GoogleGenerativeAI(options.apiKey).getGenerativeModel(
    {
      model: call.model,
      systemInstruction: call.prefix,
      generationConfig: configOf(call, plainness),
    },
    baseUrl === null ? {} : { baseUrl: baseUrl.replace(/\/+$/, "") },
  );
  const withWords = call.shape !== null && !sendsSchema(call, plainness);
  const tail = withWords ? call.tail + schemaInWords(call.shape) : call.tail;
  return await throughExchange(call.signal, () => model.generateContent(tail));
}

function configOf(call: ModelCall, plainness: number): GeminiConfig {
  const { thinking, takesTemperature } = geminiTraits(call.model);
  const isPrecise = call.purpose === "summarise" || call.purpose === "extract";
  const config: GeminiConfig = { candidateCount: 1, maxOutputTokens: call.maxOutputTokens };
  if (call.shape !== null) config.responseMimeType = "application/json";
  if (call.shape !== null && sendsSchema(call, plainness)) config.responseJsonSchema = call.shape;
  if (plainness > 0) return config;
  if (takesTemperature && isPrecise) config.temperature = LOW_TEMPERATURE;
  if (thinking.kind === "level") config.thinkingConfig = { thinkingLevel: thinking.lowest };
  if (thinking.kind === "budget") config.thinkingConfig = { thinkingBudget: thinking.lowest };
  return config;
}

function sendsSchema(call: ModelCall, plainness: number): boolean {
  return plainness < 2 && geminiTraits(call.model).takesSchema;
}

/**
 * Lets the package send through `exchange`. It offers no place for that, reads bodies without a bound, listens to a
 * signal only half, and follows redirects with the key. It looks `fetch` up before its first await, so the exchange
 * stands in for it during one synchronous call and nobody else can meet it.
 */
async function throughExchange(
  signal: AbortSignal,
  send: () => Promise<unknown>,
): Promise<HttpReply | ModelFailure> {
  const seen: { reply: HttpReply | ModelFailure } = { reply: failed("request", "not sent") };
  const standard = globalThis.fetch;
  let sending: Promise<unknown>;
  globalThis.fetch = async (url, init) => {
    const target = url instanceof Request ? url.url : url;
    seen.reply = await exchange(target, { ...init, signal });
    // The package only has to end: what it would make of the answer is not used.
    return new Response("{}");
  };
  try {
    sending = send();
  } finally {
    globalThis.fetch = standard;
  }
  await sending;
  return seen.reply;
}
