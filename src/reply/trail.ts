// Pure: values in, values out.
import { z } from "zod";
import { RERANK_OUTCOMES } from "../config/names.ts";
import { PACES } from "../memory/recall/pace.ts";

/** Version of the trail's shape. Increase it when a field changes its meaning: older trails then count as damaged. */
export const TRAIL_VERSION = 2;

const split = z.strictObject({ kept: z.array(z.int()), dropped: z.array(z.int()) });

/** The parts of a score, in order; the first four add up to it. */
const terms = z.tuple([
  z.number().describe("confidence, less with age"),
  z.number().describe("importance"),
  z.number().describe("words shared with what the speaker says"),
  z.number().describe("topics that are talked of"),
  z
    .int()
    .describe(
      "0: a place kept for who the speaker is; 1: the best; 4: a place among these, kept for the newest; 2: behind them; 3: too many of its kind",
    ),
]);

/** The prompt and cost of a reply: ids and numbers only, never chat text. Stored as `token_usage_json`. */
export const trailSchema = z.strictObject({
  version: z.literal(TRAIL_VERSION),
  rulesVersion: z.string(),
  messageKind: z.string(),
  pace: z.enum(PACES),
  budgetTokens: z.int(),
  /** Our estimate after correction, and the correction factor. */
  estimatedTokens: z.int(),
  correction: z.number(),
  promptTokens: z.int().nullable(),
  cachedTokens: z.int().nullable(),
  outputTokens: z.int().nullable(),
  /** Estimated tokens of each section as sent, before correction. */
  sections: z.record(z.string(), z.int()),
  prefix: z.strictObject({
    version: z.int(),
    hash: z.string(),
    bytes: z.int(),
    tokens: z.int(),
    /** False if the database could not be read and an earlier snapshot was used. */
    fresh: z.boolean(),
  }),
  ladder: z.array(
    z.strictObject({
      section: z.string(),
      from: z.int(),
      to: z.int(),
      savedTokens: z.int(),
      droppedIds: z.array(z.int()),
    }),
  ),
  /** `candidates`: all candidates, newest first, shown or not. */
  episodes: split.extend({ candidates: z.array(z.int()).optional() }),
  model: z.string().nullable(),
  finish: z.string().nullable(),
  overBudget: z.boolean(),
  /** The guard's changes by code, and the rule that stopped the answer, if one did. */
  guard: z.strictObject({ removed: z.array(z.string()), rule: z.string().nullable() }),
  /** The proposed actions, by the catalogue's names, with their results. */
  actions: z.array(
    z.strictObject({
      action: z.string(),
      decision: z.string(),
      reason: z.string(),
      outcome: z.string().nullable(),
    }),
  ),
  /** The budget for the estimate before correction. */
  limitTokens: z.int(),
  /** Ids of the notes, episodes, events and replies in each section, in order. */
  ids: z.record(z.string(), z.array(z.int())),
  notes: z.strictObject({
    /** `about`: the speaker, the channel, or a joke of the channel. */
    candidates: z.array(
      z.strictObject({
        id: z.int(),
        score: z.number(),
        terms: terms.nullable(),
        about: z.enum(["lore", "channel", "bit"]),
      }),
    ),
    ...split.shape,
  }),
  /**
   * False if the speaker's notes could not be read: then the prompt has notes that were read for an earlier message.
   */
  loreRead: z.boolean(),
  /** Both orders of the pool, best first, if a model was asked for one. `model` is null if it gave none. */
  rerank: z
    .strictObject({
      /** `shadow` is in replies of an earlier edition, which did not use the order. */
      mode: z.enum(["on", "shadow"]),
      outcome: z.enum(RERANK_OUTCOMES),
      latencyMs: z.int(),
      database: z.array(z.int()),
      model: z.array(z.int()).nullable(),
    })
    .optional(),
});

export type Trail = z.output<typeof trailSchema>;

/** Returns the episodes that were candidates and were not in the prompt. */
export function listUnshownEpisodes({ episodes: { candidates = [], kept } }: Trail): number[] {
  return candidates.filter((id) => !kept.includes(id));
}

export type TrailRead =
  | { readonly kind: "read"; readonly trail: Trail }
  | { readonly kind: "none" }
  | { readonly kind: "damaged" };

/** Reads a stored trail; `none` for null, `damaged` for unreadable JSON and for another version. Never throws. */
export function readTrail(json: string | null): TrailRead {
  if (json === null) return { kind: "none" };
  try {
    const parsed = trailSchema.safeParse(JSON.parse(json));
    return parsed.success ? { kind: "read", trail: parsed.data } : { kind: "damaged" };
  } catch {
    return { kind: "damaged" };
  }
}
