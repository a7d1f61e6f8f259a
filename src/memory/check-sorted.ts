// Pure: values in, values out.

import { z } from "zod";
import {
  NOTE_KIND_NAMES,
  NOTE_PROPERTIES,
  NOTE_PROPERTY_NAMES,
  NOTE_SCOPES,
  type NoteScope,
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
  type WaitingClaim,
} from "./note-prompt.ts";
import { chooseKind } from "./note-settings.ts";

const propertySchema = z.strictObject({
  name: z.enum(NOTE_PROPERTY_NAMES),
  value: z.string(),
  /** Of a rank, a main game or a main character. */
  game: z.string().nullable(),
});

/** A property of a viewer. `NOTE_PROPERTIES` says which ones a viewer has only once. */
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
  /** True if the model called it a private matter. */
  sensitive: z.boolean(),
  /** True if the model says that it is about how a bot must speak or act, or about a role. */
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

export interface EntryContext {
  /** As in the question, in order. */
  readonly claims: readonly WaitingClaim[];
  readonly known: readonly KnownNote[];
  readonly labels: Labels;
  /** Claims that earlier entries of this answer cite, by their place, from 1. */
  readonly taken: ReadonlySet<number>;
  /** Ids of notes that earlier entries of this answer replaced. */
  readonly replaced: ReadonlySet<number>;
}

const TOPICS_MAX = 3;
const TOPIC_CHARS_MAX = 40;
const VALUE_CHARS_MAX = 80;
const LETTERS = /^[\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{sc=Hebr}]+$/u;

/**
 * Returns the candidate of one entry of a model's extraction, or why it is none. Its fact is the entry's text if that
 * joins several sources and adds no word; else the longest claim. A property that the fact does not say becomes null. The
 * relation becomes `new` if `findRelated` returns no note, or an addition has words of its own. The caller adds to `taken`
 * and `replaced`.
 */
export function checkEntry(
  entry: ExtractedEntry,
  { claims, known, labels, taken, replaced }: EntryContext,
): Candidate | CandidateReason {
  const places = [...new Set(entry.claims)];
  const cited = places.flatMap((place) => claims[place - 1] ?? []);
  const [first] = cited;
  if (first === undefined || cited.length < places.length) return "unknown_claim";
  if (!cited.every((other) => hasSameSubject(other, first))) return "claim_of_other";
  if (places.some((place) => taken.has(place))) return "claim_taken";
  const note = findRelated(entry, first, known, replaced);
  if (note === "note_gone") return note;
  const added = note !== null && entry.relation === "adds" ? [note.fact] : [];
  const joined = joinSources(entry, cited, added, labels);
  const fact = joined ?? findLongest(cited.map(({ statement }) => statement));
  if (fact === "") return "empty";
  if (findPeople(fact).some((id) => id !== first.subjectId)) return "names_other";
  // An addition without a text of these words is a new fact.
  const isUnjoined = added.length > 0 && joined === null;
  const related = isUnjoined ? null : note;
  return {
    scope: first.scope,
    subjectId: first.subjectId,
    kind: chooseKind(first.scope, entry.kind),
    property: checkProperty(entry, first.scope, fact),
    fact,
    topics: readTopics(entry, labels),
    confidence: Math.min(1, Math.max(0, entry.confidence)),
    importance: entry.importance,
    lifetime: entry.lifetime,
    sensitive: entry.sensitive,
    aboutBot: entry.about_bot,
    claims: cited.map(({ episodeId, n }) => ({ episodeId, n })),
    proves: cited.some(({ proves }) => proves),
    relation: related === null ? "new" : entry.relation,
    noteId: related?.id ?? null,
    source: "extracted",
    happensOn: cited.find(({ happensOn }) => happensOn !== null)?.happensOn ?? null,
  };
}

/** Returns at most three topics that name no viewer, cut to 40 characters. */
function readTopics({ topics }: ExtractedEntry, labels: Labels): string[] {
  const read = topics
    .map((topic) => labels.toTokens(cleanLine(topic)))
    .filter((topic) => topic !== "" && topic.search(PERSON) < 0)
    .map((topic) => topic.slice(0, TOPIC_CHARS_MAX));
  return [...new Set(read)].slice(0, TOPICS_MAX);
}

/** True if both are about the same viewer. Without a viewer, they must have the same scope. */
function hasSameSubject(one: KnownNote | WaitingClaim, other: WaitingClaim): boolean {
  if (one.subjectId !== other.subjectId) return false;
  return other.subjectId !== null || one.scope === other.scope;
}

/**
 * Returns the known note that an entry confirms, completes or replaces. Null if there is none, if it has another
 * subject, or if the entry would complete a shadow note. `note_gone` if the entry repeats a replaced note, else null for
 * one.
 */
function findRelated(
  { relation, note: id }: ExtractedEntry,
  first: WaitingClaim,
  known: readonly KnownNote[],
  replaced: ReadonlySet<number>,
): KnownNote | "note_gone" | null {
  if (relation === "new" || id === null) return null;
  // What is no longer true is not true in other words either.
  if (replaced.has(id)) return relation === "same" ? "note_gone" : null;
  const note = known.find((one) => one.id === id);
  if (note === undefined || !hasSameSubject(note, first)) return null;
  // A shadow note lends no words to an active one.
  return relation === "adds" && note.status === "shadow" ? null : note;
}

/**
 * Returns the entry's text with tokens if it joins several claims, or a claim and the fact in `added`. Puts the subject
 * in front if the text names nobody. Null for a single source, or if the text has words of its own.
 */
function joinSources(
  entry: ExtractedEntry,
  cited: readonly WaitingClaim[],
  added: readonly string[],
  labels: Labels,
): string | null {
  const sources = [...cited.map(({ statement }) => statement), ...added];
  const text = labels.toTokens(cleanLine(entry.text));
  if (sources.length === 1 || text === "" || !isMadeOfSources(text, sources)) return null;
  const subjectId = cited[0]?.subjectId ?? null;
  const isNamed = subjectId === null || findPeople(text).length > 0;
  return isNamed ? text : `${makePersonToken(subjectId)} ${text}`;
}

function findLongest(texts: readonly string[]): string {
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest), "");
}

/** Returns a viewer's property; null if there is none, or the fact does not say its value. */
function checkProperty(
  { property }: ExtractedEntry,
  scope: NoteScope,
  fact: string,
): Property | null {
  if (property === null || scope !== "viewer") return null;
  const { name } = property;
  const value = cleanLine(property.value).slice(0, VALUE_CHARS_MAX);
  if (value === "" || !isMadeOfSources(value, [fact])) return null;
  const game = cleanLine(property.game);
  return { name, value, game: NOTE_PROPERTIES[name].hasGame && game !== "" ? game : null };
}

/**
 * True if each content word of a text is in one of the sources. Words of two letters do not count, except negators. In
 * an unknown language, words of three do not count either. There, a word matches a part of a longer one.
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
