import { personToken } from "../../language/people.ts";
import { normalWords } from "../../language/words.ts";
import { importanceOf, KIND_DAYS } from "../../memory/lifetimes.ts";
import { type Evidence, type NewNote, noteStore } from "../../memory/note-store.ts";
import type { Db } from "../../platform/database/open-database.ts";
import type { ScenarioFact } from "./scenario.ts";

/** A fact that is given as a note, and whom it is about. */
export interface GivenFact {
  readonly fact: ScenarioFact;
  readonly note: NonNullable<ScenarioFact["note"]>;
  /** Null for the channel's. */
  readonly subjectId: string | null;
}

export interface GivenNotes {
  /** Writes the notes of a session, and the episode that each of them rests on; gives note ids by fact. */
  give(facts: readonly GivenFact[]): Map<string, number>;
  /** A later session says the same: the notes count as confirmed. */
  confirm(noteIds: readonly number[]): void;
}

/**
 * Facts as notes with evidence, without a model and without the write policy: no caps, no lifetimes, no rates. So that
 * ranking can be measured alone.
 */
export function givenNotes(db: Db, channel: string, now: () => number): GivenNotes {
  const notes = noteStore(db, now);
  const rows = statements(db);
  const episode = (claims: readonly Omit<ClaimRow, "episodeId" | "n">[]): number => {
    const at = { channel, nowMs: now() };
    const episodeId = Number(rows.episode.run({ ...at, events: claims.length }).lastInsertRowid);
    claims.forEach((claim, index) => void rows.claim.run({ ...claim, episodeId, n: index + 1 }));
    for (const subjectId of new Set(claims.map((claim) => claim.subjectId))) {
      if (subjectId !== null) rows.participant.run(episodeId, subjectId);
    }
    return episodeId;
  };
  return {
    give: (facts) =>
      db.transaction(() => {
        if (facts.length === 0) return new Map<string, number>();
        const episodeId = episode(
          facts.map((given) => ({
            scope: scopeOf(given),
            subjectId: given.subjectId,
            statement: sentenceOf(given),
          })),
        );
        return new Map(
          facts.map((given, at) => [
            given.fact.id,
            notes.insert(noteOf(given, channel), [evidenceOf(given, episodeId, at + 1)]),
          ]),
        );
      })(),
    confirm: (noteIds) =>
      db.transaction(() => {
        if (noteIds.length === 0) return;
        const episodeId = episode([]);
        const evidence = [{ ...PLAIN_EVIDENCE, episodeId, claimN: null, confidence: 1 }];
        for (const id of noteIds) notes.confirm(id, evidence, CONFIRMED);
      })(),
  };
}

const PLAIN_EVIDENCE = { method: "extracted", model: null, promptVersion: null } as const;
const CONFIRMED = { property: null, lifetime: null, kindDays: KIND_DAYS };

interface ClaimRow {
  readonly episodeId: number;
  readonly n: number;
  readonly scope: NewNote["scope"];
  readonly subjectId: string | null;
  readonly statement: string;
}

function scopeOf({ note, subjectId }: GivenFact): NewNote["scope"] {
  if (subjectId !== null) return "viewer";
  return note.kind === "running_bit" ? "bit" : "channel";
}

function sentenceOf({ fact, subjectId }: GivenFact): string {
  return subjectId === null ? fact.fact : `${personToken(subjectId)} ${fact.fact}`;
}

function noteOf(given: GivenFact, channel: string): NewNote {
  const { note, subjectId, fact } = given;
  return {
    channel,
    scope: scopeOf(given),
    subjectId,
    persona: null,
    kind: note.kind,
    fact: sentenceOf(given),
    topics: note.topics.join(", "),
    words: normalWords(`${fact.fact} ${note.topics.join(" ")}`).join(" "),
    confidence: note.confidence,
    importance: importanceOf(note.importance),
    status: "active",
    source: "extracted",
    property: null,
    lifetime: null,
    expiresAtMs: null,
  };
}

function evidenceOf({ note }: GivenFact, episodeId: number, claimN: number): Evidence {
  return { ...PLAIN_EVIDENCE, episodeId, claimN, confidence: note.confidence };
}

function statements(db: Db) {
  return {
    /** Without a summary: what it would say stands in no prompt. */
    episode: db.prepare<[{ channel: string; nowMs: number; events: number }]>(
      `INSERT INTO episodes (channel, kind, event_count, started_at, ended_at, stage, status, created_at, session_id)
       VALUES (:channel, 'import', :events, :nowMs, :nowMs, 'extracted', 'done', :nowMs,
         (SELECT max(id) FROM stream_sessions s WHERE s.channel = :channel AND s.ended_at IS NULL))`,
    ),
    claim: db.prepare<[ClaimRow]>(
      `INSERT INTO episode_claims (episode_id, n, scope, subject_id, statement, event_ids_json)
       VALUES (:episodeId, :n, :scope, :subjectId, :statement, '[]')`,
    ),
    participant: db.prepare<[number, string]>(
      "INSERT INTO episode_participants (episode_id, user_id) VALUES (?, ?)",
    ),
  };
}
