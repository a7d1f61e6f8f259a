// Pure: values in, values out.

import { normalWords } from "../../language/words.ts";
import { compareFacts } from "../../memory/similarity.ts";

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
  /** Pairs of active notes of one subject that say the same. */
  readonly duplicates: number;
  /** Pairs that cannot both be true. */
  readonly conflicts: number;
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
  const kinds = pairsOf(notes).map(([a, b]) => compareFacts(a.fact, b.fact).kind);
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
    duplicates: kinds.filter((kind) => kind === "same").length,
    conflicts: kinds.filter((kind) => kind === "conflict").length,
    orphans: notes.filter(({ evidence }) => evidence === 0).length,
    echoes: notes.filter(isEcho).length,
  };
}

function pairsOf(notes: readonly AuditedNote[]): [AuditedNote, AuditedNote][] {
  const isOfOne = (a: AuditedNote, b: AuditedNote) => a.subjectId === b.subjectId;
  return notes.flatMap((a, at) =>
    notes
      .slice(at + 1)
      .filter((b) => isOfOne(a, b))
      .map((b): [AuditedNote, AuditedNote] => [a, b]),
  );
}

/** Every four telling words in a row. */
function runsOf(text: string): string[] {
  const words = normalWords(text);
  return words.slice(ECHO_WORDS - 1).map((_, at) => words.slice(at, at + ECHO_WORDS).join(" "));
}
