import { NOTE_KIND_NAMES, NOTE_SCOPES } from "../../src/catalogue/note-kinds.ts";
import { policySchema } from "../../src/config/schema.ts";
import type { Candidate } from "../../src/memory/check-sorted.ts";
import { makeFactKey } from "../../src/memory/fact-key.ts";
import type { StoredNote } from "../../src/memory/note-reads-store.ts";
import { judgeNote, type Verdict, type WriteFacts } from "../../src/memory/write-policy.ts";

export const CANDIDATE: Candidate = {
  scope: "viewer",
  subjectId: "1",
  kind: "preference",
  property: null,
  fact: "{u:1} plays Valorant",
  topics: ["valorant"],
  confidence: 0.8,
  importance: "medium",
  lifetime: "permanent",
  sensitive: false,
  aboutBot: false,
  claims: [{ episodeId: 1, n: 1 }],
  proves: true,
  happensOn: null,
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
  property: null,
  lifetime: null,
  happensOn: null,
  topics: "",
  supersededBy: null,
  statusBefore: null,
};
const FACTS: WriteFacts = {
  settings: {
    ...policySchema.parse({}),
    mode: "auto",
    scopes: [...NOTE_SCOPES],
    kinds: [...NOTE_KIND_NAMES],
    approvalKinds: [],
  },
  readOnly: false,
  optedOut: false,
  isSuppressed: () => false,
  isBanned: (text) => text.includes("zorbleflax"),
  window: [],
  factKeyOf: makeFactKey,
  known: [],
  freshNoteIds: new Set(),
  isProven: () => false,
  rejected: [],
  ofStream: [],
  importance: 0.1,
};

/** Judges a plain candidate with changes, against plain facts with changes. */
export function judge(
  candidate: Partial<Candidate>,
  facts: Omit<Partial<WriteFacts>, "settings"> & {
    readonly settings?: Partial<WriteFacts["settings"]>;
  } = {},
): Verdict {
  return judgeNote(
    { ...CANDIDATE, ...candidate },
    { ...FACTS, ...facts, settings: { ...FACTS.settings, ...facts.settings } },
  );
}
