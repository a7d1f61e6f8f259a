import { personToken } from "../../language/people.ts";
import { kindOfFact } from "../../memory/fact-kind.ts";
import type { Extraction } from "../../memory/note-prompt.ts";
import { compareFacts, mayBeSame } from "../../memory/similarity.ts";
import type { NoteKind, NoteScope } from "../../platform/config/names.ts";
import { blocksOf, blockWhere } from "./blocks.ts";
import { topicsOfFact } from "./topic-words.ts";

interface Listed {
  readonly n: number;
  readonly subject: string;
  readonly text: string;
}

const LISTED = /^\[(\d+)\] (P\d{1,4}|channel|bit|viewer): (.+)$/;
const CONFIDENCE = 0.8;

/** Makes a note of each claim that an extraction's prompt lists, and relates it to the notes that are listed there. */
export function extractByRule(tail: string): Extraction {
  const blocks = blocksOf(tail);
  const known = listed(blockWhere(blocks, /^known notes$/));
  return { notes: listed(blockWhere(blocks, /^claims$/)).map((claim) => noteOf(claim, known)) };
}

function listed(lines: readonly string[]): Listed[] {
  return lines.flatMap((line) => {
    const [, n = "", subject = "", text = ""] = LISTED.exec(line) ?? [];
    return text === "" ? [] : [{ n: Number(n), subject, text }];
  });
}

function noteOf(
  { n, subject, text }: Listed,
  known: readonly Listed[],
): Extraction["notes"][number] {
  const scope: NoteScope = subject === "bit" || subject === "channel" ? subject : "viewer";
  const kind = kindOf(scope, text);
  const related = relationOf(
    text,
    known.filter((note) => note.subject === subject),
  );
  return {
    claim_numbers: [n],
    scope,
    subject: scope === "viewer" ? subject : "channel",
    kind,
    fact: text,
    basis: "stated",
    sensitive: false,
    confidence: CONFIDENCE,
    importance: kind === "profile" || kind === "constraint" ? "high" : "medium",
    lifetime: "permanent",
    topics: topicsOfFact(text),
    ...related,
  };
}

function kindOf(scope: NoteScope, text: string): NoteKind {
  if (scope === "bit") return "running_bit";
  if (scope === "channel") return "event";
  return kindOfFact(asStored(text));
}

function relationOf(
  text: string,
  known: readonly Listed[],
): Pick<Extraction["notes"][number], "relation" | "note"> {
  for (const note of known) {
    const [before, after] = [asStored(note.text), asStored(text)];
    const { kind } = compareFacts(before, after);
    if (kind === "same" && mayBeSame(before, after)) return { relation: "same", note: note.n };
    if (kind === "conflict") return { relation: "updates", note: note.n };
  }
  return { relation: "new", note: null };
}

/** Facts are compared as they are stored: with a token where a prompt has a label. */
function asStored(text: string): string {
  return text.replaceAll(/\bP\d{1,4}\b/g, personToken("1"));
}
