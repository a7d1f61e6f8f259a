import { z } from "zod";

// One check for a whole list: zod's own, item by item, takes three times as long, and there are many.
const ids = z.custom<readonly number[]>(
  (value) => Array.isArray(value) && value.every(Number.isInteger),
);
const countsByName = z.custom<Readonly<Record<string, number>>>(
  (value) =>
    typeof value === "object" && value !== null && Object.values(value).every(Number.isInteger),
);

/**
 * What a report reads of a reply's trail: the same in every version of it. A trail holds much more, such as the scores
 * of all candidates; over thousands of replies, checking that too would take most of a report's time.
 */
const figuresSchema = z.object({
  rulesVersion: z.string(),
  messageKind: z.string(),
  pace: z.string(),
  estimatedTokens: z.int(),
  promptTokens: z.int().nullable(),
  outputTokens: z.int().nullable(),
  sections: countsByName,
  prefix: z.object({ version: z.int(), hash: z.string(), tokens: z.int(), fresh: z.boolean() }),
  ladder: z.array(
    z.object({ section: z.string(), from: z.int(), to: z.int(), savedTokens: z.int() }),
  ),
  notes: z.object({ kept: ids, dropped: ids }),
  episodes: z.object({ kept: ids }),
  model: z.string().nullable(),
  overBudget: z.boolean(),
  guard: z.object({ removed: z.array(z.string()), rule: z.string().nullable() }),
  actions: z.array(z.object({ decision: z.string(), reason: z.string() })),
});

export type TrailFigures = z.output<typeof figuresSchema>;

/** The figures of a stored trail; null where there is none that can be read. Never throws. */
export function trailFigures(json: string | null): TrailFigures | null {
  if (json === null) return null;
  try {
    const parsed = figuresSchema.safeParse(JSON.parse(json));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
