import type { Fence } from "../language/fence.ts";
import type { PrefixSnapshot, SnapshotTaken } from "../memory/recall/snapshot.ts";
import type { LoreNote, RecalledNote, ScoreTerms } from "../memory/recall/weigh.ts";
import type { LlmAnswer } from "../platform/models/model-port.ts";
import type { GuardResult } from "./guard.ts";
import { estimatedBudget } from "./prompt/floor.ts";
import { type LineOf, lineMemory } from "./prompt/line-memory.ts";
import { type Prompt, renderPrompt } from "./prompt/render.ts";
import { RULES_VERSION } from "./prompt/rules.ts";
import {
  type Persona,
  prefixSections,
  type Section,
  type TailInput,
  tailSections,
} from "./prompt/sections.ts";
import { CURRENT_TRAIL_VERSION, type Trail } from "./trail.ts";

export interface AssembleSettings {
  /** Who speaks in a channel. */
  readonly personaOf: (channel: string) => Persona;
  readonly fence: Fence;
  readonly budgetTokens: number;
  /** A line for each action that the model may propose in a channel. */
  readonly offered: (channel: string) => readonly string[];
}

export interface AssembleInput {
  readonly taken: SnapshotTaken;
  readonly tail: TailInput;
  /** The speaker's notes that were weighed, best first: more than the tail shows. */
  readonly candidates: readonly LoreNote[];
  readonly isLoreRead: boolean;
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
  const { fence, personaOf } = settings;
  const prefixes = new WeakMap<PrefixSnapshot, Prefix>();
  const prefixOf = (snapshot: PrefixSnapshot): readonly Section[] => {
    const persona = personaOf(snapshot.channel);
    const offered = settings.offered(snapshot.channel);
    const key = JSON.stringify([persona.name, persona.voice, offered]);
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
    const { budgetTokens } = settings;
    const tail = tailSections(input.tail, personaOf(channel), fence, linesOf(channel));
    const limit = estimatedBudget(budgetTokens, input.correction);
    const prompt = renderPrompt(prefixOf(input.taken.snapshot), tail, limit);
    const estimatedTokens = Math.ceil(prompt.trimmed.tokens * input.correction);
    const size = { budgetTokens, limitTokens: limit, estimatedTokens };
    return { prompt, trail: trailOf(input, prompt, size) };
  };
}

interface Prefix {
  /** Who speaks in it, and what is offered. */
  readonly key: string;
  readonly sections: readonly Section[];
}

function trailOf(
  { taken, tail, candidates, isLoreRead, messageKind, correction }: AssembleInput,
  prompt: Prompt,
  size: Pick<Trail, "budgetTokens" | "limitTokens" | "estimatedTokens">,
): Trail {
  const { snapshot } = taken;
  const { episodes } = snapshot;
  return {
    version: CURRENT_TRAIL_VERSION,
    rulesVersion: RULES_VERSION,
    messageKind,
    pace: tail.pace,
    ...size,
    correction,
    promptTokens: null,
    cachedTokens: null,
    outputTokens: null,
    sections: { ...prompt.sectionTokens },
    ids: { ...prompt.sectionIds },
    prefix: {
      version: snapshot.version,
      hash: prompt.prefixHash,
      bytes: prompt.prefixBytes,
      tokens: prompt.prefixTokens,
      fresh: taken.fresh,
    },
    ladder: prompt.trimmed.steps.map((step) => ({ ...step, droppedIds: [...step.droppedIds] })),
    notes: {
      candidates: [
        ...snapshot.weighed.notes.map((note) => candidate(note, note.scope)),
        ...candidates.map((note) => candidate(note, "lore", note.place)),
      ],
      ...split([...snapshot.notes, ...tail.lore], prompt.keptIds.notes),
    },
    episodes: {
      ...split(episodes, prompt.keptIds.episodes),
      candidates: snapshot.weighed.episodes.map(({ id }) => id),
    },
    loreRead: isLoreRead,
    model: null,
    finish: null,
    overBudget: !prompt.trimmed.fits,
    guard: { removed: [], rule: null },
    actions: [],
  };
}

/** A trail with what the model did and the guard made of it. */
export function completed(trail: Trail, said: LlmAnswer, guarded: GuardResult | null): Trail {
  const { promptTokens, cachedTokens, outputTokens } = said.usage;
  return {
    ...trail,
    promptTokens,
    cachedTokens,
    outputTokens,
    model: said.model,
    finish: said.finish,
    overBudget: trail.overBudget || (promptTokens ?? 0) > trail.budgetTokens,
    guard: {
      removed: guarded?.ok === true ? [...guarded.removed] : [],
      rule: guarded?.ok === false ? guarded.rule : null,
    },
  };
}

type Candidate = Trail["notes"]["candidates"][number];

const ANY_PLACE = 1;

function candidate(
  { id, score, terms }: RecalledNote,
  about: Candidate["about"],
  place = ANY_PLACE,
): Candidate {
  const weighed = terms === undefined ? null : tuple(terms, place);
  return { id, score: short(score), terms: weighed, about };
}

function tuple({ base, importance, lexical, topic }: ScoreTerms, place: number) {
  return [
    short(base),
    short(importance),
    short(lexical),
    short(topic),
    place,
  ] satisfies Candidate["terms"];
}

/** Four digits tell any two notes apart that should be told apart. */
function short(score: number): number {
  return Math.round(score * 1e4) / 1e4;
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
