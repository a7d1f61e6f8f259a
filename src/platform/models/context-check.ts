import { z } from "zod";
import type { NoticeBoard } from "../database/notices-store.ts";
import type { ModelAnswer, ModelCall } from "./adapter.ts";
import { exchange, jsonOf } from "./http.ts";
import { CONTEXT_TOO_SMALL } from "./openai-answer.ts";

/** A server on this machine answers in a few ms; the first reply must not wait long for one that does not. */
const PROBE_TIMEOUT_MS = 500;

/** `GET /api/ps` of Ollama: the models it has loaded, each with the context it was given. */
const loadedSchema = z.object({
  models: z.array(z.object({ name: z.string(), context_length: z.int().positive() })),
});

export interface ServerAnswer {
  readonly answer: ModelAnswer;
  readonly isOllama: boolean;
}

/**
 * Warns, once a model, where the server's context is smaller than a prompt and its answer. Ollama cuts such a prompt
 * and says nothing, so after a model's first answer it is asked what context the model got; other servers answer with
 * an error, which is told as well.
 */
export function openContextCheck(baseUrl: string, notices: Pick<NoticeBoard, "raise">) {
  const contextOf = new Map<string, number | null>();
  const told = new Set<string>();

  return async (call: ModelCall, { answer, isOllama }: ServerAnswer): Promise<void> => {
    if (told.has(call.model)) return;
    const isTold = !answer.ok && answer.detail.endsWith(CONTEXT_TOO_SMALL);
    if (answer.ok && isOllama && !contextOf.has(call.model)) {
      contextOf.set(call.model, await readContext(baseUrl, call));
    }
    const context = contextOf.get(call.model) ?? null;
    const isTooSmall = context !== null && context < neededTokens(call);
    if (!isTold && !isTooSmall) return;
    told.add(call.model);
    warn(notices, call, context);
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
    "llm_context",
    "warning",
    `The context of ${call.model} ${holds}; a prompt and its answer need more. Give it a larger one ` +
      "(Ollama: OLLAMA_CONTEXT_LENGTH) or lower prompt.budgetTokens.",
  );
}
