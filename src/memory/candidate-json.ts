// Pure: values in, values out.
import { z } from "zod";
import { NOTE_KINDS, NOTE_SCOPES, NOTE_SOURCES } from "../platform/config/names.ts";
import type { Candidate } from "./check-candidate.ts";
import { IMPORTANCES, LIFETIMES } from "./note-prompt.ts";

/** All that was offered of a note besides the fact itself, as `note_candidates.offer_json` holds it. */
const offerSchema = z.strictObject({
  version: z.literal(1),
  scope: z.enum(NOTE_SCOPES),
  subjectId: z.string().nullable(),
  kind: z.enum(NOTE_KINDS),
  topics: z.array(z.string()),
  confidence: z.number(),
  importance: z.enum(IMPORTANCES),
  lifetime: z.enum(LIFETIMES),
  basis: z.enum(["stated", "inferred"]),
  sensitive: z.boolean(),
  claimNumbers: z.array(z.int()),
  relation: z.enum(["new", "same", "updates", "contradicts"]),
  /** The note that it was said to relate to. */
  noteId: z.int().nullable(),
  source: z.enum(NOTE_SOURCES),
  /** The model that offered it; null where a person did. */
  model: z.string().nullable(),
});

/** What `offer_json` says of a candidate. */
export function offerJson({ fact: _, ...rest }: Candidate, model: string | null): string {
  const { topics, claimNumbers } = rest;
  const offer: z.input<typeof offerSchema> = {
    version: 1,
    ...rest,
    topics: [...topics],
    claimNumbers: [...claimNumbers],
    model,
  };
  return JSON.stringify(offer);
}

/** A candidate as it was offered, from its row; null where the row says too little, or something else. */
export function readOffer(fact: string | null, json: string | null): Candidate | null {
  if (fact === null || json === null) return null;
  const parsed = offerSchema.safeParse(parseJson(json));
  if (!parsed.success) return null;
  const { version: _, model: _by, ...rest } = parsed.data;
  return { ...rest, fact };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
