// Pure: values in, values out.

import { withBotUnnamed } from "../language/bot-name.ts";
import { instructs } from "../language/instruction.ts";
import {
  type MemoryMode,
  NOTE_SOURCES,
  type NoteKind,
  type NoteScope,
} from "../platform/config/names.ts";
import type { Candidate } from "./check-candidate.ts";
import { FACT_CHARS_MAX } from "./note-prompt.ts";
import type { StoredNote } from "./note-store.ts";
import { checkSentence, type SentenceReason } from "./sentence-checks.ts";
import { type Comparison, compareFacts, mayBeSame } from "./similarity.ts";

/** Why a candidate was dropped, in the order in which it is asked. */
export type DropReason =
  | "read_only"
  | "scope_off"
  | "low_confidence"
  | SentenceReason
  | "inferred"
  | "mood"
  | "opted_out"
  | "suppressed"
  | "kind_off"
  | "rejected_before"
  | "weaker_source"
  | "subject_rate"
  | "channel_rate";

/** What becomes of a candidate, with one reason each. */
export type Verdict =
  | { readonly kind: "drop"; readonly reason: DropReason }
  /** It says what a note says already, which may leave the shadow for it. */
  | {
      readonly kind: "confirm";
      readonly reason: "duplicate" | "model_same";
      readonly noteId: number;
      /** It becomes active, if the episode is new evidence for it. */
      readonly promotes: boolean;
    }
  /** All of the notes go for it; while its status is not `active` they stay until it is approved. */
  | {
      readonly kind: "supersede";
      readonly reason: "conflict" | "model_updates" | "model_contradicts";
      readonly noteIds: readonly number[];
      readonly status: NewStatus;
    }
  | {
      readonly kind: "write";
      readonly reason: "new" | "little_evidence" | "mode_shadow" | "mode_manual" | "kind_approval";
      readonly status: NewStatus;
    };

type NewStatus = "active" | "shadow" | "pending";

export interface WriteSettings {
  readonly mode: MemoryMode;
  readonly scopes: readonly NoteScope[];
  readonly kinds: readonly NoteKind[];
  /** Always `pending` first, whatever the mode. */
  readonly approvalKinds: readonly NoteKind[];
  /** How many claims and earlier episodes a note of a kind needs; one where the kind is not named. */
  readonly evidenceMin: Readonly<Partial<Record<NoteKind, number>>>;
  readonly perSubjectStreamMax: number;
  readonly perChannelHourMax: number;
  /** What the bot is called: a wish about it by name is an order as well. */
  readonly botNames: readonly string[];
}

/** What is known when a candidate is judged: values only. */
export interface WriteFacts {
  readonly settings: WriteSettings;
  readonly readOnly: boolean;
  readonly optedOut: boolean;
  /** Whether the subject had facts like this one forgotten for good. */
  readonly isSuppressed: (fact: string) => boolean;
  /** The finder of `bannedWords`. */
  readonly banned: (text: string) => string | null;
  /** Notes of the candidate's own subject and persona, as `known` of the store gives them. */
  readonly known: readonly StoredNote[];
  /** How many episodes are a note's evidence. */
  readonly evidenceOf: (noteId: number) => number;
  /** Facts about the subject that were rejected by hand. */
  readonly rejected: readonly string[];
  /** New notes of the subject in this stream, and of the channel in the last hour. */
  readonly counts: {
    readonly subjectStream: number;
    readonly channelHour: number;
  };
}

/** Below this a claim is too unsure. Design part 6, point 3. */
const CONFIDENCE_MIN = 0.4;
/** What a person feels or does this minute, and guesses. */
const MOOD =
  /(?<![\p{L}\p{N}])(?:(?:is|are|was|were|feels?|feeling|seems?|looks?|sounds?|appears) (?:(?:a bit|very|so|really|quite|pretty|currently|rather) )?(?:sad|happy|angry|mad|tired|sleepy|bored|excited|hyped|annoyed|frustrated|upset|nervous|grumpy|tilted|salty|moody|hungry|thirsty|confused|surprised|amused|in a (?:good|bad|great) mood)|(?:probably|perhaps|maybe|might be|may be|seems to|appears to|apparently|presumably|possibly)|(?:наверное|возможно|вероятно|похоже|кажется|устал[аи]?|грустит|злится|скучает|в (?:хорошем|плохом) настроении)|(?:está|parece) (?:muy )?(?:triste|feliz|cansad[oa]|aburrid[oa]|enfadad[oa])|(?:probablemente|quizás?|tal vez|vielleicht|wahrscheinlich|vermutlich|peut-être|probablement))(?![\p{L}\p{N}])|(?:たぶん|多分|かもしれない|らしい$|疲れて|眠そう|機嫌)/iu;

/**
 * What becomes of a note that a model offered: the first rule that applies decides, in the order of design part 6,
 * point 3. Total, and the same for the same values. What a viewer asked for passes the private-matter
 * check; that and the operator's word are no guesses, and under no rate; nothing passes the others.
 */
export function judgeNote(candidate: Candidate, facts: WriteFacts): Verdict {
  const reason =
    gateReason(candidate, facts) ?? textReason(candidate, facts) ?? personReason(candidate, facts);
  if (reason !== null) return drop(reason);
  return relatedVerdict(candidate, facts) ?? newVerdict(candidate, facts);
}

function drop(reason: DropReason): Verdict {
  return { kind: "drop", reason };
}

function gateReason(
  { scope, confidence }: Candidate,
  { settings, readOnly }: WriteFacts,
): DropReason | null {
  if (readOnly) return "read_only";
  if (!settings.scopes.includes(scope)) return "scope_off";
  return confidence >= CONFIDENCE_MIN ? null : "low_confidence";
}

/** Form, then private matters, then guesses, then banned words. */
function textReason(candidate: Candidate, { banned, settings }: WriteFacts): DropReason | null {
  const { fact, topics, basis, sensitive } = candidate;
  const isAsked = isRequest(candidate);
  const texts = [fact, ...topics];
  const first = (bannedToo: (text: string) => string | null): SentenceReason | null => {
    const checks = { banned: bannedToo, charsMax: FACT_CHARS_MAX, allowSensitive: true };
    return (
      texts
        .map((text) => checkSentence(text, checks) ?? orderIn(text, settings))
        .find((reason) => reason !== null) ?? null
    );
  };
  const form = first(() => null);
  if (form !== null) return form;
  if (candidate.source !== "viewer_request" && (sensitive || texts.some(isSensitive)))
    return "sensitive";
  if (!isAsked && basis === "inferred") return "inferred";
  if (!isAsked && MOOD.test(fact)) return "mood";
  return first(banned);
}

function orderIn(text: string, { botNames }: WriteSettings): "instruction" | null {
  const unnamed = withBotUnnamed(text, botNames);
  return unnamed !== null && instructs(unnamed) === "imperative" ? "instruction" : null;
}

function isSensitive(text: string): boolean {
  return checkSentence(text, { banned: () => null, charsMax: FACT_CHARS_MAX }) === "sensitive";
}

function isRequest({ source }: Candidate): boolean {
  return source === "viewer_request" || source === "operator";
}

function personReason({ kind, fact, source }: Candidate, facts: WriteFacts): DropReason | null {
  if (facts.optedOut) return "opted_out";
  if (facts.isSuppressed(fact)) return "suppressed";
  if (!facts.settings.kinds.includes(kind)) return "kind_off";
  const isRejected =
    source !== "operator" &&
    facts.rejected.some((other) => compareFacts(other, fact).kind === "same") &&
    !facts.known.some((note) => isLive(note) && compareFacts(note.fact, fact).kind === "same");
  return isRejected ? "rejected_before" : null;
}

/** Confirms or supersedes: by words first, by the model's word where they say nothing. */
function relatedVerdict(candidate: Candidate, facts: WriteFacts): Verdict | null {
  const compared = facts.known
    .filter(({ subjectId }) => subjectId === candidate.subjectId)
    .map((note) => ({ note, kind: compareFacts(note.fact, candidate.fact).kind }));
  // What the channel knows already it knows as a joke, too; that the two disagree means nothing.
  const those = (kind: Comparison["kind"], live: boolean) =>
    compared
      .filter(({ note }) => kind === "same" || note.scope === candidate.scope)
      .filter((one) => one.kind === kind && isLive(one.note) === live)
      .map(({ note }) => note);
  const [same] = those("same", true);
  if (same !== undefined) return confirm("duplicate", same, { candidate, facts });
  const conflicts = those("conflict", true);
  if (conflicts.length > 0) return supersede("conflict", conflicts, { candidate, facts });
  const related = compared.find(({ note }) => note.id === candidate.noteId)?.note;
  if (related !== undefined && related.scope === candidate.scope && isLive(related)) {
    const verdict = modelVerdict(related, { candidate, facts });
    if (verdict !== null) return verdict;
  }
  const [revived] = those("same", false);
  if (revived !== undefined) return confirm("duplicate", revived, { candidate, facts });
  const old = those("conflict", false).filter((note) => !isStronger(note, candidate));
  return old.length > 0 ? supersede("conflict", old, { candidate, facts }) : null;
}

interface Judged {
  readonly candidate: Candidate;
  readonly facts: WriteFacts;
}

/** Words veto what a model takes for the same. */
function modelVerdict(note: StoredNote, judged: Judged): Verdict | null {
  const { relation, fact } = judged.candidate;
  switch (relation) {
    case "new":
      return null;
    case "same":
      return mayBeSame(note.fact, fact) ? confirm("model_same", note, judged) : null;
    case "updates":
      return supersede("model_updates", [note], judged);
    case "contradicts":
      return supersede("model_contradicts", [note], judged);
  }
}

function confirm(
  reason: "duplicate" | "model_same",
  said: StoredNote,
  { candidate, facts }: Judged,
): Verdict {
  const { settings, evidenceOf } = facts;
  const note = activeTwin(said, facts) ?? said;
  const evidence = evidenceOf(note.id) + candidate.claimNumbers.length;
  const isDue =
    note.status === "shadow" &&
    settings.mode === "auto" &&
    !settings.approvalKinds.includes(note.kind) &&
    evidence >= (settings.evidenceMin[note.kind] ?? 1);
  const promotes = isDue || (candidate.source === "operator" && note.status !== "active");
  return { kind: "confirm", reason, noteId: note.id, promotes };
}

/** What waits, or ran out, does not come into force beside a note that says the same. */
function activeTwin({ fact }: StoredNote, { known }: WriteFacts): StoredNote | undefined {
  return known.find(
    (other) => other.status === "active" && compareFacts(other.fact, fact).kind === "same",
  );
}

type SupersedeReason = Extract<Verdict, { kind: "supersede" }>["reason"];

function supersede(
  reason: SupersedeReason,
  notes: readonly StoredNote[],
  { candidate, facts }: Judged,
): Verdict {
  const { status } = statusOf(candidate, facts.settings);
  if (notes.some((note) => isStronger(note, candidate))) return drop("weaker_source");
  return { kind: "supersede", reason, noteIds: notes.map(({ id }) => id), status };
}

function newVerdict(candidate: Candidate, { settings, counts }: WriteFacts): Verdict {
  if (!isRequest(candidate)) {
    if (counts.subjectStream >= settings.perSubjectStreamMax) return drop("subject_rate");
    if (counts.channelHour >= settings.perChannelHourMax) return drop("channel_rate");
  }
  const { status, reason } = statusOf(candidate, settings);
  return { kind: "write", reason, status };
}

interface Status {
  readonly status: NewStatus;
  readonly reason: Extract<Verdict, { kind: "write" }>["reason"];
}

/** The operator's own word needs nobody's approval. */
function statusOf({ kind, source, claimNumbers }: Candidate, settings: WriteSettings): Status {
  if (source === "operator") return { status: "active", reason: "new" };
  const isShort = source === "extracted" && claimNumbers.length < (settings.evidenceMin[kind] ?? 1);
  if (isShort) return { status: "shadow", reason: "little_evidence" };
  if (settings.approvalKinds.includes(kind)) return { status: "pending", reason: "kind_approval" };
  switch (settings.mode) {
    case "auto":
      return { status: "active", reason: "new" };
    case "shadow":
      return { status: "shadow", reason: "mode_shadow" };
    case "manual":
      return { status: "pending", reason: "mode_manual" };
  }
}

/** Whether a note still counts: one that ran out neither blocks nor outranks anything. */
function isLive({ status }: StoredNote): boolean {
  return status === "active" || status === "shadow" || status === "pending";
}

/** What the operator pinned is as good as the operator's own word. */
function isStronger({ source, pinned }: StoredNote, candidate: Candidate): boolean {
  const held = NOTE_SOURCES.indexOf(pinned ? "operator" : source);
  return held > NOTE_SOURCES.indexOf(candidate.source);
}
