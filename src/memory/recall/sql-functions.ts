import type { Db } from "../../platform/database/open-database.ts";
import type { BaseScore } from "./score.ts";
import type { NoteToWeigh, Weighing } from "./weigh.ts";
import type { WordHasher } from "./word-hasher.ts";

/** What a statement weighs with, while it runs. */
interface Scales {
  readonly base: BaseScore;
  /** Only for what depends on words. */
  readonly lore?: Weighing;
  /** Of words that were not hashed yet. */
  readonly hasher?: WordHasher;
}

/** Runs a statement that calls the functions below. */
export type WithScales = <T>(scales: Scales, statement: () => T) => T;

const connections = new WeakMap<Db, WithScales>();

/**
 * Gives a connection the functions that recall's statements call, once. They stand for whichever statement runs on it:
 * none waits half-way for another.
 *
 * - `note_base(kind, confidence, pinned, last_confirmed_at)`: the base of a note's score.
 * - `lore_hashes(words, topics)`: the hashes of a note that has none yet.
 * - `lore_best(…)`: weighs all notes of a person; the ids of those that may be shown, best first, as JSON.
 * - `lore_rank(id)`: which place a note has among them, from 0.
 */
export function scalesOf(db: Db): WithScales {
  const known = connections.get(db);
  if (known !== undefined) return known;
  let current: Scales | null = null;
  const base = (): BaseScore => current?.base ?? outside();
  const lore = (): Weighing => current?.lore ?? outside();
  const options = { directOnly: true };
  db.function(
    "note_base",
    options,
    (kind: string, confidence: number, pinned: number, at: number) =>
      base()(kind, confidence, pinned, at),
  );
  db.function("lore_hashes", options, (words: string, topics: string) =>
    (current?.hasher ?? outside()).ofNote(words, topics),
  );
  db.aggregate<null>("lore_best", {
    ...options,
    varargs: true,
    start: null,
    // Its types know of functions of one value only; the statement gives what `NoteToWeigh` says.
    step: (_none, ...row) => lore().add(row as unknown as NoteToWeigh),
    result: () => JSON.stringify(lore().best()),
  });
  db.function("lore_rank", options, (id: number) => lore().note(id).rank);
  const withScales: WithScales = (scales, statement) => {
    current = scales;
    try {
      return statement();
    } finally {
      current = null;
    }
  };
  connections.set(db, withScales);
  return withScales;
}

function outside(): never {
  throw new Error("notes are weighed by recall's own statements alone");
}
