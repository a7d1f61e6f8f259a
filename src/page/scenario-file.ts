import { noteReviewStore } from "../memory/note-review-store.ts";
import type { Trail, TrailRead } from "../reply/trail.ts";
import type { Desk } from "./desk.ts";

interface Judged {
  readonly id: number;
  readonly viewer: string | null;
  readonly trigger: string;
  readonly trail: TrailRead;
}

const ASKER = "asker";
const FACTS_MAX = 40;
const ASKED = {
  profile: "what do you know about me?",
  constraint: "is there something you should keep in mind about me?",
  preference: "what is it that I like?",
  running_bit: "what is the joke about?",
  event: "what happened to me lately?",
  state: "how am I doing at the moment?",
} as const;

/**
 * A scenario that asks again what a reply was asked: the notes that were weighed for it are given, and the question is
 * of the kind of the note that stood first. It is made of notes and codes alone: of what was said in chat, and by whom,
 * nothing is in it.
 */
export function scenarioOf({ id, viewer, trail: read }: Judged, { db }: Desk) {
  const trail: Trail | null = read.kind === "read" ? read.trail : null;
  const notes = noteReviewStore(db);
  const facts = (trail?.notes.candidates ?? []).slice(0, FACTS_MAX).flatMap(({ id: noteId }) => {
    const note = notes.note(noteId);
    if (note === null || note.about === null) return [];
    return [{ noteId, kind: note.kind, fact: withoutName(note.fact, [note.about, viewer ?? ""]) }];
  });
  const [first] = facts;
  return {
    name: `reply-${id}`,
    about: `The notes that were weighed for reply ${id}, and a question of their kind.`,
    channel: "achannel",
    notes: "given",
    people: [{ login: ASKER, name: "Asker" }],
    sessions: [{ day: 0 }, { day: 1 }],
    facts: facts.map(({ noteId, kind, fact }) => ({
      id: `note-${noteId}`,
      about: ASKER,
      session: 0,
      fact,
      note: { kind },
    })),
    questions:
      first === undefined
        ? []
        : [
            {
              by: ASKER,
              text: questionFor(first.kind),
              needs: [`note-${first.noteId}`],
              sessions: [1],
            },
          ],
  };
}

function questionFor(kind: string): string {
  return kind in ASKED ? ASKED[kind as keyof typeof ASKED] : ASKED.profile;
}

/** A fact of a scenario is a sentence without its subject. */
function withoutName(fact: string, names: readonly string[]): string {
  return names
    .filter((name) => name !== "")
    .reduce((text, name) => text.replaceAll(name, "").trim(), fact)
    .replace(/\s+/g, " ");
}
