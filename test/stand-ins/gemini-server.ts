import { z } from "zod";
import { type ModelScript, type ModelServer, openModelServer } from "./model-server.ts";
import { writeMemory } from "./working-model.ts";

export interface GeminiAnswer {
  readonly text?: string;
  readonly thought?: string;
  readonly finishReason?: string;
  readonly promptTokens?: number;
  readonly cachedTokens?: number;
  readonly outputTokens?: number;
  readonly thoughtTokens?: number;
}

/** A stand-in for Google's `generateContent`. Says "ok" where nothing else was enqueued. */
export function openGeminiServer(): Promise<ModelServer> {
  return openModelServer(geminiSays({ text: "ok" }));
}

const Asked = z.object({
  contents: z.array(z.object({ parts: z.array(z.object({ text: z.string() })) })),
  generationConfig: z.object({
    responseJsonSchema: z.unknown(),
  }),
});

/** Summarises and extracts like `workingModel`. Each reply proposes a clip and differs from the others. */
export function openWorkingGeminiServer(): Promise<ModelServer> {
  let replies = 0;
  return openModelServer((body) => {
    const asked = Asked.safeParse(body).data;
    const tail =
      asked?.contents.flatMap(({ parts }) => parts.map(({ text }) => text)).join("\n") ?? "";
    if (asked?.generationConfig.responseJsonSchema !== undefined)
      return geminiSays({ text: writeMemory(tail) });
    replies += 1;
    return geminiSays({ text: `ok, for the ${replies}th time [action clip]` });
  });
}

/** One candidate, with its thought part first where there is one. */
export function geminiSays(answer: GeminiAnswer): ModelScript {
  const thought = answer.thought === undefined ? [] : [{ text: answer.thought, thought: true }];
  const said = answer.text === undefined ? [] : [{ text: answer.text }];
  const body = {
    candidates: [
      {
        content: { role: "model", parts: [...thought, ...said] },
        finishReason: answer.finishReason ?? "STOP",
        index: 0,
      },
    ],
    usageMetadata: {
      promptTokenCount: answer.promptTokens ?? 100,
      cachedContentTokenCount: answer.cachedTokens,
      candidatesTokenCount: answer.outputTokens ?? 10,
      thoughtsTokenCount: answer.thoughtTokens,
    },
  };
  return { kind: "answer", status: 200, body: JSON.stringify(body) };
}

/** A prompt that Google refused to show to the model. */
export function geminiBlocks(blockReason: string): ModelScript {
  const body = { promptFeedback: { blockReason }, usageMetadata: { promptTokenCount: 100 } };
  return { kind: "answer", status: 200, body: JSON.stringify(body) };
}

/** A `google.rpc.Status`. */
export function geminiFails(
  code: number,
  status: string,
  details: readonly Readonly<Record<string, unknown>>[] = [],
  message = "no",
): ModelScript {
  const body = JSON.stringify({ error: { code, status, message, details } });
  return { kind: "answer", status: code, body };
}

export function retryInfo(retryDelay: string): Readonly<Record<string, unknown>> {
  return { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay };
}

export function quotaFailure(quotaId: string): Readonly<Record<string, unknown>> {
  return { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [{ quotaId }] };
}
