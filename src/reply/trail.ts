import { z } from "zod";

/** Version of the trail's shape. Bump it when a field changes its meaning. */
const TRAIL_VERSION = 1;

const counted = z.strictObject({ id: z.int(), score: z.number() });
const split = z.strictObject({ kept: z.array(z.int()), dropped: z.array(z.int()) });

/** What a reply saw and cost: ids and numbers only, never chat text. Stored as `token_usage_json`. */
export const trailSchema = z.strictObject({
  version: z.literal(TRAIL_VERSION),
  rulesVersion: z.string(),
  messageKind: z.string(),
  pace: z.enum(["quiet", "normal", "busy", "raid"]),
  budgetTokens: z.int(),
  /** Our estimate after correction, and what it was corrected by. */
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
    /** False: the database could not be read and an earlier snapshot served. */
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
  notes: z.strictObject({ candidates: z.array(counted), ...split.shape }),
  episodes: split,
  model: z.string().nullable(),
  finish: z.string().nullable(),
  overBudget: z.boolean(),
  /** What the guard took out of the answer, by code; the rule that stopped it, if one did. */
  guard: z.strictObject({ removed: z.array(z.string()), rule: z.string().nullable() }),
  /** What the model proposed, by the catalogue's names, and what became of it. */
  actions: z.array(
    z.strictObject({
      action: z.string(),
      decision: z.string(),
      reason: z.string(),
      outcome: z.string().nullable(),
    }),
  ),
});

export type Trail = z.output<typeof trailSchema>;

export const CURRENT_TRAIL_VERSION = TRAIL_VERSION;
