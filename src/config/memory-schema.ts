// Pure: values in, values out.

import { z } from "zod";
import { NOTE_KIND_NAMES, NOTE_SCOPES } from "../catalogue/note-kinds.ts";
import { choice, number, whole } from "./fields.ts";
import { MEMORY_MODES, MEMORY_SCOPES, RERANK_MODES, TOPIC_MODES } from "./names.ts";

/** Settings for the notes in a prompt. */
const recallSchema = z
  .strictObject({
    readFloor: number(0, 1, 0.4).describe("Prompts leave out notes with less confidence."),
    loreTokens: whole(100, 8_000, 800).describe(
      "The most tokens that a prompt spends on notes about the speaker.",
    ),
    rerank: choice(RERANK_MODES, "off").describe(
      "on: a model orders the speaker's notes, with one more call of at most 1.5 s for each reply. Useful if people ask in another language than they told things in.",
    ),
  })
  .prefault({});

const caps = z
  .strictObject({
    viewerNotes: whole(1, 500, 50).describe(
      "Active notes about one viewer. Beyond it the least important is removed.",
    ),
    channelNotes: whole(1, 1_000, 200).describe(
      "Active notes about the channel and its jokes, without those that you write.",
    ),
    perViewerAndStream: whole(1, 500, 10).describe("New notes about one viewer in one stream."),
    perChannelAndStream: whole(1, 1_000, 20).describe("New notes about the channel in one stream."),
    perBitAndStream: whole(1, 1_000, 10).describe("New running jokes in one stream."),
  })
  .prefault({})
  .describe("How much the bot remembers. Beyond a cap the least important note is removed.");

/** A memory policy. */
export const policySchema = z.strictObject({
  mode: choice(MEMORY_MODES, "auto").describe(
    "auto uses a learned note at once; manual waits for your approval; shadow stores it and does not use it; off learns nothing and asks no model.",
  ),
  compactionSeconds: number(1, 3_600, 180).describe("Pause between two summaries of chat."),
  noteSeconds: number(0, 3_600, 600).describe(
    "How long a summary waits, so that notes are made from several summaries at once.",
  ),
  personaScope: choice(MEMORY_SCOPES, "shared").describe(
    "persona: each persona has notes of its own; shared: they share them.",
  ),
  scopes: z
    .array(z.enum(NOTE_SCOPES))
    .default([...NOTE_SCOPES])
    .describe("What notes may be about: a viewer, the channel, or a running joke (bit)."),
  kinds: z
    .array(z.enum(NOTE_KIND_NAMES))
    .default([...NOTE_KIND_NAMES])
    .describe("Which kinds of notes the bot stores."),
  approvalKinds: z
    .array(z.enum(NOTE_KIND_NAMES))
    .default([])
    .describe("Kinds of notes that always wait for your approval."),
  caps,
  topics: choice(TOPIC_MODES, "add").describe(
    "add: topics of the conversation raise a note; strict: notes on other topics are left out, except wishes and notes without a topic.",
  ),
  recall: recallSchema,
});

export type MemoryPolicy = z.output<typeof policySchema>;
/** Settings that choose the notes in a prompt. */
export type RecallPolicy = MemoryPolicy["recall"];
/** Settings of memory: what it stores, and how much. */
export const memorySchema = policySchema.prefault({});
