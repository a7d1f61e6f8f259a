import { personToken } from "../../language/people.ts";
import { normalWords } from "../../language/words.ts";
import { replayedNotes } from "../../memory/note-lists-store.ts";
import { importanceOf } from "../../memory/note-settings.ts";
import { type Evidence, type NewNote, noteStore } from "../../memory/note-store.ts";
import { policySchema } from "../../platform/config/memory-schema.ts";
import type { Db } from "../../platform/database/open-database.ts";
import { type Trail, trailSchema } from "../../reply/trail.ts";
import type { AuditedNote, BotLine, Recognise } from "./measures.ts";
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
const CONFIRMED = { property: null, lifetime: null, kindDays: policySchema.parse({}).kindDays };

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

/** A recorded reply, as the measures read it. */
interface RecordedReply {
  readonly id: number;
  readonly atMs: number;
  readonly state: string;
  readonly latencyMs: number | null;
  readonly trail: Trail;
}

export interface ReplayedStore {
  /** Every reply with a trail, in order. */
  replies(): RecordedReply[];
  /** What the bot said since a reply, exclusive. */
  saidSince(replyId: number): (BotLine & { readonly id: number })[];
  activeNotes(): AuditedNote[];
  counts(): { readonly episodes: number; readonly gaps: number; readonly unsummarised: number };
}

/** Reads what a replay left behind. */
export function replayedStore(db: Db): ReplayedStore {
  const replies = db.prepare<[], Omit<RecordedReply, "trail"> & { readonly trail: string }>(
    `SELECT id, created_at AS atMs, state, latency_ms AS latencyMs, token_usage_json AS trail FROM replies
     WHERE token_usage_json IS NOT NULL ORDER BY id`,
  );
  const said = db.prepare<[number], BotLine & { readonly id: number }>(
    "SELECT id, text, created_at AS atMs FROM replies WHERE id > ? AND text IS NOT NULL ORDER BY id",
  );
  const { active } = replayedNotes(db);
  const episodes = db
    .prepare<[string], number>("SELECT count(*) FROM episodes WHERE kind <> 'gap' AND stage <> ?")
    .pluck();
  const gaps = db.prepare<[], number>("SELECT count(*) FROM episodes WHERE kind = 'gap'").pluck();
  const waiting = db
    .prepare<[], number>(
      "SELECT count(*) FROM events WHERE memorable = 1 AND no_window = 0 AND episode_id IS NULL",
    )
    .pluck();
  return {
    replies: () =>
      replies.all().map((row) => ({ ...row, trail: trailSchema.parse(JSON.parse(row.trail)) })),
    saidSince: (replyId) => said.all(replyId),
    activeNotes: () => active.all(),
    counts: () => ({
      episodes: episodes.get("claimed") ?? 0,
      gaps: gaps.get() ?? 0,
      unsummarised: waiting.get() ?? 0,
    }),
  };
}

export interface TierStore {
  /** Whether a checked claim about this subject, or a summary where it is the channel (null), holds a fact. */
  isClaimed(subjectId: string | null, holds: Recognise): boolean;
  /** Active notes of this subject that hold it. */
  notesWith(subjectId: string | null, holds: Recognise): number[];
  /** How many active notes a subject has. */
  activeCount(subjectId: string | null): number;
  /** Whether one of these notes, or for the channel one of these episodes, holds it. */
  shownIn(
    shown: { readonly noteIds: readonly number[]; readonly episodeIds: readonly number[] },
    subjectId: string | null,
    holds: Recognise,
  ): boolean;
}

interface Held {
  readonly id: number;
  readonly subjectId: string | null;
  readonly text: string;
}

/** Reads what each tier of memory holds, for one channel. */
export function tierStore(db: Db, channel: string): TierStore {
  const claims = db.prepare<[string], Held>(
    `SELECT c.episode_id AS id, c.subject_id AS subjectId, c.statement AS text FROM episode_claims c
     JOIN episodes e ON e.id = c.episode_id WHERE e.channel = ? AND c.withdrawn_at IS NULL`,
  );
  const summaries = db.prepare<[string], Held>(
    "SELECT id, NULL AS subjectId, summary AS text FROM episodes WHERE channel = ? AND summary <> ''",
  );
  const { held: notes, one: note } = replayedNotes(db);
  const summary = db.prepare<[number], Held>(
    "SELECT id, NULL AS subjectId, summary AS text FROM episodes WHERE id = ?",
  );
  const notesWith = (subjectId: string | null, holds: Recognise): number[] =>
    notes
      .all(channel, subjectId)
      .filter(({ text }) => holds(text))
      .map(({ id }) => id);
  return {
    isClaimed: (subjectId, holds) =>
      claims.all(channel).some((claim) => claim.subjectId === subjectId && holds(claim.text)) ||
      (subjectId === null && summaries.all(channel).some(({ text }) => holds(text))),
    notesWith,
    activeCount: (subjectId) => notes.all(channel, subjectId).length,
    shownIn: ({ noteIds, episodeIds }, subjectId, holds) =>
      noteIds.some((id) => {
        const row = note.get(id);
        return row !== undefined && row.subjectId === subjectId && holds(row.text);
      }) ||
      (subjectId === null && episodeIds.some((id) => holds(summary.get(id)?.text ?? ""))),
  };
}
