// Pure: values in, values out.
import type { Trail } from "../../reply/trail.ts";
import { meanOf } from "./mean.ts";

/** What the prompts of a replay looked like. */
export interface PromptMeasures {
  readonly prompts: number;
  /** Estimated tokens, before correction. */
  readonly tokensMean: number;
  readonly tokensMax: number;
  /** By how many tokens a prompt grows from the first to the last, along the line that fits best. */
  readonly growthTokens: number;
  /** Share of the tokens that stood in the prefix. */
  readonly prefixShare: number;
  /** Prompts for each change of the prefix. */
  readonly callsPerPrefixChange: number;
  readonly overBudget: number;
  /** Of each section: in what share of prompts it stood at all, and in what share the ladder cut it. */
  readonly sections: Readonly<Record<string, SectionMeasures>>;
}

interface SectionMeasures {
  readonly present: number;
  readonly cut: number;
}

type Seen = Pick<Trail, "sections" | "prefix" | "ladder" | "overBudget">;

/** Measures prompts by their trails, in their order. */
export function promptMeasures(trails: readonly Seen[]): PromptMeasures {
  const sizes = trails.map(({ sections }) => sizeOf(sections));
  const changes = trails.filter(
    ({ prefix }, at) => at > 0 && prefix.hash !== trails[at - 1]?.prefix.hash,
  ).length;
  return {
    prompts: trails.length,
    tokensMean: meanOf(sizes),
    tokensMax: Math.max(0, ...sizes),
    growthTokens: slopeOf(sizes) * Math.max(0, sizes.length - 1),
    prefixShare: meanOf(
      trails.map(({ prefix }, at) => prefix.tokens / Math.max(1, sizes[at] ?? 1)),
    ),
    callsPerPrefixChange: trails.length / Math.max(1, changes),
    overBudget: trails.filter(({ overBudget }) => overBudget).length,
    sections: sectionMeasures(trails),
  };
}

function sizeOf(sections: Trail["sections"]): number {
  return Object.values(sections).reduce((sum, tokens) => sum + tokens, 0);
}

function sectionMeasures(trails: readonly Seen[]): Record<string, SectionMeasures> {
  const names = new Set(
    trails.flatMap(({ sections, ladder }) => [
      ...Object.keys(sections),
      ...ladder.map(({ section }) => section),
    ]),
  );
  const share = (matches: (trail: Seen) => boolean) =>
    trails.filter(matches).length / Math.max(1, trails.length);
  return Object.fromEntries(
    [...names].sort().map((name) => [
      name,
      {
        present: share(({ sections }) => (sections[name] ?? 0) > 0),
        cut: share(({ ladder }) => ladder.some(({ section }) => section === name)),
      },
    ]),
  );
}

/** Least squares over the places 0, 1, 2 …; 0 where there are fewer than two. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = meanOf(values);
  let above = 0;
  let below = 0;
  values.forEach((value, at) => {
    above += (at - middle) * (value - mean);
    below += (at - middle) ** 2;
  });
  return below === 0 ? 0 : above / below;
}
