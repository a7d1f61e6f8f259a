import evenings from "./data/two-evenings.json" with { type: "json" };
import { REHEARSAL_BOT } from "./data-folder.ts";
import { makeMessageKey, type RecordedFact, type Recording } from "./recorded-model.ts";

/** Proof that a line gives: an answer from memory, none after a forget, or an order that is refused. */
export type Proof =
  /** The answer and a note contain these words; `moment`: the answer and Twitch's report contain this number. */
  | Readonly<{ kind: "memory" | "moment"; words: string }>
  /** Neither the answer nor a note contains these words. */
  | Readonly<{ kind: "forgotten"; words: string }>
  | Readonly<{ kind: "order" }>;

interface Line {
  /** Key of `people`. */
  readonly who: string;
  /** `{bot}` and `{gus}` become display names. */
  readonly text: string;
  /** Seconds since the line before, or since the stream began. */
  readonly after: number;
  readonly isAction?: true;
  /** They raid with this number of viewers, and write nothing. */
  readonly raiders?: number;
  /** Key of `facts`. */
  readonly tells?: string;
  /** Recorded answer. A key of `facts` in braces becomes the number of its note. */
  readonly answer?: string;
  readonly proves?: Proof;
}

const { people, facts, streams } = evenings as {
  /** The login is the display name in lower case. Badges are as on the wire: `moderator/1,subscriber/12`. */
  people: Readonly<Record<string, Record<"userId" | "displayName" | "color" | "badges", string>>>;
  facts: Readonly<Record<string, Omit<RecordedFact, "key" | "isToldBy">>>;
  /** The topic, summary and recap are the recorded model's texts about the stream. */
  streams: readonly (Record<"title" | "category" | "topic" | "summary" | "recap", string> & {
    readonly lines: readonly Line[];
  })[];
};

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
  /** Milliseconds since the demo began. */
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
  | { readonly kind: "raid"; readonly person: CastMember; readonly raiders: number }
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
 * Returns the demo's script: viewers mention facts on the first evening and ask for them on the second. The beats are
 * the same every time.
 */
export function makeEvenings(): readonly Beat[] {
  const beats: Beat[] = [];
  let atMs = 0;
  for (const [n, { title, category, lines }] of streams.entries()) {
    const stream = n + 1;
    beats.push({ kind: "live", title, category, index: beats.length, atMs, stream });
    for (const { who, text: template, after, isAction, raiders, proves } of lines) {
      atMs += Math.round(after * 1_000);
      const at = { index: beats.length, atMs, stream };
      const person = findCastMember(who);
      if (raiders !== undefined) {
        beats.push({ kind: "raid", person, raiders, ...at });
        continue;
      }
      const text = fillCastNames(template);
      beats.push({
        kind: isAction === true ? "action" : "message",
        person,
        text,
        isToBot: text.includes(`@${REHEARSAL_BOT}`),
        ...(proves && { proves }),
        ...at,
      });
    }
    atMs += ENDING_MS;
    beats.push({ kind: "offline", index: beats.length, atMs, stream });
  }
  return beats;
}

/** Returns the facts, summaries and replies of the recorded model for the script. */
export function makeRecording(): Recording {
  const lines = streams.flatMap((stream) => stream.lines);
  const toKey = (text: string) => makeMessageKey(fillCastNames(text));
  return {
    facts: Object.entries(facts).map(([key, fact]) => {
      const factLines = lines.filter(({ tells }) => tells === key).map(({ text }) => toKey(text));
      return { ...fact, key, isToldBy: (text) => factLines.includes(makeMessageKey(text)) };
    }),
    streams: streams.map(({ lines: said, ...stream }) => {
      const keys = new Set(said.map(({ text }) => toKey(text)));
      return { ...stream, has: (text: string) => keys.has(makeMessageKey(text)) };
    }),
    replies: lines.flatMap(({ text, answer, proves }) => {
      if (answer === undefined) return [];
      const isFromMemory = proves?.kind === "memory" || proves?.kind === "moment";
      const needs = isFromMemory ? proves.words : null;
      const forbids = proves?.kind === "forgotten" ? proves.words : null;
      return [{ to: toKey(text), text: fillCastNames(answer), needs, forbids }];
    }),
  };
}

/** Replaces `{bot}` with the bot's login, and a key of the cast in braces with the display name. Other braces stay. */
function fillCastNames(template: string): string {
  return template.replaceAll(/\{(\w+)\}/gu, (braces, key: string) =>
    key === "bot" ? REHEARSAL_BOT : (CAST[key]?.displayName ?? braces),
  );
}

/** Returns a member of the cast by key. Throws a RangeError if there is none. */
export function findCastMember(key: string): CastMember {
  const person = CAST[key];
  if (person === undefined) throw new RangeError(`nobody of the cast is called ${key}`);
  return person;
}
