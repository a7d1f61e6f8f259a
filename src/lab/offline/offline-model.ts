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
  readonly answer: (prefix: string, tail: string) => string;
  /** What answers a question that wants JSON. */
  readonly json: Partial<Record<LlmPurpose, (tail: string) => unknown>>;
}

async function loadRules(): Promise<Rules> {
  const [{ answerByRule }, { sortByRule }, { rerankByRule }, { summariseByRule }] =
    await Promise.all([
      import("./answer.ts"),
      import("./sort.ts"),
      import("./sort.ts"),
      import("./summarise.ts"),
    ]);
  const json = { summarise: summariseByRule, extract: sortByRule, rerank: rerankByRule };
  return { answer: answerByRule, json };
}

/**
 * A model made of rules: no network, no key, the same answer to the same prompt. It understands English only. It
 * serves rehearsals, tests and anyone who wants to see the bot work before paying for one. Asked what it is, it says so.
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
  const { prefix, tail, schema, purpose } = request;
  if (schema === undefined) {
    return { ok: true, text: rules.answer(prefix, tail), value: null, finish: "stop", ...common };
  }
  const value = rules.json[purpose]?.(tail) ?? null;
  const parsed = schema.safeParse(value);
  if (parsed.success && value !== null) {
    const text = JSON.stringify(value);
    return { ok: true, text, value: parsed.data, finish: "stop", ...common };
  }
  return {
    ok: false,
    failure: "request",
    detail: `no rules for ${purpose}`,
    finish: "error",
    retryAtMs: null,
    ...common,
  };
}
