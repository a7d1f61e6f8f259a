import type { Config } from "../config/load.ts";
import type { Db } from "../db/open.ts";
import { PERSON } from "../text/people.ts";
import { normalWords } from "../text/words.ts";
import type { Candidate } from "./check-candidate.ts";
import { expiryOf, importanceOf, type KindDays } from "./lifetimes.ts";
import {
  type Evidence,
  type NewNote,
  type NoteOwner,
  type NoteStore,
  noteStore,
} from "./note-store.ts";
import { judgeNote, type Verdict, type WriteFacts, type WriteSettings } from "./write-policy.ts";

export interface NoteSettings extends Omit<WriteSettings, "activeMax"> {
  readonly kindDays: KindDays;
  readonly viewerNotesMax: number;
  readonly channelNotesMax: number;
  /** Null: notes are shared by all personas. */
  readonly persona: string | null;
}

/** What the configuration says about notes. */
export function noteSettings({
  memory,
  persona,
}: Pick<Config, "memory" | "persona">): NoteSettings {
  const { mode, scopes, kinds, approvalKinds, kindDays, caps } = memory;
  return {
    mode,
    scopes,
    kinds,
    approvalKinds,
    kindDays,
    evidenceMin: EVIDENCE_MIN,
    perSubjectStreamMax: caps.perViewerAndStream,
    perChannelHourMax: caps.perChannelAndHour,
    viewerNotesMax: caps.viewerNotes,
    channelNotesMax: caps.channelNotes,
    persona: memory.personaScope === "persona" ? persona.name : null,
  };
}

export interface WriterParts {
  readonly db: Db;
  readonly settings: NoteSettings;
  readonly readOnly: () => boolean;
  readonly banned: (text: string) => string | null;
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
  /** Judges a candidate and does what the policy says. Call it inside the transaction that ends the episode. */
  write(candidate: Candidate, origin: Origin): Written;
}

const HOUR_MS = 3_600_000;
/** A joke that was told once is none yet: it stays in the shadow until it comes back. */
const EVIDENCE_MIN: WriteSettings["evidenceMin"] = { running_bit: 2 };
/** What the reason alone may say: the fact itself is not kept. */
const UNTOLD: ReadonlySet<string> = new Set(["sensitive", "banned", "suppressed", "opted_out"]);

/** The one way to a note: the write policy over what is stored, then one write. */
export function noteWriter(parts: WriterParts): NoteWriter {
  const { db, settings, now } = parts;
  const notes = noteStore(db, now);
  const rows = statements(db);
  return {
    write: (candidate, origin) => {
      const owner = {
        channel: origin.channel,
        subjectId: candidate.subjectId,
        persona: settings.persona,
      };
      const verdict = judgeNote(candidate, factsFor({ ...parts, notes, rows }, { owner, origin }));
      const noteId = apply({ notes, rows, settings, now }, { candidate, origin, owner, verdict });
      const reason = verdict.reason;
      const fact = verdict.kind === "drop" && UNTOLD.has(reason) ? null : candidate.fact;
      rows.candidate.run(origin.episodeId, fact, verdict.kind, reason, noteId, now());
      return { verdict, noteId };
    },
  };
}

type Rows = ReturnType<typeof statements>;

interface Asked {
  readonly owner: NoteOwner;
  readonly origin: Origin;
}

function factsFor(
  parts: WriterParts & { readonly notes: NoteStore; readonly rows: Rows },
  { owner, origin }: Asked,
): WriteFacts {
  const { settings, notes, rows, now } = parts;
  const isViewer = owner.subjectId !== null;
  return {
    settings: {
      ...settings,
      activeMax: isViewer ? settings.viewerNotesMax : settings.channelNotesMax,
    },
    readOnly: parts.readOnly(),
    optedOut: isViewer && rows.optedOut.get(owner.subjectId) === 1,
    // Nobody can suppress a topic before there are commands for it.
    isSuppressed: () => false,
    banned: parts.banned,
    known: notes.known(owner),
    evidenceOf: (noteId) => rows.evidenceCount.get(noteId) ?? 0,
    rejected: rows.rejected.all(owner),
    counts: {
      subjectStream: notes.madeFor(owner, origin.sessionId),
      channelHour: notes.madeSince(owner.channel, now() - HOUR_MS),
      active: rows.active.get(owner) ?? 0,
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
      if (verdict.evicts) notes.evict(owner, maxOf(owner, settings));
      return verdict.noteId;
    case "supersede":
      return supersede(store, newNote(candidate, owner, { expiresAtMs, status: verdict.status }), {
        evidence,
        oldIds: verdict.noteIds,
      });
    case "write": {
      const note = newNote(candidate, owner, { expiresAtMs, status: verdict.status });
      const id = notes.insert(note, evidence);
      if (verdict.evicts) notes.evict(owner, maxOf(owner, settings));
      return id;
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

function maxOf({ subjectId }: NoteOwner, settings: NoteSettings): number {
  return subjectId === null ? settings.channelNotesMax : settings.viewerNotesMax;
}

function statements(db: Db) {
  const owned =
    "channel = :channel AND scope IN ('viewer', 'channel', 'bit') AND subject_id IS :subjectId AND persona IS :persona";
  return {
    candidate: db.prepare<[number, string | null, string, string, number | null, number]>(
      `INSERT INTO note_candidates (episode_id, fact, decision, reason, note_id, created_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
    ),
    optedOut: db
      .prepare<[string | null], number>("SELECT opted_out FROM viewers WHERE user_id = ?")
      .pluck(),
    evidenceCount: db
      .prepare<[number], number>("SELECT count(*) FROM note_evidence WHERE note_id = ?")
      .pluck(),
    rejected: db
      .prepare<[NoteOwner], string>(
        `SELECT fact FROM semantic_notes WHERE ${owned} AND status = 'rejected'`,
      )
      .pluck(),
    active: db
      .prepare<[NoteOwner], number>(
        `SELECT count(*) FROM semantic_notes WHERE ${owned} AND status = 'active'`,
      )
      .pluck(),
    promote: db.prepare<[number]>("UPDATE semantic_notes SET status = 'active' WHERE id = ?"),
    supersede: db.prepare<[number, number]>(
      "UPDATE semantic_notes SET status = 'superseded', superseded_by = ? WHERE id = ?",
    ),
  };
}
