// Pure: values in, values out.
import type { RecallPolicy } from "../../platform/config/memory-schema.ts";
import type { HashedTable } from "./hashed-table.ts";
import type { Hits } from "./query-terms.ts";
import type { Asked } from "./recall-query.ts";
import type { ScoreTerms } from "./recalled-note.ts";
import type { BaseScore } from "./score.ts";

/** A note as the ranking statement gives it to `lore_best`. */
export type NoteToWeigh = readonly [
  id: number,
  kind: string,
  confidence: number,
  pinned: number,
  lastConfirmedAtMs: number,
  importance: number,
  /** From `WordHasher.ofNote`. */
  hashes: string,
];

/** A note on the scales. */
export interface Weighed extends ScoreTerms {
  readonly id: number;
  readonly kind: string;
  readonly score: number;
  /**
   * 0: one of the places kept for who the speaker is; 1: among the best; 4: a place among these, kept for the newest;
   * 2: behind them; 3: beyond what a prompt wants of one kind. Replies are recorded with these numbers.
   */
  readonly place: number;
  /** How many come before it: by place, then by score, then those that were confirmed later. */
  readonly rank: number;
}

/** Weighs all notes of one person against what is asked: how much a word counts depends on all of them. */
export interface Weighing {
  add(note: NoteToWeigh): void;
  /** The ids of all that may be shown, best first. Only when every note was added. */
  best(): readonly number[];
  note(id: number): Weighed;
}

interface Weights
  extends Pick<
    RecallPolicy,
    "lexicalWeight" | "topicWeight" | "profilePlaces" | "newestPlaces" | "perKindMax"
  > {
  /** How many notes a prompt shows: the places that there are to give. */
  readonly shown: number;
  /** Whether only wishes are shown, notes without a topic, and those on one that was talked of. */
  readonly isStrict: boolean;
}

interface OnScales extends Weighed {
  readonly isOnTopic: boolean;
  readonly lastConfirmedAtMs: number;
  /** Terms that its words have, each followed by how well they fit. */
  readonly hits: readonly number[];
  lexical: number;
  score: number;
  place: number;
  rank: number;
}

/** Whose kinds have places of their own. Design part 6, Recall. */
const WHO_KINDS: ReadonlySet<string> = new Set(["profile", "constraint"]);
const NO_HITS: readonly number[] = [];
/** No place yet. */
const OPEN = -1;
const NEWEST = 4;
/** By `Weighed.place`: which come first. 1 and 4 stand together, by score. */
const ORDER_OF_PLACES: readonly number[] = [0, 1, 2, 3, 1];
const LAST_OF_ORDER = 3;

/** A reply waits for this, with dozens of notes: nothing is made for a note that shares no word. */
export function weighing(
  { terms }: Pick<Asked, "terms">,
  table: HashedTable,
  base: BaseScore,
  weights: Weights,
): Weighing {
  const notes: OnScales[] = [];
  let hits: number[] | null = null;
  let topic = 0;
  let isSaid = false;
  const found: Hits = {
    word: (term, strength) => {
      hits ??= [];
      keepHit(hits, term, strength);
    },
    topic: (term, strength) => {
      const asked = terms[term];
      topic = Math.max(topic, strength * (asked?.topic ?? 0));
      isSaid ||= asked?.isSaid === true;
    },
  };
  return {
    add: ([id, kind, confidence, pinned, lastConfirmedAtMs, importance, hashes]) => {
      hits = null;
      topic = 0;
      isSaid = kind === "constraint";
      const hasTopics = table.scan(hashes, found);
      notes.push({
        id,
        kind,
        lastConfirmedAtMs,
        base: base(kind, confidence, pinned, lastConfirmedAtMs),
        importance,
        hits: hits ?? NO_HITS,
        lexical: 0,
        topic: weights.topicWeight * topic,
        isOnTopic: isSaid || !hasTopics,
        score: 0,
        place: OPEN,
        rank: 0,
      });
    },
    best: () => {
      const ranked = settle(notes, terms, weights);
      const allowed = weights.isStrict ? ranked.filter(({ isOnTopic }) => isOnTopic) : ranked;
      return allowed.map(({ id }) => id);
    },
    note: (id) => {
      const weighed = notes.find((note) => note.id === id);
      if (weighed === undefined) throw new Error(`no note ${id} was weighed`);
      return weighed;
    },
  };
}

function keepHit(hits: number[], term: number, strength: number): void {
  for (let at = 0; at < hits.length; at += 2) {
    if (hits[at] !== term) continue;
    hits[at + 1] = Math.max(hits[at + 1] ?? 0, strength);
    return;
  }
  hits.push(term, strength);
}

/** All of them, best first. */
function settle(
  notes: readonly OnScales[],
  terms: Asked["terms"],
  weights: Weights,
): readonly OnScales[] {
  const rarities = raritiesIn(notes, terms.length);
  for (const note of notes) {
    let found = 0;
    for (let at = 0; at < note.hits.length; at += 2) {
      const term = note.hits[at] ?? 0;
      const fits = note.hits[at + 1] ?? 0;
      found += (terms[term]?.lexical ?? 0) * fits * (rarities[term] ?? 0);
    }
    note.lexical = (weights.lexicalWeight * found) / (found + 1);
    note.score = note.base + note.importance + note.lexical + note.topic;
  }
  const best = [...notes].sort(better);
  givePlaces(best, weights);
  return rank(best);
}

/** By place, and within a place as they stand. Each is told its number. */
function rank(best: readonly OnScales[]): readonly OnScales[] {
  const ranked: OnScales[] = [];
  for (let row = 0; row <= LAST_OF_ORDER; row += 1) {
    for (const note of best) {
      if (ORDER_OF_PLACES[note.place] === row) note.rank = ranked.push(note) - 1;
    }
  }
  return ranked;
}

/** Of each term: 1 where one note of many has it, near 0 where all of them do. */
function raritiesIn(notes: readonly OnScales[], terms: number): Float64Array {
  const notesWith = new Float64Array(terms);
  for (const { hits } of notes) {
    for (let at = 0; at < hits.length; at += 2) {
      const term = hits[at] ?? 0;
      notesWith[term] = (notesWith[term] ?? 0) + 1;
    }
  }
  const all = Math.log(1 + notes.length);
  return notesWith.map((count) => (count === 0 ? 0 : Math.log(1 + notes.length / count) / all));
}

/** What somebody told last is known even where its words say nothing: no wording of a question finds all of it. */
function givePlaces(best: readonly OnScales[], weights: Weights): void {
  let taken = keepWho(best, weights.profilePlaces);
  // What fits takes the places of the newest, but for one.
  const free = Math.max(1, weights.shown - taken - fitting(best));
  const newest = Math.min(weights.newestPlaces, free);
  for (let n = 0; n < newest; n += 1) taken += Number(keepNewest(best));
  const ofKind = new Map<string, number>();
  for (const note of best) {
    const count = (ofKind.get(note.kind) ?? 0) + 1;
    ofKind.set(note.kind, count);
    if (note.place !== OPEN) continue;
    const isTooMany = count > weights.perKindMax;
    if (isTooMany) note.place = 3;
    else note.place = taken < weights.shown ? 1 : 2;
    taken += Number(!isTooMany);
  }
}

/** How many without a place share a word or a topic with what is asked. */
function fitting(notes: readonly OnScales[]): number {
  return notes.filter((note) => note.place === OPEN && note.lexical + note.topic > 0).length;
}

/** Gives so many of the best about who the speaker is their places. How many there were. */
function keepWho(best: readonly OnScales[], max: number): number {
  let kept = 0;
  for (const note of best) {
    if (kept === max || !WHO_KINDS.has(note.kind)) continue;
    note.place = 0;
    kept += 1;
  }
  return kept;
}

/** Gives a place to the newest that has none. A few passes cost less than a sort: a reply waits for this. */
function keepNewest(notes: readonly OnScales[]): boolean {
  let newest: OnScales | null = null;
  for (const note of notes) {
    if (note.place === OPEN && (newest === null || isNewer(note, newest))) newest = note;
  }
  if (newest !== null) newest.place = NEWEST;
  return newest !== null;
}

function isNewer(one: OnScales, other: OnScales): boolean {
  const byMs = one.lastConfirmedAtMs - other.lastConfirmedAtMs;
  return byMs > 0 || (byMs === 0 && one.id > other.id);
}

function better(one: OnScales, other: OnScales): number {
  return (
    other.score - one.score || other.lastConfirmedAtMs - one.lastConfirmedAtMs || other.id - one.id
  );
}
