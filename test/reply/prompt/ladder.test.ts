import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { toConfig } from "../../../src/config/load.ts";
import { configSchema } from "../../../src/config/schema.ts";
import { refuseTightBudget } from "../../../src/reply/assemble.ts";
import { getKeptLines, renderPrompt, trim } from "../../../src/reply/prompt/ladder.ts";
import type { Section, SectionName } from "../../../src/reply/prompt/sections.ts";

/** The design's order, written down a second time: section, and how many lines it is cut to. */
const ORDER: readonly (readonly [SectionName, number])[] = [
  ["chat", 20],
  ["related", 0],
  ["lore", 10],
  ["episodes", 0],
  ["lore", 5],
  ["channelNotes", 3],
  ["chat", 12],
  ["lore", 2],
  ["chat", 8],
  ["chat", 5],
  ["replies", 0],
  ["chat", 0],
  ["lore", 0],
  ["channelNotes", 0],
  ["thread", 0],
];
const PREFIX: readonly SectionName[] = ["persona", "channel", "channelNotes", "episodes"];
const TAIL: readonly SectionName[] = [
  "now",
  "speaker",
  "lore",
  "related",
  "chat",
  "replies",
  "thread",
  "own",
  "current",
];
const FLOOR: readonly SectionName[] = ["persona", "channel", "now", "speaker", "own", "current"];
const LINES_MAX: Readonly<Record<SectionName, number>> = {
  persona: 1,
  channel: 4,
  channelNotes: 5,
  episodes: 3,
  now: 1,
  speaker: 1,
  lore: 11,
  related: 12,
  own: 8,
  chat: 30,
  replies: 5,
  thread: 5,
  current: 1,
};
const KEEPS_LAST: readonly SectionName[] = ["chat", "replies", "thread", "own"];

const anyPrompt = fc
  .record({
    prefix: fc.tuple(...PREFIX.map(anySection)),
    tail: fc.tuple(...TAIL.map(anySection)),
    share: fc.double({ min: 0, max: 1.2, noNaN: true }),
  })
  .map(({ prefix, tail, share }) => {
    const sections = [...prefix, ...tail];
    return { prefix, tail, sections, budget: Math.round(share * sum(sections.map(sizeOf))) };
  });

test("a prompt that fits is never over budget, and one that does not is cut to its floor", () => {
  check(({ sections, budget }) => {
    const { tokens, fits, kept } = trim(sections, budget);
    expect(fits).toBe(tokens <= budget);
    const floor = sum(sections.filter(({ name }) => FLOOR.includes(name)).map(sizeOf));
    if (!fits) {
      expect(tokens).toBe(floor);
      expect(ORDER.map(([name]) => kept.get(name))).toEqual(ORDER.map(() => 0));
    }
    expect(fits).toBe(floor <= budget);
  });
});

test("the floor is whole", () => {
  check(({ sections, budget }) => {
    const { kept } = trim(sections, budget);
    for (const section of sections.filter(({ name }) => FLOOR.includes(name))) {
      expect(kept.get(section.name)).toBe(section.lines.length);
    }
  });
});

test("what fits is not touched", () => {
  check(({ sections }) => {
    const whole = sum(sections.map(sizeOf));
    expect(trim(sections, whole)).toMatchObject({ steps: [], tokens: whole, fits: true });
  });
});

test("the steps come in the design's order, each only when all before it are used up", () => {
  check(({ sections, budget }) => {
    const { steps, kept } = trim(sections, budget);
    // Climbs the ladder again: a rung is passed only where its section has no line to give any more.
    const left = new Map(sections.map(({ name, lines }) => [name, lines.length]));
    const ahead = [...steps];
    for (const [name, keep] of ORDER) {
      if (ahead.length === 0 || (left.get(name) ?? 0) <= keep) continue;
      const { section, from, to } = ahead.shift() ?? never();
      expect({ section, from }).toEqual({ section: name, from: left.get(name) });
      expect(to).toBeLessThan(from);
      // The last one stops where the prompt fits; the others go all the way.
      expect(to).toBeGreaterThanOrEqual(keep);
      expect(ahead.length === 0 || to === keep).toBe(true);
      left.set(name, to);
    }
    expect(ahead).toEqual([]);
    expect(kept).toEqual(left);
  });
});

test("no line falls out that could have stayed", () => {
  check(({ sections, budget }) => {
    const { steps, fits, tokens } = trim(sections, budget);
    const last = steps.at(-1);
    if (last === undefined || !fits) return;
    const section = sections.find(({ name }) => name === last.section);
    const putBack = getKeptLines(section ?? never(), last.to + 1).at(
      section?.keeps === "first" ? -1 : 0,
    );
    const header = last.to === 0 ? (section?.headerTokens ?? 0) : 0;
    expect(tokens + (putBack?.tokens ?? 0) + header).toBeGreaterThan(budget);
  });
});

test("what the steps saved adds up exactly, and so do the sections that stay", () => {
  check(({ prefix, tail, sections, budget }) => {
    const { trimmed, sectionTokens, prefixTokens } = renderPrompt(prefix, tail, budget);
    const saved = sum(trimmed.steps.map(({ savedTokens }) => savedTokens));
    expect(trimmed.tokens).toBe(sum(sections.map(sizeOf)) - saved);
    expect(sum(Object.values(sectionTokens))).toBe(trimmed.tokens);
    expect(sum(PREFIX.map((name) => sectionTokens[name] ?? 0))).toBe(prefixTokens);
  });
});

test("what was dropped and what is left make up what there was, cut from the right end", () => {
  check(({ sections, budget }) => {
    const { steps, kept } = trim(sections, budget);
    for (const section of sections) {
      const ids = section.lines.flatMap((line) => line.ids);
      const left = getKeptLines(section, kept.get(section.name) ?? 0).flatMap((line) => line.ids);
      const dropped = steps
        .filter((step) => step.section === section.name)
        .flatMap(({ droppedIds }) => droppedIds);
      expect([...left, ...dropped].sort()).toEqual([...ids].sort());
      const end = KEEPS_LAST.includes(section.name)
        ? ids.slice(ids.length - left.length)
        : ids.slice(0, left.length);
      expect(left).toEqual(end);
    }
  });
});

test("a trimmed prefix is a shorter run of the same bytes", () => {
  check(({ prefix, tail, budget }) => {
    const whole = renderPrompt(prefix, tail, Number.MAX_SAFE_INTEGER);
    const trimmed = renderPrompt(prefix, tail, budget);
    expect(
      Buffer.from(whole.prefix).subarray(0, Buffer.byteLength(trimmed.prefix)).toString(),
    ).toBe(trimmed.prefix);
    expect(trimmed.prefixHash === whole.prefixHash).toBe(trimmed.prefix === whole.prefix);
  });
});

test("the text of a prompt is the headers and lines that were kept, in order, whatever was kept before", () => {
  check(({ prefix, tail, sections, budget }) => {
    renderPrompt(prefix, tail, Number.MAX_SAFE_INTEGER);
    const prompt = renderPrompt(prefix, tail, budget);
    const expected = sections
      .map(
        (section) =>
          [section, getKeptLines(section, prompt.trimmed.kept.get(section.name) ?? 0)] as const,
      )
      .filter(([, lines]) => lines.length > 0)
      .map(([{ header }, lines]) => header + lines.map(({ text }) => text).join(""))
      .join("");
    expect(prompt.prefix + prompt.tail).toBe(expected);
  });
});

test("related knowledge and all but ten lines of lore go before episodes", () => {
  const sections = [...PREFIX, ...TAIL].map((name) => evenSection(name, 10));
  const whole = sum(sections.map(sizeOf));
  const { kept } = trim(sections, whole - 250);
  expect([kept.get("related"), kept.get("lore"), kept.get("episodes")]).toEqual([0, 10, 1]);
});

function anySection(name: SectionName): fc.Arbitrary<Section> {
  const from = FLOOR.includes(name) ? 1 : 0;
  return fc
    .record({
      header: fc.nat(20),
      sizes: fc.array(fc.nat(120), { minLength: from, maxLength: LINES_MAX[name] }),
    })
    .map(({ header, sizes }) => sectionOf(name, header, sizes));
}

function evenSection(name: SectionName, tokens: number): Section {
  return sectionOf(
    name,
    0,
    Array.from({ length: LINES_MAX[name] }, () => tokens),
  );
}

function sectionOf(name: SectionName, headerTokens: number, sizes: readonly number[]): Section {
  const first = [...PREFIX, ...TAIL].indexOf(name) * 100;
  return {
    name,
    header: `# ${name}\n`,
    headerTokens,
    lines: sizes.map((tokens, index) => ({
      text: `${name} ${index} ü\n`,
      tokens,
      ids: [first + 2 * index, first + 2 * index + 1],
    })),
    keeps: KEEPS_LAST.includes(name) ? "last" : "first",
  };
}

function sizeOf({ headerTokens, lines }: Section): number {
  return lines.length === 0 ? 0 : headerTokens + sum(lines.map(({ tokens }) => tokens));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function check(
  holds: (prompt: typeof anyPrompt extends fc.Arbitrary<infer P> ? P : never) => void,
): void {
  fc.assert(fc.property(anyPrompt, holds), { numRuns: 150 });
}

function never(): never {
  throw new Error("a step for a section that is not there");
}

test("the smallest budget that may be set has room for the default persona", () => {
  const schema = z.toJSONSchema(configSchema, { io: "input" });
  const prompt = schema.properties?.["prompt"];
  const budget = typeof prompt === "object" ? prompt.properties?.["budgetTokens"] : undefined;
  const budgetTokens = typeof budget === "object" ? (budget.minimum ?? 0) : 0;
  expect(budgetTokens).toBeGreaterThan(0);
  refuseTightBudget(toConfig({ channel: "a", prompt: { budgetTokens } }, "."), 1);
});
