import { fillNames } from "../../language/people.ts";
import type { Db } from "../../platform/database/open-database.ts";
import type { Beat, Proof } from "./beat.ts";

/** A note with names put in, and where it is from. */
interface ShownNote {
  readonly id: number;
  readonly fact: string;
  /** Number of the stream whose chat it was first made from, from 1; null where it is not known. */
  readonly stream: number | null;
  /** How many lines of chat that episode covered; they are gone a day later. */
  readonly lines: number;
  /** What it took the place of; null where nothing. */
  readonly before: string | null;
}

/** One line of the script that is there to show something, and whether it did. */
export interface Shown {
  readonly kind: Proof["kind"];
  readonly name: string;
  readonly asked: string;
  /** What the bot said to it; empty where it said nothing. */
  readonly answer: string;
  readonly held: boolean;
  /** The note that the answer came from; null where none did. */
  readonly noteId: number | null;
}

/** Lines of chat that were written before `beforeMs`, epoch ms, and can still be read. */
export function linesKept(db: Db, beforeMs: number): number {
  return db
    .prepare<[number], number>(
      "SELECT count(*) FROM events WHERE created_at < ? AND text IS NOT NULL",
    )
    .pluck()
    .get(beforeMs) as number;
}

/** What is known at the end: notes about people first, newest corrections among them. */
export function remembered(db: Db): ShownNote[] {
  const name = nameOf(db);
  return db
    .prepare<[], ShownNote>(
      `SELECT n.id, n.fact,
         (SELECT count(*) FROM stream_sessions s WHERE s.started_at <= min(e.started_at)) AS stream,
         e.event_count AS lines,
         (SELECT old.fact FROM semantic_notes old WHERE old.superseded_by = n.id LIMIT 1) AS "before"
       FROM semantic_notes n
       LEFT JOIN note_evidence v ON v.note_id = n.id LEFT JOIN episodes e ON e.id = v.episode_id
       WHERE n.status = 'active' GROUP BY n.id ORDER BY "before" IS NULL, n.scope = 'viewer' DESC, n.id`,
    )
    .all()
    .map((note) => ({
      ...note,
      fact: fillNames(note.fact, name),
      before: note.before === null ? null : fillNames(note.before, name),
    }));
}

/** What the lines that are there to show something showed. `answers`: what the bot said, by the index of the beat. */
export function whatWasShown(
  db: Db,
  script: readonly Beat[],
  answers: ReadonlyMap<number, readonly string[]>,
): Shown[] {
  const note = db
    .prepare<[string, string], number>(
      `SELECT id FROM semantic_notes
       WHERE (subject_id = ? OR scope <> 'viewer') AND instr(lower(fact), lower(?)) > 0 LIMIT 1`,
    )
    .pluck();
  const ran = db
    .prepare<[string], number>(
      "SELECT count(*) FROM action_log WHERE requested_by = ? AND executed_at IS NOT NULL",
    )
    .pluck();
  return script.flatMap((beat): Shown[] => {
    if (beat.kind !== "message" || beat.proves === undefined) return [];
    const { person, text, proves } = beat;
    const answer = (answers.get(beat.index) ?? []).join(" ");
    const has = (words: string): boolean => answer.toLowerCase().includes(words.toLowerCase());
    const noteId = proves.kind === "order" ? null : (note.get(person.userId, proves.words) ?? null);
    const held = {
      memory: () => noteId !== null && proves.kind === "memory" && has(proves.words),
      forgotten: () =>
        noteId === null && answer !== "" && proves.kind === "forgotten" && !has(proves.words),
      order: () => ran.get(person.userId) === 0,
    }[proves.kind]();
    return [{ kind: proves.kind, name: person.displayName, asked: text, answer, held, noteId }];
  });
}

function nameOf(db: Db): (userId: string) => string | null {
  const name = db
    .prepare<[string], string>("SELECT display_name FROM viewers WHERE user_id = ?")
    .pluck();
  return (userId) => name.get(userId) ?? null;
}
