import { normalWords } from "../language/words.ts";
import type { Db } from "../platform/database/open-database.ts";
import type { Candidate, CandidateReason } from "./check-sorted.ts";
import { candidateLog } from "./note-candidates-store.ts";
import { noteRows } from "./note-records-store.ts";
import { expiryOf, importanceOf, type NoteSettings } from "./note-settings.ts";
import {
  type Evidence,
  type NewNote,
  type NoteOwner,
  type NoteStore,
  noteStore,
} from "./note-store.ts";
import type { SuppressionStore } from "./suppression-store.ts";
import { type Carried, judgeNote, type Verdict, type WriteFacts } from "./write-policy.ts";

export interface WriterParts {
  readonly db: Db;
  /** As they are now, for a channel. */
  readonly settings: (channel: string) => NoteSettings;
  /** Of a policy on trial, which judges and changes nothing; null while there is none. */
  readonly trial?: (channel: string) => NoteSettings | null;
  readonly readOnly: () => boolean;
  readonly banned: (text: string) => string | null;
  /** Whom and what memory may not learn. */
  readonly suppressions: Pick<SuppressionStore, "isOptedOut" | "isSuppressed">;
  readonly now: () => number;
}

/** Where candidates come from, and who read them there. */
interface Origin {
  readonly channel: string;
  readonly sessionId: number | null;
  /** When the episodes ended, epoch ms. */
  readonly saidAtMs: number;
  readonly model: string | null;
  readonly promptVersion: string | null;
  /** What was sorted with them; none where a candidate stands alone. */
  readonly window?: readonly string[];
  /** Notes that the same answer has written: it never supersedes those. */
  readonly fresh: ReadonlySet<number>;
}

interface Written {
  readonly verdict: Verdict;
  /** The note that was written or confirmed; null where the candidate was dropped. */
  readonly noteId: number | null;
  /** Notes that went behind it. */
  readonly behind: readonly number[];
}

export interface NoteWriter {
  /**
   * Judges a candidate and does what the policy says. Call it inside the transaction that ends its episodes.
   * `replacesId`: a note of the same owner that goes for it, whatever the two say.
   */
  write(candidate: Candidate, origin: Origin, replacesId?: number): Written;
  /**
   * What the policy says of a candidate by other settings, over the notes that are older than note `beforeId`. Writes
   * nothing.
   */
  judge(candidate: Candidate, origin: Origin, settings: NoteSettings, beforeId: number): Verdict;
  /** Something was offered that cannot even be judged: what for is written down. */
  refuse(episodeId: number, reason: CandidateReason): void;
}

/** The one way to a note: the write policy over what is stored, then one write. */
export function noteWriter(parts: WriterParts): NoteWriter {
  const { db, now } = parts;
  const notes = noteStore(db, now);
  const rows = statements(db);
  const log = candidateLog(db, now);
  return {
    write: (candidate, origin, replacesId = 0) => {
      const { channel, model } = origin;
      const episodeId = candidate.claims[0]?.episodeId ?? 0;
      const settings = parts.settings(channel);
      const owner = { channel, subjectId: candidate.subjectId, persona: settings.persona };
      const facts = factsFor(
        { ...parts, settings, notes, rows },
        { candidate, owner, origin, replacesId },
      );
      const trial = parts.trial?.(channel) ?? null;
      const trialVerdict = trial && judgeNote(candidate, { ...facts, settings: trial });
      const max = maxOf(owner, settings);
      const verdict = withRoom(judgeNote(candidate, facts), candidate, rows.kept.get(owner), max);
      const noteId = apply({ notes, rows, settings, now }, { candidate, origin, owner, verdict });
      log.record({ candidate, episodeId, model, verdict, noteId, trial: trialVerdict });
      if (noteId === null) return { verdict, noteId, behind: [] };
      const named = replacesId > 0 ? [replacesId] : [];
      notes.putBehind(named, noteId);
      const behind = [...behindOf(verdict), ...named];
      // Also after a confirmation or a supersession: what ran out comes back, and a cap may have been lowered.
      const evicted = notes.evict(owner, max, keptId(candidate, noteId));
      for (const id of evicted) log.recordEvicted(episodeId, id);
      return { verdict, noteId, behind };
    },
    judge: (candidate, origin, settings, beforeId) => {
      const { channel } = origin;
      const owner = { channel, subjectId: candidate.subjectId, persona: settings.persona };
      const asked = { candidate, owner, origin, replacesId: 0 };
      const facts = factsFor({ ...parts, settings, notes, rows }, asked);
      const isOlder = ({ id }: { readonly id: number }): boolean => id < beforeId;
      const [known, ofStream] = [facts.known.filter(isOlder), facts.ofStream.filter(isOlder)];
      return judgeNote(candidate, { ...facts, known, ofStream });
    },
    refuse: (episodeId, reason) => log.recordUnusable(episodeId, reason),
  };
}

/** Where every place is taken by what stays, the next wish is answered with that. */
function withRoom(verdict: Verdict, { source }: Candidate, kept = 0, max: number): Verdict {
  const adds = verdict.kind === "write" || (verdict.kind === "confirm" && verdict.promotes);
  const isFull = source === "viewer_request" && adds && kept >= max;
  return isFull ? { kind: "drop", reason: "no_room" } : verdict;
}

/** Old notes that stand behind the one that was written or confirmed. */
function behindOf(verdict: Verdict): readonly number[] {
  if (verdict.kind === "supersede") return verdict.status === "active" ? verdict.noteIds : [];
  return verdict.kind === "confirm" && verdict.replacesId !== null ? [verdict.replacesId] : [];
}

type Rows = ReturnType<typeof statements>;

interface Asked {
  readonly candidate: Candidate;
  readonly owner: NoteOwner;
  readonly origin: Origin;
}

interface Judging extends Omit<WriterParts, "settings" | "trial"> {
  readonly settings: NoteSettings;
  readonly notes: NoteStore;
  readonly rows: Rows;
}

function factsFor(
  parts: Judging,
  { candidate, owner, origin, replacesId }: Asked & { readonly replacesId: number },
): WriteFacts {
  const { settings, notes, rows, suppressions } = parts;
  const { subjectId } = owner;
  return {
    settings,
    readOnly: parts.readOnly(),
    optedOut: subjectId !== null && suppressions.isOptedOut(subjectId),
    isSuppressed: (fact) => subjectId !== null && suppressions.isSuppressed(subjectId, fact),
    banned: parts.banned,
    window: origin.window ?? [],
    known: notes.known(owner).filter(({ id }) => id !== replacesId),
    fresh: origin.fresh,
    carriedBefore: (noteId) => carriedOf(rows.carried.get(noteId)),
    saidAtMs: origin.saidAtMs,
    rejected: rows.rejected.all(owner),
    ofStream: notes.madeFor(owner, candidate.scope, origin.sessionId),
    importance: importanceOf(candidate.importance),
  };
}

type CarriedRow = Omit<Carried, "isStrong"> & { readonly isStrong: number };

function carriedOf(row: CarriedRow | undefined): Carried {
  if (row === undefined || row.episodes === 0) {
    return { firstAtMs: Infinity, lastAtMs: -Infinity, carriers: 0, isStrong: false, episodes: 0 };
  }
  return { ...row, isStrong: row.isStrong === 1 };
}

interface Applied extends Asked {
  readonly verdict: Verdict;
}

interface Applying {
  readonly notes: NoteStore;
  readonly rows: Rows;
  readonly settings: NoteSettings;
  readonly now: () => number;
}

function apply(store: Applying, { candidate, origin, owner, verdict }: Applied): number | null {
  const { notes, settings, now } = store;
  const evidence = evidenceOf(candidate, origin);
  const expiresAtMs = expiryOf(candidate, now(), settings.kindDays);
  switch (verdict.kind) {
    case "drop":
      return null;
    case "confirm":
      return confirm(store, candidate, verdict, evidence);
    case "supersede": {
      const note = newNote(candidate, owner, { expiresAtMs, status: verdict.status });
      const id = notes.insert(note, evidence);
      if (verdict.takesEvidence) notes.takeEvidence(id, verdict.noteIds);
      // What still waits for approval replaces nothing yet.
      if (verdict.status === "active") notes.putBehind(verdict.noteIds, id);
      return id;
    }
    case "write":
      if (verdict.insteadOfId !== null) store.rows.makeRoom.run(verdict.insteadOfId);
      return notes.insert(
        newNote(candidate, owner, { expiresAtMs, status: verdict.status }),
        evidence,
      );
  }
}

function confirm(
  { notes, rows, settings }: Applying,
  candidate: Candidate,
  verdict: Extract<Verdict, { kind: "confirm" }>,
  evidence: readonly Evidence[],
): number {
  const { noteId, replacesId } = verdict;
  if (replacesId !== null) {
    notes.putBehind([replacesId], noteId);
    if (verdict.promotes) rows.promote.run(noteId);
    return noteId;
  }
  const { property, lifetime } = candidate;
  const confirmed = { property, lifetime, kindDays: settings.kindDays };
  // An import of what was imported before is no evidence.
  const isNew = candidate.source === "import" ? false : notes.confirm(noteId, evidence, confirmed);
  if (!isNew && candidate.source !== "operator") return noteId;
  if (verdict.promotes) rows.promote.run(noteId);
  if (verdict.rewords) rows.reword.run(candidate.fact, wordsOf(candidate), noteId);
  if (candidate.source === "operator") rows.strengthen.run("operator", noteId);
  if (candidate.source === "viewer_request") rows.keep.run(noteId);
  return noteId;
}

function newNote(
  candidate: Candidate,
  { channel, subjectId, persona }: NoteOwner,
  { expiresAtMs, status }: Pick<NewNote, "expiresAtMs" | "status">,
): NewNote {
  const { scope, kind, fact, topics, confidence, importance, source, property, lifetime } =
    candidate;
  return {
    ...{ channel, scope, subjectId, persona, kind, fact, confidence, status, source },
    ...{ property, lifetime, expiresAtMs },
    topics: topics.join(", "),
    words: wordsOf(candidate),
    importance: importanceOf(importance),
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

/** What the streamer has just said goes for a full cap only where all else is pinned. */
function keptId({ source }: Candidate, noteId: number): number {
  return source === "operator" ? noteId : 0;
}

/** How many active notes an owner may have. */
export function maxOf({ subjectId }: NoteOwner, settings: NoteSettings): number {
  return subjectId === null ? settings.channelNotesMax : settings.viewerNotesMax;
}

function statements(db: Db) {
  return {
    ...noteRows(db),
    carried: db.prepare<[number], CarriedRow>(
      `SELECT min(e.ended_at) AS firstAtMs, max(e.ended_at) AS lastAtMs, coalesce(max(c.carriers), 1) AS carriers,
         max(coalesce(c.is_weak, 0) = 0) AS isStrong, count(*) AS episodes
       FROM note_evidence v JOIN episodes e ON e.id = v.episode_id
       LEFT JOIN episode_claims c ON c.episode_id = v.episode_id AND c.n = v.claim_n
       WHERE v.note_id = ?`,
    ),
  };
}
