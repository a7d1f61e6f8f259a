// Pure: values in, values out.
import type { Section, SectionName } from "./sections.ts";

/** One rung that was used: how far a section was cut, and what that saved. */
interface LadderStep {
  readonly section: SectionName;
  /** Lines before and after. */
  readonly from: number;
  readonly to: number;
  readonly savedTokens: number;
  /** Ids of the notes, episodes or events that fell out. */
  readonly droppedIds: readonly number[];
}

export interface Trimmed {
  /** How many lines of each section stay; the section says at which end. */
  readonly kept: ReadonlyMap<SectionName, number>;
  readonly steps: readonly LadderStep[];
  readonly tokens: number;
  /** False: not even the floor fits. The turn must be given up. */
  readonly fits: boolean;
}

/** The order in which a prompt is trimmed. Design part 7, Ladder: eight steps, then five to nothing. */
const LADDER: readonly { readonly section: SectionName; readonly keep: number }[] = [
  { section: "chat", keep: 20 },
  { section: "episodes", keep: 0 },
  { section: "lore", keep: 5 },
  { section: "channelNotes", keep: 3 },
  { section: "chat", keep: 12 },
  { section: "lore", keep: 2 },
  { section: "chat", keep: 8 },
  { section: "chat", keep: 5 },
  { section: "replies", keep: 0 },
  { section: "chat", keep: 0 },
  { section: "lore", keep: 0 },
  { section: "channelNotes", keep: 0 },
  { section: "thread", keep: 0 },
];

/**
 * Trims sections until they fit into `budgetTokens`, a line at a time, in the ladder's order.
 * Sizes were counted before: a step is a subtraction. What is not on the ladder is the floor and stays whole.
 */
export function trim(sections: readonly Section[], budgetTokens: number): Trimmed {
  const byName = new Map(sections.map((section) => [section.name, section]));
  const kept = new Map(sections.map((section) => [section.name, section.lines.length]));
  const steps: LadderStep[] = [];
  let tokens = sections.reduce((sum, section) => sum + sizeOf(section), 0);
  for (const rung of LADDER) {
    const section = byName.get(rung.section);
    if (tokens <= budgetTokens || section === undefined) continue;
    const step = cut(
      section,
      { from: kept.get(section.name) ?? 0, keep: rung.keep },
      tokens - budgetTokens,
    );
    if (step === null) continue;
    kept.set(section.name, step.to);
    steps.push(step);
    tokens -= step.savedTokens;
  }
  return { kept, steps, tokens, fits: tokens <= budgetTokens };
}

/** The lines of a section that stay when `count` of them do. */
export function keptLines(section: Section, count: number): Section["lines"] {
  if (section.keeps === "first") return section.lines.slice(0, count);
  return section.lines.slice(section.lines.length - count);
}

function cut(
  section: Section,
  range: { readonly from: number; readonly keep: number },
  excessTokens: number,
): LadderStep | null {
  if (range.from <= range.keep) return null;
  let to = range.from;
  let savedTokens = 0;
  while (to > range.keep && savedTokens < excessTokens) {
    to -= 1;
    savedTokens += nextOut(section, to)?.tokens ?? 0;
    if (to === 0) savedTokens += section.headerTokens;
  }
  const dropped = keptLines(section, range.from).filter(
    (line) => !keptLines(section, to).includes(line),
  );
  const droppedIds = dropped.flatMap(({ id }) => (id === null ? [] : [id]));
  return { section: section.name, from: range.from, to, savedTokens, droppedIds };
}

/** The line that falls out when `to` lines stay. */
function nextOut(section: Section, to: number): Section["lines"][number] | undefined {
  return section.keeps === "first" ? section.lines[to] : section.lines.at(-to - 1);
}

function sizeOf(section: Section): number {
  if (section.lines.length === 0) return 0;
  return section.lines.reduce((sum, line) => sum + line.tokens, section.headerTokens);
}
