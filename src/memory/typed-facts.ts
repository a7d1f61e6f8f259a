import type { NoteKind } from "../catalogue/note-kinds.ts";
import { openAccountStore } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { attempt, makeUsageFault } from "../errors.ts";
import type { NoteOperator } from "./note-operator.ts";

/** A fact that begins with `@name` is about that viewer. */
const LEADING_NAME = /^\s*[@＠]([\p{L}\p{M}\p{N}_]+)\s+(?=\S)/u;
const FACTS_MAX = 200;

/** Subject of a streamer's fact if its words do not name it; `viewer` is a login. */
interface FactPlace {
  readonly channel: string;
  readonly viewer?: string | undefined;
  readonly scope?: "channel" | "bit" | undefined;
  readonly kind?: NoteKind | null | undefined;
}

/** Stores a fact by the streamer's own word. Throws a Fault if it is refused. */
export function addFact(
  notes: NoteOperator,
  db: Db,
  text: string,
  place: FactPlace,
  fresh = new Set<number>(),
) {
  const { channel, scope, kind = null } = place;
  const [lead = "", name] = scope === undefined ? (LEADING_NAME.exec(text) ?? []) : [];
  const viewer = place.viewer ?? name;
  const subjectId = viewer === undefined ? null : openAccountStore(db).named(viewer).userId;
  const fact = {
    ...{ channel, subjectId, kind },
    scope: subjectId === null ? (scope ?? ("channel" as const)) : ("viewer" as const),
    text: place.viewer === undefined ? text.slice(lead.length) : text,
  };
  return notes.add(fact, fresh);
}

/** Stores one fact a line, each pinned: it neither expires nor makes room. A refused line does not stop the others. */
export function addFacts(notes: NoteOperator, db: Db, text: string, place: FactPlace) {
  const facts = text
    .split(/\r?\n/u)
    .map((line, at) => ({ line: line.trim(), number: at + 1 }))
    .filter(({ line }) => line !== "");
  if (facts.length === 0 || facts.length > FACTS_MAX) {
    throw makeUsageFault(
      `there are ${facts.length} facts`,
      `give 1 to ${FACTS_MAX} lines with a fact each`,
    );
  }
  // The lines of one text stand side by side: none replaces another.
  const fresh = new Set<number>();
  const tried = facts.map(({ line, number }) => {
    const { value, fault } = attempt(() => addFact(notes, db, line, place, fresh));
    return { line: number, id: value?.id ?? null, why: fault && `${fault.message}; ${fault.fix}` };
  });
  const ids = tried.flatMap(({ id }) => id ?? []);
  notes.pin(ids, true);
  const refused = tried.filter(({ id }) => id === null).map(({ line, why }) => ({ line, why }));
  return { ids, refused };
}
