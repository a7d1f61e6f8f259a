// Pure: values in, values out.
import { createHash } from "node:crypto";
import { keptLines, type Trimmed, trim } from "./ladder.ts";
import type { Line, Section, SectionName } from "./sections.ts";

export interface Prompt {
  readonly prefix: string;
  readonly tail: string;
  readonly trimmed: Trimmed;
  /** Tokens of each section as it was sent, before correction. */
  readonly sectionTokens: Readonly<Partial<Record<SectionName, number>>>;
  /** Of the notes, episodes, events and replies in each section as it was sent. */
  readonly sectionIds: Readonly<Partial<Record<SectionName, number[]>>>;
  readonly prefixTokens: number;
  readonly prefixBytes: number;
  /** Of the prefix as it was sent: first 16 hex digits of its SHA-256. */
  readonly prefixHash: string;
  /** What stands in the prompt. */
  readonly keptIds: { readonly notes: ReadonlySet<number>; readonly episodes: ReadonlySet<number> };
}

interface Kept {
  readonly section: Section;
  readonly lines: readonly Line[];
}

const HASH_DIGITS = 16;

/** Lays sections out into a prompt of at most `budgetTokens`, as counted in the sections. */
export function renderPrompt(
  prefix: readonly Section[],
  tail: readonly Section[],
  budgetTokens: number,
): Prompt {
  const trimmed = trim([...prefix, ...tail], budgetTokens);
  const keptPrefix = keep(prefix, trimmed);
  const keptTail = keep(tail, trimmed);
  const all = [...keptPrefix, ...keptTail];
  const { text, hash, bytes } = prefixOf(prefix, keptPrefix);
  const sectionIds = idsBySection(all);
  return {
    prefix: text,
    tail: layOut(keptTail),
    trimmed,
    sectionTokens: Object.fromEntries(all.map((kept) => [kept.section.name, tokensOf(kept)])),
    sectionIds,
    prefixBytes: bytes,
    prefixTokens: keptPrefix.reduce((sum, kept) => sum + tokensOf(kept), 0),
    prefixHash: hash,
    keptIds: {
      notes: new Set([...(sectionIds.channelNotes ?? []), ...(sectionIds.lore ?? [])]),
      episodes: new Set(sectionIds.episodes),
    },
  };
}

interface RenderedPrefix {
  readonly lines: number;
  readonly text: string;
  readonly hash: string;
  readonly bytes: number;
}

/** The last one of each prefix: its sections stay the same from reply to reply, and are cut from their end alone. */
const rendered = new WeakMap<readonly Section[], RenderedPrefix>();

function prefixOf(prefix: readonly Section[], kept: readonly Kept[]): RenderedPrefix {
  const lines = kept.reduce((sum, { lines }) => sum + lines.length, 0);
  const known = rendered.get(prefix);
  if (known?.lines === lines) return known;
  const text = layOut(kept);
  const hash = createHash("sha256").update(text).digest("hex").slice(0, HASH_DIGITS);
  const fresh = { lines, text, hash, bytes: Buffer.byteLength(text) };
  rendered.set(prefix, fresh);
  return fresh;
}

function keep(sections: readonly Section[], trimmed: Trimmed): Kept[] {
  return sections
    .map((section) => ({ section, lines: keptLines(section, trimmed.kept.get(section.name) ?? 0) }))
    .filter(({ lines }) => lines.length > 0);
}

function layOut(kept: readonly Kept[]): string {
  return kept
    .map(({ section, lines }) => section.header + lines.map(({ text }) => text).join(""))
    .join("");
}

function tokensOf({ section, lines }: Kept): number {
  return lines.reduce((sum, line) => sum + line.tokens, section.headerTokens);
}

function idsBySection(kept: readonly Kept[]): Prompt["sectionIds"] {
  const bySection: Partial<Record<SectionName, number[]>> = {};
  for (const { section, lines } of kept) {
    const ids: number[] = [];
    for (const { id } of lines) if (id !== null) ids.push(id);
    if (ids.length > 0) bySection[section.name] = ids;
  }
  return bySection;
}
