// Pure: values in, values out.
import { createHash } from "node:crypto";
import { LORE_LINES } from "../../memory/recall/pace.ts";
import type { Line, Section, SectionName } from "./sections.ts";

export interface Prompt {
  readonly prefix: string;
  readonly tail: string;
  readonly trimmed: TrimState;
  /** Tokens of each section as it was sent, before correction. */
  readonly sectionTokens: Readonly<Partial<Record<SectionName, number>>>;
  /** Ids of the notes, episodes, events and replies in each section as it was sent. */
  readonly sectionIds: Readonly<Partial<Record<SectionName, number[]>>>;
  readonly prefixTokens: number;
  readonly prefixBytes: number;
  /** First 16 hex digits of the SHA-256 of the prefix as it was sent. */
  readonly prefixHash: string;
  /** Ids of the notes and episodes in the prompt. */
  readonly keptIds: { readonly notes: ReadonlySet<number>; readonly episodes: ReadonlySet<number> };
}

interface Kept {
  readonly section: Section;
  readonly lines: readonly Line[];
}

const HASH_DIGITS = 16;

/**
 * Lays sections out into a prompt of at most `budgetTokens` of our estimate. If the sections that are never cut exceed
 * the budget, so does the prompt, and `trimmed.fits` is false.
 */
export function renderPrompt(
  prefix: readonly Section[],
  tail: readonly Section[],
  budgetTokens: number,
): Prompt {
  const trimmed = trim([...prefix, ...tail], budgetTokens);
  const keptPrefix = listKept(prefix, trimmed);
  const keptTail = listKept(tail, trimmed);
  const all = [...keptPrefix, ...keptTail];
  const text = joinSections(keptPrefix);
  const idsOf = all.map(({ section, lines }) => [section.name, listIds(lines)] as const);
  const sectionIds: Prompt["sectionIds"] = Object.fromEntries(
    idsOf.filter(([, ids]) => ids.length > 0),
  );
  return {
    prefix: text,
    tail: joinSections(keptTail),
    trimmed,
    sectionTokens: Object.fromEntries(all.map((kept) => [kept.section.name, countTokens(kept)])),
    sectionIds,
    prefixBytes: Buffer.byteLength(text),
    prefixTokens: keptPrefix.reduce((sum, kept) => sum + countTokens(kept), 0),
    prefixHash: createHash("sha256").update(text).digest("hex").slice(0, HASH_DIGITS),
    keptIds: {
      notes: new Set(
        (["channelNotes", "lore", "related"] as const).flatMap((name) => sectionIds[name] ?? []),
      ),
      episodes: new Set(sectionIds.episodes),
    },
  };
}

/** Returns the sections that keep a line, with these lines. */
function listKept(sections: readonly Section[], trimmed: TrimState): Kept[] {
  return sections
    .map((section) => ({
      section,
      lines: getKeptLines(section, trimmed.kept.get(section.name) ?? 0),
    }))
    .filter(({ lines }) => lines.length > 0);
}

function joinSections(kept: readonly Kept[]): string {
  return kept
    .map(({ section, lines }) => section.header + lines.map(({ text }) => text).join(""))
    .join("");
}

/** Counts the tokens of lines and their header; 0 without lines, since the header goes too. */
function countTokens({ section, lines }: Kept): number {
  if (lines.length === 0) return 0;
  return lines.reduce((sum, line) => sum + line.tokens, section.headerTokens);
}

function listIds(lines: readonly Line[]): number[] {
  return lines.flatMap(({ ids }) => ids);
}

/** One step of the ladder: how far it cut a section, and how much that saved. */
interface LadderStep {
  readonly section: SectionName;
  /** Lines before and after. */
  readonly from: number;
  readonly to: number;
  readonly savedTokens: number;
  /** Ids of the notes, episodes or events that were removed. */
  readonly droppedIds: readonly number[];
}

export interface TrimState {
  /** Number of lines that each section keeps. `keeps` of the section says from which end. */
  readonly kept: ReadonlyMap<SectionName, number>;
  readonly steps: readonly LadderStep[];
  readonly tokens: number;
  /** False if not even the floor fits. Then the turn is given up. */
  readonly fits: boolean;
}

/**
 * The order in which a prompt is trimmed. Each step may cut a section down to `keep` lines. "lore" has ten lines with
 * one note each, and one for all others.
 */
const LADDER: readonly { readonly section: SectionName; readonly keep: number }[] = [
  { section: "chat", keep: 20 },
  { section: "related", keep: 0 },
  { section: "lore", keep: LORE_LINES },
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
 * Decides how many lines each section keeps so that all fit into `budgetTokens`. It cuts line by line, in the ladder's
 * order. Sections that are not on the ladder are the floor and stay whole, also if they do not fit.
 */
export function trim(sections: readonly Section[], budgetTokens: number): TrimState {
  const byName = new Map(sections.map((section) => [section.name, section]));
  const kept = new Map(sections.map((section) => [section.name, section.lines.length]));
  const steps: LadderStep[] = [];
  let tokens = sections.reduce(
    (sum, section) => sum + countTokens({ section, lines: section.lines }),
    0,
  );
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

/** Returns the `count` lines of a section that stay, from the end that `keeps` names. */
export function getKeptLines(section: Section, count: number): Section["lines"] {
  if (section.keeps === "first") return section.lines.slice(0, count);
  return section.lines.slice(section.lines.length - count);
}

/**
 * Returns the step that cuts a section from `from` lines until `excessTokens` are saved, or `keep` lines are left. Null
 * if `from` is no more than `keep`.
 */
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
    const dropped = section.keeps === "first" ? section.lines[to] : section.lines.at(-to - 1);
    savedTokens += dropped?.tokens ?? 0;
    if (to === 0) savedTokens += section.headerTokens;
  }
  const removed = getKeptLines(section, range.from).filter(
    (line) => !getKeptLines(section, to).includes(line),
  );
  return { section: section.name, from: range.from, to, savedTokens, droppedIds: listIds(removed) };
}
