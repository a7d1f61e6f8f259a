// Pure: values in, values out.
import { z } from "zod";
import { NOTE_KINDS, NOTE_SCOPES, NOTE_SOURCES } from "../platform/config/names.ts";
import type { Candidate } from "./check-sorted.ts";
import { IMPORTANCES, LIFETIMES, PROPERTIES, RELATIONS } from "./note-prompt.ts";

/** All that was offered of a note besides the fact itself, as `note_candidates.offer_json` holds it. */
const offerSchema = z.strictObject({
  version: z.literal(2),
  scope: z.enum(NOTE_SCOPES),
  subjectId: z.string().nullable(),
  kind: z.enum(NOTE_KINDS),
  topics: z.array(z.string()),
  confidence: z.number(),
  importance: z.enum(IMPORTANCES),
  lifetime: z.enum(LIFETIMES).nullable(),
  property: z
    .strictObject({ name: z.enum(PROPERTIES), value: z.string(), game: z.string().nullable() })
    .nullable(),
  sensitive: z.boolean(),
  aboutBot: z.boolean(),
  claims: z.array(z.strictObject({ episodeId: z.int(), n: z.int() })),
  isWeak: z.boolean(),
  carriers: z.int(),
  relation: z.enum(RELATIONS),
  /** The note that it was said to relate to. */
  noteId: z.int().nullable(),
  source: z.enum(NOTE_SOURCES),
  /** The model that offered it; null where a person did. */
  model: z.string().nullable(),
});

/** What `offer_json` says of a candidate. */
export function offerJson({ fact: _, ...rest }: Candidate, model: string | null): string {
  const { topics, claims } = rest;
  const offer: z.input<typeof offerSchema> = {
    version: 2,
    ...rest,
    topics: [...topics],
    claims: [...claims],
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
