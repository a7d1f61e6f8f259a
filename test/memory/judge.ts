import type { Candidate } from "../../src/memory/check-candidate.ts";
import type { StoredNote } from "../../src/memory/note-store.ts";
import { judgeNote, type Verdict, type WriteFacts } from "../../src/memory/write-policy.ts";
import { NOTE_KINDS, NOTE_SCOPES } from "../../src/platform/config/names.ts";

export const CANDIDATE: Candidate = {
  scope: "viewer",
  subjectId: "1",
  kind: "preference",
  fact: "{u:1} plays Valorant",
  topics: ["valorant"],
  confidence: 0.8,
  importance: "medium",
  lifetime: "permanent",
  basis: "stated",
  sensitive: false,
  claimNumbers: [1],
  relation: "new",
  noteId: null,
  source: "extracted",
};
export const NOTE: StoredNote = {
  id: 7,
  channel: "c",
  scope: "viewer",
  subjectId: "1",
  persona: null,
  kind: "preference",
  fact: "{u:1} plays Valorant",
  confidence: 0.8,
  status: "active",
  source: "extracted",
  pinned: false,
};
const FACTS: WriteFacts = {
  settings: {
    mode: "auto",
    scopes: NOTE_SCOPES,
    kinds: NOTE_KINDS,
    approvalKinds: [],
    evidenceMin: {},
    perSubjectStreamMax: 10,
    perChannelHourMax: 50,
    botNames: ["automark", "Mark"],
  },
  readOnly: false,
  optedOut: false,
  isSuppressed: () => false,
  banned: (text) => (text.includes("zorbleflax") ? "zorbleflax" : null),
  known: [],
  evidenceOf: () => 1,
  rejected: [],
  counts: { subjectStream: 0, channelHour: 0 },
};

interface Changes {
  readonly settings?: Partial<WriteFacts["settings"]>;
  readonly counts?: Partial<WriteFacts["counts"]>;
}

/** Judges a plain candidate with changes, against plain facts with changes. */
export function judge(
  candidate: Partial<Candidate>,
  facts: Omit<Partial<WriteFacts>, keyof Changes> & Changes = {},
): Verdict {
  return judgeNote(
    { ...CANDIDATE, ...candidate },
    {
      ...FACTS,
      ...facts,
      settings: { ...FACTS.settings, ...facts.settings },
      counts: { ...FACTS.counts, ...facts.counts },
    },
  );
}
