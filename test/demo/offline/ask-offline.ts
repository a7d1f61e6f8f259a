import type { z } from "zod";
import { offlineModel } from "../../../src/demo/offline/offline-model.ts";
import { makeFence } from "../../../src/language/fence.ts";
import { type Labels, labelPeople } from "../../../src/memory/labels.ts";
import {
  summaryInstructions,
  summaryQuestion,
  summarySchema,
  type TranscriptLine,
  type WrittenSummary,
} from "../../../src/memory/summary-prompt.ts";

export const fence = makeFence("k3v9q0zt1m");

/** A line of a made-up chat: who, what. `boss` is the streamer. */
export type Spoken = readonly [who: string, text: string];

interface ReadChat {
  readonly labels: Labels;
  readonly lines: readonly TranscriptLine[];
}

/** Made-up chat as a window is read: labels for people, names hidden. The user id of `ann` is `id-ann`. */
export function readChat(chat: readonly Spoken[]): ReadChat {
  const people = [...new Set(chat.map(([who]) => who))].map((login) => ({
    userId: `id-${login}`,
    login,
    displayName: login,
  }));
  const labels = labelPeople(people, [], ["automark"]);
  const lines = chat.map(([who, text], index) => ({
    id: 1_000 + index,
    userId: `id-${who}`,
    isStreamer: who === "boss",
    isReply: true,
    text: labels.hide(text),
  }));
  return { labels, lines };
}

/** What the offline model writes about a chat, asked the way compaction asks. */
export async function digestOf(chat: readonly Spoken[]): Promise<WrittenSummary> {
  const { labels, lines } = readChat(chat);
  const tail = summaryQuestion(lines, labels, { fence, copiedBefore: false, fromMs: 0, toMs: 0 });
  return askFor(summarySchema, tail);
}

/** The offline model's answer to a question of this shape; throws where it has none. */
export async function askFor<T>(schema: z.ZodType<T>, tail: string): Promise<T> {
  const prefix = summaryInstructions(fence);
  const answer = await offlineModel().ask({
    purpose: "summarise",
    prefix,
    tail,
    schema,
    estimatedTokens: 100,
  });
  if (!answer.ok || answer.value === null) throw new Error("the offline model has no answer");
  return answer.value;
}
