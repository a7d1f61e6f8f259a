// Pure: values in, values out.

import { NOTE_KIND_LIST } from "../../catalogue/note-kinds.ts";
import { readTopicStems } from "../../language/stems.ts";
import { addPlace, foldWords, type Places, type Query, scoreWords } from "./query.ts";

/** A stored note about a viewer, with the score that does not depend on any message. */
export interface LoreRow {
  readonly id: number;
  readonly kind: string;
  readonly fact: string;
  readonly topics: string;
  /** Normalised words of fact and topics, separated by spaces. */
  readonly words: string;
  /** Confidence / (1 + age in days / scale of the kind). A pinned note has no age. */
  readonly base: number;
  readonly importance: number;
  readonly lastConfirmedAtMs: number;
  /** null if it never expires. */
  readonly expiresAtMs: number | null;
  readonly createdAtMs: number;
  /** The local day that the fact is about, "2026-05-01"; null if none. */
  readonly happensOn: string | null;
  /** "home", "job", "name" …; null if none. */
  readonly property: string | null;
  readonly propertyValue: string | null;
}

/** The parts of a note's score. They add up to it. */
interface ScoreTerms {
  readonly base: number;
  readonly importance: number;
  /** Score for words shared with the conversation. */
  readonly lexical: number;
  /** Score for a topic that the conversation names. */
  readonly topic: number;
}

/** A note as a prompt shows it. */
export interface RecalledNote {
  readonly id: number;
  readonly fact: string;
  readonly topics: string;
  readonly kind: string;
  readonly score: number;
  readonly createdAtMs: number;
  readonly happensOn?: string | null;
  readonly property?: string | null;
  readonly terms?: ScoreTerms;
}

/** A note about the speaker. */
export interface LoreNote extends RecalledNote {
  readonly terms: ScoreTerms;
  readonly propertyValue: string | null;
  readonly lastConfirmedAtMs: number;
  /** A value of `PLACES`. The trail records it. */
  place: number;
}

/** Why a note has its place in the order. Trails store these numbers; 2 and 5 occur in older ones. */
export const PLACES = { kept: 0, best: 1, tooMany: 3, newest: 4 } as const;
/** The name of each place; empty if the score alone decided. */
export const PLACE_NAMES: readonly string[] = ["kept", "", "", "too many", "newest", "repeated"];

/** The kinds whose best notes come before all others, the kind with the most places first. */
const FIRST_KINDS = NOTE_KIND_LIST.filter(([, { firstPlaces }]) => firstPlaces > 0).sort(
  ([, one], [, other]) => other.firstPlaces - one.firstPlaces,
);
const ALWAYS_ON_TOPIC: ReadonlySet<string> = new Set(
  NOTE_KIND_LIST.filter(([, { ignoresTopics }]) => ignoresTopics).map(([name]) => name),
);
/** More notes of one kind come after all others. */
const OF_KIND_MAX = 5;
/** A note that answers the message comes before any note that is only recent. */
const WORDS_WEIGHT = 10;
const TOPIC_WEIGHT = 0.3;

/**
 * Returns the notes about one viewer in the order of the prompt: up to five of kind `constraint`, three of `profile`,
 * the last confirmed, the best. Of the rest, the sixth and further ones of a kind are last. `rows` come best first by
 * `base + importance`. With `isStrict`, it drops a note if the conversation names none of its topics, but no
 * `constraint` and none without topics.
 */
export function rankLore(rows: readonly LoreRow[], query: Query, isStrict: boolean): LoreNote[] {
  const places: Places = query.words.map(() => []);
  for (const [at, { words }] of rows.entries()) addPlace(places, query, foldWords(words), at);
  const lexical = scoreWords(query, places, rows.length);
  const notes: LoreNote[] = [];
  // Whole objects are written out: copying them took longer than all else here.
  for (const [at, row] of rows.entries()) {
    const { topics, kind, base, importance } = row;
    const isHit = topics !== "" && places.some((texts) => texts.includes(at));
    const named = isHit
      ? readTopicStems(topics).flatMap((stem) => query.words[query.forms.get(stem) ?? -1] ?? [])
      : [];
    const isOnTopic = topics === "" || named.some(({ isSaid }) => isSaid);
    if (isStrict && !isOnTopic && !ALWAYS_ON_TOPIC.has(kind)) continue;
    const topic = TOPIC_WEIGHT * Math.max(0, ...named.map(({ weight }) => weight));
    const terms = { base, importance, lexical: WORDS_WEIGHT * (lexical[at] ?? 0), topic };
    notes.push({
      id: row.id,
      fact: row.fact,
      topics,
      kind,
      createdAtMs: row.createdAtMs,
      lastConfirmedAtMs: row.lastConfirmedAtMs,
      happensOn: row.happensOn,
      property: row.property,
      propertyValue: row.propertyValue,
      terms,
      score: base + importance + terms.lexical + topic,
      place: PLACES.best,
    });
  }
  return putInPlaces(notes.sort((one, other) => other.score - one.score));
}

/** Sets `place` in each note, and returns the notes by place, then as they came. `notes` come best first. */
function putInPlaces(notes: LoreNote[]): LoreNote[] {
  const kept = FIRST_KINDS.flatMap(([kind, { firstPlaces }]) =>
    notes.filter((note) => note.kind === kind).slice(0, firstPlaces),
  );
  for (const note of kept) note.place = PLACES.kept;
  const others = notes.filter(({ place }) => place !== PLACES.kept);
  const latestMs = Math.max(...others.map(({ lastConfirmedAtMs }) => lastConfirmedAtMs));
  const newest = others.find(({ lastConfirmedAtMs }) => lastConfirmedAtMs === latestMs);
  if (newest !== undefined) newest.place = PLACES.newest;
  const countOf = new Map<string, number>();
  for (const note of others) {
    if (note === newest) continue;
    const count = (countOf.get(note.kind) ?? 0) + 1;
    countOf.set(note.kind, count);
    if (count > OF_KIND_MAX) note.place = PLACES.tooMany;
  }
  const listPlaced = (wanted: number) => others.filter(({ place }) => place === wanted);
  return [
    ...kept,
    ...listPlaced(PLACES.newest),
    ...listPlaced(PLACES.best),
    ...listPlaced(PLACES.tooMany),
  ];
}
