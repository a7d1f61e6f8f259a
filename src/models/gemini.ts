import type { GenerationConfig } from "@google/generative-ai";
import { z } from "zod";
import { findTraits, type Provider } from "../catalogue/providers.ts";
import { COUNT_MAX, exchange, type HttpReply, isSuccess, parseJson } from "./http.ts";
import { describeSchema, type JsonSchema } from "./json.ts";
import {
  type Adapter,
  classifyStatus,
  failWith,
  isOfMemory,
  type LlmUsage,
  LOW_TEMPERATURE,
  type ModelAnswer,
  type ModelCall,
  type ModelFailure,
  NO_USAGE,
  OUTPUT_TOKENS_MAX,
  toModelAnswer,
} from "./model-port.ts";
import { findAdvice } from "./reasons.ts";

interface GeminiConfig extends GenerationConfig {
  thinkingConfig?: { thinkingLevel: string } | { thinkingBudget: number };
  responseJsonSchema?: JsonSchema;
}

/** Forms of a request. 0: all fields. 1: without sampling and thinking. 2: also with the schema in words. */
type Plainness = 0 | 1 | 2;

/** The package, once loaded: finding it again takes the loader 0.1 ms. */
let google: Promise<typeof import("@google/generative-ai")> | null = null;

/**
 * Makes an adapter for Gemini through Google's package, loaded with the first call. If Google refuses a request as
 * wrong (HTTP 400), it asks again in a plainer form. It asks this model in the form that was answered from then on.
 */
export function createGeminiAdapter(options: {
  readonly provider: Provider;
  readonly apiKey: string | null;
  readonly baseUrl: string;
  readonly now: () => number;
}): Adapter {
  const { provider, apiKey, baseUrl, now } = options;
  const plainnessOf = new Map<string, Plainness>();

  const ask = async (call: ModelCall, plainness: Plainness): Promise<ModelAnswer> => {
    google ??= import("@google/generative-ai");
    const { GoogleGenerativeAI } = await google;
    const sendsSchema = plainness < 2 && findTraits(provider, call.model).takesSchema;
    const generationConfig = makeConfig(provider, call, plainness, sendsSchema);
    const model = new GoogleGenerativeAI(apiKey ?? "").getGenerativeModel(
      { model: call.model, systemInstruction: call.prefix, generationConfig },
      { baseUrl: baseUrl.replace(/\/+$/, "") },
    );
    const inWords = call.shape !== null && !sendsSchema ? describeSchema(call.shape) : "";
    const send = () => model.generateContent(call.tail + inWords);
    const reply = await sendByExchange(call.signal, send);
    if (!reply.ok) return reply;
    return isSuccess(reply) ? readAnswer(reply.text) : readError(reply, now(), call);
  };

  return async (call) => {
    const plainest: Plainness = call.shape === null ? 1 : 2;
    let plainness = plainnessOf.get(call.model) ?? 0;
    let answer = await ask(call, plainness);
    while (!answer.ok && answer.failure === "request" && plainness < plainest) {
      plainness = plainness === 0 ? 1 : 2;
      answer = await ask(call, plainness);
    }
    if (answer.ok) plainnessOf.set(call.model, plainness);
    return answer;
  };
}

function makeConfig(
  provider: Provider,
  call: ModelCall,
  plainness: Plainness,
  sendsSchema: boolean,
): GeminiConfig {
  const { reasoning, takesTemperature } = findTraits(provider, call.model);
  const config: GeminiConfig = { candidateCount: 1, maxOutputTokens: OUTPUT_TOKENS_MAX };
  if (call.shape !== null) config.responseMimeType = "application/json";
  if (call.shape !== null && sendsSchema) config.responseJsonSchema = call.shape;
  if (plainness > 0) return config;
  if (takesTemperature && isOfMemory(call.purpose)) config.temperature = LOW_TEMPERATURE;
  if (call.withoutReasoning === true) return { ...config, ...provider.traits.reasoningOff };
  if (reasoning.kind === "level") config.thinkingConfig = { thinkingLevel: reasoning.lowest };
  if (reasoning.kind === "budget") config.thinkingConfig = { thinkingBudget: reasoning.lowest };
  return config;
}

/** The response that the package gets. It reads only these fields, and its result is not used. */
const NO_RESPONSE: Pick<Response, "ok" | "json"> = { ok: true, json: async () => ({}) };

/** The part of `Headers` that the package uses. */
class SentHeaders extends Map<string, string> {
  append(name: string, value: string): void {
    this.set(name, value);
  }
}

/**
 * Calls `send`, in which Google's package sends a request, and makes it send by `exchange`. Returns the reply of
 * `exchange`; rejects if the package sends nothing. By itself it reads bodies without a bound, and follows redirects
 * with the key. It looks up the global `fetch` and `Headers` before its first await: they are replaced only until then.
 */
function sendByExchange(
  signal: AbortSignal,
  send: () => Promise<unknown>,
): Promise<HttpReply | ModelFailure> {
  const { fetch, Headers } = Object.getOwnPropertyDescriptors(globalThis);
  return new Promise((resolve, reject) => {
    const sendOn = async (url: unknown, init: { headers: SentHeaders; body: unknown }) => {
      const headers = Object.fromEntries(init.headers);
      resolve(exchange(String(url), { method: "POST", headers, body: `${init.body}`, signal }));
      return NO_RESPONSE;
    };
    const options = { configurable: true, writable: true };
    Object.defineProperties(globalThis, {
      fetch: { ...options, value: sendOn },
      Headers: { ...options, value: SentHeaders },
    });
    try {
      send().then(() => reject(new Error("not sent")), reject);
    } finally {
      Object.defineProperties(globalThis, { fetch, Headers });
    }
  });
}

const count = z.int().min(0).max(COUNT_MAX);
const part = z.object({ text: z.string().catch(""), thought: z.boolean().catch(false) });
const answerSchema = z.object({
  candidates: z
    .array(
      z.object({
        content: z
          .object({ parts: z.array(part.catch({ text: "", thought: false })).catch([]) })
          .catch({ parts: [] }),
        finishReason: z.string().catch(""),
      }),
    )
    .catch([]),
  promptFeedback: z.object({ blockReason: z.string().catch("") }).catch({ blockReason: "" }),
  usageMetadata: z
    .object({
      promptTokenCount: count.nullable().catch(null),
      cachedContentTokenCount: count.catch(0),
      candidatesTokenCount: count.catch(0),
      thoughtsTokenCount: count.catch(0),
    })
    .nullable()
    .catch(null),
});
const detail = z.object({
  reason: z.string().catch(""),
  retryDelay: z.string().catch(""),
  violations: z.array(z.object({ quotaId: z.string().catch("") })).catch([]),
});
const errorSchema = z.object({
  error: z.object({
    status: z.string().catch(""),
    message: z.string().catch(""),
    details: z.array(detail.catch({ reason: "", retryDelay: "", violations: [] })).catch([]),
  }),
});

const BLOCKED = new Set([
  "safety",
  "recitation",
  "language",
  "blocklist",
  "prohibited_content",
  "spii",
  "image_safety",
]);
const CODE = /^[A-Z][A-Z_]{2,40}$/;
const SECONDS = /^(\d{1,7}(?:\.\d{1,9})?)s$/;

/**
 * Reads the first candidate of a `generateContent` answer, without thoughts. Blocked or without text, it is a failure.
 */
function readAnswer(body: string): ModelAnswer {
  const parsed = answerSchema.safeParse(parseJson(body));
  if (!parsed.success) return failWith("server", "unreadable answer");
  const counts = parsed.data.usageMetadata;
  // Google leaves out a count that is zero.
  const usage: LlmUsage =
    counts === null
      ? NO_USAGE
      : {
          promptTokens: counts.promptTokenCount,
          cachedTokens: counts.cachedContentTokenCount,
          outputTokens: counts.candidatesTokenCount + counts.thoughtsTokenCount,
        };
  const blocked = parsed.data.promptFeedback.blockReason;
  if (blocked !== "") {
    const reason = lowerCodeOrEmpty(blocked);
    return failWith("blocked", `prompt ${reason}`, { usage, finish: reason });
  }
  const candidate = parsed.data.candidates[0];
  if (candidate === undefined) return failWith("empty", "no candidate", { usage });
  const finish = lowerCodeOrEmpty(candidate.finishReason);
  const said = candidate.content.parts.filter((one) => !one.thought).map((one) => one.text);
  if (BLOCKED.has(finish)) return failWith("blocked", finish, { usage, finish });
  return toModelAnswer(said.join("").trim(), finish, usage);
}

/** Returns the failure in an error reply. `retryAfterMs` of a spent quota lasts until midnight in Pacific time. */
function readError(reply: HttpReply, nowMs: number, call: ModelCall): ModelFailure {
  const parsed = errorSchema.safeParse(parseJson(reply.text));
  const error = parsed.success ? parsed.data.error : { status: "", message: "", details: [] };
  const reasons = error.details.map((one) => one.reason).filter((reason) => CODE.test(reason));
  const status = CODE.test(error.status) ? error.status : "";
  const text = [`HTTP ${reply.status}`, status, ...reasons.slice(0, 3)].filter(Boolean).join(" ");
  const codes = [String(reply.status), status, ...reasons];
  const advice = findAdvice(
    { codes, words: error.message || reply.text },
    `${call.prefix}\n${call.tail}`,
  );
  const quotas = error.details.flatMap((one) => one.violations);
  const isDaily = reply.status === 429 && quotas.some(({ quotaId }) => quotaId.includes("PerDay"));
  const failure = advice?.failure ?? (isDaily ? "quota" : classifyStatus(reply.status));
  // A duration of protobuf: "12.5s".
  const seconds = error.details.flatMap(({ retryDelay }) => SECONDS.exec(retryDelay)?.[1] ?? []);
  const delayMs = seconds[0] === undefined ? null : Math.ceil(Number(seconds[0]) * 1_000);
  const isQuota = failure === "quota";
  const retryAfterMs = isQuota ? getNextPacificMidnight(nowMs) - nowMs : delayMs;
  return failWith(failure, text, { retryAfterMs, advice });
}

function lowerCodeOrEmpty(code: string): string {
  return CODE.test(code) ? code.toLowerCase() : "";
}

/** Google's daily quotas begin again at midnight there. */
const ZONE = "America/Los_Angeles";
const HOUR_MS = 3_600_000;
/** Made on first use, because it takes 10 ms. */
let clock: Intl.DateTimeFormat | null = null;

/** Returns the next midnight in Pacific time after `nowMs`, epoch ms. Heeds summer time. */
export function getNextPacificMidnight(nowMs: number): number {
  clock ??= new Intl.DateTimeFormat("en-US", { timeZone: ZONE, hourCycle: "h23", hour: "numeric" });
  let atMs = nowMs - (nowMs % HOUR_MS) + HOUR_MS;
  while (Number(clock.format(atMs)) !== 0) atMs += HOUR_MS;
  return atMs;
}
