// Pure: values in, values out.

import { NOTE_PROPERTIES } from "../catalogue/note-kinds.ts";
import { type MemoryMode, NOTE_SOURCES, type NoteSource } from "../config/names.ts";
import type { MemoryPolicy } from "../config/schema.ts";
import { languageFinder } from "../language/languages.ts";
import type { Candidate } from "./check-sorted.ts";
import { hasOtherValue, isDenied, isDifferent, isOpposite, isSameProperty } from "./fact-key.ts";
import { FACT_CHARS_MAX } from "./note-prompt.ts";
import type { StoredNote } from "./note-reads-store.ts";
import { checkSentence, type SentenceChecks, type SentenceReason } from "./sentence-checks.ts";

/** Why a candidate was dropped, in the order of the checks. */
export type DropReason =
  | "read_only"
  | "scope_off"
  | "low_confidence"
  | SentenceReason
  | "about_bot"
  | "opted_out"
  | "suppressed"
  | "kind_off"
  | "rejected_before"
  | "replaces_itself"
  | "weaker_source"
  | "no_room"
  | "subject_rate"
  | "channel_rate"
  | "bit_rate";

type NewStatus = "active" | "shadow" | "pending";

/** The decision about a candidate, with one reason. */
export type Verdict =
  | { readonly kind: "drop"; readonly reason: DropReason }
  /** A note says the same. It may leave the shadow. */
  | {
      readonly kind: "confirm";
      readonly reason: "equal_key" | "model_same" | "equal_property" | "model_replaces";
      readonly noteId: number;
      /** It becomes active, if the episode is new evidence for it. */
      readonly promotes: boolean;
      /** A note that the confirmed one replaces; then it gains no confidence. */
      readonly replacesId: number | null;
    }
  /** It replaces the notes, at once if `active`, else after approval. */
  | {
      readonly kind: "supersede";
      readonly reason:
        | "model_replaces"
        | "model_adds"
        | "model_same_differs"
        | "opposite"
        | "property";
      readonly noteIds: readonly number[];
      readonly status: NewStatus;
    }
  | {
      readonly kind: "write";
      readonly reason: "new" | "little_evidence" | "mode_shadow" | "mode_manual" | "kind_approval";
      readonly status: NewStatus;
      /** A less important note of this stream that makes room if the cap is reached. */
      readonly insteadOfId: number | null;
    };

/** The policy's facts about a candidate: values only. */
export interface WriteFacts {
  readonly settings: MemoryPolicy;
  readonly readOnly: boolean;
  readonly optedOut: boolean;
  /** Returns true if the viewer had such facts forgotten for good. */
  readonly isSuppressed: (fact: string) => boolean;
  readonly isBanned: (text: string) => boolean;
  /** Texts that were extracted together with the candidate; they show the language. Empty for a single fact. */
  readonly window: readonly string[];
  /** `makeFactKey`, maybe with a cache. */
  readonly factKeyOf: (fact: string) => string;
  /** Notes of the candidate's owner, as `known` of the store returns them. */
  readonly known: readonly StoredNote[];
  /** Notes of the same input, which the candidate never replaces. */
  readonly freshNoteIds: ReadonlySet<number>;
  /** Returns true if earlier evidence may make the note active. */
  readonly isProven: (noteId: number) => boolean;
  /** Facts about the subject that the streamer rejected. */
  readonly rejected: readonly string[];
  /** Notes that this stream made for the subject, or for this scope of the channel, least important first. */
  readonly ofStream: readonly { readonly id: number; readonly importance: number }[];
  /** The score that the candidate's importance adds. */
  readonly importance: number;
}

/** The lowest confidence of a claim. Design part 6, point 3. */
const CONFIDENCE_MIN = 0.4;

/**
 * Judges a candidate. The first rule that applies decides, in the order of design part 6, points 3 and 4. Viewers'
 * requests and the streamer's facts about the channel pass the check for private matters. Requests and all of the
 * streamer's facts have no cap per stream.
 */
export function judgeNote(candidate: Candidate, facts: WriteFacts): Verdict {
  const judged = { ...facts, candidate };
  if (facts.readOnly) return drop("read_only");
  if (!facts.settings.scopes.includes(candidate.scope)) return drop("scope_off");
  if (candidate.confidence < CONFIDENCE_MIN) return drop("low_confidence");
  const reason = checkText(judged) ?? checkPermission(judged);
  return reason === null ? (relateToNotes(judged) ?? judgeNew(judged)) : drop(reason);
}

interface JudgedCandidate extends WriteFacts {
  readonly candidate: Candidate;
}

function drop(reason: DropReason): Verdict {
  return { kind: "drop", reason };
}

/** The content of facts about the channel, by source. A file brings back links, but no order to the bot. */
const CHANNEL_FACTS_HOLD = {
  extracted: "statements",
  import: "links",
  viewer_request: "statements",
  operator: "orders",
} as const satisfies Readonly<Record<NoteSource, SentenceChecks["mayHold"]>>;

/** Returns why fact or topics must not be stored: form, private matters, talk about the bot, banned words; or null. */
function checkText({ candidate, isBanned, window }: JudgedCandidate): DropReason | null {
  const { scope, fact, topics, property, sensitive, aboutBot, source } = candidate;
  const texts = [fact, ...topics];
  const ofChannel = scope !== "viewer";
  const mayHold = ofChannel ? CHANNEL_FACTS_HOLD[source] : "statements";
  const checks = {
    isBanned,
    languagesOf: languageFinder(window.length === 0 ? [fact] : window),
    charsMax: FACT_CHARS_MAX,
    ofChannel,
    // What the streamer writes of the channel is no secret.
    allowSensitive: source === "viewer_request" || mayHold === "orders",
    mayHold,
  };
  const found = texts.flatMap((text) => checkSentence(text, checks) ?? []);
  const isCalling = property !== null && NOTE_PROPERTIES[property.name].isHowToCall;
  const counts = (reason: SentenceReason): boolean => !(isCalling && reason === "instruction");
  const first = found.filter(counts).at(0);
  if (first !== undefined && first !== "banned") return first;
  if (sensitive && source !== "viewer_request") return "sensitive";
  if (aboutBot && !isCalling) return "about_bot";
  return first ?? null;
}

/**
 * Returns why a fact must not be stored whatever its words: viewer opted out, fact suppressed, kind off, or rejected
 * before; or null. The streamer may repeat a rejected fact, and anyone one that a current note says.
 */
function checkPermission(judged: JudgedCandidate): DropReason | null {
  const { kind, fact, source } = judged.candidate;
  if (judged.optedOut) return "opted_out";
  if (judged.isSuppressed(fact)) return "suppressed";
  if (!judged.settings.kinds.includes(kind)) return "kind_off";
  const { factKeyOf } = judged;
  const key = factKeyOf(fact);
  const isRejected =
    source !== "operator" &&
    judged.rejected.some((other) => factKeyOf(other) === key) &&
    !judged.known.some((note) => isLive(note) && factKeyOf(note.fact) === key);
  return isRejected ? "rejected_before" : null;
}

/**
 * Judges a candidate by its relation to known notes: by equal key, as their opposite, by the model's relation, by
 * equal property. Returns null if it is new.
 */
function relateToNotes(judged: JudgedCandidate): Verdict | null {
  const { candidate, known, factKeyOf } = judged;
  // Notes of the same subject; for the channel, of the same scope.
  const own = known.filter(
    (note) =>
      note.subjectId === candidate.subjectId &&
      (candidate.subjectId !== null || note.scope === candidate.scope),
  );
  const key = factKeyOf(candidate.fact);
  // What the channel knows already it knows as a joke, too.
  const equal = known.filter(
    (note) =>
      note.subjectId === candidate.subjectId &&
      factKeyOf(note.fact) === key &&
      !isDifferent(note.fact, candidate.fact),
  );
  const twin = equal.find(isActive) ?? equal.find(isLive) ?? equal[0];
  const byKey = twin === undefined ? null : judgeTwin(twin, own, judged);
  if (byKey !== null) return byKey;
  const opposite = own.find((note) => isActive(note) && isOpposite(note.fact, candidate.fact));
  if (opposite !== undefined && !judged.freshNoteIds.has(opposite.id)) {
    return makeSupersede("opposite", [opposite], judged);
  }
  // The model never sees notes that wait for approval.
  const named = own.find(
    ({ id, status }) => id === candidate.noteId && (status === "active" || status === "shadow"),
  );
  const byModel = named === undefined ? null : judgeByModel(named, judged);
  return byModel ?? judgeProperty(own, judged);
}

/**
 * Judges a candidate that says the same as the note `twin`, which it confirms. If the model calls it a replacement, the
 * twin replaces the note that the model names. Drops it if no active one is named, or one of a stronger source. Returns
 * null for a replacement if the twin is stale or expired.
 */
function judgeTwin(
  twin: StoredNote,
  own: readonly StoredNote[],
  judged: JudgedCandidate,
): Verdict | null {
  const { relation, noteId } = judged.candidate;
  const isFresh = noteId !== null && judged.freshNoteIds.has(noteId);
  if (relation !== "replaces" || isFresh) return makeConfirm("equal_key", twin, judged);
  if (!isLive(twin)) return null;
  const other = own.find((note) => note.id === noteId && note.id !== twin.id && isActive(note));
  if (other === undefined) return drop("replaces_itself");
  if (isStronger(other, judged.candidate)) return drop("weaker_source");
  return makeConfirm("model_replaces", twin, judged, other.id);
}

/**
 * Judges a candidate by the model's relation to a note. Returns null for `new`, if the two have different properties,
 * or if it would replace a note of the same input.
 */
function judgeByModel(note: StoredNote, judged: JudgedCandidate): Verdict | null {
  const { relation, property, fact } = judged.candidate;
  const isOther =
    property !== null && note.property !== null && !isSameProperty(property, note.property);
  if (isOther) return null;
  switch (relation) {
    case "new":
      return null;
    case "replaces":
      return makeSupersede("model_replaces", [note], judged);
    case "adds":
      return makeSupersede("model_adds", [note], judged);
    case "same":
      return isDifferent(note.fact, fact, judged.window) || hasOtherValue(property, note.property)
        ? makeSupersede("model_same_differs", [note], judged)
        : makeConfirm("model_same", note, judged);
  }
}

/**
 * Judges a candidate by its property: an equal value confirms, another value of a single property replaces. Returns
 * null if neither applies.
 */
function judgeProperty(own: readonly StoredNote[], judged: JudgedCandidate): Verdict | null {
  const { property, fact, relation } = judged.candidate;
  if (property === null) return null;
  const rivals = own.filter(
    (note) => isLive(note) && note.property !== null && isSameProperty(property, note.property),
  );
  const equal = rivals.find((note) => !hasOtherValue(property, note.property));
  if (equal !== undefined && relation !== "replaces" && isDenied(equal.fact) === isDenied(fact)) {
    return makeConfirm("equal_property", equal, judged);
  }
  if (relation !== "new" || !NOTE_PROPERTIES[property.name].isSingle || isDenied(fact)) return null;
  const others = rivals.filter(
    (note) =>
      isActive(note) &&
      !judged.freshNoteIds.has(note.id) &&
      !isDenied(note.fact) &&
      hasOtherValue(property, note.property),
  );
  return others.length === 0 ? null : makeSupersede("property", others, judged);
}

/**
 * Returns a confirmation of a note. It activates a shadow note if mode and kind allow that and evidence proves it, and
 * any note if the streamer asks, or a viewer where mode and kind allow that.
 */
function makeConfirm(
  reason: Extract<Verdict, { kind: "confirm" }>["reason"],
  note: StoredNote,
  judged: JudgedCandidate,
  replacesId: number | null = null,
): Verdict {
  const { candidate, settings } = judged;
  const may = settings.mode === "auto" && !settings.approvalKinds.includes(note.kind);
  const isProven = candidate.proves || judged.isProven(note.id);
  const isDue = note.status === "shadow" && may && isProven;
  // A viewer's request does not activate a note that needs the streamer's approval.
  const isAsked = candidate.source === "operator" || (candidate.source === "viewer_request" && may);
  const promotes = isDue || (isAsked && note.status !== "active");
  return { kind: "confirm", reason, noteId: note.id, promotes, replacesId };
}

/** Returns null if a note is of the same input, and a drop if one has a stronger source than the candidate. */
function makeSupersede(
  reason: Extract<Verdict, { kind: "supersede" }>["reason"],
  notes: readonly StoredNote[],
  judged: JudgedCandidate,
): Verdict | null {
  if (notes.some(({ id }) => judged.freshNoteIds.has(id))) return null;
  if (notes.some((note) => isStronger(note, judged.candidate))) return drop("weaker_source");
  const { status } = chooseStatus(judged);
  return { kind: "supersede", reason, noteIds: notes.map(({ id }) => id), status };
}

/**
 * Judges a candidate that no known note relates to. Above the cap of its stream, it takes the place of a less important
 * note, or is dropped.
 */
function judgeNew(judged: JudgedCandidate): Verdict {
  const { candidate, settings, ofStream, importance } = judged;
  const { caps } = settings;
  // The cap of new notes in one stream, and the reason when it is reached.
  const [max, tooMany] = (
    {
      viewer: [caps.perViewerAndStream, "subject_rate"],
      channel: [caps.perChannelAndStream, "channel_rate"],
      bit: [caps.perBitAndStream, "bit_rate"],
    } as const
  )[candidate.scope];
  const { status, reason } = chooseStatus(judged);
  const write = { kind: "write", reason, status } as const;
  const isRequest = candidate.source === "viewer_request" || candidate.source === "operator";
  if (isRequest || ofStream.length < max) return { ...write, insteadOfId: null };
  const [least] = ofStream;
  if (least === undefined || least.importance >= importance) return drop(tooMany);
  return { ...write, insteadOfId: least.id };
}

interface Status {
  readonly status: NewStatus;
  readonly reason: Extract<Verdict, { kind: "write" }>["reason"];
}

const STATUS_BY_MODE: Readonly<Record<MemoryMode, Status>> = {
  auto: { status: "active", reason: "new" },
  shadow: { status: "shadow", reason: "mode_shadow" },
  manual: { status: "pending", reason: "mode_manual" },
  // Only what a viewer or the streamer asked for comes here.
  off: { status: "active", reason: "new" },
};

/**
 * Chooses a new note's status. The streamer's facts are active; extracted ones without proof are shadow; kinds that
 * need approval wait; the mode decides the rest.
 */
function chooseStatus(judged: JudgedCandidate): Status {
  const { kind, source, proves } = judged.candidate;
  const { mode, approvalKinds } = judged.settings;
  if (source === "operator") return STATUS_BY_MODE.auto;
  if (source === "extracted" && !proves) {
    return { status: "shadow", reason: "little_evidence" };
  }
  return approvalKinds.includes(kind)
    ? { status: "pending", reason: "kind_approval" }
    : STATUS_BY_MODE[mode];
}

function isActive({ status }: StoredNote): boolean {
  return status === "active";
}

/** Returns true for an active, shadow or pending note. Stale and expired ones neither block nor outrank a candidate. */
function isLive({ status }: StoredNote): boolean {
  return status === "active" || status === "shadow" || status === "pending";
}

/** Returns true if the note's source is stronger than the candidate's. A pinned note counts as the streamer's. */
function isStronger({ source, pinned }: StoredNote, candidate: Candidate): boolean {
  const held = NOTE_SOURCES.indexOf(pinned ? "operator" : source);
  return held > NOTE_SOURCES.indexOf(candidate.source);
}
