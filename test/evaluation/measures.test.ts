import { expect, test } from "vitest";
import { auditNotes, makeRecogniser, measurePrompts } from "../../src/evaluation/replay.ts";
import type { ScenarioFact } from "../../src/evaluation/scenario.ts";

const FACT: ScenarioFact = {
  id: "a",
  about: "marlow",
  session: 0,
  fact: "plays the old accordion at weddings",
  without: [],
  again: [],
};

test("a fact is recognised by a word of each group, in any case and without accents", () => {
  const holds = makeRecogniser({
    ...FACT,
    words: [["tromso"], ["from", "grew up"]],
    without: ["oslo"],
  });
  expect(holds("P1 grew up in Tromsø")).toBe(false); // ø is a letter of its own
  expect(holds("P1 is FROM Tromsó")).toBe(true);
  expect(holds("P1 lives in Tromso")).toBe(false);
  expect(holds("from Tromso to Oslo")).toBe(false);
});

test("without groups most words of the fact are needed", () => {
  const holds = makeRecogniser(FACT);
  expect(holds("{u:1} played an accordion at old weddings")).toBe(true);
  expect(holds("{u:1} plays chess")).toBe(false);
});

const note = (id: number, fact: string, subjectId: string | null = "1") => ({
  id,
  subjectId,
  fact,
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
  expect(auditNotes(notes)).toEqual({
    activeNotes: 6,
    duplicates: 1,
    orphans: 1,
  });
});

const trail = (lore: number, hash: string, cut = false) => ({
  sections: { persona: 100, lore, chat: lore === 0 ? 0 : 10 },
  prefix: { version: 1, hash, bytes: 400, tokens: 100, fresh: true },
  ladder: cut ? [{ section: "chat", from: 5, to: 1, savedTokens: 40, droppedIds: [] }] : [],
  overBudget: false,
});

test("prompts are measured by their trails", () => {
  const measured = measurePrompts([trail(0, "a"), trail(10, "a"), trail(20, "b", true)]);
  expect(measured).toMatchObject({
    prompts: 3,
    tokensMean: (100 + 120 + 130) / 3,
    tokensMax: 130,
    callsPerPrefixChange: 3,
    overBudget: 0,
  });
  expect(measured.sections["lore"]).toEqual({ present: 2 / 3, cut: 0 });
  expect(measured.sections["chat"]).toEqual({ present: 2 / 3, cut: 1 / 3 });
  expect(measurePrompts([])).toMatchObject({ prompts: 0, tokensMax: 0, sections: {} });
});
