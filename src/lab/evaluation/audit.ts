// Pure: values in, values out.

import { normalWords } from "../../language/words.ts";
import { factKey } from "../../memory/fact-key.ts";

/** An active note, as the audit reads it. */
export interface AuditedNote {
  readonly id: number;
  readonly subjectId: string | null;
  readonly fact: string;
  readonly createdAtMs: number;
  /** Evidence rows that still stand: their episode, and the claim where they name one, are there. */
  readonly evidence: number;
}

/** Something that the bot said. */
export interface BotLine {
  readonly text: string;
  readonly atMs: number;
}

/** What is wrong with what was written, by count. */
export interface Audit {
  readonly activeNotes: number;
  /** Active notes of a subject beyond the first with an equal key. */
  readonly duplicates: number;
  /** Notes that nothing supports. */
  readonly orphans: number;
  /** Notes that repeat what the bot had said before, and no person. */
  readonly echoes: number;
}

const ECHO_WORDS = 4;

/** Holds the active notes against one another, their evidence, and what the bot said. `human`: what people wrote. */
export function audit(
  notes: readonly AuditedNote[],
  bot: readonly BotLine[],
  human: readonly string[],
): Audit {
  // Chat repeats itself.
  const said = new Set([...new Set(human)].flatMap(runsOf));
  const spoken = bot.map(({ text, atMs }) => ({ atMs, runs: runsOf(text) }));
  const isEcho = ({ fact, createdAtMs }: AuditedNote): boolean => {
    const runs = new Set(runsOf(fact).filter((run) => !said.has(run)));
    return spoken.some(
      ({ atMs, runs: own }) => atMs < createdAtMs && own.some((run) => runs.has(run)),
    );
  };
  return {
    activeNotes: notes.length,
    duplicates: notes.length - new Set(notes.map(keyOf)).size,
    orphans: notes.filter(({ evidence }) => evidence === 0).length,
    echoes: notes.filter(isEcho).length,
  };
}

function keyOf({ subjectId, fact }: AuditedNote): string {
  return JSON.stringify([subjectId, factKey(fact)]);
}

/** Every four telling words in a row. */
function runsOf(text: string): string[] {
  const words = normalWords(text);
  return words.slice(ECHO_WORDS - 1).map((_, at) => words.slice(at, at + ECHO_WORDS).join(" "));
}
