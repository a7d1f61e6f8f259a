// Pure: values in, values out.
import { z } from "zod";
import { choice, number, whole } from "./fields.ts";
import {
  MEMORY_MODES,
  MEMORY_SCOPES,
  NOTE_KINDS,
  NOTE_SCOPES,
  RERANK_MODES,
  TOPIC_MODES,
} from "./names.ts";

const DAYS_MAX = 3_650;
const scaleDays = (standard: number) => number(0.1, DAYS_MAX, standard);

const scales = z
  .strictObject({
    profile: scaleDays(90),
    constraint: scaleDays(90),
    preference: scaleDays(30),
    running_bit: scaleDays(30),
    event: scaleDays(7),
    state: scaleDays(7),
  })
  .prefault({})
  .describe(
    "After how many days without a confirmation a note of each kind counts half as much as a fresh one.",
  );

/** Defaults of an earlier edition, by key of `memory.recall`: in a file, such a value counts as unset. */
export const MOVED_RECALL_DEFAULTS = {
  lexicalWeight: 2,
  newestPlaces: 3,
  scales: { running_bit: 7 },
} as const;

/** An earlier edition only wrote the order down, and went by its own. */
const RETIRED_RERANK = "shadow";

/** How the notes that a prompt shows are chosen. */
const recallSchema = z
  .strictObject({
    scales,
    lexicalWeight: number(0, 50, 10).describe(
      "What words shared with the speaker's messages can add to a note's score.",
    ),
    topicWeight: number(0, 10, 0.3).describe(
      "What a topic that the message or the category names adds to a note's score.",
    ),
    readFloor: number(0, 1, 0.4).describe("Notes of less confidence stand in no prompt."),
    loreTokens: whole(100, 8_000, 800).describe(
      "Upper limit of all that a prompt shows about the speaker, in tokens.",
    ),
    profilePlaces: whole(0, 10, 3).describe(
      "Places kept for who the speaker is and how they want to be treated.",
    ),
    newestPlaces: whole(0, 10, 0).describe(
      "Places kept for what was told or confirmed last, whatever is asked; all but one go to what fits a question better. Where no note has a word of the message, one place is the newest's anyway.",
    ),
    perKindMax: whole(1, 50, 5).describe("Notes of one kind beyond so many come after all others."),
    rerank: z
      .preprocess((mode) => (mode === RETIRED_RERANK ? "off" : mode), z.enum(RERANK_MODES))
      .default("off")
      .describe("Whether a model puts the speaker's notes in order: one more call for each reply."),
  })
  .prefault({});

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
    viewerNotes: whole(1, 500, 50).describe("Active notes about one viewer."),
    channelNotes: whole(1, 1_000, 200).describe("Active notes about the channel."),
    perViewerAndStream: whole(1, 500, 10).describe("New notes about one viewer in one stream."),
    perChannelAndStream: whole(1, 1_000, 20).describe("New notes about the channel in one stream."),
    perBitAndStream: whole(1, 1_000, 10).describe("New running jokes in one stream."),
  })
  .prefault({})
  .describe("How much is remembered. Beyond it the least important goes.");

/** The whole of a memory policy. */
export const policySchema = z.strictObject({
  mode: choice(MEMORY_MODES, "auto").describe("What becomes of a learned note."),
  compactionSeconds: number(1, 3_600, 180).describe(
    "Pause between two looks for chat to summarise.",
  ),
  noteSeconds: number(0, 3_600, 600).describe(
    "How long a summary waits for others, so that notes are made of several at once.",
  ),
  personaScope: choice(MEMORY_SCOPES, "shared").describe("Whether personas share their notes."),
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
  staleDays: whole(1, DAYS_MAX, 180).describe(
    "What nobody confirmed for so long is left out of prompts.",
  ),
  caps,
  topics: choice(TOPIC_MODES, "add").describe(
    "Whether topics only reorder what is known of a speaker, or also leave it out.",
  ),
  recall: recallSchema,
});

export type MemoryPolicy = z.output<typeof policySchema>;
/** How the notes that a prompt shows are chosen. */
export type RecallPolicy = MemoryPolicy["recall"];
/** What becomes memory, for how long, and how much of it. */
export const memorySchema = policySchema.prefault({});

function days(standard: number | null) {
  return z.int().min(1).max(DAYS_MAX).nullable().default(standard);
}
