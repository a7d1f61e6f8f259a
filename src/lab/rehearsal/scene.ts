import type { Cast, CastMember, PersonKey } from "./cast.ts";
import type { ScriptLine, ScriptSpeaker } from "./lines.ts";
import type { Random } from "./random.ts";

/** What a scene is played with. */
export interface Stage {
  readonly cast: Cast;
  readonly stream: number;
  readonly botName: string;
  readonly random: Random;
  /** Fills a template as this person would say it at that time (ms since the rehearsal began). */
  fill(template: string, person: CastMember, atMs: number): string;
}

type Extra = NonNullable<ScriptLine[2]>;

/**
 * Plays lines from `startMs` on. Labels are made unique by `startMs` and a draw, so the same lines can be
 * played again. A RangeError if a part (`a`, `b`, `c`) has no player in `parts`.
 */
export function play(
  lines: readonly ScriptLine[],
  startMs: number,
  stage: Stage,
  parts: Readonly<Partial<Record<"a" | "b" | "c", PersonKey>>> = {},
): Draft[] {
  const scope = `${stage.stream}:${startMs}:${stage.random.int(0, 0x7fffffff)}`;
  const authors = new Map<string, CastMember>();
  let atMs = startMs;
  return lines.map(([who, template, extra = {}], index) => {
    const gapMs = extra.after === undefined ? stage.random.int(1_500, 4_500) : extra.after * 1_000;
    if (index > 0 || extra.after !== undefined) atMs += Math.round(gapMs);
    const person = personOf(who, stage.cast, parts);
    if (extra.as !== undefined) authors.set(extra.as, person);
    const said = stage.fill(template, person, atMs);
    const text = `${threadPrefix(extra, authors, stage.botName)}${said}`;
    const label = extra.as === undefined ? {} : { label: `${scope}:${extra.as}` };
    const deed = deedOf(extra, { person, text }, { scope, authors, stage });
    return { ...deed, ...label, atMs, stream: stage.stream };
  });
}

function deedOf(
  extra: Extra,
  { person, text }: { readonly person: CastMember; readonly text: string },
  scene: {
    readonly scope: string;
    readonly authors: ReadonlyMap<string, CastMember>;
    readonly stage: Stage;
  },
): Deed<string> {
  const { scope, authors, stage } = scene;
  const { deed } = extra;
  const addressed = addressOf(text, extra, stage.botName);
  if (deed === undefined) {
    const replyTo = extra.re === undefined ? null : `${scope}:${extra.re}`;
    const proves = extra.proves === undefined ? {} : { proves: extra.proves };
    return { kind: "message", person, text, addressed, replyTo, ...proves };
  }
  switch (deed.kind) {
    case "action":
    case "announcement":
    case "reply_to_bot":
      return { kind: deed.kind, person, text, addressed };
    case "cheer":
      return { kind: "cheer", person, text, bits: deed.bits };
    case "sub":
      return { kind: "sub", person, text, months: deed.months };
    case "gift":
      return { kind: "gift", person, recipients: deed.recipients.map((key) => stage.cast[key]) };
    case "timeout":
      return { kind: "timeout", person: stage.cast[deed.whom], seconds: deed.seconds };
    case "ban":
      return { kind: "ban", person: stage.cast[deed.whom] };
    case "delete":
      return {
        kind: "delete",
        person: authors.get(deed.line) ?? person,
        target: `${scope}:${deed.line}`,
      };
    case "title":
      return { kind: "title", title: text, category: deed.category };
  }
}

/** Twitch puts the name of the one answered in front of a threaded reply. */
function threadPrefix(
  extra: Extra,
  authors: ReadonlyMap<string, CastMember>,
  botName: string,
): string {
  if (extra.deed?.kind === "reply_to_bot") return `@${botName} `;
  const parent = extra.re === undefined ? undefined : authors.get(extra.re);
  return parent === undefined ? "" : `@${parent.displayName} `;
}

function addressOf(text: string, extra: Extra, botName: string): Address | null {
  if (extra.goesOn === true) return "continuation";
  if (extra.deed?.kind === "reply_to_bot") return "reply";
  if (text.startsWith("!ask ")) return "command";
  const lower = text.toLowerCase();
  const name = botName.toLowerCase();
  if (lower.trim() === `@${name}`) return "bare";
  if (lower.includes(`@${name}`)) return "mention";
  const asWord = lower.split(/[^\p{L}\p{N}_]+/u).includes(name);
  return asWord ? "name" : null;
}

function personOf(
  who: ScriptSpeaker,
  cast: Cast,
  parts: Readonly<Partial<Record<"a" | "b" | "c", PersonKey>>>,
): CastMember {
  if (who !== "a" && who !== "b" && who !== "c") return cast[who];
  const key = parts[who];
  if (key === undefined) throw new RangeError(`nobody plays ${who}`);
  return cast[key];
}

/** How a line speaks to the bot; null on a line that does not, also where it only talks about it. */
type Address = "mention" | "name" | "reply" | "command" | "bare" | "continuation";

/**
 * What a line is there to show: a question that a note answers, one
 * that none answers any more, or an order that must come to nothing.
 */
export type Proof =
  | { readonly kind: "memory" | "forgotten"; readonly words: string }
  | { readonly kind: "order" };

/** What happens. `Ref` names an earlier beat: its index in a finished script. `person` is whom it happens to. */
type Deed<Ref> =
  | {
      readonly kind: "message";
      readonly person: CastMember;
      readonly text: string;
      readonly addressed: Address | null;
      /** The message this one is a threaded reply to. Its text then begins with that person's @name, as Twitch's does. */
      readonly replyTo: Ref | null;
      readonly proves?: Proof;
    }
  | {
      /** `reply_to_bot` answers the bot's latest message; its text begins with the bot's @name. */
      readonly kind: "action" | "announcement" | "reply_to_bot";
      readonly person: CastMember;
      readonly text: string;
      readonly addressed: Address | null;
    }
  | {
      readonly kind: "cheer";
      readonly person: CastMember;
      readonly text: string;
      readonly bits: number;
    }
  /** `text` may be empty. */
  | {
      readonly kind: "sub";
      readonly person: CastMember;
      readonly text: string;
      readonly months: number;
    }
  | {
      readonly kind: "gift";
      readonly person: CastMember;
      readonly recipients: readonly CastMember[];
    }
  | { readonly kind: "raid"; readonly person: CastMember; readonly viewers: number }
  | { readonly kind: "timeout"; readonly person: CastMember; readonly seconds: number }
  | { readonly kind: "ban"; readonly person: CastMember }
  /** `person` wrote the message that is deleted. */
  | { readonly kind: "delete"; readonly person: CastMember; readonly target: Ref }
  | { readonly kind: "live" | "title"; readonly title: string; readonly category: string }
  | { readonly kind: "offline" };

/** One thing that happens in the simulated channel. */
export type Beat = Deed<number> & {
  /** Position in the script, from 0. */
  readonly index: number;
  /** Milliseconds since the rehearsal began; never less than the beat before. */
  readonly atMs: number;
  /** Number of the stream, from 1; the time after a stream belongs to it. */
  readonly stream: number;
};

/** A beat before its place in the script is known: it may carry a label, and refers to others by theirs. */
export type Draft = Deed<string> & {
  readonly atMs: number;
  readonly stream: number;
  readonly label?: string;
};

/**
 * Puts drafts in order of time (those of one moment in the order given) and turns labels into indexes.
 * A RangeError if a reference does not point at an earlier beat: that is a mistake in the lines.
 */
export function toBeats(drafts: readonly Draft[]): Beat[] {
  const ordered = drafts.toSorted((a, b) => a.atMs - b.atMs);
  const indexOf = new Map<string, number>();
  return ordered.map((draft, index) => {
    const { label, ...deed } = draft;
    if (label !== undefined) indexOf.set(label, index);
    return { ...resolved(deed, indexOf), atMs: deed.atMs, stream: deed.stream, index };
  });
}

function resolved(deed: Deed<string>, indexOf: ReadonlyMap<string, number>): Deed<number> {
  switch (deed.kind) {
    case "message":
      return { ...deed, replyTo: deed.replyTo === null ? null : find(deed.replyTo, indexOf) };
    case "delete":
      return { ...deed, target: find(deed.target, indexOf) };
    default:
      return deed;
  }
}

function find(label: string, indexOf: ReadonlyMap<string, number>): number {
  const index = indexOf.get(label);
  if (index === undefined) throw new RangeError(`no earlier line is called ${label}`);
  return index;
}
