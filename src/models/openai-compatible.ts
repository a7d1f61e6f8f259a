import { z } from "zod";
import { findTraits, type Provider } from "../catalogue/providers.ts";
import type { Notices } from "../database/notices-store.ts";
import { removeThoughts } from "../language/thoughts.ts";
import { COUNT_MAX, exchange, type HttpReply, isSuccess, parseJson } from "./http.ts";
import { describeSchema } from "./json.ts";
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
  OUTPUT_TOKENS_MAX,
  toModelAnswer,
} from "./model-port.ts";
import { findAdvice } from "./reasons.ts";

export interface OpenAiOptions {
  readonly provider: Provider;
  /** The key; null if the server wants none. */
  readonly apiKey: string | null;
  /** The address before `/chat/completions`; most end with `/v1`. */
  readonly baseUrl: string;
  readonly notices: Notices;
}

/** Each answer of Ollama holds it. In a text, its quotes would be escaped. */
const OLLAMA_FINGERPRINT = '"fp_ollama"';

/**
 * Makes an adapter for any server with `/chat/completions`. If a server refuses a request as wrong, but not as too
 * long, the adapter asks again plainly. A plain request has the schema in words, and no sampling and reasoning fields.
 * If that is answered, it asks this model plainly from then on.
 */
export function createOpenAiAdapter(options: OpenAiOptions): Adapter {
  const { provider, apiKey, baseUrl } = options;
  const plainModels = new Set<string>();
  const watch = new ContextWatch(options);

  const ask = async (call: ModelCall, isPlain: boolean) => {
    const url = `${baseUrl.replace(/\/+$/, "")}/chat/completions`;
    const key = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
    const headers = { "content-type": "application/json", ...key };
    const body = JSON.stringify(makeBody(provider, call, isPlain));
    const reply = await exchange(url, { method: "POST", headers, body, signal: call.signal });
    if (!reply.ok) return { answer: reply, isOllama: false };
    const answer = isSuccess(reply) ? readAnswer(reply.text) : readError(reply, call);
    return { answer, isOllama: reply.text.includes(OLLAMA_FINGERPRINT) };
  };

  return async (call) => {
    const isPlain = plainModels.has(call.model);
    let { answer, isOllama } = await ask(call, isPlain);
    const isRefused = !answer.ok && answer.failure === "request" && !isTooLong(answer);
    if (isRefused && !isPlain) {
      ({ answer, isOllama } = await ask(call, true));
      if (answer.ok) plainModels.add(call.model);
    }
    await watch.check(call, answer, isOllama);
    return answer;
  };
}

function makeBody(provider: Provider, call: ModelCall, isPlain: boolean): Record<string, unknown> {
  const traits = findTraits(provider, call.model);
  const { takesTemperature, takesSchema, limitField = "max_tokens", reasoning } = traits;
  const inWords =
    (isPlain || !takesSchema) && call.shape !== null ? describeSchema(call.shape) : "";
  const body: Record<string, unknown> = {
    model: call.model,
    messages: [
      { role: "system", content: call.prefix },
      { role: "user", content: call.tail + inWords },
    ],
    [limitField]: OUTPUT_TOKENS_MAX,
  };
  if (isPlain) return body;
  if (call.shape !== null && takesSchema) {
    const format = { name: call.purpose, strict: true, schema: call.shape };
    body["response_format"] = { type: "json_schema", json_schema: format };
  }
  if (takesTemperature && isOfMemory(call.purpose)) body["temperature"] = LOW_TEMPERATURE;
  if (reasoning.kind === "effort") body["reasoning_effort"] = reasoning.lowest;
  if (call.withoutReasoning === true) Object.assign(body, provider.traits.reasoningOff);
  return body;
}

const count = z.int().min(0).max(COUNT_MAX).nullable().catch(null);
const textPart = z.object({ text: z.string().catch("") }).catch({ text: "" });
const answerSchema = z.object({
  choices: z.array(
    z.object({
      message: z.object({
        content: z.union([z.string(), z.array(textPart)]).catch(""),
        refusal: z.string().catch(""),
      }),
      finish_reason: z.string().catch(""),
    }),
  ),
  usage: z
    .object({
      prompt_tokens: count,
      completion_tokens: count,
      prompt_tokens_details: z.object({ cached_tokens: count }).nullable().catch(null),
    })
    .nullable()
    .catch(null),
});
const errorBody = z.object({
  code: z.string().catch(""),
  type: z.string().catch(""),
  message: z.string().catch(""),
});
/** Some servers send only the message. */
const errorSchema = z.object({
  error: z.union([errorBody, z.string().transform((message) => ({ code: "", type: "", message }))]),
});

const CODE = /^[a-z][a-z_]{2,40}$/;
/** Error codes of OpenAI and llama.cpp for a prompt that is too long. */
const CONTEXT_CODES = new Set(["context_length_exceeded", "exceed_context_size_error"]);
const CONTEXT_WORDS =
  /context (length|size|window)|maximum context|exceeds? the (available )?context/i;
/** The wait after an empty account or a spent quota, which does not fill by itself. */
const EMPTY_ACCOUNT_MS = 3_600_000;

const CONTEXT_TOO_SMALL = "context too small";

/** True if the server's context could not hold the prompt. */
function isTooLong(answer: ModelAnswer): boolean {
  return !answer.ok && answer.detail.endsWith(CONTEXT_TOO_SMALL);
}

/** Reads the first choice of a chat completion, without reasoning. Blocked or without text, it is a failure. */
function readAnswer(body: string): ModelAnswer {
  const parsed = answerSchema.safeParse(parseJson(body));
  if (!parsed.success) return failWith("server", "unreadable answer");
  const counts = parsed.data.usage;
  const usage: LlmUsage = {
    promptTokens: counts?.prompt_tokens ?? null,
    cachedTokens: counts?.prompt_tokens_details?.cached_tokens ?? null,
    outputTokens: counts?.completion_tokens ?? null,
  };
  const choice = parsed.data.choices[0];
  if (choice === undefined) return failWith("empty", "no choice", { usage });
  const reason = CODE.test(choice.finish_reason) ? choice.finish_reason : "";
  const finish = reason === "length" ? "max_tokens" : reason;
  if (finish === "content_filter" || choice.message.refusal !== "") {
    return failWith("blocked", finish, { usage, finish });
  }
  const { content } = choice.message;
  const whole = typeof content === "string" ? content : content.map((part) => part.text).join("");
  return toModelAnswer(removeThoughts(whole).trim(), finish, usage);
}

/** Returns the failure in an error reply. After a spent quota, `retryAfterMs` is an hour. */
function readError(reply: HttpReply, call: ModelCall): ModelFailure {
  const parsed = errorSchema.safeParse(parseJson(reply.text));
  const error = parsed.success ? parsed.data.error : { code: "", type: "", message: "" };
  const isContextError =
    CONTEXT_CODES.has(error.code) ||
    CONTEXT_CODES.has(error.type) ||
    CONTEXT_WORDS.test(error.message);
  if (reply.status < 429 && isContextError) {
    return failWith("request", `HTTP ${reply.status} ${CONTEXT_TOO_SMALL}`);
  }
  const code = [error.code, error.type].find((one) => CODE.test(one)) ?? "";
  const codes = [String(reply.status), error.code, error.type];
  // A server for something else answers with a page or a text.
  const words = error.message || reply.text;
  const advice = findAdvice({ codes, words }, `${call.prefix}\n${call.tail}`);
  const failure = advice?.failure ?? classifyStatus(reply.status);
  const seconds = /^\d{1,6}$/.test(reply.retryAfter ?? "") ? Number(reply.retryAfter) : null;
  const retryAfterMs = failure === "quota" ? EMPTY_ACCOUNT_MS : seconds && seconds * 1_000;
  return failWith(failure, `HTTP ${reply.status} ${code}`.trim(), { retryAfterMs, advice });
}

/** The longest wait for Ollama's list of models: the first reply waits for it. */
const PROBE_TIMEOUT_MS = 500;

/** `GET /api/ps` of Ollama lists its loaded models with the context of each. */
const loadedSchema = z.object({
  models: z.array(z.object({ name: z.string(), context_length: z.int().positive() })),
});

/** Notifies the streamer, once a model, if the server's context is smaller than a prompt and its answer. */
class ContextWatch {
  readonly #options: OpenAiOptions;
  /** The context of each model of Ollama, in tokens; null if it did not say. */
  readonly #contexts = new Map<string, number | null>();
  /** The tokens that a model with a notice has to hold before the notice ends. */
  readonly #needs = new Map<string, number>();

  constructor(options: OpenAiOptions) {
    this.#options = options;
  }

  /**
   * Raises or clears the notice that the server's context is too small for a prompt and its answer. May first ask Ollama
   * for its context, 500 ms at most.
   */
  async check(call: ModelCall, answer: ModelAnswer, isOllama: boolean): Promise<void> {
    const { notices } = this.#options;
    const { model } = call;
    const needs = this.#needs;
    const tokens = call.estimatedTokens + OUTPUT_TOKENS_MAX;
    const needed = needs.get(model);
    const room = await this.#findContextTokens(call, answer, isOllama);
    if (room === null) return;
    if (room >= tokens) {
      if (room >= (needed ?? 0)) needs.delete(model);
      if (needs.size === 0) notices.clear("model_context");
      return;
    }
    needs.set(model, Math.max(tokens, needed ?? 0));
    if (needed !== undefined) return;
    const context = this.#contexts.get(model) ?? null;
    const holds = context === null ? "is too small" : `holds ${context} tokens`;
    notices.raise(
      "model_context",
      "warning",
      `The context of ${model} ${holds}; a prompt and its answer need more. Give it a larger one ` +
        "(Ollama: `OLLAMA_CONTEXT_LENGTH`), or lower `prompt.budgetTokens` and start the bot again.",
    );
  }

  /**
   * Returns how many tokens the server's context holds; null if unknown, or another failure. After a prompt that is too
   * long, returns 0. If a server other than Ollama answers, returns this call's tokens, but null without a notice.
   */
  async #findContextTokens(
    call: ModelCall,
    answer: ModelAnswer,
    isOllama: boolean,
  ): Promise<number | null> {
    const { model } = call;
    if (!answer.ok) return isTooLong(answer) ? 0 : null;
    const hasNotice = this.#needs.has(model);
    // Other servers answer with an error instead of cutting: the prompt of an answer had room.
    if (!isOllama) return hasNotice ? call.estimatedTokens + OUTPUT_TOKENS_MAX : null;
    if (hasNotice || !this.#contexts.has(model)) {
      const url = new URL("/api/ps", this.#options.baseUrl);
      const signal = AbortSignal.any([call.signal, AbortSignal.timeout(PROBE_TIMEOUT_MS)]);
      const reply = await exchange(url, { signal });
      const body = reply.ok && reply.status === 200 ? parseJson(reply.text) : null;
      const loaded = loadedSchema.safeParse(body).data?.models;
      const found = loaded?.find(({ name }) => [model, `${model}:latest`].includes(name));
      this.#contexts.set(model, found?.context_length ?? null);
    }
    return this.#contexts.get(model) ?? null;
  }
}
