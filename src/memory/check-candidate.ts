// Pure: values in, values out.

import { cleanLine } from "../language/clean.ts";
import { PERSON, peopleIn, personToken } from "../language/people.ts";
import { normalWords } from "../language/words.ts";
import type { NoteKind, NoteScope, NoteSource } from "../platform/config/names.ts";
import { readFact } from "./fact-reading.ts";
import type { Labels } from "./labels.ts";
import type { EpisodeClaim, KnownNote, RawNote } from "./note-prompt.ts";

/** A note that may be written, if the write policy lets it: whom it is about, and what it rests on, is checked. */
export interface Candidate {
  readonly scope: NoteScope;
  readonly subjectId: string | null;
  readonly kind: NoteKind;
  /** With person tokens, and naming nobody but its subject. */
  readonly fact: string;
  readonly topics: readonly string[];
  readonly confidence: number;
  readonly importance: RawNote["importance"];
  readonly lifetime: RawNote["lifetime"];
  readonly basis: RawNote["basis"];
  /** By the model's own word. */
  readonly sensitive: boolean;
  /** The claims about its subject, in order, each once. Never empty. */
  readonly claimNumbers: readonly number[];
  readonly relation: RawNote["relation"];
  /** A known note about the same subject; null where it relates to none. */
  readonly noteId: number | null;
  readonly source: NoteSource;
}

/** Why what a model offered is no candidate, in the order in which it is asked. */
export type CandidateReason =
  | "empty"
  | "unknown_subject"
  | "unknown_claim"
  | "claim_of_other"
  | "unknown_note"
  | "note_of_other"
  | "names_other";

export type CandidateCheck =
  | { readonly kind: "good"; readonly candidate: Candidate }
  | { readonly kind: "drop"; readonly reason: CandidateReason };

export interface CandidateContext {
  readonly claims: readonly EpisodeClaim[];
  readonly known: readonly KnownNote[];
  readonly labels: Labels;
  readonly source: NoteSource;
}

const LABELS = /(?<![\p{L}\p{N}_])P\d{1,4}(?![\p{L}\p{N}_])/gu;
const BREAKS = /[\n\r\u2028\u2029]/u;
/** What somebody wants to be called is a wish, whatever the model took it for. */
const WISHES: ReadonlySet<string> = new Set(["called", "pronouns"]);
const TOPICS_MAX = 3;
const TOPIC_CHARS_MAX = 40;
/** A fact is another viewer's when it shares so many words with their claim, and more than with its own. */
const SHARED_WORDS_MIN = 2;

/**
 * Holds a note that a model wrote against the episode: its claims are real and about its subject, whom it names alone,
 * and the known note that it relates to is that subject's. A viewer's note needs a claim about that viewer and rests on
 * nobody else's; one of the channel or a bit needs a claim of that sort and names nobody.
 */
export function checkCandidate(raw: RawNote, context: CandidateContext): CandidateCheck {
  const { claims, labels, known } = context;
  const written = cleaned(raw.fact);
  if (written === "") return drop("empty");
  const subjectId = raw.scope === "viewer" ? labels.userId(raw.subject.trim()) : null;
  if (
    raw.scope === "viewer" ? subjectId === null : !/^(?:channel|bit)$/i.test(raw.subject.trim())
  ) {
    return drop("unknown_subject");
  }
  const numbers = new Set(raw.claim_numbers);
  const cited = claims.filter(({ n }) => numbers.has(n));
  if (cited.length === 0 || cited.length < numbers.size) return drop("unknown_claim");
  const own = cited.filter(isAbout(subjectId));
  if (
    own.length === 0 ||
    cited.some((claim) => claim.subjectId !== null && claim.subjectId !== subjectId)
  ) {
    return drop("claim_of_other");
  }
  const reason =
    noteReason(raw, known, subjectId) ?? factReason(written, { subjectId, own, context });
  if (reason !== null) return drop(reason);
  return { kind: "good", candidate: candidateOf(raw, { subjectId, own, context, written }) };
}

interface Checked {
  readonly subjectId: string | null;
  readonly own: readonly EpisodeClaim[];
  readonly context: CandidateContext;
}

function drop(reason: CandidateReason): CandidateCheck {
  return { kind: "drop", reason };
}

/** Line breaks stay: the write policy drops for them. */
function cleaned(fact: string): string {
  const trimmed = fact.trim();
  return BREAKS.test(trimmed) ? trimmed : cleanLine(trimmed);
}

function isAbout(subjectId: string | null): (claim: EpisodeClaim) => boolean {
  return (claim) =>
    claim.subjectId === subjectId && (subjectId === null) === (claim.scope !== "viewer");
}

/** A number counts only where a relation is claimed with it. */
function noteReason(
  raw: RawNote,
  known: readonly KnownNote[],
  subjectId: string | null,
): CandidateReason | null {
  if (raw.relation === "new" || raw.note === null) return null;
  const note = known.find(({ id }) => id === raw.note);
  if (note === undefined) return "unknown_note";
  return note.subjectId === subjectId ? null : "note_of_other";
}

function factReason(written: string, { subjectId, own, context }: Checked): CandidateReason | null {
  const { labels, claims } = context;
  const isOther = (userId: string | null) => userId === null || userId !== subjectId;
  const namesOther =
    (written.match(LABELS) ?? []).some((label) => isOther(labels.userId(label))) ||
    peopleIn(labels.toTokens(written)).some(isOther);
  if (namesOther) return "names_other";
  const words = new Set(normalWords(labels.toTokens(written)));
  const shared = ({ statement }: EpisodeClaim) =>
    new Set(normalWords(statement).filter((word) => words.has(word))).size;
  const most = (some: readonly EpisodeClaim[]) => Math.max(0, ...some.map(shared));
  const others = most(
    claims.filter((claim) => claim.subjectId !== null && claim.subjectId !== subjectId),
  );
  return others >= SHARED_WORDS_MIN && others > most(own) ? "claim_of_other" : null;
}

function candidateOf(raw: RawNote, checked: Checked & { readonly written: string }): Candidate {
  const { subjectId, own, context, written } = checked;
  const tokens = context.labels.toTokens(written);
  const fact =
    subjectId === null || peopleIn(tokens).length > 0
      ? tokens
      : `${personToken(subjectId)} ${tokens}`;
  const topics = raw.topics
    .map((topic) => context.labels.toTokens(cleanLine(topic)).slice(0, TOPIC_CHARS_MAX))
    .filter((topic) => topic !== "" && topic.search(PERSON) < 0);
  const isRelated = raw.relation !== "new" && raw.note !== null;
  return {
    scope: raw.scope,
    subjectId,
    kind:
      subjectId !== null && WISHES.has(readFact(fact).property?.predicate ?? "")
        ? "constraint"
        : raw.kind,
    fact,
    topics: [...new Set(topics)].slice(0, TOPICS_MAX),
    confidence: Number.isFinite(raw.confidence) ? Math.min(1, Math.max(0, raw.confidence)) : 0,
    importance: raw.importance,
    lifetime: raw.lifetime,
    basis: raw.basis,
    sensitive: raw.sensitive,
    claimNumbers: own.map(({ n }) => n),
    relation: isRelated ? raw.relation : "new",
    noteId: isRelated ? raw.note : null,
    source: context.source,
  };
}
