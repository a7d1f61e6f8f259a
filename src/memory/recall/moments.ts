// Pure: values in, values out.
import type { MomentKind, StoredMoment } from "../../chat/moment-store.ts";
import momentWords from "../../language/data/moments.json" with { type: "json" };
import { foldWords } from "./query.ts";
import type { KnownItem } from "./related.ts";

/** Something that Twitch reported of the speaker, as a phrase without their name. */
export interface OwnMoment {
  readonly text: string;
  readonly atMs: number;
}

const OWN_MOMENTS_MAX = 3;

/**
 * Describes the latest moments, at most three, one of each kind: all subs are one kind, and so are all gifts. Leaves out
 * announcements. `moments` are newest first.
 */
export function describeOwnMoments(moments: readonly StoredMoment[]): OwnMoment[] {
  const latest = new Map<string, OwnMoment>();
  for (const moment of moments) {
    const text = describeMoment(moment);
    // The verb names the kind.
    const verb = text?.split(" ")[0] ?? "";
    if (text !== null && !latest.has(verb)) latest.set(verb, { text, atMs: moment.atMs });
  }
  return [...latest.values()].slice(0, OWN_MOMENTS_MAX);
}

/**
 * Returns moments of the channel as items that a message may ask for. Leaves out announcements, and viewers for whom
 * `nameOf` is null.
 */
export function listKnownMoments(
  moments: readonly StoredMoment[],
  nameOf: (userId: string) => string | null,
): KnownItem[] {
  return moments.flatMap(({ id, kind, amount, userId, atMs }) => {
    const name = nameOf(userId);
    const [phrase, words] = PHRASES[kind](amount);
    if (name === null || phrase === null) return [];
    const text = `${name} ${phrase}`;
    return [{ kind: "moment", id, text, words: [...words, ...foldWords(name)], atMs }];
  });
}

/** Returns what others may read of a moment, without the viewer's name; null for an announcement. */
export function describeMoment({ kind, amount }: StoredMoment): string | null {
  return PHRASES[kind](amount)[0];
}

/**
 * The words by which messages ask for moments, as they are written or stemmed. "bits" but not "bit": "a bit of advice"
 * asks for no cheer.
 */
const WORDS = {
  raid: listWords(momentWords.raid),
  sub: listWords(momentWords.sub),
  gift: [...listWords(momentWords.gift), "sub"],
  streak: listWords(momentWords.streak),
  cheer: listWords(momentWords.cheer),
};

function listWords(byLanguage: Readonly<Record<string, string>>): readonly string[] {
  return foldWords(Object.values(byLanguage).join(" "));
}

/** The phrase of a moment, null if none is shown, and the words by which a message asks for it. No bits, no money. */
const PHRASES: Readonly<
  Record<
    MomentKind,
    (amount: number | null) => readonly [phrase: string | null, words: readonly string[]]
  >
> = {
  raid: (count) => [`raided with ${countNoun(count, "viewer")}`, WORDS.raid],
  sub: (months) => [`subscribed for ${countNoun(months, "month")}`, WORDS.sub],
  resub: (months) => [`subscribed for ${countNoun(months, "month")}`, [...WORDS.sub, "resub"]],
  gift: () => ["gifted a sub", WORDS.gift],
  mystery_gift: (count) => [`gifted ${countNoun(count, "sub")}`, WORDS.gift],
  streak: (count) => [`watched ${countNoun(count, "stream")} in a row`, WORDS.streak],
  announcement: () => [null, []],
  cheer: () => ["cheered", WORDS.cheer],
};

/** Returns "1 sub", "5 subs", or "some subs" if the count is unknown (null). */
function countNoun(count: number | null, noun: string): string {
  if (count === null) return `some ${noun}s`;
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
