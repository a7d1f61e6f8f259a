import { z } from "zod";
import { failed, type ModelAnswer, type ModelFailure } from "./adapter.ts";
import { COUNT_MAX, type HttpReply, jsonOf } from "./http.ts";
import { withoutThinking } from "./json.ts";
import { type LlmFailure, type LlmUsage, NO_USAGE } from "./model-port.ts";

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
const errorSchema = z.object({
  error: z.object({
    code: z.string().catch(""),
    type: z.string().catch(""),
    message: z.string().catch(""),
  }),
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
export const CONTEXT_TOO_SMALL = "context too small";

/** The first choice of a chat completion: its text without `<think>` blocks. */
export function readOpenAiAnswer(body: string): ModelAnswer {
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
  const text = withoutThinking(whole);
  if (text !== "") return { ok: true, text, finish, usage };
  return failed(finish === "max_tokens" ? "truncated" : "empty", finish, { usage, finish });
}

/** An answer that is an error. */
export function readOpenAiError(reply: HttpReply, nowMs: number): ModelFailure {
  const parsed = errorSchema.safeParse(jsonOf(reply.text));
  const error = parsed.success ? parsed.data.error : { code: "", type: "", message: "" };
  if (reply.status < 429 && isContextError(error)) {
    return failed("request", `HTTP ${reply.status} ${CONTEXT_TOO_SMALL}`);
  }
  const code = [error.code, error.type].find((one) => CODE.test(one)) ?? "";
  const failure = failureOf(reply.status, error);
  const retryAfterMs = failure === "quota" ? EMPTY_ACCOUNT_MS : delayOf(reply.retryAfter, nowMs);
  return failed(failure, `HTTP ${reply.status} ${code}`.trim(), { retryAfterMs });
}

function failureOf(status: number, error: ProviderError): LlmFailure {
  if (status === 429) return error.code === "insufficient_quota" ? "quota" : "rate_limit";
  if (status === 401 || status === 403) return "auth";
  if (status === 404) return "model";
  return status >= 500 || status === 408 ? "server" : "request";
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
