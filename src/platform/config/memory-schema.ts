// Pure: values in, values out.
import { z } from "zod";
import { MEMORY_MODES, MEMORY_SCOPES, NOTE_KINDS, NOTE_SCOPES, TOPIC_MODES } from "./names.ts";
import { type DeepPartial, partialOf } from "./partial-schema.ts";
import { recallSchema } from "./recall-schema.ts";

const DAYS_MAX = 3_650;

const kindDays = z
  .strictObject({
    profile: days(null),
    constraint: days(null),
    preference: days(90),
    running_bit: days(30),
    event: days(30),
    state: days(7),
  })
  .prefault({})
  .describe(
    "How many days a note of each kind lives since it was last confirmed; null is for good.",
  );

const caps = z
  .strictObject({
    viewerNotes: z.int().min(1).max(500).default(50).describe("Active notes about one viewer."),
    channelNotes: z
      .int()
      .min(1)
      .max(1_000)
      .default(200)
      .describe("Active notes about the channel."),
    perViewerAndStream: z
      .int()
      .min(1)
      .max(500)
      .default(10)
      .describe("New notes about one viewer in one stream."),
    perChannelAndStream: z
      .int()
      .min(1)
      .max(1_000)
      .default(20)
      .describe("New notes about the channel in one stream."),
    perBitAndStream: z
      .int()
      .min(1)
      .max(1_000)
      .default(10)
      .describe("New running jokes in one stream."),
  })
  .prefault({})
  .describe("How much is remembered. Beyond it the least important goes.");

/** The whole of a memory policy. */
export const policySchema = z.strictObject({
  mode: z.enum(MEMORY_MODES).default("auto").describe("What becomes of a learned note."),
  compactionSeconds: z
    .number()
    .min(1)
    .max(3_600)
    .default(180)
    .describe("Pause between two looks for chat to summarise."),
  noteSeconds: z
    .number()
    .min(0)
    .max(3_600)
    .default(600)
    .describe("How long a summary waits for others, so that notes are made of several at once."),
  personaScope: z
    .enum(MEMORY_SCOPES)
    .default("shared")
    .describe("Whether personas share their notes."),
  scopes: z
    .array(z.enum(NOTE_SCOPES))
    .default([...NOTE_SCOPES])
    .describe("What notes may be about."),
  kinds: z
    .array(z.enum(NOTE_KINDS))
    .default([...NOTE_KINDS])
    .describe("Which kinds of notes are kept."),
  approvalKinds: z
    .array(z.enum(NOTE_KINDS))
    .default([])
    .describe("Kinds that always wait for your approval."),
  kindDays,
  staleDays: z
    .int()
    .min(1)
    .max(DAYS_MAX)
    .default(180)
    .describe("What nobody confirmed for so long is left out of prompts."),
  caps,
  topics: z
    .enum(TOPIC_MODES)
    .default("add")
    .describe("Whether topics only reorder what is known of a speaker, or also leave it out."),
  recall: recallSchema,
});

export type MemoryPolicy = z.output<typeof policySchema>;
/** How the notes that a prompt shows are chosen. */
export type RecallPolicy = MemoryPolicy["recall"];
/** Some keys of a policy, the others as the active one has them. */
export type PolicyChanges = DeepPartial<MemoryPolicy>;

/** Any of a policy's keys: none is required, and none is put in. */
export const policyChangesSchema = partialOf(policySchema) as z.ZodType<PolicyChanges>;

/** What becomes memory, for how long, and how much of it. */
export const memorySchema = policySchema
  .extend({
    trial: policyChangesSchema
      .nullable()
      .default(null)
      .describe(
        "Keys of another policy, which judges beside this one and changes nothing; see memory policy set --shadow.",
      ),
  })
  .prefault({});

function days(standard: number | null) {
  return z.int().min(1).max(DAYS_MAX).nullable().default(standard);
}
