import { estimatedBudget } from "../prompt/floor.ts";
import { type LineOf, lineMemory } from "../prompt/line-memory.ts";
import { type Prompt, renderPrompt } from "../prompt/render.ts";
import { RULES_VERSION } from "../prompt/rules.ts";
import {
  type Persona,
  prefixSections,
  type Section,
  type TailInput,
  tailSections,
} from "../prompt/sections.ts";
import type { PrefixSnapshot, SnapshotTaken } from "../recall/snapshot.ts";
import type { Fence } from "../text/fence.ts";
import { CURRENT_TRAIL_VERSION, type Trail } from "./trail.ts";

export interface AssembleSettings {
  readonly persona: Persona;
  readonly fence: Fence;
  readonly budgetTokens: number;
  /** A line for each action that the model may propose in a channel. */
  readonly offered: (channel: string) => readonly string[];
}

export interface AssembleInput {
  readonly taken: SnapshotTaken;
  readonly tail: TailInput;
  readonly messageKind: string;
  /** The model's factor from our estimate to its count. */
  readonly correction: number;
}

export interface Assembled {
  readonly prompt: Prompt;
  readonly trail: Trail;
}

/**
 * Makes prompts from what a turn read. The sections of a prefix are laid out and counted once for each snapshot and
 * what is offered with it.
 */
export function assembler(settings: AssembleSettings): (input: AssembleInput) => Assembled {
  const { persona, fence, budgetTokens } = settings;
  const prefixes = new WeakMap<PrefixSnapshot, Prefix>();
  const prefixOf = (snapshot: PrefixSnapshot): readonly Section[] => {
    const offered = settings.offered(snapshot.channel);
    const key = offered.join("\n");
    const known = prefixes.get(snapshot);
    if (known?.key === key) return known.sections;
    const sections = prefixSections(persona, snapshot, fence, offered);
    prefixes.set(snapshot, { key, sections });
    return sections;
  };
  const memories = new Map<string, () => LineOf>();
  const linesOf = (channel: string): LineOf => {
    const memory = memories.get(channel) ?? lineMemory();
    memories.set(channel, memory);
    return memory();
  };
  return (input) => {
    const { channel } = input.taken.snapshot;
    const tail = tailSections(input.tail, persona, fence, linesOf(channel));
    const limit = estimatedBudget(budgetTokens, input.correction);
    const prompt = renderPrompt(prefixOf(input.taken.snapshot), tail, limit);
    const estimatedTokens = Math.ceil(prompt.trimmed.tokens * input.correction);
    return { prompt, trail: trailOf(input, prompt, { budgetTokens, estimatedTokens }) };
  };
}

interface Prefix {
  /** What is offered in it. */
  readonly key: string;
  readonly sections: readonly Section[];
}

function trailOf(
  { taken, tail, messageKind, correction }: AssembleInput,
  prompt: Prompt,
  size: { readonly budgetTokens: number; readonly estimatedTokens: number },
): Trail {
  const { snapshot } = taken;
  const notes = [...snapshot.notes, ...tail.lore];
  const { episodes } = snapshot;
  return {
    version: CURRENT_TRAIL_VERSION,
    rulesVersion: RULES_VERSION,
    messageKind,
    pace: snapshot.pace,
    ...size,
    correction,
    promptTokens: null,
    cachedTokens: null,
    outputTokens: null,
    sections: { ...prompt.sectionTokens },
    prefix: {
      version: snapshot.version,
      hash: prompt.prefixHash,
      bytes: Buffer.byteLength(prompt.prefix),
      tokens: prompt.prefixTokens,
      fresh: taken.fresh,
    },
    ladder: prompt.trimmed.steps.map((step) => ({ ...step, droppedIds: [...step.droppedIds] })),
    notes: {
      candidates: notes.map(({ id, score }) => ({ id, score: Math.round(score * 1e6) / 1e6 })),
      ...split(notes, prompt.keptIds.notes),
    },
    episodes: split(episodes, prompt.keptIds.episodes),
    model: null,
    finish: null,
    overBudget: !prompt.trimmed.fits,
    guard: { removed: [], rule: null },
    actions: [],
  };
}

function split(
  candidates: readonly { readonly id: number }[],
  keptIds: ReadonlySet<number>,
): { kept: number[]; dropped: number[] } {
  const ids = candidates.map(({ id }) => id);
  return {
    kept: ids.filter((id) => keptIds.has(id)),
    dropped: ids.filter((id) => !keptIds.has(id)),
  };
}
