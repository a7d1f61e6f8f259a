import type { GenerationConfig } from "@google/generative-ai";
import { z } from "zod";
import { type Provider, traitsOf } from "../catalogue/providers.ts";
import { COUNT_MAX, exchange, type HttpReply, isFine, jsonOf } from "./http.ts";
import { type JsonSchema, schemaInWords } from "./json.ts";
import {
  type Adapter,
  failed,
  failureOfStatus,
  type LlmFailure,
  type LlmUsage,
  type ModelAnswer,
  type ModelCall,
  type ModelFailure,
  NO_USAGE,
  saidBy,
} from "./model-port.ts";
import { LOW_TEMPERATURE } from "./models.ts";
import { adviceOn } from "./reasons.ts";

interface GeminiConfig extends GenerationConfig {
  thinkingConfig?: { thinkingLevel: string } | { thinkingBudget: number };
  responseJsonSchema?: JsonSchema;
}

export interface GeminiOptions {
  readonly provider: Provider;
  readonly apiKey: string | null;
  readonly baseUrl: string;
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
    const answer = reply.ok ? read(reply, options.now(), call) : reply;
    if (answer.ok) plainnessOf.set(call.model, plainness);
    const plainest = call.shape === null ? PLAINNESS_MAX - 1 : PLAINNESS_MAX;
    if (answer.ok || answer.failure !== "request" || plainness >= plainest) return answer;
    return await ask(call, plainness + 1);
  }
}

/** Kept: the loader takes a tenth of a millisecond to find what it has loaded. */
let google: Promise<typeof import("@google/generative-ai")> | null = null;

function read(reply: HttpReply, nowMs: number, call: ModelCall): ModelAnswer {
  return isFine(reply) ? readGeminiAnswer(reply.text) : readGeminiError(reply, nowMs, call);
}

async function post(
  options: GeminiOptions,
  call: ModelCall,
  plainness: number,
): Promise<HttpReply | ModelFailure> {
  google ??= import("@google/generative-ai");
  const { GoogleGenerativeAI } = await google;
  const { baseUrl } = options;
  const model = new GoogleGenerativeAI(options.apiKey ?? "").getGenerativeModel(
    {
      model: call.model,
      systemInstruction: call.prefix,
      generationConfig: configOf(options.provider, call, plainness),
    },
    { baseUrl: baseUrl.replace(/\/+$/, "") },
  );
  const withWords = call.shape !== null && !sendsSchema(options.provider, call, plainness);
  const tail = withWords ? call.tail + schemaInWords(call.shape) : call.tail;
  return await throughExchange(call.signal, () => model.generateContent(tail));
}

function configOf(provider: Provider, call: ModelCall, plainness: number): GeminiConfig {
  const { reasoning, takesTemperature } = traitsOf(provider, call.model);
  const isPrecise = call.purpose === "summarise" || call.purpose === "extract";
  const config: GeminiConfig = { candidateCount: 1, maxOutputTokens: call.maxOutputTokens };
  if (call.shape !== null) config.responseMimeType = "application/json";
  if (call.shape !== null && sendsSchema(provider, call, plainness))
    config.responseJsonSchema = call.shape;
  if (plainness > 0) return config;
  if (takesTemperature && isPrecise) config.temperature = LOW_TEMPERATURE;
  if (call.withoutReasoning === true) return { ...config, ...provider.traits.reasoningOff };
  if (reasoning.kind === "level") config.thinkingConfig = { thinkingLevel: reasoning.lowest };
  if (reasoning.kind === "budget") config.thinkingConfig = { thinkingBudget: reasoning.lowest };
  return config;
}

function sendsSchema(provider: Provider, call: ModelCall, plainness: number): boolean {
  return plainness < 2 && traitsOf(provider, call.model).takesSchema;
}

/** All that the package asks of an answer: what it would make of one is not used. */
const NOTHING: Pick<Response, "ok" | "json"> = { ok: true, json: async () => ({}) };

/** `Headers` as far as the package fills them. */
class SentHeaders extends Map<string, string> {
  append(name: string, value: string): void {
    this.set(name, value);
  }
}

/**
 * Lets the package send through `exchange`. It offers no place for that, reads bodies without a bound, listens to a
 * signal only half, and follows redirects with the key. It looks `fetch` and `Headers` up before its first await, so what
 * stands in for them does so during one synchronous call and nobody else can meet it.
 */
function throughExchange(
  signal: AbortSignal,
  send: () => Promise<unknown>,
): Promise<HttpReply | ModelFailure> {
  const { fetch, Headers } = Object.getOwnPropertyDescriptors(globalThis);
  return new Promise((resolve, reject) => {
    const sendOn = async (url: unknown, init: { headers: SentHeaders; body: unknown }) => {
      const headers = Object.fromEntries(init.headers);
      resolve(exchange(String(url), { method: "POST", headers, body: `${init.body}`, signal }));
      return NOTHING;
    };
    const standsIn = { configurable: true, writable: true };
    Object.defineProperties(globalThis, {
      fetch: { ...standsIn, value: sendOn },
      Headers: { ...standsIn, value: SentHeaders },
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

/**
 * The first candidate of a `generateContent` answer: its text without thought parts. Cut off by the token limit it
 * still counts where there is text; the finish reason says so.
 */
function readGeminiAnswer(body: string): ModelAnswer {
  const parsed = answerSchema.safeParse(jsonOf(body));
  if (!parsed.success) return failed("server", "unreadable answer");
  const usage = usageOf(parsed.data.usageMetadata);
  const { blockReason } = parsed.data.promptFeedback;
  if (blockReason !== "")
    return failed("blocked", `prompt ${codeOf(blockReason)}`, {
      usage,
      finish: codeOf(blockReason),
    });
  const candidate = parsed.data.candidates[0];
  if (candidate === undefined) return failed("empty", "no candidate", { usage });
  const finish = codeOf(candidate.finishReason);
  const said = candidate.content.parts.filter((one) => !one.thought);
  const text = said
    .map((one) => one.text)
    .join("")
    .trim();
  if (BLOCKED.has(finish)) return failed("blocked", finish, { usage, finish });
  return saidBy(text, finish, usage);
}

/** An answer that is an error. A daily quota is told by the id of the quota that was violated: it ends at midnight. */
function readGeminiError(reply: HttpReply, nowMs: number, call: ModelCall): ModelFailure {
  const parsed = errorSchema.safeParse(jsonOf(reply.text));
  const error = parsed.success ? parsed.data.error : { status: "", message: "", details: [] };
  const reasons = error.details.map((one) => one.reason).filter((reason) => CODE.test(reason));
  const status = CODE.test(error.status) ? error.status : "";
  const text = [`HTTP ${reply.status}`, status, ...reasons.slice(0, 3)].filter(Boolean).join(" ");
  const codes = [String(reply.status), status, ...reasons];
  const advice = adviceOn(
    { codes, words: error.message || reply.text },
    `${call.prefix}\n${call.tail}`,
  );
  const failure = advice?.failure ?? failureOf(reply.status, error);
  const delays = error.details.map((one) => secondsToMs(one.retryDelay));
  const retryAfterMs = delays.find((ms) => ms !== null) ?? null;
  const untilMidnightMs = nextPacificMidnight(nowMs) - nowMs;
  return failed(failure, text, {
    retryAfterMs: failure === "quota" ? untilMidnightMs : retryAfterMs,
    advice,
  });
}

function failureOf(status: number, { details }: z.output<typeof errorSchema>["error"]): LlmFailure {
  const quotas = details.flatMap((one) => one.violations);
  if (status === 429 && quotas.some(({ quotaId }) => quotaId.includes("PerDay"))) return "quota";
  // A wrong key is a 400 here, told apart by its reason only.
  const isWrongKey = details.some(({ reason }) => reason.startsWith("API_KEY_"));
  return isWrongKey && status !== 429 ? "auth" : failureOfStatus(status);
}

/** Google leaves out a count that is zero. */
function usageOf(counts: z.output<typeof answerSchema>["usageMetadata"]): LlmUsage {
  if (counts === null) return NO_USAGE;
  return {
    promptTokens: counts.promptTokenCount,
    cachedTokens: counts.cachedContentTokenCount,
    outputTokens: counts.candidatesTokenCount + counts.thoughtsTokenCount,
  };
}

function codeOf(code: string): string {
  return CODE.test(code) ? code.toLowerCase() : "";
}

/** "12.5s", as protobuf writes a duration. */
function secondsToMs(duration: string): number | null {
  const seconds = /^(\d{1,7}(?:\.\d{1,9})?)s$/.exec(duration)?.[1];
  return seconds === undefined ? null : Math.ceil(Number(seconds) * 1_000);
}

/** Google's daily quotas begin anew at midnight there. */
const ZONE = "America/Los_Angeles";
const HOUR_MS = 3_600_000;
/** Made when first needed: it takes 10 ms that a start need not. */
let clock: Intl.DateTimeFormat | null = null;

/** The next midnight in Pacific time after `nowMs`, epoch ms; right across changes of summer time. */
export function nextPacificMidnight(nowMs: number): number {
  clock ??= new Intl.DateTimeFormat("en-US", { timeZone: ZONE, hourCycle: "h23", hour: "numeric" });
  let atMs = nowMs - (nowMs % HOUR_MS) + HOUR_MS;
  while (Number(clock.format(atMs)) !== 0) atMs += HOUR_MS;
  return atMs;
}
