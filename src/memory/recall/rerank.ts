import type { Fence } from "../../language/fence.ts";
import { estimateTokens } from "../../language/tokens.ts";
import type { Llm, LlmAnswer } from "../../platform/models/model-port.ts";
import {
  inOrder,
  type RERANK_OUTCOMES,
  type RerankQuestion,
  rerankInstructions,
  rerankQuestion,
  rerankSchema,
} from "./rerank-prompt.ts";

/** How many of a viewer's notes the model may choose among. */
export const RERANK_POOL = 30;
/** A reply waits no longer for an order than this. */
const RERANK_MS_MAX = 1_500;

export interface Reranked {
  readonly outcome: (typeof RERANK_OUTCOMES)[number];
  /** Ids of the whole pool, the most useful first; null where the order of the database serves. */
  readonly ids: readonly number[] | null;
  readonly latencyMs: number;
}

/** Asks for an order of notes. Never rejects, and never takes longer than 1.5 s. */
export type Reranker = (question: RerankQuestion, signal?: AbortSignal) => Promise<Reranked>;

/** Lets a language model put a pool of notes in order. Only ids come back; one that was not in the pool spoils all. */
export function reranker(llm: Llm, fence: Fence, msMax = RERANK_MS_MAX): Reranker {
  const instructions = rerankInstructions(fence);
  return async (question, signal) => {
    if (question.pool.length < 2) return { outcome: "none", ids: null, latencyMs: 0 };
    const tail = rerankQuestion(question, fence);
    const late = new AbortController();
    const clock = timer(msMax, late);
    const asked = llm.ask({
      purpose: "rerank",
      prefix: instructions,
      tail,
      schema: rerankSchema,
      estimatedTokens: estimateTokens(instructions) + estimateTokens(tail),
      signal: signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]),
    });
    const answer = await Promise.race([asked, clock.isOver]);
    clock.stop();
    if (answer === null || late.signal.aborted) {
      return { outcome: "too_slow", ids: null, latencyMs: answer?.latencyMs ?? msMax };
    }
    return judged(question, answer);
  };
}

function judged({ pool }: RerankQuestion, answer: LlmAnswer<{ ids: number[] }>): Reranked {
  const { latencyMs } = answer;
  if (!answer.ok || answer.value === null) return { outcome: "failed", ids: null, latencyMs };
  const { ids } = answer.value;
  const known = new Set(pool.map(({ id }) => id));
  if (!ids.every((id) => known.has(id))) return { outcome: "unknown_ids", ids: null, latencyMs };
  return { outcome: "ordered", ids: inOrder(pool, ids).map(({ id }) => id), latencyMs };
}

/** Gives null and aborts when the time is over. */
function timer(ms: number, late: AbortController): { isOver: Promise<null>; stop(): void } {
  let stop = (): void => undefined;
  const isOver = new Promise<null>((resolve) => {
    const handle = setTimeout(() => {
      late.abort("late");
      resolve(null);
    }, ms);
    stop = () => clearTimeout(handle);
  });
  return { isOver, stop: () => stop() };
}
