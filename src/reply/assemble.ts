import { listOffered } from "../actions/execute.ts";
import type { Config } from "../config/load.ts";
import { Fault } from "../errors.ts";
import { type Fence, makeFence } from "../language/fence.ts";
import { OWN_LINES_MAX } from "../memory/recall/pace.ts";
import type { SnapshotTaken } from "../memory/recall/snapshot.ts";
import type { LoreNote, RecalledNote } from "../memory/recall/weigh.ts";
import type { LlmAnswer } from "../models/model-port.ts";
import type { GuardResult } from "./guard.ts";
import { type Prompt, renderPrompt, trim } from "./prompt/ladder.ts";
import { RULES_VERSION } from "./prompt/rules.ts";
import {
  EMPTY_TAIL,
  LINE_TOKENS_MAX,
  makePrefixSections,
  makeTailSections,
  type Persona,
  type TailInput,
} from "./prompt/sections.ts";
import { TRAIL_VERSION, type Trail } from "./trail.ts";

export interface AssembleSettings {
  readonly persona: Persona;
  readonly fence: Fence;
  readonly budgetTokens: number;
  /** A line for each action that the model may propose. */
  readonly offered: readonly string[];
}

export interface AssembleInput {
  readonly taken: SnapshotTaken;
  readonly tail: TailInput;
  /** The notes about the speaker, best first. */
  readonly candidates: readonly LoreNote[];
  readonly isLoreRead: boolean;
  readonly messageKind: string;
  /** The model's factor from our estimate to its count. */
  readonly correction: number;
}

export interface AssembledPrompt {
  readonly prompt: Prompt;
  readonly trail: Trail;
}

/**
 * Makes a prompt, trimmed to the budget, and its trail without an answer: see `completeTrail`. If the part that is
 * never trimmed exceeds the budget, the trail has `overBudget`. The same snapshot and settings give the same prefix.
 */
export function assemblePrompt(
  input: AssembleInput,
  { persona, fence, budgetTokens, offered }: AssembleSettings,
): AssembledPrompt {
  const prefix = makePrefixSections(persona, input.taken.snapshot, fence, offered);
  const tail = makeTailSections(input.tail, persona, fence);
  const limitTokens = calculateBudget(budgetTokens, input.correction);
  const prompt = renderPrompt(prefix, tail, limitTokens);
  return { prompt, trail: makeTrail(input, prompt, { budgetTokens, limitTokens }) };
}

function makeTrail(
  { taken, tail, candidates, isLoreRead, messageKind, correction }: AssembleInput,
  prompt: Prompt,
  size: Pick<Trail, "budgetTokens" | "limitTokens">,
): Trail {
  const { snapshot } = taken;
  const { episodes } = snapshot;
  const relatedNotes = tail.related.filter(({ kind }) => kind === "channel" || kind === "bit");
  return {
    version: TRAIL_VERSION,
    rulesVersion: RULES_VERSION,
    messageKind,
    pace: tail.pace,
    ...size,
    estimatedTokens: Math.ceil(prompt.trimmed.tokens * correction),
    correction,
    promptTokens: null,
    cachedTokens: null,
    outputTokens: null,
    sections: { ...prompt.sectionTokens },
    ids: { ...prompt.sectionIds, current: [...(tail.current.pieceIds ?? []), tail.current.id] },
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
        ...snapshot.weighed.notes.map((note) => toCandidate(note, note.scope)),
        ...candidates.slice(0, LORE_TRAIL_MAX).map((note) => toCandidate(note, "lore", note.place)),
      ],
      ...splitIds([...snapshot.notes, ...tail.lore, ...relatedNotes], prompt.keptIds.notes),
    },
    episodes: {
      ...splitIds(episodes, prompt.keptIds.episodes),
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

/**
 * Returns a trail with the model's answer and the guard's result added. `guarded` is null if there was no answer to
 * guard. `overBudget` is true also if the provider counted more prompt tokens than the budget.
 */
export function completeTrail(trail: Trail, said: LlmAnswer, guarded: GuardResult | null): Trail {
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

/** The most notes about the speaker whose scores the trail stores: the ten shown lines and the next best. */
const LORE_TRAIL_MAX = 15;

const ANY_PLACE = 1;

/**
 * Makes a note's entry in the trail. `place`: see `terms` of the trail; notes about the channel have none of their own.
 */
function toCandidate(
  { id, score, terms }: RecalledNote,
  about: Candidate["about"],
  place = ANY_PLACE,
): Candidate {
  return {
    id,
    score: roundScore(score),
    terms:
      terms === undefined
        ? null
        : [
            roundScore(terms.base),
            roundScore(terms.importance),
            roundScore(terms.lexical),
            roundScore(terms.topic),
            place,
          ],
    about,
  };
}

/** Rounds a score to four decimal places. */
function roundScore(score: number): number {
  return Math.round(score * 1e4) / 1e4;
}

/** Splits the candidates' ids by whether they are in `keptIds`. */
function splitIds(
  candidates: readonly { readonly id: number }[],
  keptIds: ReadonlySet<number>,
): { kept: number[]; dropped: number[] } {
  const ids = candidates.map(({ id }) => id);
  return {
    kept: ids.filter((id) => keptIds.has(id)),
    dropped: ids.filter((id) => !keptIds.has(id)),
  };
}

/** Factor on every estimate before it is compared with the budget. */
const HEADROOM = 1.05;
/** A fence for counting: it is as long as every other. */
const ANY_FENCE: Fence = makeFence("0".repeat(12));
/** A channel whose name takes as many tokens as a login can. */
const CHANNEL = `${"1_".repeat(12)}1`;
const YEAR_MS = 365 * 86_400_000;
/**
 * Places of the speaker's name: in the speaker's line, above their messages, before each message, and before the
 * current one.
 */
const NAMES = OWN_LINES_MAX + 3;

/** Converts a budget from the model's tokens into tokens of our estimate, less 5 % of headroom. */
function calculateBudget(budgetTokens: number, correction: number): number {
  return Math.floor(budgetTokens / (HEADROOM * correction));
}

/**
 * Returns the tokens of the part that is never trimmed, with every line at its maximum: persona, rules, channel,
 * speaker, own messages and the current message. `offered`: the most actions that the rules may list.
 */
function countFloorTokens(persona: Persona, offered: readonly string[]): number {
  const line = { id: 1, name: "m", text: "" };
  const text = "x".repeat(200);
  const state = {
    ...{ title: "x", category: "x", isLive: true, prefixVersion: 0, recap: "x" },
    ...{ sessionId: 1, liveSinceMs: 0, lastSessionId: 0, streamerId: null },
  };
  const snapshot = { channel: CHANNEL, version: 0, state, notes: [], episodes: [] };
  const prefix = makePrefixSections(persona, snapshot, ANY_FENCE, offered);
  const tail = makeTailSections(
    {
      ...{ pace: "raid", nowMs: YEAR_MS, liveSinceMs: 0 },
      speaker: {
        ...{ name: "m", standing: "newcomer", calledName: text, pronouns: text },
        visits: { sinceMs: 0, streams: 100_000, lastHereMs: 0 },
        moments: [{ text, atMs: 0 }],
      },
      ...EMPTY_TAIL,
      own: Array.from({ length: OWN_LINES_MAX }, () => line),
      current: line,
      ...{ continues: true, isAddressed: true },
    },
    persona,
    ANY_FENCE,
  );
  const fixed = trim([...prefix, ...tail], Number.POSITIVE_INFINITY).tokens;
  const { name, title, episode, own, current } = LINE_TOKENS_MAX;
  return fixed + NAMES * name + 2 * title + episode + OWN_LINES_MAX * own + current;
}

/**
 * Throws a Fault if the part of a prompt that is never trimmed exceeds the budget. `correction` is the model's count
 * divided by our estimate; 1 if unknown.
 */
export function refuseTightBudget(config: Config, correction: number): void {
  const { persona, personas, prompt, actions } = config;
  const offered = listOffered(actions);
  const floors = [persona, ...personas].map((one) => countFloorTokens(one, offered));
  const floor = Math.max(...floors);
  const available = calculateBudget(prompt.budgetTokens, correction);
  if (floor <= available) return;
  const needed = Math.ceil((floor / available) * prompt.budgetTokens);
  throw new Fault(
    `prompt.budgetTokens is ${prompt.budgetTokens}: the part that is never trimmed needs ${needed}`,
    { code: "config", fix: "shorten the longest persona's voice, or raise prompt.budgetTokens" },
  );
}
