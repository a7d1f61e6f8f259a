import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clipToTokens, estimateTokens } from "../../src/language/tokens.ts";

const Recorded = z.object({
  made: z.string(),
  lines: z.array(z.object({ text: z.string(), tokens: z.int(), kind: z.string() })),
});
const recorded = Recorded.parse(
  JSON.parse(readFileSync(new URL("./token-counts.json", import.meta.url), "utf8")),
);

const anyText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 80 }),
  fc.string({ unit: "binary", maxLength: 80 }),
  fc.constantFrom(...recorded.lines.map((line) => line.text)),
);

describe("the estimate of a text", () => {
  test("is 0 for nothing and at least 1 for anything else", () => {
    expect(estimateTokens("")).toBe(0);
    expect(estimateTokens(" ")).toBe(1);
    fc.assert(
      fc.property(anyText, (text) => {
        const tokens = estimateTokens(text);
        expect(Number.isInteger(tokens)).toBe(true);
        if (text !== "") expect(tokens).toBeGreaterThanOrEqual(1);
      }),
    );
  });

  test("never falls when something is appended", () => {
    fc.assert(
      fc.property(anyText, anyText, (head, tail) => {
        expect(estimateTokens(head + tail)).toBeGreaterThanOrEqual(estimateTokens(head));
      }),
    );
  });

  test("is, for lines put together, at most the sum of theirs and less than one a line below it", () => {
    const line = anyText.map((text) => `- ${text}\n`);
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 60 }), (lines) => {
        const sum = lines.reduce((total, text) => total + estimateTokens(text), 0);
        const whole = estimateTokens(lines.join(""));
        expect(whole).toBeLessThanOrEqual(sum);
        expect(whole).toBeGreaterThan(sum - lines.length);
      }),
    );
  });

  test("grows with any flood, so that no 500 characters are nearly free", () => {
    for (const unit of ["a", "A", "ha", "🐐", "草", "ы", "!", "KEKW ", "bcdf", "⣿", "\n"]) {
      const flood = unit.repeat(500).slice(0, 500);
      expect(estimateTokens(flood), unit).toBeGreaterThan(50);
    }
  });
});

describe("a clipped text", () => {
  test("is a beginning of the text within its tokens, and the text itself where it fits", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 0, max: 40 }), (text, tokensMax) => {
        const clipped = clipToTokens(text, tokensMax);
        expect(estimateTokens(clipped)).toBeLessThanOrEqual(tokensMax);
        if (estimateTokens(text) <= tokensMax) expect(clipped).toBe(text);
        else expect(clipped === "" || text.startsWith(clipped.slice(0, -1))).toBe(true);
      }),
    );
  });

  test("uses its tokens up and ends with an ellipsis", () => {
    for (const { text } of recorded.lines.filter((line) => line.tokens > 40)) {
      const clipped = clipToTokens(text, 20);
      expect(clipped.endsWith("…")).toBe(true);
      expect(estimateTokens(clipped)).toBeGreaterThanOrEqual(18);
    }
  });

  test("does not split an emoji", () => {
    for (let tokensMax = 1; tokensMax < 12; tokensMax += 1) {
      const clipped = clipToTokens("🐐🍲🎮".repeat(8), tokensMax);
      expect(() => encodeURIComponent(clipped)).not.toThrow();
    }
  });
});

describe("against the tokenizer's own counts", () => {
  const checked = ["english", "emotes", "russian", "japanese", "mixed"];

  test.each(checked)("a prompt of 60 lines (%s) is within 5 % after ten replies", (kind) => {
    const { corrected } = errorsOf(kind);
    expect(quantile(corrected, 0.05)).toBeGreaterThanOrEqual(-0.05);
    expect(quantile(corrected, 0.95)).toBeLessThanOrEqual(0.05);
  });

  test.each(checked)("uncorrected it is within 10 % (%s)", (kind) => {
    const { raw } = errorsOf(kind);
    expect(quantile(raw, 0.05)).toBeGreaterThanOrEqual(-0.1);
    expect(quantile(raw, 0.95)).toBeLessThanOrEqual(0.1);
  });
});

interface CountedLine {
  readonly estimated: number;
  readonly actual: number;
}

function linesOf(kind: string): readonly CountedLine[] {
  return recorded.lines
    .filter((line) => line.kind === kind)
    .map(({ text, tokens }) => ({ estimated: estimateTokens(`${text}\n`), actual: tokens + 1 }));
}

/** Relative errors, ascending, of prompts drawn from one kind; each set of ten is preceded by ten to learn from. */
function errorsOf(kind: string): { readonly raw: number[]; readonly corrected: number[] } {
  const draw = promptsFrom(linesOf(kind));
  const raw: number[] = [];
  const corrected: number[] = [];
  for (let round = 0; round < 40; round += 1) {
    const learned = Array.from({ length: 10 }, draw);
    const factor = learned.reduce((sum, one) => sum + one.actual / one.estimated / 10, 0);
    for (const { estimated, actual } of Array.from({ length: 10 }, draw)) {
      raw.push(estimated / actual - 1);
      corrected.push(Math.ceil(estimated * factor) / actual - 1);
    }
  }
  return { raw: raw.sort(ascending), corrected: corrected.sort(ascending) };
}

/** Prompts of 60 lines, the same ones on every run. */
function promptsFrom(lines: readonly CountedLine[]): () => CountedLine {
  let seed = 20;
  return () => {
    let estimated = 0;
    let actual = 0;
    for (let line = 0; line < 60; line += 1) {
      seed = (seed * 48271) % 2147483647;
      const drawn = lines[seed % lines.length];
      estimated += drawn?.estimated ?? 0;
      actual += drawn?.actual ?? 0;
    }
    return { estimated, actual };
  };
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
}

function ascending(a: number, b: number): number {
  return a - b;
}
