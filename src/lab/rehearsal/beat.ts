import type { Person } from "./cast.ts";

/** How a line speaks to the bot; null on a line that does not, also where it only talks about it. */
export type Address = "mention" | "name" | "reply" | "command" | "bare" | "continuation";

/**
 * What a line is there to show: a question that a note answers, one
 * that none answers any more, or an order that must come to nothing.
 */
export type Proof =
  | { readonly kind: "memory" | "forgotten"; readonly words: string }
  | { readonly kind: "order" };

/** What happens. `Ref` names an earlier beat: its index in a finished script. */
type Deed<Ref> =
  | Message<Ref>
  | Spoken
  | Cheer
  | Subscription
  | Gift
  | Raid
  | Timeout
  | Ban
  | Deletion<Ref>
  | ChannelChange
  | Offline;

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

interface Message<Ref> {
  readonly kind: "message";
  readonly person: Person;
  readonly text: string;
  readonly addressed: Address | null;
  /** The message this one is a threaded reply to. Its text then begins with that person's @name, as Twitch's does. */
  readonly replyTo: Ref | null;
  readonly proves?: Proof;
}

/** `reply_to_bot` answers the bot's latest message; its text begins with the bot's @name, so it works as a plain one too. */
interface Spoken {
  readonly kind: "action" | "announcement" | "reply_to_bot";
  readonly person: Person;
  readonly text: string;
  readonly addressed: Address | null;
}

interface Cheer {
  readonly kind: "cheer";
  readonly person: Person;
  readonly text: string;
  readonly bits: number;
}

/** `text` may be empty. */
interface Subscription {
  readonly kind: "sub";
  readonly person: Person;
  readonly text: string;
  readonly months: number;
}

interface Gift {
  readonly kind: "gift";
  readonly person: Person;
  readonly recipients: readonly Person[];
}

interface Raid {
  readonly kind: "raid";
  readonly person: Person;
  readonly viewers: number;
}

/** `person` is whom it happens to. */
interface Timeout {
  readonly kind: "timeout";
  readonly person: Person;
  readonly by: Person;
  readonly seconds: number;
}

interface Ban {
  readonly kind: "ban";
  readonly person: Person;
  readonly by: Person;
}

/** `person` wrote the message that is deleted. */
interface Deletion<Ref> {
  readonly kind: "delete";
  readonly person: Person;
  readonly by: Person;
  readonly target: Ref;
}

interface ChannelChange {
  readonly kind: "live" | "title";
  readonly title: string;
  readonly category: string;
}

interface Offline {
  readonly kind: "offline";
}

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
