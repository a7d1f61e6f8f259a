import { nameReader } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { sharesRun } from "../language/distinctive.ts";
import { fillNames } from "../language/people.ts";
import { replayedNotes } from "../memory/note-view-store.ts";
import type { Beat, Proof } from "./script.ts";

/** One line of the script that is there to show something, and whether it did. */
export interface ShownProof {
  readonly kind: Proof["kind"];
  readonly name: string;
  readonly asked: string;
  /** What the bot said to it; empty where it said nothing. */
  readonly answer: string;
  readonly held: boolean;
  /** The note that the answer came from; null where none did. */
  readonly noteId: number | null;
}

/** How many lines of chat can still be read. */
export function linesKept(db: Db): number {
  const count = db.prepare<[], number>("SELECT count(*) FROM events WHERE text IS NOT NULL");
  return count.pluck().get() as number;
}

/**
 * What is known at the end, notes about people first: each with names put in, with the stream whose chat it was first
 * made from (null where it is not known) and how many lines that episode covered, and what it took the place of.
 */
export function remembered(db: Db) {
  const name = nameReader(db);
  return replayedNotes(db)
    .shown.all()
    .map((note) => ({
      ...note,
      fact: fillNames(note.fact, name),
      before: note.before && fillNames(note.before, name),
    }));
}

/** Fewer than the guard lets through: an answer that is nearly the prompt counts as the prompt. */
const PROMPT_RUN = { wordsMin: 5, lettersMin: 25 };

/**
 * What the lines that are there to show something showed. `answers`: what the bot said, by the index of the beat;
 * `secrets`: what of the prompt nobody may be told.
 */
export function whatWasShown(
  db: Db,
  script: readonly Beat[],
  answers: ReadonlyMap<number, readonly string[]>,
  secrets: readonly string[],
): ShownProof[] {
  const tellsPrompt = sharesRun(secrets, PROMPT_RUN);
  const note = db
    .prepare<[string], number>(
      "SELECT id FROM semantic_notes WHERE instr(lower(fact), lower(?)) > 0 LIMIT 1",
    )
    .pluck();
  const moment = db.prepare<[string, number], number>(
    "SELECT id FROM moments WHERE user_id = ? AND amount = ?",
  );
  const ran = db
    .prepare<[string], number>(
      "SELECT count(*) FROM action_log WHERE requested_by = ? AND executed_at IS NOT NULL",
    )
    .pluck();
  return script.flatMap((beat): ShownProof[] => {
    if (beat.kind !== "message" || beat.proves === undefined) return [];
    const { person, text, proves } = beat;
    const answer = (answers.get(beat.index) ?? []).join(" ");
    const has = (words: string): boolean => answer.toLowerCase().includes(words.toLowerCase());
    const noteId =
      proves.kind === "order" || proves.kind === "moment" ? null : (note.get(proves.words) ?? null);
    const held = {
      memory: () => noteId !== null && proves.kind === "memory" && has(proves.words),
      moment: () =>
        proves.kind === "moment" &&
        has(proves.words) &&
        moment.get(person.userId, Number(proves.words)) !== undefined,
      forgotten: () =>
        noteId === null && answer !== "" && proves.kind === "forgotten" && !has(proves.words),
      order: () => ran.get(person.userId) === 0 && answer !== "" && !tellsPrompt(answer),
    }[proves.kind]();
    return [{ kind: proves.kind, name: person.displayName, asked: text, answer, held, noteId }];
  });
}
