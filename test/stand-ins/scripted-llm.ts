import type { Llm, LlmAnswer, LlmFailure, LlmRequest } from "../../src/models/model-port.ts";

/** A text to answer with, a failure, or a function that makes one of them, now or later. */
export type ScriptedAnswer =
  | string
  | { readonly failure: LlmFailure }
  | ((request: LlmRequest) => ScriptedAnswer | Promise<ScriptedAnswer>);

export interface ScriptedLlm extends Llm {
  readonly requests: readonly LlmRequest[];
  /** Answers are used up in order; then the fallback serves, and without one the answer is `empty`. */
  enqueue(...answers: readonly ScriptedAnswer[]): void;
  /** Resolves when `count` questions were asked. */
  asked(count: number): Promise<void>;
}

const MODEL = "scripted";

/** A model that says what a test told it to, and remembers what it was asked. With a schema, texts must be its JSON. */
export function scriptedLlm(fallback: ScriptedAnswer = { failure: "empty" }): ScriptedLlm {
  const queue: ScriptedAnswer[] = [];
  const requests: LlmRequest[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];

  return {
    requests,
    enqueue: (...answers) => {
      queue.push(...answers);
    },
    asked: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    async ask(request) {
      if (request.isStale?.() === true) return fail("aborted");
      requests.push(request);
      for (const one of waiting.filter(({ count }) => requests.length >= count)) one.resolve();
      let answer = queue.shift() ?? fallback;
      while (typeof answer === "function") answer = await answer(request);
      return typeof answer === "string" ? accept(request, answer) : fail(answer.failure);
    },
  };
}

function accept<T>(request: LlmRequest<T>, text: string): LlmAnswer<T> {
  const usage = {
    promptTokens: request.estimatedTokens,
    cachedTokens: 0,
    outputTokens: Math.ceil(text.length / 4),
  };
  const said = { ok: true, text, model: MODEL, finish: "stop", usage, latencyMs: 1 } as const;
  if (request.schema === undefined) return { ...said, value: null };
  try {
    const parsed = request.schema.safeParse(JSON.parse(text));
    return parsed.success ? { ...said, value: parsed.data } : fail("invalid_json");
  } catch {
    return fail("invalid_json");
  }
}

function fail(failure: LlmFailure): Extract<LlmAnswer, { ok: false }> {
  const usage = { promptTokens: null, cachedTokens: null, outputTokens: null };
  const nothing = { finish: "", usage, latencyMs: 1, retryAtMs: null };
  return { ok: false, failure, detail: "scripted", model: MODEL, ...nothing };
}
