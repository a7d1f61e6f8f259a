import type { LlmPurpose } from "../../platform/config/names.ts";
import {
  type Llm,
  type LlmAnswer,
  type LlmRequest,
  NO_USAGE,
} from "../../platform/models/model-port.ts";

const OFFLINE_MODEL = "offline-rules";

/** Loaded with the first question: a bot with another model never needs them. */
interface Rules {
  readonly answer: (tail: string) => string;
  /** What answers a question that wants JSON. */
  readonly json: Partial<Record<LlmPurpose, (tail: string) => unknown>>;
}

async function loadRules(): Promise<Rules> {
  const [{ answerByRule }, { extractByRule }, { rerankByRule }, { summariseByRule }] =
    await Promise.all([
      import("./answer.ts"),
      import("./offline-extract.ts"),
      import("./offline-rerank.ts"),
      import("./summarise.ts"),
    ]);
  const json = { summarise: summariseByRule, extract: extractByRule, rerank: rerankByRule };
  return { answer: answerByRule, json };
}

/**
 * A model made of rules: no network, no key, the same answer to the same prompt. It serves rehearsals, tests and
 * anyone who wants to see the bot work before paying for one. Asked what it is, it says so.
 */
export function offlineModel(): Llm {
  let rules: Promise<Rules> | null = null;
  return {
    ask: async (request) => {
      rules ??= loadRules();
      return answer(request, await rules);
    },
  };
}

function answer<T>(request: LlmRequest<T>, rules: Rules): LlmAnswer<T> {
  const common = {
    model: OFFLINE_MODEL,
    // It counts no tokens: an estimate told as a count would look like a perfect estimate.
    usage: NO_USAGE,
    latencyMs: 0,
  };
  if (request.signal?.aborted === true) {
    return {
      ok: false,
      failure: "aborted",
      detail: "aborted",
      finish: "aborted",
      retryAtMs: null,
      ...common,
    };
  }
  if (request.schema === undefined) {
    return { ok: true, text: rules.answer(request.tail), value: null, finish: "stop", ...common };
  }
  const value = rules.json[request.purpose]?.(request.tail) ?? null;
  const parsed = request.schema.safeParse(value);
  if (parsed.success && value !== null) {
    const text = JSON.stringify(value);
    return { ok: true, text, value: parsed.data, finish: "stop", ...common };
  }
  return {
    ok: false,
    failure: "request",
    detail: `no rules for ${request.purpose}`,
    finish: "error",
    retryAtMs: null,
    ...common,
  };
}
