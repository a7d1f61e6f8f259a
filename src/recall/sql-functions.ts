import type { Db } from "../db/open.ts";
import type { BaseScore } from "./score.ts";
import type { WeighedRow, Weighing } from "./weigh.ts";

/** What a statement weighs with, while it runs. */
interface Scales {
  readonly base: BaseScore;
  /** Only for what depends on words. */
  readonly lore?: Weighing;
}

/** Runs a statement that calls the functions below. */
export type WithScales = <T>(scales: Scales, statement: () => T) => T;

const connections = new WeakMap<Db, WithScales>();

/**
 * Gives a connection the functions that recall's statements call, once. They stand for whichever statement runs on it:
 * none waits half-way for another.
 *
 * - `note_base(kind, confidence, pinned, last_confirmed_at)`: the base of a note's score.
 * - `lore_weigh(…)`: puts a row on the scales, and gives its slot.
 * - `lore_rank(slot)`: which place it has among all that were weighed, from 0.
 * - `lore_is_on_topic(slot)`: 1 where strict topics let it through.
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
  db.function("lore_weigh", { ...options, varargs: true }, (...row: WeighedRow) => lore().add(row));
  db.function("lore_rank", options, (slot: number) => lore().note(slot).rank);
  db.function("lore_is_on_topic", options, (slot: number) => Number(lore().note(slot).isOnTopic));
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
