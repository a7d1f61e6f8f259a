import { PERSON } from "../language/people.ts";
import { normalWords } from "../language/words.ts";
import type { Db } from "../platform/database/open-database.ts";
import { candidateLog } from "./candidate-log-store.ts";
import type { Candidate, CandidateReason } from "./check-candidate.ts";
import { expiryOf, importanceOf } from "./lifetimes.ts";
import type { NoteSettings } from "./note-settings.ts";
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
  /** Of a policy on trial, which judges and changes nothing; null while there is none. */
  readonly trial?: (channel: string) => NoteSettings | null;
  readonly readOnly: () => boolean;
  readonly banned: (text: string) => string | null;
  /** Whom and what memory may not learn. */
  readonly suppressions: Pick<SuppressionStore, "isOptedOut" | "isSuppressed">;
  readonly now: () => number;
}

/** From which episode a candidate comes, and who read it there. */
interface Origin {
  readonly channel: string;
  readonly episodeId: number;
  readonly sessionId: number | null;
  readonly model: string | null;
  readonly promptVersion: string | null;
}

interface Written {
  readonly verdict: Verdict;
  /** The note that was written or confirmed; null where the candidate was dropped. */
  readonly noteId: number | null;
}

export interface NoteWriter {
  /**
   * Judges a candidate and does what the policy says. Call it inside the transaction that ends the episode.
   * `replacesId`: a note of the same owner that goes for it, whatever the two say.
   */
  write(candidate: Candidate, origin: Origin, replacesId?: number): Written;
  /** Something was offered that cannot even be judged: what for is written down. */
  refuse(origin: Pick<Origin, "episodeId">, reason: CandidateReason): void;
}

const HOUR_MS = 3_600_000;

/** The one way to a note: the write policy over what is stored, then one write. */
export function noteWriter(parts: WriterParts): NoteWriter {
  const { db, now } = parts;
  const notes = noteStore(db, now);
  const rows = statements(db);
  const log = candidateLog(db, now);
  return {
    write: (candidate, origin, replacesId = 0) => {
      const { channel, episodeId, model } = origin;
      const settings = parts.settings(channel);
      const owner = { channel, subjectId: candidate.subjectId, persona: settings.persona };
      const facts = factsFor({ ...parts, settings, notes, rows }, { owner, origin, replacesId });
      const verdict = judgeNote(candidate, facts);
      const trial = parts.trial?.(channel) ?? null;
      const trialVerdict =
        trial === null ? null : judgeNote(candidate, { ...facts, settings: trial });
      const noteId = apply({ notes, rows, settings, now }, { candidate, origin, owner, verdict });
      if (noteId !== null && replacesId > 0) rows.supersede.run(noteId, replacesId);
      log.record({ candidate, episodeId, model, verdict, noteId, trial: trialVerdict });
      if (noteId === null) return { verdict, noteId };
      // Also after a confirmation or a supersession: what ran out comes back, and a cap may have been lowered.
      const evicted = notes.evict(owner, maxOf(owner, settings), keptId(candidate, noteId));
      for (const id of evicted) log.recordEvicted(episodeId, id);
      return { verdict, noteId };
    },
    refuse: ({ episodeId }, reason) => log.recordUnusable(episodeId, reason),
  };
}

type Rows = ReturnType<typeof statements>;

interface Asked {
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
  { owner, origin, replacesId }: Asked & { readonly replacesId: number },
): WriteFacts {
  const { settings, notes, rows, suppressions, now } = parts;
  const { subjectId } = owner;
  return {
    settings,
    readOnly: parts.readOnly(),
    optedOut: subjectId !== null && suppressions.isOptedOut(subjectId),
    isSuppressed: (fact) => subjectId !== null && suppressions.isSuppressed(subjectId, fact),
    banned: parts.banned,
    known: notes.known(owner).filter(({ id }) => id !== replacesId),
    evidenceOf: (noteId) => rows.evidenceCount.get(noteId) ?? 0,
    rejected: rows.rejected.all(owner),
    counts: {
      subjectStream: notes.madeFor(owner, origin.sessionId),
      channelHour: notes.madeSince(owner.channel, now() - HOUR_MS),
    },
  };
}

interface Applied extends Asked {
  readonly candidate: Candidate;
  readonly verdict: Verdict;
}

function apply(
  store: { notes: NoteStore; rows: Rows; settings: NoteSettings; now: () => number },
  { candidate, origin, owner, verdict }: Applied,
): number | null {
  const { notes, rows, settings, now } = store;
  const expiresAtMs = expiryOf(candidate, now(), settings.kindDays);
  const evidence = evidenceOf(candidate, origin);
  switch (verdict.kind) {
    case "drop":
      return null;
    case "confirm":
      if (!notes.confirm(verdict.noteId, evidence, expiresAtMs)) return verdict.noteId;
      if (verdict.promotes) rows.promote.run(verdict.noteId);
      if (candidate.source === "operator") rows.strengthen.run(verdict.noteId);
      return verdict.noteId;
    case "supersede":
      return supersede(store, newNote(candidate, owner, { expiresAtMs, status: verdict.status }), {
        evidence,
        oldIds: verdict.noteIds,
      });
    case "write": {
      const note = newNote(candidate, owner, { expiresAtMs, status: verdict.status });
      return notes.insert(note, evidence);
    }
  }
}

/** What still waits for approval replaces nothing yet. */
function supersede(
  { notes, rows }: { readonly notes: NoteStore; readonly rows: Rows },
  note: NewNote,
  { evidence, oldIds }: { readonly evidence: Evidence; readonly oldIds: readonly number[] },
): number {
  const [first, ...others] = oldIds;
  if (note.status !== "active" || first === undefined) return notes.insert(note, evidence);
  const id = notes.supersede(first, note, evidence);
  for (const other of others) rows.supersede.run(id, other);
  return id;
}

function newNote(
  candidate: Candidate,
  { channel, subjectId, persona }: NoteOwner,
  { expiresAtMs, status }: Pick<NewNote, "expiresAtMs" | "status">,
): NewNote {
  const { scope, kind, fact, topics, confidence, importance, source } = candidate;
  return {
    channel,
    scope,
    subjectId,
    persona,
    kind,
    fact,
    topics: topics.join(", "),
    words: normalWords(
      `${fact.replaceAll(new RegExp(PERSON, "gu"), " ")} ${topics.join(" ")}`,
    ).join(" "),
    confidence,
    importance: importanceOf(importance),
    status,
    source,
    expiresAtMs,
  };
}

function evidenceOf({ claimNumbers, source, confidence }: Candidate, origin: Origin): Evidence {
  const { episodeId, model, promptVersion } = origin;
  return {
    episodeId,
    claimN: claimNumbers[0] ?? null,
    method: source,
    confidence,
    model,
    promptVersion,
  };
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
  const owned =
    "channel = :channel AND scope IN ('viewer', 'channel', 'bit') AND subject_id IS :subjectId AND (persona IS NULL OR persona = :persona)";
  return {
    evidenceCount: db
      .prepare<[number], number>("SELECT count(*) FROM note_evidence WHERE note_id = ?")
      .pluck(),
    rejected: db
      .prepare<[NoteOwner], string>(
        `SELECT fact FROM semantic_notes WHERE ${owned} AND status = 'rejected'`,
      )
      .pluck(),
    /** The streamer's own word is the strongest source. */
    strengthen: db.prepare<[number]>(
      "UPDATE semantic_notes SET source_kind = 'operator' WHERE id = ?",
    ),
    promote: db.prepare<[number]>("UPDATE semantic_notes SET status = 'active' WHERE id = ?"),
    supersede: db.prepare<[number, number]>(
      "UPDATE semantic_notes SET status = 'superseded', superseded_by = ? WHERE id = ?",
    ),
  };
}
