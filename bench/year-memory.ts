import { toConfig } from "../src/config/load.ts";
import { counterStore } from "../src/db/counters-store.ts";
import { noticeBoard } from "../src/db/notices-store.ts";
import type { Db } from "../src/db/open.ts";
import type { Llm, LlmAnswer, LlmRequest } from "../src/llm/port.ts";
import { openLog } from "../src/log.ts";
import { type Memory, openMemory } from "../src/memory/memory.ts";
import { suppressionStore } from "../src/memory/suppression-store.ts";
import { makeFence } from "../src/text/fence.ts";
import { keyedHash } from "../src/text/keyed-hash.ts";
import type { GeneratedChat } from "./generated-chat.ts";

interface YearParts {
  readonly channel: string;
  readonly now: () => number;
  readonly chat: GeneratedChat;
  readonly timed: { windows: number };
  readonly flush: () => void;
  readonly isOver: (channel: string) => boolean;
}

/** A memory whose model answers at once, and counts the windows. */
export function openYearMemory(
  db: Db,
  { channel, now, chat, timed, flush, isOver }: YearParts,
): Memory {
  const log = openLog("silent");
  return openMemory({
    config: toConfig({ channel, bot: { login: "automark" } }, "."),
    db,
    llm: summariser(chat, timed),
    fence: makeFence("benchmarker"),
    switches: () => ({ paused: false, safeMode: false, readOnly: false }),
    flush,
    isOver,
    counters: counterStore(db),
    notices: noticeBoard(db, now, log),
    suppressions: suppressionStore(db, keyedHash("a key for benchmarks"), now),
    now,
    log,
  });
}

/** Writes as much as a diligent model does: a summary of 90 words and eight claims. */
function summariser(chat: GeneratedChat, timed: { windows: number }): Llm {
  return {
    ask: <T>(request: LlmRequest<T>): Promise<LlmAnswer<T>> => {
      const isRecap = request.tail.includes("notes on the stream");
      const isWindow = request.purpose === "summarise" && !isRecap;
      if (isWindow) timed.windows += 1;
      const written = isWindow
        ? digestOf(chat, request.tail)
        : { recap: sentences(chat, 5), notes: [] };
      const parsed = request.schema?.safeParse(written);
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

function sentences(chat: GeneratedChat, count: number): string {
  return Array.from({ length: count }, () => `The chat came back to ${chat.words(12)}.`).join(" ");
}

function digestOf(chat: GeneratedChat, tail: string) {
  const lines = [...tail.matchAll(/^\[(\d+)\] (P\d+): (\S+ \S+ \S+)/gm)].slice(0, 40);
  const claims = lines
    .filter((_, index) => index % 5 === 0)
    .map(([, n, label, said]) => ({
      subject: label ?? "",
      event_numbers: [Number(n)],
      statement: `${label} often speaks of ${said}`,
    }));
  return { topic: chat.words(4), summary: sentences(chat, 6), claims };
}
