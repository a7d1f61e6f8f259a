// Pure: values in, values out.

import { NOTE_KIND_LIST } from "../../catalogue/note-kinds.ts";
import { readStems } from "../../language/stems.ts";
import { findWords, foldWords, type Query, scoreWords } from "./query.ts";

/** A stored note about a viewer, with the score that does not depend on any message. */
export interface LoreRow {
  readonly id: number;
  readonly kind: string;
  readonly fact: string;
  readonly topics: string;
  /** Normalised words of fact and topics, separated by spaces. */
  readonly words: string;
  /** The seed's score: confidence / (1 + age in days / scale of the kind). */
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
export interface ScoreTerms {
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
  /** A value of `PLACES`. The trail records it. */
  readonly place: number;
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
 * Puts the notes about one viewer in the order of the prompt: wishes, up to three profile notes, the newest note, then
 * the best. `rows` come best first by `base + importance`. With `isStrict`, a note with topics is left out if the
 * conversation names none of them, unless it is a wish.
 */
export function rankLore(rows: readonly LoreRow[], query: Query, isStrict: boolean): LoreNote[] {
  const hits = rows.map(({ words }) => findWords(query, foldWords(words)));
  const lexical = scoreWords(query, hits, hits.length);
  const notes = rows.map((row, at) => {
    const named = weighNamedTopics(row, query, hits[at]?.size ?? 0);
    const terms = {
      base: row.base,
      importance: row.importance,
      lexical: WORDS_WEIGHT * (lexical[at] ?? 0),
      topic: TOPIC_WEIGHT * named.weight,
    };
    const score = terms.base + terms.importance + terms.lexical + terms.topic;
    return { row, terms, score, isOnTopic: named.isSaid || row.topics === "" };
  });
  const best = notes
    .filter(({ row, isOnTopic }) => !isStrict || isOnTopic || ALWAYS_ON_TOPIC.has(row.kind))
    .sort((one, other) => other.score - one.score);
  const kept = FIRST_KINDS.flatMap(([kind, { firstPlaces }]) =>
    best.filter(({ row }) => row.kind === kind).slice(0, firstPlaces),
  );
  const others = best.filter((note) => !kept.includes(note));
  const newest = others.reduce<(typeof others)[number] | null>(
    (found, note) =>
      found === null || note.row.lastConfirmedAtMs > found.row.lastConfirmedAtMs ? note : found,
    null,
  );
  const ofKind = new Map<string, number>();
  const rest = others
    .filter((note) => note !== newest)
    .map((note) => {
      const count = (ofKind.get(note.row.kind) ?? 0) + 1;
      ofKind.set(note.row.kind, count);
      return { ...note, place: count > OF_KIND_MAX ? PLACES.tooMany : PLACES.best };
    });
  return [
    ...kept.map((note) => ({ ...note, place: PLACES.kept })),
    ...(newest === null ? [] : [{ ...newest, place: PLACES.newest }]),
    ...rest.filter(({ place }) => place === PLACES.best),
    ...rest.filter(({ place }) => place === PLACES.tooMany),
  ].map(({ row, terms, score, place }) => {
    const { id, fact, topics, kind, createdAtMs, happensOn, property, propertyValue } = row;
    return {
      ...{ id, fact, topics, kind, createdAtMs, happensOn, property, propertyValue },
      ...{ terms, score, place },
    };
  });
}

/** Returns how strongly the conversation names a topic of the note. Topics are among the note's words. */
function weighNamedTopics({ topics }: LoreRow, query: Query, sharedWords: number) {
  const found =
    sharedWords === 0 || topics === ""
      ? []
      : findWords(query, foldWords(readStems(topics).join(" ")));
  const words = [...found].map((index) => query.words[index]);
  return {
    weight: Math.max(0, ...words.map((word) => word?.weight ?? 0)),
    isSaid: words.some((word) => word?.isSaid),
  };
}
