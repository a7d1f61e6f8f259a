// Pure: values in, values out.
import { z } from "zod";
import { RERANK_MODES } from "./names.ts";

const DAYS_MAX = 3_650;
const days = (standard: number) => z.number().min(0.1).max(DAYS_MAX).default(standard);

const scales = z
  .strictObject({
    profile: days(90),
    constraint: days(90),
    preference: days(30),
    running_bit: days(30),
    event: days(7),
    state: days(7),
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
export const recallSchema = z
  .strictObject({
    scales,
    lexicalWeight: z
      .number()
      .min(0)
      .max(50)
      .default(10)
      .describe("What words shared with the speaker's messages can add to a note's score."),
    topicWeight: z
      .number()
      .min(0)
      .max(10)
      .default(0.3)
      .describe("What a topic that the message or the category names adds to a note's score."),
    readFloor: z
      .number()
      .min(0)
      .max(1)
      .default(0.4)
      .describe("Notes of less confidence stand in no prompt."),
    loreTokens: z
      .int()
      .min(100)
      .max(8_000)
      .default(800)
      .describe("Upper limit of all that a prompt shows about the speaker, in tokens."),
    profilePlaces: z
      .int()
      .min(0)
      .max(10)
      .default(3)
      .describe("Places kept for who the speaker is and how they want to be treated."),
    newestPlaces: z
      .int()
      .min(0)
      .max(10)
      .default(0)
      .describe(
        "Places kept for what was told or confirmed last, whatever is asked; all but one go to what fits a question better. Where no note has a word of the message, one place is the newest's anyway.",
      ),
    perKindMax: z
      .int()
      .min(1)
      .max(50)
      .default(5)
      .describe("Notes of one kind beyond so many come after all others."),
    rerank: z
      .preprocess((mode) => (mode === RETIRED_RERANK ? "off" : mode), z.enum(RERANK_MODES))
      .default("off")
      .describe("Whether a model puts the speaker's notes in order: one more call for each reply."),
  })
  .prefault({});
