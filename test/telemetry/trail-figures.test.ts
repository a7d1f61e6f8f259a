import { expect, test } from "vitest";
import { trailFigures } from "../../src/telemetry/trail-figures.ts";

const NOTES = {
  candidates: [
    { id: 7, score: -1.2e-7, terms: [0.1, 0, 0, 0, 1] },
    { id: 9, score: 0.3, terms: null },
  ],
  kept: [7],
  dropped: [9],
};
const TRAIL = {
  rulesVersion: "3",
  messageKind: "mention",
  pace: "normal",
  estimatedTokens: 900,
  promptTokens: null,
  outputTokens: 20,
  sections: { persona: 400 },
  prefix: { version: 3, hash: "abc", tokens: 450, fresh: true },
  ladder: [{ section: "lore", from: 3, to: 1, savedTokens: 30, droppedIds: [5] }],
  ids: { lore: [7], chat: [] },
  notes: NOTES,
  episodes: { kept: [4], dropped: [] },
  model: "m1",
  overBudget: false,
  guard: { removed: [], rule: null },
  actions: [{ decision: "run", reason: "allowed" }],
};

test("the figures are the same in whatever order a trail was written, and however much else is in it", () => {
  const figures = {
    rulesVersion: "3",
    sections: { persona: 400 },
    ladder: [{ section: "lore", from: 3, to: 1, savedTokens: 30 }],
    notes: { kept: [7], dropped: [9] },
    episodes: { kept: [4] },
    prefix: { tokens: 450 },
    actions: [{ decision: "run", reason: "allowed" }],
  };
  const { ids, notes, ...rest } = TRAIL;
  const { candidates, ...split } = notes;
  const orders = [
    TRAIL,
    rest,
    { ...rest, notes: split, ids },
    { notes: { ...split, candidates }, ...rest, ids },
    { ids, ...rest, notes },
  ].map((trail) => JSON.stringify({ notes: split, ...trail }));
  for (const json of [...orders, JSON.stringify(TRAIL), JSON.stringify(TRAIL, null, 1)])
    expect(trailFigures(json)).toMatchObject(figures);
});

test.each([
  ["nothing", null],
  ["half of one", JSON.stringify(TRAIL).slice(0, 300)],
  ["no object", "[]"],
  ["a word for a number", JSON.stringify({ ...TRAIL, estimatedTokens: "900" })],
  ["a part of a token", JSON.stringify({ ...TRAIL, sections: { persona: 1.5 } })],
  ["a name for an id", JSON.stringify({ ...TRAIL, notes: { ...NOTES, kept: ["bees"] } })],
  ["a step without its end", JSON.stringify({ ...TRAIL, ladder: [{ section: "lore", from: 3 }] })],
  ["no guard", JSON.stringify({ ...TRAIL, guard: null })],
])("%s has no figures", (_, json) => {
  expect(trailFigures(json)).toBeNull();
});
