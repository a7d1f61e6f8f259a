import { z } from "zod";
import type { ModelServer } from "./model-server.ts";
import { blocksOf } from "./prompt-blocks.ts";

const parts = z.object({ parts: z.array(z.object({ text: z.string() })) });
const geminiRequest = z.object({ systemInstruction: parts, contents: z.array(parts) });

/** The prefix of each prompt that a stand-in for Gemini received. */
function prefixesSeen(model: ModelServer): readonly string[] {
  return model.requests.map(({ body }) => textOf(geminiRequest.parse(body).systemInstruction));
}

/** The prefix of the last prompt. */
export function systemPrompt({ model }: { readonly model: ModelServer }): string {
  return prefixesSeen(model).at(-1) ?? "";
}

function textOf({ parts: pieces }: z.output<typeof parts>): string {
  return pieces.map(({ text }) => text).join("");
}

/** The tail of the last prompt, block by block, by the titles. */
export function tailBlocks({
  model,
}: {
  readonly model: ModelServer;
}): ReadonlyMap<string, string[]> {
  const { contents } = geminiRequest.parse(model.requests.at(-1)?.body);
  return blocksOf(contents.map(textOf).join(""));
}
