import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { randomFrom } from "../../stand-ins/random.ts";
import { fillTemplate } from "../../../src/lab/rehearsal/wording.ts";

describe("chance", () => {
  test("a fork draws the same whatever its parent drew before", () => {
    const fresh = randomFrom(9).fork("x").int(0, 1_000_000);
    const used = randomFrom(9);
    used.int(0, 10);
    expect(used.fork("x").int(0, 1_000_000)).toBe(fresh);
  });

  test("a deck deals each item once before any again, and none twice running", () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 2, max: 9 }), (seed, size) => {
        const items = Array.from({ length: size }, (_, at) => at);
        const deal = randomFrom(seed).deck(items);
        const dealt = Array.from({ length: size * 4 }, deal);
        for (let at = 0; at < dealt.length; at += size) {
          expect([...dealt.slice(at, at + size)].sort()).toEqual(items);
        }
        expect(dealt.some((item, at) => item === dealt[at - 1])).toBe(false);
      }),
      { numRuns: 50 },
    );
  });
});

test("a template draws its choices, fills its slots, and leaves other braces alone", () => {
  const random = randomFrom(1);
  const slots = { who: "Bo", place: ["a hill", "a pond"] };
  const filled = fillTemplate("{hi|yo {who}} from {place} {u:7} {toString}", slots, random);
  expect(filled).toMatch(/^(?:hi|yo Bo) from a (?:hill|pond) \{u:7\} \{toString\}$/u);
});
