import { type Cast, type CastMember, CHATTERS } from "./cast.ts";
import type { ScriptLine, ScriptSpeaker } from "./lines.ts";
import type { Random } from "./random.ts";

/** What a scene is played with. */
export interface Stage {
  readonly cast: Cast;
  /** Number of the stream, from 1. */
  readonly stream: number;
  readonly botName: string;
  readonly random: Random;
  /** Fills a template as this person would say it at that time (ms since the rehearsal began). */
  fill(template: string, person: CastMember, atMs: number): string;
}

type Extra = NonNullable<ScriptLine[2]>;

/**
 * Plays lines from `startMs` on; the parts a, b and c go to three regulars who have no other. Labels are made unique by
 * `startMs` and a draw, so the same lines can be played again.
 */
export function play(lines: readonly ScriptLine[], startMs: number, stage: Stage): Draft[] {
  const { cast, random, stream, botName } = stage;
  const scope = `${stream}:${startMs}:${random.int(0, 0x7fffffff)}`;
  const taken = new Set<string>(lines.map(([who]) => who));
  const free = random.shuffled(CHATTERS.filter((key) => !taken.has(key)));
  const personOf = (who: ScriptSpeaker): CastMember =>
    cast[who === "a" || who === "b" || who === "c" ? (free["abc".indexOf(who)] ?? "papaya") : who];
  const authors = new Map<string, CastMember>();
  let atMs = startMs;
  return lines.map(([who, template, extra = {}], index) => {
    const gapMs = extra.after === undefined ? random.int(1_500, 4_500) : extra.after * 1_000;
    if (index > 0 || extra.after !== undefined) atMs += Math.round(gapMs);
    const person = personOf(who);
    if (extra.as !== undefined) authors.set(extra.as, person);
    const said = stage.fill(template, person, atMs);
    const text = `${threadPrefix(extra, authors, botName)}${said}`;
    const label = extra.as === undefined ? {} : { label: `${scope}:${extra.as}` };
    const deed = deedOf(extra, { person, text }, { scope, authors, stage });
    return { ...deed, ...label, atMs, stream };
  });
}

/** Somebody writes a plain line, to nobody in particular. */
export function plainLine(person: CastMember, text: string, stage: Stage, atMs: number): Draft {
  const { stream } = stage;
  return { kind: "message", person, text, addressed: null, replyTo: null, atMs, stream };
}

function deedOf(
  { deed, ...extra }: Extra,
  said: Said,
  scene: {
    readonly scope: string;
    readonly authors: ReadonlyMap<string, CastMember>;
    readonly stage: Stage;
  },
): Deed<string> {
  const { scope, authors, stage } = scene;
  if (deed === undefined) {
    const replyTo = extra.re === undefined ? null : `${scope}:${extra.re}`;
    const proves = extra.proves === undefined ? {} : { proves: extra.proves };
    const addressed = addressOf(said.text, extra, stage.botName);
    return { kind: "message", ...said, addressed, replyTo, ...proves };
  }
  switch (deed.kind) {
    case "action":
    case "announcement":
      return { ...deed, ...said, addressed: addressOf(said.text, extra, stage.botName) };
    case "reply_to_bot":
      return { ...deed, ...said, addressed: "reply" };
    case "cheer":
    case "sub":
      return { ...deed, ...said };
    case "gift":
      return {
        kind: "gift",
        person: said.person,
        recipients: deed.recipients.map((key) => stage.cast[key]),
      };
    case "timeout":
      return { kind: "timeout", person: stage.cast[deed.whom], seconds: deed.seconds };
    case "ban":
      return { kind: "ban", person: stage.cast[deed.whom] };
    case "delete": {
      const person = authors.get(deed.line) ?? said.person;
      return { kind: "delete", person, target: `${scope}:${deed.line}` };
    }
    case "title":
      return { ...deed, title: said.text };
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
  if (text.startsWith("!ask ")) return "command";
  const lower = text.toLowerCase();
  const name = botName.toLowerCase();
  if (lower.trim() === `@${name}`) return "bare";
  if (lower.includes(`@${name}`)) return "mention";
  const asWord = lower.split(/[^\p{L}\p{N}_]+/u).includes(name);
  return asWord ? "name" : null;
}

/** How a line speaks to the bot; null on a line that does not, also where it only talks about it. */
type Address = "mention" | "name" | "reply" | "command" | "bare" | "continuation";

/**
 * What a line is there to show: a question that a note answers, one that none answers any more, or an order that must
 * come to nothing.
 */
export type Proof = NonNullable<Extra["proves"]>;

interface Said {
  readonly person: CastMember;
  /** May be empty where somebody subscribes. */
  readonly text: string;
}

interface Addressed extends Said {
  readonly addressed: Address | null;
}

/** What happens. `Ref` names an earlier beat: its index in a finished script. `person` is whom it happens to. */
type Deed<Ref> =
  | (Addressed & {
      readonly kind: "message";
      /** The message this one is a threaded reply to. Its text then begins with that person's @name, as Twitch's does. */
      readonly replyTo: Ref | null;
      readonly proves?: Proof;
    })
  /** `reply_to_bot` answers the bot's latest message; its text begins with the bot's @name. */
  | (Addressed & { readonly kind: "action" | "announcement" | "reply_to_bot" })
  | (Said & { readonly kind: "cheer"; readonly bits: number })
  | (Said & { readonly kind: "sub"; readonly months: number })
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
  const indexOf = new Map<string, number>();
  const find = (label: string): number => {
    const index = indexOf.get(label);
    if (index === undefined) throw new RangeError(`no earlier line is called ${label}`);
    return index;
  };
  const inOrder = drafts.toSorted((a, b) => a.atMs - b.atMs);
  return inOrder.map(({ label, ...draft }, index): Beat => {
    if (label !== undefined) indexOf.set(label, index);
    switch (draft.kind) {
      case "message":
        return { ...draft, replyTo: draft.replyTo === null ? null : find(draft.replyTo), index };
      case "delete":
        return { ...draft, target: find(draft.target), index };
      default:
        return { ...draft, index };
    }
  });
}
