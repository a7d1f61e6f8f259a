import { type ModelScript, type ModelServer, openModelServer } from "./model-server.ts";

export interface OpenAiAnswer {
  readonly text: string;
  readonly finishReason?: string;
  readonly promptTokens?: number;
  readonly cachedTokens?: number;
  readonly outputTokens?: number;
  readonly fingerprint?: string;
}

/** A stand-in for a server with `/v1/chat/completions`. Says "ok" where nothing else was enqueued. */
export function openOpenAiServer(): Promise<ModelServer> {
  return openModelServer(openAiSays({ text: "ok" }));
}

export function openAiSays(answer: OpenAiAnswer): ModelScript {
  const body = {
    id: "chatcmpl-1",
    object: "chat.completion",
    system_fingerprint: answer.fingerprint ?? "fp_1",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: answer.text },
        finish_reason: answer.finishReason ?? "stop",
      },
    ],
    usage: {
      prompt_tokens: answer.promptTokens ?? 100,
      completion_tokens: answer.outputTokens ?? 10,
      prompt_tokens_details:
        answer.cachedTokens === undefined ? undefined : { cached_tokens: answer.cachedTokens },
    },
  };
  return { kind: "answer", status: 200, body: JSON.stringify(body) };
}

export function openAiFails(
  status: number,
  error: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): ModelScript {
  return { kind: "answer", status, body: JSON.stringify({ error }), headers };
}

/** Ollama's list of loaded models. */
export function ollamaHasLoaded(name: string, contextLength: number): ModelScript {
  const body = JSON.stringify({ models: [{ name, model: name, context_length: contextLength }] });
  return { kind: "answer", status: 200, body };
}
