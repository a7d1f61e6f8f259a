// Pure: values in, values out.

import { NOTE_SCALE_DAYS } from "../../platform/config/names.ts";
import type { Query } from "./query-terms.ts";

/** What is kept of a note about a person, as far as ranking asks. */
export interface LoreRow {
  readonly id: number;
  readonly kind: string;
  readonly fact: string;
  readonly topics: string;
  /** Normalised, with spaces between them. */
  readonly words: string;
  readonly confidence: number;
  readonly pinned: number;
  readonly lastConfirmedAtMs: number;
  readonly importance: number;
  readonly expiresAtMs: number | null;
  readonly createdAtMs: number;
}

interface Weights {
  readonly nowMs: number;
  /** How many notes a prompt shows: the places that there are to give. */
  readonly shown: number;
  /** Whether only wishes are shown, notes without a topic, and those on one that was talked of. */
  readonly isStrict: boolean;
}

interface OnScales {
  readonly row: LoreRow;
  readonly base: number;
  readonly topic: number;
  readonly isOnTopic: boolean;
  /** Whether it has a word of the message itself. */
  readonly isAsked: boolean;
  /** Terms that its words have, each with how well they fit. */
  readonly hits: ReadonlyMap<number, number>;
  lexical: number;
  score: number;
  place: number;
}

/** Whose kinds have places of their own. Design part 6, Recall. */
const WHO_KINDS: ReadonlySet<string> = new Set(["profile", "constraint"]);
/** Places for who the speaker is and how they want to be treated. */
const WHO_PLACES = 3;
/** Notes of one kind beyond so many come after all others. */
const OF_KIND_MAX = 5;
/** The most that words shared with the message add to a score, and a topic. */
const WORDS_WEIGHT = 10;
const TOPIC_WEIGHT = 0.3;
/** No place yet. */
const OPEN = -1;
/** Why a note stands where it does. */
export const PLACES = {
  /** One of the places kept for who the speaker is. */
  kept: 0,
  best: 1,
  /** Behind the best. */
  next: 2,
  /** Beyond what a prompt wants of one kind. */
  tooMany: 3,
  /** Among the best, in a place kept for the newest. */
  newest: 4,
  /** A newer note says nearly the same. */
  repeated: 5,
} as const;

/** Which places come first; the best and the newest stand together, by score. */
const ORDER_OF_PLACES: readonly (readonly number[])[] = [
  [PLACES.kept],
  [PLACES.best, PLACES.newest],
  [PLACES.next],
  [PLACES.tooMany],
  [PLACES.repeated],
];

/**
 * All notes of one person, best first for what is asked. `rows` are those that were confirmed last first. How much a
 * word counts depends on all of them: the fewer have it, the more.
 */
export function rankLore(rows: readonly LoreRow[], query: Query, weights: Weights): LoreNote[] {
  const notes = rows.map((row) => weigh(row, query, weights));
  scoreWords(notes, query.terms);
  for (const note of repeated(notes)) note.place = PLACES.repeated;
  givePlaces(notes, weights);
  const best = [...notes].sort((one, other) => other.score - one.score);
  return ORDER_OF_PLACES.flatMap((places) =>
    best.filter(
      ({ place, isOnTopic }) => places.includes(place) && (isOnTopic || !weights.isStrict),
    ),
  ).map(asLore);
}

function weigh(row: LoreRow, query: Query, weights: Weights): OnScales {
  const hits = new Map<number, number>();
  let [topic, isSaid, isAsked] = [0, row.kind === "constraint", false];
  query.inWords(row.words, (term, strength) => {
    hits.set(term, Math.max(strength, hits.get(term) ?? 0));
    isAsked ||= query.terms[term]?.lexical === 1;
  });
  query.inTopics(row.topics, (term, strength) => {
    topic = Math.max(topic, strength * (query.terms[term]?.topic ?? 0));
    isSaid ||= query.terms[term]?.isSaid === true;
  });
  return {
    row,
    base: baseScore(row, weights),
    topic: TOPIC_WEIGHT * topic,
    isOnTopic: isSaid || row.topics === "",
    isAsked,
    hits,
    lexical: 0,
    score: 0,
    place: OPEN,
  };
}

/** Each term counts by how rare it is: 1 where one note of many has it, near 0 where all of them do. */
function scoreWords(notes: readonly OnScales[], terms: Query["terms"]): void {
  const notesWith = new Float64Array(terms.length);
  for (const { hits } of notes) {
    for (const term of hits.keys()) notesWith[term] = (notesWith[term] ?? 0) + 1;
  }
  const all = Math.log(1 + notes.length);
  const rarity = notesWith.map((count) => Math.log(1 + notes.length / count) / all);
  for (const note of notes) {
    let found = 0;
    for (const [term, fits] of note.hits) {
      found += (terms[term]?.lexical ?? 0) * fits * (rarity[term] ?? 0);
    }
    note.lexical = (WORDS_WEIGHT * found) / (found + 1);
    note.score = note.base + note.row.importance + note.lexical + note.topic;
  }
}

/** Of the older note's words so many stand in the newer one … */
const REPEATED_SHARE = 0.8;
/** … and of the newer one's as many in the older. */
const REPEATING_SHARE = 0.5;
/** What differs in a number is another fact. */
const NUMBER = /\p{N}/u;
/** A single word says too little to be told twice. */
const REPEATED_WORDS_MIN = 2;

/**
 * Notes that a newer one nearly repeats: a model that calls everything new must not crowd out the rest. One that
 * answers better than the newer stays, and what the streamer pinned. Counted by word, newest first, since comparing
 * each with each takes longer than all else here.
 */
function repeated(notes: readonly OnScales[]): OnScales[] {
  const newerWith = new Map<string, number[]>();
  const wordsOf = notes.map(
    ({ row }) => new Set(row.words.split(" ").filter((word) => word !== "")),
  );
  return notes.filter((note, at) => {
    const words = wordsOf[at] ?? new Set();
    const alike = newerLike(words, newerWith, at);
    if (words.size < REPEATED_WORDS_MIN || note.row.pinned !== 0) return false;
    return alike.some((newer) => {
      const others = wordsOf[newer] ?? new Set();
      const shared = [...words].filter((word) => others.has(word)).length;
      return (
        shared >= REPEATING_SHARE * others.size &&
        [...words].every((word) => !NUMBER.test(word) || others.has(word)) &&
        answers(note) <= answers(notes[newer])
      );
    });
  });
}

/** The newer notes that enough of a note's words stand in, by their number; enters the note for the older ones. */
function newerLike(
  words: ReadonlySet<string>,
  newerWith: Map<string, number[]>,
  at: number,
): readonly number[] {
  const enough = Math.ceil(REPEATED_SHARE * words.size);
  const counts = new Uint8Array(at);
  const alike: number[] = [];
  for (const word of words) {
    const newer = newerWith.get(word) ?? [];
    for (const one of newer) {
      const count = (counts[one] ?? 0) + 1;
      counts[one] = count;
      if (count === enough) alike.push(one);
    }
    newer.push(at);
    newerWith.set(word, newer);
  }
  return alike;
}

/** How much it says to what is asked. */
function answers(note: OnScales | undefined): number {
  return note === undefined ? 0 : note.lexical + note.topic;
}

/** Gives every note its place. What is asked for comes before what is new. */
function givePlaces(notes: readonly OnScales[], weights: Weights): void {
  const open = notes.filter(({ place }) => place === OPEN);
  const best = [...open].sort((one, other) => other.score - one.score);
  const who = best.filter(({ row }) => WHO_KINDS.has(row.kind)).slice(0, WHO_PLACES);
  for (const note of who) note.place = PLACES.kept;
  const others = open.filter(({ place }) => place === OPEN);
  // If no note has a word of the message, the newest one gets a place.
  const newest = open.some(({ isAsked }) => isAsked) ? [] : others.slice(0, 1);
  for (const note of newest) note.place = PLACES.newest;
  let taken = who.length + newest.length;
  const ofKind = new Map<string, number>();
  for (const note of best) {
    const count = (ofKind.get(note.row.kind) ?? 0) + 1;
    ofKind.set(note.row.kind, count);
    if (note.place !== OPEN) continue;
    const isTooMany = count > OF_KIND_MAX;
    if (isTooMany) note.place = PLACES.tooMany;
    else note.place = taken < weights.shown ? PLACES.best : PLACES.next;
    taken += Number(!isTooMany);
  }
}

function asLore({ row, base, topic, lexical, score, place }: OnScales): LoreNote {
  const { id, fact, topics, kind, importance, createdAtMs } = row;
  const terms = { base, importance, lexical, topic };
  return { id, fact, topics, createdAtMs, kind, score, place, terms };
}

/** What a note's score is made of; the four add up to it. */
export interface ScoreTerms {
  /** Confidence, less with the time since it was last confirmed. */
  readonly base: number;
  readonly importance: number;
  /** For words shared with what the speaker says; 0 for what does not depend on it. */
  readonly lexical: number;
  /** For topics that are talked of. */
  readonly topic: number;
}

/** A note as a prompt shows it. */
export interface RecalledNote {
  readonly id: number;
  readonly fact: string;
  readonly topics: string;
  readonly kind: string;
  readonly score: number;
  /** Since when it is known, epoch ms. */
  readonly createdAtMs: number;
  readonly terms?: ScoreTerms;
}

/** A note about the person who speaks, with what its place in the prompt rests on. */
export interface LoreNote extends RecalledNote {
  readonly terms: ScoreTerms;
  /** A number of `PLACES`; replies are recorded with it. */
  readonly place: number;
}

/** What a note's place says of it, by its number; empty where the score alone decided. */
export const PLACE_NAMES: readonly string[] = ["kept", "", "", "too many", "newest", "repeated"];

const DAY_MS = 86_400_000;

/**
 * A note's confidence, halved when `scale` days have passed since it was last confirmed. A kind that this program does
 * not know ages as a state does; what is pinned does not age. Design part 6, Recall.
 */
function baseScore(row: LoreRow, { nowMs }: Weights): number {
  if (row.pinned !== 0) return row.confidence;
  const daysOf: Readonly<Record<string, number>> = NOTE_SCALE_DAYS;
  const ageDays = Math.max(0, nowMs - row.lastConfirmedAtMs) / DAY_MS;
  return row.confidence / (1 + ageDays / (daysOf[row.kind] ?? NOTE_SCALE_DAYS.state));
}

/** How fast a chat is, in four tiers, the slowest first. */
export const PACES = ["quiet", "normal", "busy", "raid"] as const;
export type Pace = (typeof PACES)[number];

/** How many lines of each kind a prompt may ask for. The ladder alone trims what does not fit. */
export interface Depth {
  readonly lore: number;
  readonly own: number;
  readonly chat: number;
  readonly replies: number;
}

/** What of the channel's memory stands in each prefix, whatever the pace: two of its places are for running jokes. */
export const CHANNEL_NOTES = 5;
export const BIT_PLACES = 2;
export const EPISODES = 3;
/** Lines of other people that a prompt goes back for, however old, as long as they are kept. */
export const CHAT_LINES_MIN = 12;

/** Each from so many messages a minute on. A dead chat gets more memory; a raid gets more of the speaker's own lines. */
const TIERS: Readonly<Record<Pace, Depth & { readonly from: number }>> = {
  quiet: { from: 0, lore: 12, own: 5, chat: 30, replies: 5 },
  normal: { from: 5, lore: 10, own: 5, chat: 30, replies: 5 },
  busy: { from: 30, lore: 10, own: 6, chat: 30, replies: 5 },
  raid: { from: 150, lore: 8, own: 8, chat: 20, replies: 4 },
};

const HYSTERESIS = 0.2;

export const OWN_LINES_MAX = Math.max(...PACES.map((pace) => TIERS[pace].own));

/**
 * The tier for a number of messages a minute. A tier is entered or left only when the pace is 20 % beyond its border,
 * so that a chat on the border does not rebuild the prefix with every message.
 */
export function nextPace(current: Pace, perMinute: number): Pace {
  const at = PACES.indexOf(current);
  const reached = PACES.findLastIndex((pace) => perMinute >= TIERS[pace].from * (1 + HYSTERESIS));
  const held = PACES.findLastIndex((pace) => perMinute >= TIERS[pace].from * (1 - HYSTERESIS));
  return PACES[Math.min(Math.max(at, reached), held)] ?? "quiet";
}

export function depthOf(pace: Pace): Depth {
  return TIERS[pace];
}

/** The pace of each channel now, from its messages a minute; remembers the last tier, for hysteresis. */
export function paceReader(perMinute: (channel: string) => number): (channel: string) => Pace {
  const current = new Map<string, Pace>();
  return (channel) => {
    const pace = nextPace(current.get(channel) ?? "quiet", perMinute(channel));
    current.set(channel, pace);
    return pace;
  };
}
