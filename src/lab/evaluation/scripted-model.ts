import {
  type Llm,
  type LlmAnswer,
  type LlmRequest,
  NO_USAGE,
} from "../../platform/models/model-port.ts";
import type { Scenario } from "./scenario.ts";

type Scripted = Scenario["answers"][number];

const MODEL = "scripted";

/** The answers that a scenario carries, each once unless it says otherwise; "empty" where none fits. */
export function scriptedModel(answers: Scenario["answers"]): Llm {
  const used = new Set<Scripted>();
  return {
    ask: async (request) => {
      const fitting = answers.find(
        (one) =>
          one.purpose === request.purpose &&
          !used.has(one) &&
          (one.when === undefined || `${request.prefix}${request.tail}`.includes(one.when)),
      );
      if (fitting !== undefined && !fitting.again) used.add(fitting);
      return answerOf(request, fitting);
    },
  };
}

function answerOf<T>(request: LlmRequest<T>, scripted: Scripted | undefined): LlmAnswer<T> {
  const common = {
    model: MODEL,
    usage: NO_USAGE,
    latencyMs: 0,
  };
  const failed = (failure: "empty" | "invalid_json"): LlmAnswer<T> => ({
    ok: false,
    failure,
    detail: failure,
    finish: "stop",
    retryAtMs: null,
    ...common,
  });
  if (scripted === undefined) return failed("empty");
  if (request.schema === undefined) {
    return { ok: true, text: scripted.text ?? "", value: null, finish: "stop", ...common };
  }
  const parsed = request.schema.safeParse(scripted.json);
  if (!parsed.success) return failed("invalid_json");
  const text = JSON.stringify(scripted.json);
  return { ok: true, text, value: parsed.data, finish: "stop", ...common };
}
