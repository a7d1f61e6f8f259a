import fc from "fast-check";
import { expect, test } from "vitest";
import {
  audit,
  compare,
  promptMeasures,
  recogniser,
} from "../../../src/lab/evaluation/measures.ts";
import type { ScenarioFact } from "../../../src/lab/evaluation/scenario.ts";
import { meanOf } from "../../../src/telemetry/figures.ts";

const FACT: ScenarioFact = {
  id: "a",
  about: "marlow",
  session: 0,
  fact: "plays the old accordion at weddings",
  without: [],
  again: [],
};

test("a fact is recognised by a word of each group, in any case and without accents", () => {
  const holds = recogniser({
    ...FACT,
    words: [["tromso"], ["from", "grew up"]],
    without: ["oslo"],
  });
  expect(holds("P1 grew up in Tromsø")).toBe(false); // ø is a letter of its own
  expect(holds("P1 is FROM Tromsó")).toBe(true);
  expect(holds("P1 lives in Tromso")).toBe(false);
  expect(holds("from Tromso to Oslo")).toBe(false);
});

test("without groups most of its own words have to be there", () => {
  const holds = recogniser(FACT);
  expect(holds("{u:1} played an accordion at old weddings")).toBe(true);
  expect(holds("{u:1} plays chess")).toBe(false);
});

const note = (id: number, fact: string, subjectId: string | null = "1") => ({
  id,
  subjectId,
  fact,
  createdAtMs: 100,
  evidence: 1,
});

test("what is wrong with notes is counted", () => {
  const notes = [
    note(1, "{u:1} lives in Lisbon"),
    note(2, "{u:1} lives in Porto"),
    note(3, "{u:1} likes spicy ramen"),
    note(4, "{u:1} likes the spicy ramen"),
    note(5, "{u:2} lives in Oslo", "2"),
    { ...note(6, "the goat guards the bridge"), subjectId: null, evidence: 0 },
  ];
  expect(audit(notes, [], [])).toEqual({
    activeNotes: 6,
    duplicates: 1,
    orphans: 1,
    echoes: 0,
  });
});

test("a note that repeats what the bot said before is an echo, unless a person said it", () => {
  const notes = [note(1, "{u:1} guards the crooked bridge with seven goats")];
  const bot = [{ text: "You guard the crooked bridge with seven goats!", atMs: 50 }];
  expect(audit(notes, bot, []).echoes).toBe(1);
  expect(audit(notes, [{ ...bot[0], text: bot[0]?.text ?? "", atMs: 150 }], []).echoes).toBe(0);
  expect(audit(notes, bot, ["i guard the crooked bridge with seven goats"]).echoes).toBe(0);
});

const trail = (lore: number, hash: string, cut = false) => ({
  sections: { persona: 100, lore, chat: lore === 0 ? 0 : 10 },
  prefix: { version: 1, hash, bytes: 400, tokens: 100, fresh: true },
  ladder: cut ? [{ section: "chat", from: 5, to: 1, savedTokens: 40, droppedIds: [] }] : [],
  overBudget: false,
});

test("prompts are measured by their trails", () => {
  const measured = promptMeasures([trail(0, "a"), trail(10, "a"), trail(20, "b", true)]);
  expect(measured).toMatchObject({
    prompts: 3,
    tokensMean: (100 + 120 + 130) / 3,
    tokensMax: 130,
    callsPerPrefixChange: 3,
    overBudget: 0,
  });
  expect(measured.growthTokens).toBeCloseTo(30, 12);
  expect(measured.sections["lore"]).toEqual({ present: 2 / 3, cut: 0 });
  expect(measured.sections["chat"]).toEqual({ present: 2 / 3, cut: 1 / 3 });
  expect(promptMeasures([]).growthTokens).toBe(0);
});

test("a sign test is exact", () => {
  // Nine of ten: 2 · (1 + 10) / 1024.
  const nine = compare(Array(10).fill(1), [1, ...Array(9).fill(0)]);
  expect(nine).toMatchObject({ better: 9, worse: 0 });
  expect(nine.p).toBeCloseTo(2 / 512, 12);
  const mixed = compare([1, 1, 1, 1, 1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  expect(mixed.p).toBeCloseTo((2 * 11) / 1024, 12);
});

test("the interval holds the mean, and is one point where all differences are alike", () => {
  expect(compare([1, 1, 1], [0, 0, 0])).toMatchObject({ mean: 1, low: 1, high: 1 });
  const { mean, low, high } = compare([1, 1, 1, 0, 1, 0], [0, 1, 0, 0, 1, 1]);
  expect(mean).toBeCloseTo(1 / 6, 12);
  expect(low).toBeLessThanOrEqual(mean);
  expect(high).toBeGreaterThanOrEqual(mean);
  expect(low).toBeLessThan(high);
});

test("nothing differs from itself, and the other way round is the opposite", () => {
  const shares = fc.array(fc.tuple(fc.boolean(), fc.boolean()), { maxLength: 40 });
  fc.assert(
    fc.property(shares, (pairs) => {
      const a = pairs.map(([one]) => Number(one));
      const b = pairs.map(([, other]) => Number(other));
      expect(compare(a, a)).toMatchObject({ mean: 0, low: 0, high: 0, better: 0, worse: 0, p: 1 });
      const [there, back] = [compare(a, b), compare(b, a)];
      expect(there.mean).toBeCloseTo(-back.mean, 12);
      expect(there.low).toBeCloseTo(-back.high, 12);
      expect(there.high).toBeCloseTo(-back.low, 12);
      expect([there.better, there.worse]).toEqual([back.worse, back.better]);
      expect(there.p).toBe(back.p);
      expect(there.p).toBeLessThanOrEqual(1);
    }),
    { numRuns: 20 },
  );
});

test("the mean of nothing is 0", () => {
  expect(meanOf([])).toBe(0);
  expect(meanOf([1, 2])).toBe(1.5);
});
