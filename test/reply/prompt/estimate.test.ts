import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { estimateTokens } from "../../../src/language/tokens.ts";
import { learnCorrection } from "../../../src/platform/models/call-store.ts";
import { CHAT_KINDS, type ChatKind, countedPrompts, lineHash } from "./counted-prompts.ts";

const { lines } = z
  .object({ made: z.string(), lines: z.array(z.tuple([z.string(), z.int()])) })
  .parse(JSON.parse(readFileSync(new URL("./prompt-counts.json", import.meta.url), "utf8")));
const counts = new Map(lines);

interface Measured {
  readonly estimated: number;
  readonly actual: number;
}

/** Prompts with both counts. Lines that were never counted, such as rules of a new wording, are in neither. */
function measured(kind: ChatKind): { readonly prompts: Measured[]; readonly known: number } {
  let all = 0;
  let known = 0;
  const prompts = countedPrompts(kind).map(({ text }) => {
    const sum = { estimated: 0, actual: 0 };
    for (const line of text.split(/(?<=\n)/)) {
      const estimated = estimateTokens(line);
      const actual = counts.get(lineHash(line));
      all += estimated;
      if (actual === undefined) continue;
      known += estimated;
      sum.estimated += estimated;
      sum.actual += actual;
    }
    return sum;
  });
  return { prompts, known: known / all };
}

/** Errors of corrected estimates, ascending: each ten prompts after the ten before them. */
function errorsAfterTen(prompts: readonly Measured[]): number[] {
  const errors: number[] = [];
  for (let at = 10; at < prompts.length; at += 1) {
    const correction = learnCorrection(prompts.slice(0, at));
    const { estimated, actual } = prompts[at] ?? { estimated: 0, actual: 1 };
    errors.push(Math.ceil(estimated * correction.factor) / actual - 1);
  }
  return errors.sort((one, other) => one - other);
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
}

describe("the estimate of whole prompts, against Gemma's tokenizer", () => {
  test.each(CHAT_KINDS)("counts are on record for nearly all of them (%s)", (kind) => {
    const { known } = measured(kind);
    const mend =
      "see test/reply/prompt/write-prompt-counts.ts: prompts have lines that were not counted";
    expect(known, mend).toBeGreaterThan(0.6);
  });

  test("is what the sections add up to", () => {
    for (const { text, estimatedTokens } of CHAT_KINDS.flatMap(countedPrompts)) {
      const whole = estimateTokens(text);
      expect(whole / estimatedTokens).toBeGreaterThan(0.96);
      expect(whole / estimatedTokens).toBeLessThan(1.01);
    }
  });

  test.each(CHAT_KINDS)("after ten replies it is within 5 % from p5 to p95 (%s)", (kind) => {
    const errors = errorsAfterTen(measured(kind).prompts);
    expect(errors.length).toBe(50);
    expect(quantile(errors, 0.05)).toBeGreaterThanOrEqual(-0.05);
    expect(quantile(errors, 0.95)).toBeLessThanOrEqual(0.05);
  });

  test("it is so in a chat that changes its language with every prompt, too", () => {
    const each = CHAT_KINDS.map((kind) => measured(kind).prompts);
    const mixed = Array.from({ length: 60 }, (_, n) => each[n % each.length]?.[n]).filter(
      (prompt) => prompt !== undefined,
    );
    const errors = errorsAfterTen(mixed);
    expect(quantile(errors, 0.05)).toBeGreaterThanOrEqual(-0.05);
    expect(quantile(errors, 0.95)).toBeLessThanOrEqual(0.05);
  });
});
