import { calmSince } from "../chat/known-store.ts";
import type { Db } from "../database/open-database.ts";
import { statements } from "../database/statements.ts";
import { normalWords } from "../language/words.ts";
import { EVIDENCE_PROVES } from "./carriers-store.ts";
import type { Candidate, CandidateReason } from "./check-sorted.ts";
import { factKey } from "./fact-key.ts";
import { candidateLog } from "./note-candidates-store.ts";
import { expiryOf, importanceOf, type NoteSettings } from "./note-settings.ts";
import {
  type Evidence,
  type NewNote,
  type NoteOwner,
  type NoteStore,
  noteStore,
} from "./note-store.ts";
import type { SuppressionStore } from "./suppression-store.ts";
import { judgeNote, type Verdict, type WriteFacts } from "./write-policy.ts";

export interface WriterParts {
  readonly db: Db;
  /** As they are now, for a channel. */
  readonly settings: (channel: string) => NoteSettings;
  readonly readOnly: () => boolean;
  readonly banned: (text: string) => string | null;
  /** Whom and what memory may not learn. */
  readonly suppressions: Pick<SuppressionStore, "isOptedOut" | "isSuppressed">;
  readonly now: () => number;
}

/** Where candidates come from, and who read them there. */
interface Origin {
  readonly channel: string;
  readonly model: string | null;
  readonly promptVersion: string | null;
  /** What was sorted with them; none where a candidate stands alone. */
  readonly window?: readonly string[];
  /** Notes that the same answer has written: it never supersedes those. */
  readonly fresh: ReadonlySet<number>;
  /** `factKey` that remembers, for many candidates. */
  readonly factKeyOf?: (fact: string) => string;
  /** More candidates follow: the caps of their owners are kept by `keepCap`, after the last. */
  readonly isOneOfMany?: boolean;
}

interface Written {
  readonly verdict: Verdict;
  /** The note that was written or confirmed; null where the candidate was dropped. */
  readonly noteId: number | null;
  /** Notes that went behind it. */
  readonly behind: readonly number[];
}

export type NoteWriter = ReturnType<typeof noteWriter>;

/** The one way to a note: the write policy over what is stored, then one write. */
export function noteWriter(parts: WriterParts) {
  const { db, now } = parts;
  const notes = noteStore(db, now);
  const factsFor = factReader(parts, notes);
  const log = candidateLog(db, now);
  const keepCapOf = (owner: NoteOwner, episodeId: number, keepId = 0): void => {
    const max = maxOf(owner, parts.settings(owner.channel));
    for (const id of notes.evict(owner, max, keepId)) log.recordEvicted(episodeId, id);
  };
  const ownerIn = (channel: string, subjectId: string | null): NoteOwner => ({
    ...{ channel, subjectId, persona: parts.settings(channel).persona },
  });
  return {
    /** Facts of any status that candidates about somebody, or the channel (null), are held against. */
    knownFacts: (channel: string, subjectId: string | null): readonly string[] => {
      const owner = ownerIn(channel, subjectId);
      return [...notes.known(owner).map(({ fact }) => fact), ...notes.rejected(owner)];
    },
    /**
     * Judges a candidate and does what the policy says. Call it inside the transaction that ends its episodes.
     * `replacesId`: a note of the same owner that goes for it, whatever the two say.
     */
    write: (candidate: Candidate, origin: Origin, replacesId = 0): Written => {
      const { channel, model } = origin;
      const episodeId = candidate.claims[0]?.episodeId ?? 0;
      const settings = parts.settings(channel);
      const owner = ownerIn(channel, candidate.subjectId);
      const facts = factsFor(candidate, origin, settings);
      const known = facts.known.filter(({ id }) => id !== replacesId);
      const isFull = (notes.keptCount(owner) ?? 0) >= maxOf(owner, settings);
      const verdict = withRoom(judgeNote(candidate, { ...facts, known }), candidate, isFull);
      const applying = { notes, settings, nowMs: now(), candidate, origin, owner };
      const noteId = apply(applying, verdict);
      log.record({ candidate, episodeId, model, verdict, noteId });
      if (noteId === null) return { verdict, noteId, behind: [] };
      const named = replacesId > 0 ? [replacesId] : [];
      notes.putBehind(named, noteId);
      // Also after a confirmation or a supersession: what ran out comes back, and a cap may have been lowered.
      if (!origin.isOneOfMany) keepCapOf(owner, episodeId, stayingId(candidate, noteId));
      return { verdict, noteId, behind: [...behindOf(verdict), ...named] };
    },
    /** Whose notes are more than their cap after many writes: those go that matter least. `episodeId`: what they went for. */
    keepCap: (channel: string, subjectId: string | null, episodeId: number): void =>
      keepCapOf(ownerIn(channel, subjectId), episodeId),
    /** What the policy says by other settings, over the notes that are older than note `beforeId`. Writes nothing. */
    judge: (
      candidate: Candidate,
      origin: Origin,
      settings: NoteSettings,
      beforeId: number,
    ): Verdict => {
      const facts = factsFor(candidate, origin, settings);
      const isOlder = ({ id }: { readonly id: number }): boolean => id < beforeId;
      const [known, ofStream] = [facts.known.filter(isOlder), facts.ofStream.filter(isOlder)];
      return judgeNote(candidate, { ...facts, known, ofStream });
    },
    /** Something was offered that cannot even be judged: what for is written down. */
    refuse: (episodeId: number, reason: CandidateReason): void =>
      log.recordUnusable(episodeId, reason),
  };
}

/** Where every place is taken by what stays, the next wish is answered with that. */
function withRoom(verdict: Verdict, { source }: Candidate, isFull: boolean): Verdict {
  const adds = verdict.kind === "write" || (verdict.kind === "confirm" && verdict.promotes);
  return source === "viewer_request" && adds && isFull
    ? { kind: "drop", reason: "no_room" }
    : verdict;
}

/** What the streamer has just said goes only where all else is pinned; 0 where anybody else said it. */
function stayingId({ source }: Candidate, noteId: number): number {
  return source === "operator" ? noteId : 0;
}

/** Old notes that stand behind the one that was written or confirmed. */
function behindOf(verdict: Verdict): readonly number[] {
  if (verdict.kind === "supersede") return verdict.status === "active" ? verdict.noteIds : [];
  return verdict.kind === "confirm" && verdict.replacesId !== null ? [verdict.replacesId] : [];
}

/** A function that reads what the policy asks about a candidate. */
function factReader({ db, readOnly, banned, suppressions, now }: WriterParts, notes: NoteStore) {
  const proof = statements(db).value<[{ noteId: number; calmSince: string }], number>(
    `SELECT 1 FROM note_evidence v JOIN semantic_notes s ON s.id = v.note_id
     WHERE v.note_id = :noteId AND (s.status <> 'shadow' OR s.status_before IS NOT 'active') AND ${EVIDENCE_PROVES} LIMIT 1`,
  );
  return (candidate: Candidate, origin: Origin, settings: NoteSettings): WriteFacts => {
    const { scope, subjectId, importance, claims } = candidate;
    const { channel, window = [], fresh, factKeyOf = factKey } = origin;
    const owner = { channel, subjectId, persona: settings.persona };
    return {
      ...{ settings, banned, window, fresh, factKeyOf },
      readOnly: readOnly(),
      optedOut: subjectId !== null && suppressions.isOptedOut(subjectId),
      isSuppressed: (fact) => subjectId !== null && suppressions.isSuppressed(subjectId, fact),
      known: notes.known(owner),
      isProven: (noteId) => proof({ noteId, calmSince: calmSince(now()) }) !== null,
      rejected: notes.rejected(owner),
      ofStream: notes.madeFor(owner, scope, claims[0]?.episodeId ?? 0),
      importance: importanceOf(importance),
    };
  };
}

interface Applying {
  readonly notes: NoteStore;
  readonly settings: NoteSettings;
  readonly nowMs: number;
  readonly candidate: Candidate;
  readonly origin: Origin;
  readonly owner: NoteOwner;
}

/** Gives the note that was written or confirmed. */
function apply(applying: Applying, verdict: Verdict): number | null {
  const { notes, nowMs, candidate, origin, owner } = applying;
  if (verdict.kind === "drop") return null;
  const evidence = evidenceOf(candidate, origin);
  if (verdict.kind === "confirm") return confirm(applying, verdict, evidence);
  const { status } = verdict;
  const expiresAtMs = expiryOf(candidate, nowMs);
  if (verdict.kind === "write" && verdict.insteadOfId !== null) notes.makeRoom(verdict.insteadOfId);
  const id = notes.insert(newNote(candidate, owner, { expiresAtMs, status }), evidence);
  if (verdict.kind === "supersede" && verdict.takesEvidence)
    notes.takeEvidence(id, verdict.noteIds);
  // What still waits for approval replaces nothing yet.
  notes.putBehind(behindOf(verdict), id);
  return id;
}

function confirm(
  { notes, candidate }: Applying,
  { noteId, replacesId, promotes, rewords }: Extract<Verdict, { kind: "confirm" }>,
  evidence: readonly Evidence[],
): number {
  const { property, lifetime, source, fact } = candidate;
  if (replacesId !== null) {
    notes.putBehind([replacesId], noteId);
    if (promotes) notes.promote(noteId);
    return noteId;
  }
  // An import of what was imported before is no evidence.
  const isNew = source !== "import" && notes.confirm(noteId, evidence, { property, lifetime });
  if (!isNew && source !== "operator") return noteId;
  if (promotes) notes.promote(noteId);
  if (rewords) notes.reword(fact, wordsOf(candidate), noteId);
  if (source === "operator") notes.strengthen(noteId);
  if (source === "viewer_request") notes.keep(noteId);
  return noteId;
}

function newNote(
  candidate: Candidate,
  owner: NoteOwner,
  more: Pick<NewNote, "expiresAtMs" | "status">,
): NewNote {
  const { scope, kind, fact, confidence, source, property, lifetime } = candidate;
  return {
    ...{ ...owner, scope, kind, fact, confidence, source, property, lifetime, ...more },
    happensOn: candidate.happensOn,
    topics: candidate.topics.join(", "),
    words: wordsOf(candidate),
    importance: importanceOf(candidate.importance),
  };
}

function wordsOf({ fact, topics }: Candidate): string {
  return normalWords(`${fact} ${topics.join(" ")}`).join(" ");
}

/** One row for each episode that supports it. */
function evidenceOf({ claims, source, confidence }: Candidate, origin: Origin): Evidence[] {
  const { model, promptVersion } = origin;
  return claims.map(({ episodeId, n }) => ({
    ...{ episodeId, claimN: n, method: source, confidence, model, promptVersion },
  }));
}

/** How many active notes an owner may have. */
export function maxOf({ subjectId }: NoteOwner, { caps }: NoteSettings): number {
  return subjectId === null ? caps.channelNotes : caps.viewerNotes;
}
