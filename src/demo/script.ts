import { z } from "zod";
import evenings from "./data/two-evenings.json" with { type: "json" };

/** What a line demonstrates: an answer from a note, no answer after a forget, or an order that is not carried out. */
const proofSchema = z.discriminatedUnion("kind", [
  /** Both the answer and the note behind it contain these words. */
  z.strictObject({ kind: z.literal("memory"), words: z.string() }),
  z.strictObject({ kind: z.literal("order") }),
  /** The answer does not contain these words. */
  z.strictObject({ kind: z.literal("forgotten"), words: z.string() }),
]);

const { people, streams } = z
  .strictObject({
    people: z.record(
      z.string(),
      z.strictObject({
        userId: z.string(),
        /** The login is the same in lower case. */
        displayName: z.string(),
        color: z.string(),
        /** As on the wire: `moderator/1,subscriber/12`. */
        badges: z.string(),
      }),
    ),
    streams: z.array(
      z.strictObject({
        title: z.string(),
        category: z.string(),
        lines: z.array(
          z.strictObject({
            /** Key of `people`. */
            who: z.string(),
            /** `{bot}` and `{lag}` become display names. */
            text: z.string(),
            /** Seconds since the line before, or since the stream began. */
            after: z.number(),
            isAction: z.literal(true).exactOptional(),
            proves: proofSchema.exactOptional(),
          }),
        ),
      }),
    ),
  })
  .parse(evenings);

export type Proof = z.output<typeof proofSchema>;

/** A viewer, as Twitch describes one on every line. */
export interface CastMember {
  readonly userId: string;
  readonly login: string;
  readonly displayName: string;
  readonly color: string;
  readonly badges: string;
}

/** One thing that happens in the simulated channel. */
export type Beat = {
  /** Position in the script, from 0. */
  readonly index: number;
  /** Milliseconds since the rehearsal began. */
  readonly atMs: number;
  /** Number of the stream, from 1. */
  readonly stream: number;
} & (
  | {
      readonly kind: "message" | "action";
      readonly person: CastMember;
      readonly text: string;
      readonly isToBot: boolean;
      readonly proves?: Proof;
    }
  | { readonly kind: "live"; readonly title: string; readonly category: string }
  | { readonly kind: "offline" }
);

/** From the last line to the end of the stream: time for the last answer. */
const ENDING_MS = 2_500;

/** Everyone who appears, by key. The key of the channel's owner is `streamer`. */
export const CAST: Readonly<Record<string, CastMember>> = Object.fromEntries(
  Object.entries(people).map(([key, person]) => [
    key,
    { ...person, login: person.displayName.toLowerCase() },
  ]),
);

/**
 * Writes the rehearsal of two minutes: viewers tell the bot things in the first stream and ask for them in the second.
 * The beats are the same every time. Throws a RangeError if a line names nobody of the cast.
 */
export function writeEvenings(botName: string): readonly Beat[] {
  const beats: Beat[] = [];
  let atMs = 0;
  for (const [n, { title, category, lines }] of streams.entries()) {
    const stream = n + 1;
    beats.push({ kind: "live", title, category, index: beats.length, atMs, stream });
    for (const { who, text: template, after, isAction, ...proves } of lines) {
      atMs += Math.round(after * 1_000);
      const text = template.replaceAll(/\{(\w+)\}/gu, (_, key: string) =>
        key === "bot" ? botName : castMember(key).displayName,
      );
      beats.push({
        kind: isAction === true ? "action" : "message",
        person: castMember(who),
        text,
        isToBot: text.includes(`@${botName}`),
        ...proves,
        index: beats.length,
        atMs,
        stream,
      });
    }
    atMs += ENDING_MS;
    beats.push({ kind: "offline", index: beats.length, atMs, stream });
  }
  return beats;
}

function castMember(key: string): CastMember {
  const person = CAST[key];
  if (person === undefined) throw new RangeError(`nobody of the cast is called ${key}`);
  return person;
}
