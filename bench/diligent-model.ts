import type { Llm, LlmAnswer, LlmRequest } from "../src/platform/models/model-port.ts";
import type { GeneratedChat } from "./generated-chat.ts";

/** What a question was about. */
export type Asked = "window" | "recap" | "notes";

export interface Exchange {
  readonly about: Asked;
  readonly request: LlmRequest;
  /** As JSON. */
  readonly answer: string;
}

/**
 * A model that answers at once, and writes as much as a diligent one does: of a window a summary of 90 words and a claim
 * for every fifth of its first 40 lines; of claims a note for every `claimsPerNote` claims, none where that is null.
 */
export function diligentModel(
  chat: GeneratedChat,
  claimsPerNote: number | null,
  onAnswer: (exchange: Exchange) => void,
): Llm {
  return {
    ask: <T>(request: LlmRequest<T>): Promise<LlmAnswer<T>> => {
      const about = askedOf(request);
      const written = {
        window: () => summaryOf(chat, request.tail),
        recap: () => ({ recap: sentences(chat, 5) }),
        notes: () => ({
          notes: claimsPerNote === null ? [] : notesOf(request.tail, claimsPerNote),
        }),
      }[about]();
      const parsed = request.schema?.safeParse(written);
      onAnswer({ about, request, answer: JSON.stringify(written) });
      return Promise.resolve({
        ok: true,
        value: parsed?.success === true ? parsed.data : null,
        text: "",
        model: "bench",
        finish: "stop",
        usage: { promptTokens: null, cachedTokens: null, outputTokens: null },
        latencyMs: 0,
      });
    },
  };
}

function askedOf({ purpose, tail }: LlmRequest): Asked {
  if (purpose !== "summarise") return "notes";
  return tail.includes("notes on the stream") ? "recap" : "window";
}

function sentences(chat: GeneratedChat, count: number): string {
  return Array.from({ length: count }, () => `The chat came back to ${chat.words(12)}.`).join(" ");
}

function summaryOf(chat: GeneratedChat, tail: string) {
  const lines = [...tail.matchAll(/^(P\d+): ((\S+ \S+ \S+).*)$/gm)].slice(0, 40);
  const claims = lines
    .filter((_, index) => index % 5 === 0)
    .map(([, label = "", line = "", said = ""]) => ({
      subject: label,
      statement: `${label} often speaks of ${said}`,
      quotes: [line.split(" ").slice(0, 6).join(" ")],
    }));
  return { topic: chat.words(4), summary: sentences(chat, 6), claims };
}

/** What is null, false or usual is left out. */
function notesOf(tail: string, claimsPerNote: number) {
  const claims = tail.split("notes\n")[0] ?? "";
  return [...claims.matchAll(/^\[(\d+)\] (P\d+): (.+)$/gm)]
    .filter((_, index) => index % claimsPerNote === 0)
    .map(([, n, , statement]) => ({
      claims: [Number(n)],
      relation: "new",
      kind: "preference",
      confidence: 0.7,
      importance: "low",
      lifetime: "30d",
      topics: statement?.split(" ").slice(-2) ?? [],
    }));
}
