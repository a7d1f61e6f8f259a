import fc from "fast-check";
import { expect, test } from "vitest";
import { estimatedBudget, floorTokens } from "../../src/prompt/floor.ts";
import { renderPrompt } from "../../src/prompt/render.ts";
import {
  type ChatLine,
  type Persona,
  prefixSections,
  type Standing,
  type TailInput,
  tailSections,
} from "../../src/prompt/sections.ts";
import type { Pace } from "../../src/recall/depth.ts";
import { depthOf } from "../../src/recall/depth.ts";
import type { PrefixSnapshot } from "../../src/recall/snapshot.ts";
import { makeFence } from "../../src/text/fence.ts";
import { fence } from "./prompt-parts.ts";

const PACES: readonly Pace[] = ["quiet", "normal", "busy", "raid"];
const STANDINGS: readonly Standing[] = [
  "streamer",
  "moderator",
  "vip",
  "regular",
  "newcomer",
  "viewer",
];
const UNITS = [
  "a",
  "word ",
  "Zq",
  "x1_",
  "9",
  "!?",
  "жук ",
  "漢字",
  "かな",
  "한국",
  "عربي ",
  "ไทย",
  "🦜",
  "👩‍🚀",
  "⣿",
  "~k3v9x2",
  "[action ",
  "Kappa LUL ",
  "ñö",
];

/** Any text of up to 700 units: more than any line may hold. */
const text = fc
  .tuple(
    fc.array(fc.constantFrom(...UNITS), { minLength: 1, maxLength: 6 }),
    fc.integer({ min: 1, max: 120 }),
  )
  .map(([units, times]) => units.join("").repeat(times));
const persona = fc.record({
  name: fc.string({ minLength: 1, maxLength: 40 }).filter((name) => name.trim() !== ""),
  voice: text.map((voice) => voice.slice(0, 2_000)),
});
const snapshot: fc.Arbitrary<PrefixSnapshot> = fc.record({
  channel: fc.stringMatching(/^[a-z0-9_]{1,25}$/),
  version: fc.constant(1),
  pace: fc.constantFrom(...PACES),
  state: fc.record({
    title: text,
    category: text,
    isLive: fc.constantFrom(true, false, null),
    prefixVersion: fc.constant(1),
    sessionId: fc.constant(1),
    recap: fc.option(text),
  }),
  notes: fc.constant([]),
  episodes: fc.constant([]),
});
const tail: fc.Arbitrary<TailInput> = fc
  .record({
    name: text,
    own: text,
    current: text,
    standing: fc.constantFrom(...STANDINGS),
    continues: fc.boolean(),
  })
  .map(({ name, own, current, standing, continues }) => ({
    speaker: { name, standing },
    lore: [],
    own: Array.from({ length: ownMax() }, (_, id) => ({ id, name, text: own })),
    chat: [],
    replies: [],
    current: { id: 99, name, text: current },
    continues,
  }));

test("no floor is larger than what start-up counts with, in any script", () => {
  fc.assert(
    fc.property(persona, snapshot, tail, (who, prefix, said) => {
      expect(floorOf(who, prefix, said)).toBeLessThanOrEqual(floorTokens(who, fence));
    }),
    { numRuns: 150 },
  );
});

test.each(UNITS)("nor one whose every text is %j, over and over", (unit) => {
  const long = unit.repeat(600);
  const who = { name: "Mark", voice: "Warm." };
  const line = { id: 1, name: long, text: long };
  for (const [index, standing] of STANDINGS.entries()) {
    const pace = PACES[index % PACES.length] ?? "raid";
    const said = tailWith(line, standing);
    expect(floorOf(who, prefixWith(long, pace), said)).toBeLessThanOrEqual(floorTokens(who, fence));
  }
});

test("the count is not much above the floor that long English lines come to", () => {
  const who = { name: "Mark", voice: "Warm, dry, brief." };
  const long = "somebody types the longest line that chat can hold ".repeat(30);
  const said = tailWith({ id: 1, name: "some_long_login_of_25_abc", text: long }, "newcomer");
  const floor = floorOf(who, prefixWith(long, "raid"), said);
  expect(floor).toBeGreaterThan(0.75 * floorTokens(who, fence));
});

test("a longer voice makes a larger floor, and the default one fits the default budget", () => {
  const floor = (voice: string) => floorTokens({ name: "Mark", voice }, makeFence("0123456789ab"));
  expect(floor("Warm. ".repeat(400))).toBeGreaterThan(floor("Warm.") + 500);
  // 1.6 is the largest factor that a model's counts are ever corrected by.
  expect(
    floor("Warm, dry, brief. Teases gently, never mocks. Asks back when curious."),
  ).toBeLessThan(estimatedBudget(4_000, 1.6));
});

test("a budget leaves five percent of headroom, after the model's correction", () => {
  expect(estimatedBudget(4_200, 1)).toBe(4_000);
  expect(estimatedBudget(4_200, 1.25)).toBe(3_200);
  expect(estimatedBudget(2_100, 0.5)).toBe(4_000);
});

function prefixWith(long: string, pace: Pace): PrefixSnapshot {
  const state = {
    title: long,
    category: long,
    isLive: true,
    prefixVersion: 1,
    sessionId: 1,
    recap: long,
  };
  return { channel: "1_".repeat(12), version: 1, pace, state, notes: [], episodes: [] };
}

function tailWith(line: ChatLine, standing: Standing): TailInput {
  return {
    speaker: { name: line.name, standing },
    lore: [],
    own: Array.from({ length: ownMax() }, () => line),
    chat: [],
    replies: [],
    current: line,
    continues: true,
  };
}

function ownMax(): number {
  return Math.max(...PACES.map((pace) => depthOf(pace).own));
}

function floorOf(who: Persona, prefix: PrefixSnapshot, said: TailInput): number {
  const prompt = renderPrompt(
    prefixSections(who, prefix, fence),
    tailSections(said, who, fence),
    Number.MAX_SAFE_INTEGER,
  );
  return prompt.trimmed.tokens;
}
