import type { RecallPolicy } from "../config/memory-schema.ts";
import type { Asked } from "./asked.ts";
import type { HashedTable } from "./hashed-table.ts";
import type { ScoreTerms } from "./note.ts";
import type { BaseScore } from "./score.ts";
import type { Hits } from "./sought.ts";

/** A note as the ranking statement gives it. */
export type WeighedRow = readonly [
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
  add(note: WeighedRow): void;
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

interface Slot extends Weighed {
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
/** By `Weighed.place`: those of one row stand by score. */
const ROWS: readonly number[] = [0, 1, 2, 3, 1];
const LAST_ROW = 3;

/** A reply waits for this, with dozens of notes: nothing is made for a note that shares no word. */
export function weighing(
  { terms }: Pick<Asked, "terms">,
  table: HashedTable,
  base: BaseScore,
  weights: Weights,
): Weighing {
  const slots: Slot[] = [];
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
      slots.push({
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
      const ranked = settle(slots, terms, weights);
      const allowed = weights.isStrict ? ranked.filter(({ isOnTopic }) => isOnTopic) : ranked;
      return allowed.map(({ id }) => id);
    },
    note: (id) => {
      const weighed = slots.find((slot) => slot.id === id);
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
function settle(slots: readonly Slot[], terms: Asked["terms"], weights: Weights): readonly Slot[] {
  const rarities = raritiesIn(slots, terms.length);
  for (const slot of slots) {
    let found = 0;
    for (let at = 0; at < slot.hits.length; at += 2) {
      const term = slot.hits[at] ?? 0;
      const fits = slot.hits[at + 1] ?? 0;
      found += (terms[term]?.lexical ?? 0) * fits * (rarities[term] ?? 0);
    }
    slot.lexical = (weights.lexicalWeight * found) / (found + 1);
    slot.score = slot.base + slot.importance + slot.lexical + slot.topic;
  }
  const best = [...slots].sort(better);
  givePlaces(best, weights);
  return rank(best);
}

/** By place, and within a place as they stand. Each is told its number. */
function rank(best: readonly Slot[]): readonly Slot[] {
  const ranked: Slot[] = [];
  for (let row = 0; row <= LAST_ROW; row += 1) {
    for (const slot of best) {
      if (ROWS[slot.place] === row) slot.rank = ranked.push(slot) - 1;
    }
  }
  return ranked;
}

/** Of each term: 1 where one note of many has it, near 0 where all of them do. */
function raritiesIn(slots: readonly Slot[], terms: number): Float64Array {
  const notesWith = new Float64Array(terms);
  for (const { hits } of slots) {
    for (let at = 0; at < hits.length; at += 2) {
      const term = hits[at] ?? 0;
      notesWith[term] = (notesWith[term] ?? 0) + 1;
    }
  }
  const all = Math.log(1 + slots.length);
  return notesWith.map((count) => (count === 0 ? 0 : Math.log(1 + slots.length / count) / all));
}

/** What somebody told last is known even where its words say nothing: no wording of a question finds all of it. */
function givePlaces(best: readonly Slot[], weights: Weights): void {
  let taken = keepWho(best, weights.profilePlaces);
  // What fits takes the places of the newest, but for one.
  const free = Math.max(1, weights.shown - taken - fitting(best));
  const newest = Math.min(weights.newestPlaces, free);
  for (let n = 0; n < newest; n += 1) taken += Number(keepNewest(best));
  const ofKind = new Map<string, number>();
  for (const slot of best) {
    const count = (ofKind.get(slot.kind) ?? 0) + 1;
    ofKind.set(slot.kind, count);
    if (slot.place !== OPEN) continue;
    const isTooMany = count > weights.perKindMax;
    if (isTooMany) slot.place = 3;
    else slot.place = taken < weights.shown ? 1 : 2;
    taken += Number(!isTooMany);
  }
}

/** How many without a place share a word or a topic with what is asked. */
function fitting(slots: readonly Slot[]): number {
  return slots.filter((slot) => slot.place === OPEN && slot.lexical + slot.topic > 0).length;
}

/** Gives so many of the best about who the speaker is their places. How many there were. */
function keepWho(best: readonly Slot[], max: number): number {
  let kept = 0;
  for (const slot of best) {
    if (kept === max || !WHO_KINDS.has(slot.kind)) continue;
    slot.place = 0;
    kept += 1;
  }
  return kept;
}

/** Gives a place to the newest that has none. A few passes cost less than a sort: a reply waits for this. */
function keepNewest(slots: readonly Slot[]): boolean {
  let newest: Slot | null = null;
  for (const slot of slots) {
    if (slot.place === OPEN && (newest === null || isNewer(slot, newest))) newest = slot;
  }
  if (newest !== null) newest.place = NEWEST;
  return newest !== null;
}

function isNewer(one: Slot, other: Slot): boolean {
  const byMs = one.lastConfirmedAtMs - other.lastConfirmedAtMs;
  return byMs > 0 || (byMs === 0 && one.id > other.id);
}

function better(one: Slot, other: Slot): number {
  return (
    other.score - one.score || other.lastConfirmedAtMs - one.lastConfirmedAtMs || other.id - one.id
  );
}
