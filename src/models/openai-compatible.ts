import { z } from "zod";
import { type Provider, traitsOf } from "../catalogue/providers.ts";
import type { NoticeBoard } from "../database/notices-store.ts";
import { withoutThoughts } from "../language/thoughts.ts";
import { COUNT_MAX, exchange, type HttpReply, isFine, jsonOf } from "./http.ts";
import { schemaInWords } from "./json.ts";
import {
  type Adapter,
  failed,
  failureOfStatus,
  type LlmUsage,
  type ModelAnswer,
  type ModelCall,
  type ModelFailure,
  NO_USAGE,
  saidBy,
} from "./model-port.ts";
import { LOW_TEMPERATURE } from "./models.ts";
import { adviceOn } from "./reasons.ts";

export interface OpenAiOptions {
  readonly provider: Provider;
  /** Null where the server wants none. */
  readonly apiKey: string | null;
  /** Up to and with `/v1`. */
  readonly baseUrl: string;
  readonly now: () => number;
  readonly notices: Pick<NoticeBoard, "raise" | "clear">;
  /** How long a prompt may be now, tokens. */
  readonly budgetTokens?: (() => number) | undefined;
}

/** Ollama signs each answer with it. Inside a text the quotes would be escaped. */
const OLLAMA_FINGERPRINT = '"fp_ollama"';

/**
 * Any server with `/chat/completions`. A 400 is asked again once without the schema and without sampling fields, the
 * schema then in words; a model that took it plainer is asked so from then on.
 */
export function openAiAdapter(options: OpenAiOptions): Adapter {
  const plainModels = new Set<string>();
  const checkContext = openContextCheck(options);

  return async (call) => {
    const isPlain = plainModels.has(call.model);
    const reply = await ask(options, call, isPlain);
    if (isPlain || !isRefused(reply.answer)) return await checked(call, reply);
    const second = await ask(options, call, true);
    if (second.answer.ok) plainModels.add(call.model);
    return await checked(call, second);
  };

  async function checked(call: ModelCall, reply: ServerAnswer): Promise<ModelAnswer> {
    await checkContext(call, reply);
    return reply.answer;
  }
}

async function ask(
  options: OpenAiOptions,
  call: ModelCall,
  isPlain: boolean,
): Promise<ServerAnswer> {
  const reply = await post(options, call, isPlain);
  if (!reply.ok) return { answer: reply, isOllama: false };
  const answer = isFine(reply)
    ? readOpenAiAnswer(reply.text)
    : readOpenAiError(reply, options.now(), call);
  return { answer, isOllama: reply.text.includes(OLLAMA_FINGERPRINT) };
}

function isRefused(answer: ModelAnswer): boolean {
  return !answer.ok && answer.failure === "request" && !answer.detail.endsWith(CONTEXT_TOO_SMALL);
}

async function post(
  options: OpenAiOptions,
  call: ModelCall,
  isPlain: boolean,
): Promise<HttpReply | ModelFailure> {
  const url = `${options.baseUrl.replace(/\/+$/, "")}/chat/completions`;
  if (!URL.canParse(url)) return failed("request", "llm.baseUrl is not a URL");
  const key = options.apiKey === null ? {} : { authorization: `Bearer ${options.apiKey}` };
  const headers = { "content-type": "application/json", ...key };
  const body = JSON.stringify(bodyOf(options.provider, call, isPlain));
  return await exchange(url, { method: "POST", headers, body, signal: call.signal });
}

function bodyOf(provider: Provider, call: ModelCall, isPlain: boolean): Record<string, unknown> {
  const traits = traitsOf(provider, call.model);
  const { takesTemperature, takesSchema, limitField = "max_tokens", reasoning } = traits;
  const isPrecise = call.purpose === "summarise" || call.purpose === "extract";
  const inWords = (isPlain || !takesSchema) && call.shape !== null ? schemaInWords(call.shape) : "";
  const body: Record<string, unknown> = {
    model: call.model,
    messages: [
      { role: "system", content: call.prefix },
      { role: "user", content: call.tail + inWords },
    ],
    [limitField]: call.maxOutputTokens,
  };
  if (isPlain) return body;
  if (call.shape !== null && takesSchema) {
    const format = { name: call.purpose, strict: true, schema: call.shape };
    body["response_format"] = { type: "json_schema", json_schema: format };
  }
  if (takesTemperature && isPrecise) body["temperature"] = LOW_TEMPERATURE;
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
/** Some servers send the message alone. */
const errorSchema = z.object({
  error: z.union([errorBody, z.string().transform((message) => ({ code: "", type: "", message }))]),
});
type ProviderError = z.output<typeof errorSchema>["error"];

const CODE = /^[a-z][a-z_]{2,40}$/;
/** A code that says "too long" whatever the server: OpenAI's, llama.cpp's. */
const CONTEXT_CODES = new Set(["context_length_exceeded", "exceed_context_size_error"]);
const CONTEXT_WORDS =
  /context (length|size|window)|maximum context|exceeds? the (available )?context/i;
/** An empty account does not fill by itself; once an hour is often enough to look. */
const EMPTY_ACCOUNT_MS = 3_600_000;
const RETRY_AFTER_SECONDS_MAX = 86_400;

/** Detail of the failure of a prompt that the server's context cannot hold. */
const CONTEXT_TOO_SMALL = "context too small";

/** The first choice of a chat completion: its text without reasoning. */
function readOpenAiAnswer(body: string): ModelAnswer {
  const parsed = answerSchema.safeParse(jsonOf(body));
  if (!parsed.success) return failed("server", "unreadable answer");
  const usage = usageOf(parsed.data.usage);
  const choice = parsed.data.choices[0];
  if (choice === undefined) return failed("empty", "no choice", { usage });
  const finish = finishOf(choice.finish_reason);
  if (finish === "content_filter" || choice.message.refusal !== "") {
    return failed("blocked", finish, { usage, finish });
  }
  const { content } = choice.message;
  const whole = typeof content === "string" ? content : content.map((part) => part.text).join("");
  return saidBy(withoutThoughts(whole).trim(), finish, usage);
}

/** An answer that is an error. */
function readOpenAiError(reply: HttpReply, nowMs: number, call: ModelCall): ModelFailure {
  const parsed = errorSchema.safeParse(jsonOf(reply.text));
  const error = parsed.success ? parsed.data.error : { code: "", type: "", message: "" };
  if (reply.status < 429 && isContextError(error)) {
    return failed("request", `HTTP ${reply.status} ${CONTEXT_TOO_SMALL}`);
  }
  const code = [error.code, error.type].find((one) => CODE.test(one)) ?? "";
  const codes = [String(reply.status), error.code, error.type];
  // Servers that are none of a model's answer with a page, or with a text.
  const words = error.message || reply.text;
  const advice = adviceOn({ codes, words }, `${call.prefix}\n${call.tail}`);
  const failure = advice?.failure ?? failureOfStatus(reply.status);
  const retryAfterMs = failure === "quota" ? EMPTY_ACCOUNT_MS : delayOf(reply.retryAfter, nowMs);
  return failed(failure, `HTTP ${reply.status} ${code}`.trim(), { retryAfterMs, advice });
}

function isContextError(error: ProviderError): boolean {
  const isNamed = CONTEXT_CODES.has(error.code) || CONTEXT_CODES.has(error.type);
  return isNamed || CONTEXT_WORDS.test(error.message);
}

function usageOf(usage: z.output<typeof answerSchema>["usage"]): LlmUsage {
  if (usage === null) return NO_USAGE;
  return {
    promptTokens: usage.prompt_tokens,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? null,
    outputTokens: usage.completion_tokens,
  };
}

/** One word for one thing: what others call `max_tokens` is `length` here. */
function finishOf(reason: string): string {
  if (reason === "length") return "max_tokens";
  return CODE.test(reason) ? reason : "";
}

/** `retry-after` is seconds or a date. */
function delayOf(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - nowMs) / 1_000;
  if (!Number.isFinite(seconds)) return null;
  return Math.min(Math.max(seconds, 0), RETRY_AFTER_SECONDS_MAX) * 1_000;
}

/** A server on this machine answers in a few ms; the first reply must not wait long for one that does not. */
const PROBE_TIMEOUT_MS = 500;

/** `GET /api/ps` of Ollama: the models it has loaded, each with the context it was given. */
const loadedSchema = z.object({
  models: z.array(z.object({ name: z.string(), context_length: z.int().positive() })),
});

interface ServerAnswer {
  readonly answer: ModelAnswer;
  readonly isOllama: boolean;
}

/**
 * Warns, once a model, where the server's context is smaller than a prompt and its answer, until it holds as much. Ollama
 * cuts such a prompt and says nothing, so after a model's first answer, and after each while that is told, it is asked what
 * context the model got; other servers answer with an error, which is told as well.
 */
function openContextCheck({ baseUrl, notices, budgetTokens = () => 0 }: OpenAiOptions) {
  const contextOf = new Map<string, number | null>();
  /** By model, how many tokens it has to hold before it is told no more. */
  const told = new Map<string, number>();
  let budget = budgetTokens();
  /** Where prompts may not be as long any more, whatever fits is enough. */
  const followBudget = (): void => {
    if (budgetTokens() < budget) for (const model of told.keys()) told.set(model, 0);
    budget = budgetTokens();
  };
  const tell = (call: ModelCall, context: number | null): void => {
    const before = told.get(call.model);
    told.set(call.model, Math.max(neededTokens(call), before ?? 0));
    if (before === undefined) warn(notices, call, context);
  };
  /** It holds so many tokens: what was told of less, by this process or an earlier one, is over. */
  const holds = ({ model }: ModelCall, tokens: number): void => {
    if (tokens >= (told.get(model) ?? 0)) told.delete(model);
    if (told.size === 0) notices.clear("model_context");
  };

  /** What the server is known to hold after an answer, tokens; null where nobody knows. */
  const roomFor = async (call: ModelCall, isOllama: boolean): Promise<number | null> => {
    const isTold = told.has(call.model);
    // Other servers cut nothing: what was answered had room.
    if (!isOllama) return isTold ? neededTokens(call) : null;
    if (isTold || !contextOf.has(call.model)) {
      contextOf.set(call.model, await readContext(baseUrl, call));
    }
    return contextOf.get(call.model) ?? null;
  };

  return async (call: ModelCall, { answer, isOllama }: ServerAnswer): Promise<void> => {
    followBudget();
    const isRefused = !answer.ok && answer.detail.endsWith(CONTEXT_TOO_SMALL);
    if (isRefused) tell(call, contextOf.get(call.model) ?? null);
    const room = answer.ok ? await roomFor(call, isOllama) : null;
    if (room === null) return;
    if (room < neededTokens(call)) tell(call, room);
    else holds(call, room);
  };
}

function neededTokens(call: ModelCall): number {
  return call.estimatedTokens + call.maxOutputTokens;
}

async function readContext(baseUrl: string, call: ModelCall): Promise<number | null> {
  const url = new URL("/api/ps", baseUrl);
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(PROBE_TIMEOUT_MS)]);
  const reply = await exchange(url, { signal });
  if (!reply.ok || reply.status !== 200) return null;
  const loaded = loadedSchema.safeParse(jsonOf(reply.text));
  if (!loaded.success) return null;
  const names = [call.model, `${call.model}:latest`];
  return loaded.data.models.find(({ name }) => names.includes(name))?.context_length ?? null;
}

function warn(notices: Pick<NoticeBoard, "raise">, call: ModelCall, context: number | null): void {
  const holds = context === null ? "is too small" : `holds ${context} tokens`;
  notices.raise(
    "model_context",
    "warning",
    `The context of ${call.model} ${holds}; a prompt and its answer need more. Give it a larger one ` +
      "(Ollama: `OLLAMA_CONTEXT_LENGTH`), or lower `prompt.budgetTokens`.",
  );
}
