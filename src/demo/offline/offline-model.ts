import type { LlmPurpose } from "../../config/names.ts";
import {
  type Llm,
  type LlmAnswer,
  type LlmFailure,
  type LlmRequest,
  NO_USAGE,
} from "../../models/model-port.ts";

const OFFLINE_MODEL = "offline-rules";

/**
 * A model made of rules: no network, no key, the same answer to the same prompt. It understands English only. It
 * serves rehearsals, tests and anyone who wants to see the bot work before paying for one. Asked what it is, it says so.
 */
export function offlineModel(): Llm {
  let rules: ReturnType<typeof loadRules> | null = null;
  return {
    ask: async (request) => {
      // Loaded with the first question: a bot with another model never needs them.
      rules ??= loadRules();
      const { answer, json } = await rules;
      if (request.signal?.aborted === true) return unanswered(OFFLINE_MODEL, "aborted");
      const { prefix, tail, schema, purpose } = request;
      const said =
        schema === undefined
          ? { text: answer(prefix, tail), value: null }
          : { text: "", value: json[purpose]?.(tail) };
      return (
        answerOf(OFFLINE_MODEL, request, said) ??
        unanswered(OFFLINE_MODEL, "request", `no rules for ${purpose}`)
      );
    },
  };
}

async function loadRules() {
  const [{ answerByRule }, { sortByRule, rerankByRule }, { summariseByRule }] = await Promise.all([
    import("./answer.ts"),
    import("./sort.ts"),
    import("./summarise.ts"),
  ]);
  /** What answers a question that wants JSON. */
  const json: Partial<Record<LlmPurpose, (tail: string) => unknown>> = {
    summarise: summariseByRule,
    extract: sortByRule,
    rerank: rerankByRule,
  };
  return { answer: answerByRule, json };
}

/** It counts no tokens: an estimate told as a count would look like a perfect estimate. */
const UNCOUNTED = { usage: NO_USAGE, latencyMs: 0 };

/** An answer that no provider gave: the text, or the value where JSON was asked for; null where that is of another shape. */
export function answerOf<T>(
  model: string,
  { schema }: LlmRequest<T>,
  { text, value }: { readonly text: string; readonly value: unknown },
): LlmAnswer<T> | null {
  const said = { ok: true, model, finish: "stop", ...UNCOUNTED } as const;
  if (schema === undefined) return { ...said, text, value: null };
  const parsed = schema.safeParse(value);
  return parsed.success ? { ...said, text: JSON.stringify(value), value: parsed.data } : null;
}

/** The lack of one. */
export function unanswered(
  model: string,
  failure: LlmFailure,
  detail: string = failure,
): Extract<LlmAnswer, { ok: false }> {
  const finish = failure === "aborted" ? "aborted" : "error";
  return { ok: false, failure, detail, finish, model, retryAtMs: null, ...UNCOUNTED };
}
