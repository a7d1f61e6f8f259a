import { z } from "zod";
import { CAST_KEYS } from "./cast.ts";
import long from "./data/long-rehearsal.json" with { type: "json" };
import evenings from "./data/two-evenings.json" with { type: "json" };

const key = z.enum(CAST_KEYS);
/** Who says a line: one of the cast, or a part that any regular may take. */
const speaker = z.enum([...CAST_KEYS, "a", "b", "c"]);

const deed = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.enum(["action", "announcement", "reply_to_bot"]) }),
  z.strictObject({ kind: z.literal("cheer"), bits: z.int() }),
  z.strictObject({ kind: z.literal("sub"), months: z.int() }),
  z.strictObject({ kind: z.literal("gift"), recipients: z.array(key) }),
  z.strictObject({ kind: z.literal("timeout"), whom: key, seconds: z.int() }),
  z.strictObject({ kind: z.literal("ban"), whom: key }),
  z.strictObject({ kind: z.literal("delete"), line: z.string() }),
  z.strictObject({ kind: z.literal("title"), category: z.string() }),
]);

const proof = z.discriminatedUnion("kind", [
  /** The answer has these words, and so has the note that it comes from. */
  z.strictObject({ kind: z.literal("memory"), words: z.string() }),
  z.strictObject({ kind: z.literal("order") }),
  /** The answer has none of these words, for nothing is known any more. */
  z.strictObject({ kind: z.literal("forgotten"), words: z.string() }),
]);

const extra = z.strictObject({
  /** Seconds since the line before; by default 1.5 to 4.5. */
  after: z.number().exactOptional(),
  /** Name of this line, for others of its scene to refer to. */
  as: z.string().exactOptional(),
  /** Name of the earlier line that this one is a threaded reply to. */
  re: z.string().exactOptional(),
  /** Goes on talking to the bot without naming it. */
  goesOn: z.literal(true).exactOptional(),
  /** Anything but a plain message. `who` is then the one who does it. */
  deed: deed.exactOptional(),
  proves: proof.exactOptional(),
});

/** A line of data: who, what, and what is special about it. Its text is a template (see template.ts). */
const line = z.union([z.tuple([speaker, z.string()]), z.tuple([speaker, z.string(), extra])]);
const lines = z.array(line);
const scene = z.strictObject({
  /** Seconds since the stream began. */
  at: z.number(),
  lines,
});
const texts = z.array(z.string());
const slots = z.record(z.string(), z.union([z.string(), texts]));

const mood = z.enum(["open", "explore", "boss", "raid", "break", "lull", "turnips", "end"]);
/** A mood and its seconds; in a fight the boss, and whether it is won. */
const part = z.union([
  z.tuple([mood, z.number()]),
  z.tuple([mood, z.number(), z.string(), z.boolean()]),
]);

const lists = {
  /** What always happens in the first streams, by the clock. Seconds are for the plan of twelve minutes. */
  ...all(["firstStream", "secondStream"], z.array(scene)),
  ...all(["firstEnding", "secondEnding", "turnips"], lines),
  ...all(["aboutTheBot", "otherLanguages", "talks"], z.array(lines)),
  ...all(["firstAsks", "secondAsks", "firstFacts", "secondFacts"], z.array(lines)),
  ...all(["talkSlots", "gameSlots", "raidSlots"], slots),
  ...all(["bosses", "bossFight", "break", "death", "emotes", "fall", "goodbye", "idle"], texts),
  ...all(["offline", "turnipTalk", "victory"], texts),
  ...all(["raiderBacks", "raiderFronts", "raidShouts", "raidWelcomes"], texts),
};

/** What a template is filled with, and what people say, in the rehearsal of any length. */
const longSchema = z.strictObject({
  category: z.string(),
  /** What the first streams go through, each. */
  parts: z.array(z.array(part)),
  firstTitle: z.string(),
  secondTitle: z.string(),
  ...lists,
});

/** These keys, each of the same shape. */
function all<Key extends string, Shape>(keys: readonly Key[], shape: Shape) {
  return Object.fromEntries(keys.map((one) => [one, shape])) as Record<Key, Shape>;
}

const eveningsSchema = z.strictObject({
  streams: z.array(z.strictObject({ title: z.string(), category: z.string(), lines })),
});

export type Mood = z.output<typeof mood>;
export type ScriptSpeaker = z.output<typeof speaker>;
export type ScriptLine = z.output<typeof line>;

export const LONG = longSchema.parse(long);
export const EVENINGS = eveningsSchema.parse(evenings);
