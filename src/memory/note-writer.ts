import type { Db } from "../database/open-database.ts";
import { readStems } from "../language/stems.ts";
import { CandidateStore } from "./candidate-store.ts";
import type { Candidate, CandidateReason } from "./check-sorted.ts";
import { makeFactKey } from "./fact-key.ts";
import type { NoteOwner } from "./note-reads-store.ts";
import { calculateExpiry, getCap, getImportance, type NoteSettings } from "./note-settings.ts";
import { type Evidence, NoteStore } from "./note-store.ts";
import { judgeNote, type Verdict, type WriteFacts } from "./write-policy.ts";

export interface WriterParts {
  readonly db: Db;
  /** The settings of a channel, as they are now. */
  readonly settings: (channel: string) => NoteSettings;
  readonly readOnly: () => boolean;
  readonly isBanned: (text: string) => boolean;
  readonly suppressions: {
    readonly isOptedOut: (userId: string) => boolean;
    readonly isSuppressed: (userId: string, fact: string) => boolean;
  };
  readonly now: () => number;
}

/** The source of candidates. */
interface Origin {
  readonly channel: string;
  /** The model that read them, and its prompt; none for statements of a viewer or the streamer. */
  readonly model?: string;
  readonly promptVersion?: string;
  /** Texts that were extracted together with the candidate. */
  readonly window?: readonly string[];
  /** Notes of the same input, which the candidate never replaces. */
  readonly freshNoteIds: ReadonlySet<number>;
  /** A `makeFactKey` with a cache. */
  readonly factKeyOf?: (fact: string) => string;
  /** More candidates follow: the caller calls `keepCap` after the last. */
  readonly isOneOfMany?: boolean;
}

type KeepingVerdict = Exclude<Verdict, { readonly kind: "drop" }>;
type Written =
  | { readonly verdict: Extract<Verdict, { kind: "drop" }>; readonly noteId: null }
  | {
      readonly verdict: KeepingVerdict;
      /** The note that was written or confirmed. */
      readonly noteId: number;
      readonly replaced: readonly number[];
      /** Notes above the cap, which expired. */
      readonly evicted: readonly number[];
    };

/** Writes notes: asks the write policy about a candidate and applies the verdict. No other code inserts a note. */
export class NoteWriter {
  readonly #parts: WriterParts;
  readonly #notes: NoteStore;
  readonly #log: CandidateStore;

  constructor(parts: WriterParts) {
    this.#parts = parts;
    this.#notes = new NoteStore(parts.db, parts.now);
    this.#log = new CandidateStore(parts.db, parts.now);
  }

  /**
   * Judges a candidate, applies the verdict, and logs both. Notes above the cap expire, maybe the new one, unless
   * `isOneOfMany`. Drops a viewer's request if pinned and requested notes fill the cap. Unless dropped, it also
   * replaces note `replacesId` (0: none) of its owner. The caller opens the transaction.
   */
  write(candidate: Candidate, origin: Origin, replacesId = 0): Written {
    const { channel, model = null, promptVersion = null } = origin;
    const { source, confidence } = candidate;
    const episodeId = candidate.claims[0]?.episodeId ?? 0;
    const settings = this.#parts.settings(channel);
    const owner = this.#ownerOf(channel, candidate.subjectId);
    const facts = this.#readFacts(candidate, origin, settings);
    const known = facts.known.filter(({ id }) => id !== replacesId);
    const judged = judgeNote(candidate, { ...facts, known });
    const isFull =
      source === "viewer_request" && this.#notes.countKept(owner) >= getCap(owner, settings);
    const verdict: Verdict =
      isFull && addsNote(judged) ? { kind: "drop", reason: "no_room" } : judged;
    if (verdict.kind === "drop") {
      this.#log.record(candidate, episodeId, verdict, null);
      return { verdict, noteId: null };
    }
    const evidence = candidate.claims.map((claim) => ({
      ...{ episodeId: claim.episodeId, claimN: claim.n, method: source, confidence, model },
      promptVersion,
    }));
    const written = { owner, evidence, nowMs: this.#parts.now() };
    const noteId = applyVerdict(this.#notes, verdict, candidate, written);
    this.#log.record(candidate, episodeId, verdict, noteId);
    const replaced = [...replacedIds(verdict), ...(replacesId > 0 ? [replacesId] : [])];
    this.#notes.supersede(noteId, replaced);
    // A confirmation may restore an expired note, or a cap may be lower now. The streamer's newest fact is dropped
    // last.
    const keepId = source === "operator" ? noteId : 0;
    const evicted = origin.isOneOfMany ? [] : this.#evict(owner, episodeId, keepId);
    return { verdict, noteId, replaced, evicted };
  }

  /**
   * Expires the least important notes above the cap, but no pinned or requested ones. Logs each under `episodeId`.
   */
  keepCap(channel: string, subjectId: string | null, episodeId: number): void {
    this.#evict(this.#ownerOf(channel, subjectId), episodeId);
  }

  /** Judges a candidate by `settings`, not the channel's own, and notes older than note `beforeId`. Writes nothing. */
  judge(candidate: Candidate, origin: Origin, settings: NoteSettings, beforeId: number): Verdict {
    const facts = this.#readFacts(candidate, origin, settings);
    const isOlder = ({ id }: { readonly id: number }): boolean => id < beforeId;
    const [known, ofStream] = [facts.known.filter(isOlder), facts.ofStream.filter(isOlder)];
    return judgeNote(candidate, { ...facts, known, ofStream });
  }

  /** Logs that the model's entry for an episode was unusable, and why. Writes no note. */
  refuse(episodeId: number, reason: CandidateReason): void {
    this.#log.recordUnusable(episodeId, reason);
  }

  #ownerOf(channel: string, subjectId: string | null): NoteOwner {
    return { channel, subjectId, persona: this.#parts.settings(channel).persona };
  }

  #evict(owner: NoteOwner, episodeId: number, keepId = 0): number[] {
    const max = getCap(owner, this.#parts.settings(owner.channel));
    const evicted = this.#notes.evict(owner, max, keepId);
    for (const id of evicted) this.#log.recordEvicted(episodeId, id);
    return evicted;
  }

  #readFacts(candidate: Candidate, origin: Origin, settings: NoteSettings): WriteFacts {
    const { readOnly, isBanned, suppressions } = this.#parts;
    const { scope, subjectId, importance, claims } = candidate;
    const { channel, window = [], freshNoteIds, factKeyOf = makeFactKey } = origin;
    const owner = { channel, subjectId, persona: settings.persona };
    return {
      ...{ settings, isBanned, window, freshNoteIds, factKeyOf },
      isProven: (noteId) => this.#notes.isProven(noteId),
      readOnly: readOnly(),
      optedOut: subjectId !== null && suppressions.isOptedOut(subjectId),
      isSuppressed: (fact) => subjectId !== null && suppressions.isSuppressed(subjectId, fact),
      known: this.#notes.known(owner),
      rejected: this.#notes.rejected(owner),
      ofStream: this.#notes.madeInStreamOf(claims[0]?.episodeId ?? 0, owner, scope),
      importance: getImportance(importance),
    };
  }
}

/** Writes or confirms the note of a verdict, and returns its id. Expires `insteadOfId`. The caller supersedes notes. */
function applyVerdict(
  notes: NoteStore,
  verdict: KeepingVerdict,
  candidate: Candidate,
  written: {
    readonly owner: NoteOwner;
    readonly evidence: readonly Evidence[];
    readonly nowMs: number;
  },
): number {
  const { owner, evidence, nowMs } = written;
  if (verdict.kind === "confirm") {
    confirmNote(notes, verdict, candidate, evidence);
    return verdict.noteId;
  }
  if (verdict.kind === "write" && verdict.insteadOfId !== null) {
    notes.expireNow(verdict.insteadOfId);
  }
  const { scope, kind, fact, confidence, source, property, lifetime, happensOn } = candidate;
  const note = {
    ...{ ...owner, scope, kind, fact, confidence, source, property, lifetime, happensOn },
    status: verdict.status,
    topics: candidate.topics.join(", "),
    words: wordsOf(candidate),
    importance: getImportance(candidate.importance),
    expiresAtMs: calculateExpiry(candidate, nowMs),
  };
  const id = notes.insert(note, evidence);
  // A completed note is still true.
  if (verdict.reason === "model_adds") {
    notes.copyEvidence(id, verdict.noteIds);
  }
  return id;
}

/**
 * Adds the candidate's evidence to a note and activates it if the verdict says so. Without new evidence, only the
 * streamer activates. The streamer, else a viewer who requests, becomes its source. If the note replaces another, it is
 * only activated.
 */
function confirmNote(
  notes: NoteStore,
  { noteId, replacesId, promotes }: Extract<Verdict, { kind: "confirm" }>,
  candidate: Candidate,
  evidence: readonly Evidence[],
): void {
  const { source } = candidate;
  if (replacesId !== null) {
    if (promotes) notes.setStatus(noteId, "active", null);
    return;
  }
  // A file that is imported again is no evidence.
  const isNew = source !== "import" && notes.confirm(noteId, evidence, candidate);
  if (!isNew && source !== "operator") return;
  if (promotes) notes.setStatus(noteId, "active", null);
  if (source === "viewer_request")
    notes.update(noteId, { expiresAtMs: null, lifetime: "permanent" });
  // The streamer stays the source of a fact that both said.
  const isRequest = source === "viewer_request" && notes.get(noteId).source !== "operator";
  if (source === "operator" || isRequest) notes.update(noteId, { source });
}

/** Returns true if a verdict writes or activates a note. False if it supersedes one. */
function addsNote(verdict: Verdict): boolean {
  return verdict.kind === "write" || (verdict.kind === "confirm" && verdict.promotes);
}

/** Returns the notes that a verdict replaces now: a note that waits for approval replaces none yet. */
function replacedIds(verdict: Verdict): readonly number[] {
  if (verdict.kind === "supersede") return verdict.status === "active" ? verdict.noteIds : [];
  return verdict.kind === "confirm" && verdict.replacesId !== null ? [verdict.replacesId] : [];
}

function wordsOf({ fact, topics }: Candidate): string {
  return readStems(`${fact} ${topics.join(" ")}`).join(" ");
}
