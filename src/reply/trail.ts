// Pure: values in, values out.
import { z } from "zod";
import { RERANK_OUTCOMES } from "../config/names.ts";
import { PACES } from "../memory/recall/pace.ts";

/** Version of the trail's shape. Bump it when a field changes its meaning, and read the older ones here. */
const TRAIL_VERSION = 2;

const split = z.strictObject({ kept: z.array(z.int()), dropped: z.array(z.int()) });

/** What a score is made of, in this order; the first four add up to it. */
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

const candidate = z.strictObject({ id: z.int(), score: z.number(), terms });
/** About whom a note is: the speaker, the channel, or a joke of the channel's. Absent where the trail is too old. */
const about = z.enum(["lore", "channel", "bit"]).optional();

const shared = {
  rulesVersion: z.string(),
  messageKind: z.string(),
  pace: z.enum(PACES),
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
  /** `candidates`: newest first, those that were not shown too. */
  episodes: split.extend({ candidates: z.array(z.int()).optional() }),
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
};

const current = z.strictObject({
  version: z.literal(TRAIL_VERSION),
  ...shared,
  /** What the estimate, before correction, had to fit into; null where the trail is too old to say. */
  limitTokens: z.int().nullable(),
  /** Ids of the notes, episodes, events and replies that stand in each section, in their order. */
  ids: z.record(z.string(), z.array(z.int())),
  /** Of the channel and of the speaker. `terms` is null where the trail is too old to say. */
  notes: z.strictObject({
    candidates: z.array(candidate.extend({ terms: terms.nullable(), about })),
    ...split.shape,
  }),
  /** False: the speaker's notes could not be read; those shown, if any, were read for an earlier message. */
  loreRead: z.boolean(),
  /** Both orders of the pool, best first, where a model was asked for one. `model` is null where it gave none. */
  rerank: z
    .strictObject({
      /** `shadow` in trails of an earlier edition: the order was written down and not used. */
      mode: z.enum(["on", "shadow"]),
      outcome: z.enum(RERANK_OUTCOMES),
      latencyMs: z.int(),
      database: z.array(z.int()),
      model: z.array(z.int()).nullable(),
    })
    .optional(),
});

const first = z
  .strictObject({
    version: z.literal(1),
    ...shared,
    notes: z.strictObject({
      candidates: z.array(candidate.omit({ terms: true })),
      ...split.shape,
    }),
  })
  .transform(
    (trail): z.output<typeof current> => ({
      ...trail,
      version: TRAIL_VERSION,
      limitTokens: null,
      ids: {},
      notes: {
        ...trail.notes,
        candidates: trail.notes.candidates.map((one) => ({ ...one, terms: null })),
      },
      loreRead: true,
    }),
  );

/** What a reply saw and cost: ids and numbers only, never chat text. Stored as `token_usage_json`; older ones, too. */
export const trailSchema = z.union([current, first]);

export type Trail = z.output<typeof current>;

/** About whom each candidate is; where the trail is too old to say, by what stood in the channel's notes. */
export function subjectOf({
  ids,
  ladder,
}: Trail): (one: Trail["notes"]["candidates"][number]) => "lore" | "channel" | "bit" {
  const cut = ladder.filter(({ section }) => section === "channelNotes");
  const ofChannel = new Set([
    ...(ids["channelNotes"] ?? []),
    ...cut.flatMap(({ droppedIds }) => droppedIds),
  ]);
  return ({ id, about: told }) => told ?? (ofChannel.has(id) ? "channel" : "lore");
}

/** Episodes that were candidates and did not stand in the prompt. */
export function episodesUnshown({ episodes: { candidates = [], kept } }: Trail): number[] {
  return candidates.filter((id) => !kept.includes(id));
}

export const CURRENT_TRAIL_VERSION = TRAIL_VERSION;

export type TrailRead =
  | { readonly kind: "read"; readonly trail: Trail }
  | { readonly kind: "none" }
  | { readonly kind: "damaged" };

/** A stored trail, of this version or an older one. What cannot be read is told, never thrown. */
export function readTrail(json: string | null): TrailRead {
  if (json === null) return { kind: "none" };
  try {
    const parsed = trailSchema.safeParse(JSON.parse(json));
    return parsed.success ? { kind: "read", trail: parsed.data } : { kind: "damaged" };
  } catch {
    return { kind: "damaged" };
  }
}
