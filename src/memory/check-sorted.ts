// Pure: values in, values out.

import { z } from "zod";
import {
  NOTE_KIND_NAMES,
  NOTE_PROPERTIES,
  NOTE_PROPERTY_NAMES,
  NOTE_SCOPES,
} from "../catalogue/note-kinds.ts";
import { NOTE_SOURCES } from "../config/names.ts";
import { cleanLine } from "../language/clean.ts";
import { fold } from "../language/fold.ts";
import { findLanguage, type Language } from "../language/languages.ts";
import { findPeople, makePersonToken, PERSON } from "../language/people.ts";
import { getStemmedWords, readNumeral, type StemmedWord } from "../language/stems.ts";
import { mayDeny } from "./fact-key.ts";
import type { Labels } from "./labels.ts";
import {
  type ExtractedEntry,
  IMPORTANCES,
  type KnownNote,
  LIFETIMES,
  RELATIONS,
  type Relation,
  type WaitingClaim,
} from "./note-prompt.ts";
import { chooseKind } from "./note-settings.ts";

const propertySchema = z.strictObject({
  name: z.enum(NOTE_PROPERTY_NAMES),
  value: z.string(),
  /** Of a rank, a main game or a main character. */
  game: z.string().nullable(),
});

/** A property that a viewer has once, or few times. */
export type Property = Readonly<z.output<typeof propertySchema>>;

export const candidateSchema = z.object({
  scope: z.enum(NOTE_SCOPES),
  subjectId: z.string().nullable(),
  kind: z.enum(NOTE_KIND_NAMES),
  property: propertySchema.nullable(),
  /** The fact with person tokens. It names only its subject. */
  fact: z.string(),
  topics: z.array(z.string()).readonly(),
  confidence: z.number(),
  importance: z.enum(IMPORTANCES),
  /** The model's lifetime; null if the kind alone sets it. */
  lifetime: z.enum(LIFETIMES).nullable(),
  /** By the model's own word: a private matter; about how a bot must speak or act, or a role. */
  sensitive: z.boolean(),
  aboutBot: z.boolean(),
  /** Its claims, each once. Never empty. */
  claims: z.array(z.strictObject({ episodeId: z.int(), n: z.int() })).readonly(),
  /** One of its claims may make a note active. */
  proves: z.boolean().default(true),
  relation: z.enum(RELATIONS),
  /** The known note that it relates to, or null. */
  noteId: z.int().nullable(),
  source: z.enum(NOTE_SOURCES),
  /** Local day (2026-05-01) that the fact is about. */
  happensOn: z.string().nullable().default(null),
});

/** A checked fact that may become a note by the write policy. */
export type Candidate = Readonly<z.output<typeof candidateSchema>>;

/** Why an entry is no candidate, in the order of the checks. */
export type CandidateReason =
  | "unknown_claim"
  | "claim_of_other"
  | "claim_taken"
  | "note_gone"
  | "empty"
  | "names_other";

/** A fixable error of an entry. It is counted. */
type OfferRepair =
  | "unknown_note"
  | "note_of_other"
  | "note_settled"
  | "text_from_nowhere"
  | "text_missing"
  | "property_not_said"
  | "property_without_value";

/** A candidate with its repairs, or why an entry is none. */
export type CandidateCheck =
  | {
      readonly kind: "good";
      readonly candidate: Candidate;
      readonly mended: readonly OfferRepair[];
    }
  | { readonly kind: "drop"; readonly reason: CandidateReason };

export interface EntryContext {
  /** As in the question, in order. */
  readonly claims: readonly WaitingClaim[];
  readonly known: readonly KnownNote[];
  readonly labels: Labels;
  /** Claims that an earlier entry of this answer took, by their place. */
  readonly taken: ReadonlySet<number>;
  /** Notes that earlier entries of the answer replaced. */
  readonly gone: ReadonlySet<number>;
  /** Notes that earlier entries of the answer wrote, or made replace others. */
  readonly freshNoteIds: ReadonlySet<number>;
}

const TOPICS_MAX = 3;
const TOPIC_CHARS_MAX = 40;
const VALUE_CHARS_MAX = 80;
const CONFIDENCE_USUAL = 0.8;
const LETTERS = /^[\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{sc=Hebr}]+$/u;

/**
 * Checks one entry of a model's extraction. Its claims exist, have one subject, and are used once.
 * Its fact is a claim's statement, or a text in words of those claims and of the note that it adds
 * to. A property's value is in words of the fact. A note that it names has the same subject.
 */
export function checkEntry(entry: ExtractedEntry, context: EntryContext): CandidateCheck {
  const places = [...new Set(entry.claims)];
  const cited = places.flatMap((place) => context.claims[place - 1] ?? []);
  const [first] = cited;
  const drop = (reason: CandidateReason) => ({ kind: "drop", reason }) as const;
  if (first === undefined || cited.length < places.length) return drop("unknown_claim");
  if (!cited.every((other) => isOfSame(other, first))) return drop("claim_of_other");
  if (places.some((place) => context.taken.has(place))) return drop("claim_taken");
  const mended: OfferRepair[] = [];
  const related = relateEntry(entry, first, context, mended);
  if (related === "note_gone") return drop("note_gone");
  const fact = chooseFact(entry, cited, related, context.labels, mended);
  if (fact === "") return drop("empty");
  if (findPeople(fact).some((id) => id !== first.subjectId)) return drop("names_other");
  // An addition without a text of these words is a new fact.
  const isUnjoined = related.relation === "adds" && mended.some((what) => what.startsWith("text_"));
  const candidate: Candidate = {
    scope: first.scope,
    subjectId: first.subjectId,
    kind: chooseKind(first.scope, entry.kind),
    property: first.scope === "viewer" ? checkProperty(entry, fact, mended) : null,
    fact,
    topics: readTopics(entry, context.labels),
    ...readJudgement(entry),
    claims: cited.map(({ episodeId, n }) => ({ episodeId, n })),
    proves: cited.some(({ proves }) => proves),
    relation: isUnjoined ? "new" : related.relation,
    noteId: isUnjoined ? null : (related.note?.id ?? null),
    source: "extracted",
    happensOn: cited.find(({ happensOn }) => happensOn !== null)?.happensOn ?? null,
  };
  return { kind: "good", candidate, mended };
}

/** Returns the model's own judgement, with defaults. */
function readJudgement(entry: ExtractedEntry) {
  return {
    confidence: Math.min(1, Math.max(0, entry.confidence ?? CONFIDENCE_USUAL)),
    importance: entry.importance ?? "medium",
    lifetime: entry.lifetime ?? null,
    sensitive: entry.sensitive ?? false,
    aboutBot: entry.about_bot ?? false,
  };
}

/** Returns at most three topics of 40 characters that name no viewer. */
function readTopics({ topics }: ExtractedEntry, labels: Labels): string[] {
  const read = topics
    .map((topic) => labels.toTokens(cleanLine(topic)).slice(0, TOPIC_CHARS_MAX))
    .filter((topic) => topic !== "" && topic.search(PERSON) < 0);
  return [...new Set(read)].slice(0, TOPICS_MAX);
}

function isOfSame(one: KnownNote | WaitingClaim, other: WaitingClaim): boolean {
  if (one.subjectId !== other.subjectId) return false;
  return other.subjectId !== null || one.scope === other.scope;
}

interface RelatedNote {
  readonly relation: Relation;
  readonly note: KnownNote | null;
}

/**
 * Relates an entry to a note of the same subject. With another note or none it counts as new, or as a replacement of
 * nothing. Returns `note_gone` if it repeats a replaced note. Adds repairs to `mended`.
 */
function relateEntry(
  { relation = "new", note: id = null }: ExtractedEntry,
  first: WaitingClaim,
  { known, gone, freshNoteIds }: EntryContext,
  mended: OfferRepair[],
): RelatedNote | "note_gone" {
  const unrelated = { relation: "new", note: null } as const;
  // A change of nothing that is known is still a change.
  const bare = relation === "replaces" ? ({ relation, note: null } as const) : unrelated;
  if (relation === "new" || id === null) return bare;
  if (gone.has(id)) return relation === "same" ? "note_gone" : unrelated;
  if (relation === "replaces" && freshNoteIds.has(id)) {
    // If two facts replace each other, it is unknown which is true. Both stay.
    mended.push("note_settled");
    return unrelated;
  }
  const note = known.find((one) => one.id === id);
  if (note === undefined || !isOfSame(note, first)) {
    mended.push(note === undefined ? "unknown_note" : "note_of_other");
    return bare;
  }
  // A shadow note lends no words to an active one.
  return relation === "adds" && note.status === "shadow" ? unrelated : { relation, note };
}

/**
 * Returns the fact with tokens: the entry's text if it joins claims or a claim and a note in their words; else the
 * longest statement. Adds repairs to `mended`.
 */
function chooseFact(
  entry: ExtractedEntry,
  cited: readonly WaitingClaim[],
  { relation, note }: RelatedNote,
  labels: Labels,
  mended: OfferRepair[],
): string {
  const statements = cited.map(({ statement }) => statement);
  const statement = statements.reduce((best, one) => (one.length > best.length ? one : best), "");
  const added = relation === "adds" && note !== null ? [note.fact] : [];
  if (added.length === 0 && cited.length === 1) return statement;
  const text = labels.toTokens(cleanLine(entry.text ?? ""));
  if (text === "" || !isMadeOfSources(text, [...statements, ...added])) {
    if (text !== "") mended.push("text_from_nowhere");
    else if (added.length > 0) mended.push("text_missing");
    return statement;
  }
  const subjectId = cited[0]?.subjectId ?? null;
  const isNamed = subjectId === null || findPeople(text).length > 0;
  return isNamed ? text : `${makePersonToken(subjectId)} ${text}`;
}

function checkProperty(
  { property = null }: ExtractedEntry,
  fact: string,
  mended: OfferRepair[],
): Property | null {
  if (property === null) return null;
  const { name } = property;
  const value = cleanLine(property.value).slice(0, VALUE_CHARS_MAX);
  if (value === "" || !isMadeOfSources(value, [fact])) {
    mended.push(value === "" ? "property_without_value" : "property_not_said");
    return null;
  }
  const game = cleanLine(property.game ?? "");
  return { name, value, game: NOTE_PROPERTIES[name].hasGame && game !== "" ? game : null };
}

/**
 * True if each content word of a text is in one of the sources. Words of two letters do not count.
 * In a language without a file words of three do not count, and a compound matches its parts.
 */
export function isMadeOfSources(text: string, sources: readonly string[]): boolean {
  const language = findLanguage(text, sources);
  const held = new Set(
    sources.flatMap((text) =>
      getStemmedWords(text, language).flatMap((word) => listForms(word, language)),
    ),
  );
  const isShort = (word: string): boolean =>
    LETTERS.test(word) && word.length <= (language === null ? 3 : 2) && !mayDeny(word);
  const isPart = (word: string): boolean =>
    language === null &&
    [...held].some((other) => other.length > 2 && (other.includes(word) || word.includes(other)));
  return getStemmedWords(text, language).every((one) => {
    const forms = listForms(one, language);
    const [word] = forms;
    return forms.some((form) => held.has(form)) || isShort(word) || isPart(word);
  });
}

/** Returns the compared forms of a word: itself, its stem and its number. */
function listForms(
  { surface, stem }: StemmedWord,
  language: Language | null,
): [string, string, string] {
  const word = fold(surface);
  return [word, fold(stem), readNumeral(word, language) ?? word];
}
