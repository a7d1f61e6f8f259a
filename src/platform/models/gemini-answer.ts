import { z } from "zod";
import { failed, type ModelAnswer, type ModelFailure } from "./adapter.ts";
import { COUNT_MAX, type HttpReply, jsonOf } from "./http.ts";
import { type LlmUsage, NO_USAGE } from "./model-port.ts";
import { nextPacificMidnight } from "./pacific.ts";

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
export function readGeminiAnswer(body: string): ModelAnswer {
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
  if (text !== "") return { ok: true, text, finish, usage };
  return failed(finish === "max_tokens" ? "truncated" : "empty", finish, { usage, finish });
}

/** An answer that is an error. A daily quota is told by the id of the quota that was violated: it ends at midnight. */
export function readGeminiError(reply: HttpReply, nowMs: number): ModelFailure {
  const parsed = errorSchema.safeParse(jsonOf(reply.text));
  const error = parsed.success ? parsed.data.error : { status: "", details: [] };
  const reasons = error.details.map((one) => one.reason).filter((reason) => CODE.test(reason));
  const status = CODE.test(error.status) ? error.status : "";
  const text = [`HTTP ${reply.status}`, status, ...reasons.slice(0, 3)].filter(Boolean).join(" ");
  const failure = failureOf(reply.status, error);
  const delays = error.details.map((one) => secondsToMs(one.retryDelay));
  const retryAfterMs = delays.find((ms) => ms !== null) ?? null;
  const untilMidnightMs = nextPacificMidnight(nowMs) - nowMs;
  return failed(failure, text, {
    retryAfterMs: failure === "quota" ? untilMidnightMs : retryAfterMs,
  });
}

function failureOf(
  status: number,
  error: z.output<typeof errorSchema>["error"],
): ModelFailure["failure"] {
  if (status === 429) {
    const quotas = error.details.flatMap((one) => one.violations);
    return quotas.some(({ quotaId }) => quotaId.includes("PerDay")) ? "quota" : "rate_limit";
  }
  // A wrong key is a 400 here, told apart by its reason only.
  if (error.details.some(({ reason }) => reason.startsWith("API_KEY_"))) return "auth";
  if (status === 401 || status === 403) return "auth";
  if (status === 404) return "model";
  return status >= 500 || status === 408 ? "server" : "request";
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
