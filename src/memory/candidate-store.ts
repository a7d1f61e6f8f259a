import { z } from "zod";
import type { Db } from "../database/open-database.ts";
import { Sql } from "../database/statements.ts";
import { type Candidate, type CandidateReason, candidateSchema } from "./check-sorted.ts";
import { EpisodeLookups } from "./episode-store.ts";
import { NoteReview } from "./note-review-store.ts";
import type { Verdict } from "./write-policy.ts";

/** The policy's reason, why an entry was no candidate, or `cap` for an evicted note. */
type CandidateLogReason = Verdict["reason"] | CandidateReason | "cap";

/**
 * Reasons for which no text of the candidate is stored. For `no_room` the bot answered that it does not store the fact.
 */
const TEXTLESS_REASONS: ReadonlySet<string> = new Set([
  "sensitive",
  "banned",
  "suppressed",
  "opted_out",
  "no_room",
]);

interface RecordedCandidate {
  /** null if its text was not stored or was removed. */
  readonly candidate: Candidate | null;
  /** The note that it wrote; null if it wrote none, also if it confirmed one. */
  readonly noteId: number | null;
  readonly atMs: number;
  readonly channel: string;
  readonly sessionId: number | null;
  /** When the episode ended, epoch ms. */
  readonly saidAtMs: number;
}

/** Offered notes and their results: table `note_candidates`, stored for thirty days. */
export class CandidateStore {
  readonly #sql: Sql;

  constructor(db: Db, now: () => number) {
    this.#sql = new Sql(db, () => ({ nowMs: now() }));
  }

  #insert(
    episodeId: number,
    decision: Verdict["kind"] | "evict",
    reason: CandidateLogReason,
    noteId: number | null = null,
    content: { readonly fact: string | null; readonly offer: string | null } = NO_CONTENT,
  ): void {
    this.#sql.run(
      `INSERT INTO note_candidates (episode_id, fact, decision, reason, note_id, created_at, offer_json)
       VALUES (:episodeId, :fact, :decision, :reason, :noteId, :nowMs, :offer)`,
      { episodeId, decision, reason, noteId, ...content },
    );
  }

  /** Records a judged candidate, without its text if it was dropped for one of `TEXTLESS_REASONS`. */
  record(candidate: Candidate, episodeId: number, verdict: Verdict, noteId: number | null): void {
    const { kind, reason } = verdict;
    const { fact, ...rest } = candidate;
    const content = { fact, offer: JSON.stringify({ version: 2, ...rest }) };
    const isTextless = kind === "drop" && TEXTLESS_REASONS.has(reason);
    this.#insert(episodeId, kind, reason, noteId, isTextless ? NO_CONTENT : content);
  }

  /** Records an entry that is no candidate as dropped. Its words are not stored. */
  recordUnusable(episodeId: number, reason: CandidateReason): void {
    this.#insert(episodeId, "drop", reason);
  }

  /** Records that note `noteId` was evicted for one of the episode. */
  recordEvicted(episodeId: number, noteId: number): void {
    this.#insert(episodeId, "evict", "cap", noteId);
  }

  /** Returns the id of the note that note `noteId` was offered to replace; null if none is recorded. */
  replacedIdOf(noteId: number): number | null {
    return this.#sql.value(
      `SELECT json_extract(offer_json, '$.noteId') FROM note_candidates
       WHERE note_id = ? AND decision = 'supersede' ORDER BY id LIMIT 1`,
      noteId,
    );
  }

  /** Returns the candidates of an episode that still have their text. */
  facts(episodeId: number): { id: number; fact: string }[] {
    return this.#sql.all(
      "SELECT id, fact FROM note_candidates WHERE episode_id = ? AND fact IS NOT NULL",
      episodeId,
    );
  }

  /** Removes the text of a candidate. A trigger of schema.sql removes the offer with the fact. */
  blank(id: number): void {
    this.#sql.run("UPDATE note_candidates SET fact = NULL WHERE id = ?", id);
  }

  blankOfEpisode(episodeId: number): void {
    this.#sql.run(
      "UPDATE note_candidates SET fact = NULL WHERE episode_id = ? AND fact IS NOT NULL",
      episodeId,
    );
  }

  /** Deletes the oldest candidates recorded before `beforeMs`, at most `limit`. */
  prune(beforeMs: number, limit: number): void {
    this.#sql.run(
      `DELETE FROM note_candidates WHERE id IN
         (SELECT id FROM note_candidates WHERE created_at < ? ORDER BY created_at LIMIT ?)`,
      ...[beforeMs, limit],
    );
  }
}

const NO_CONTENT = { fact: null, offer: null };

/** SQL that removes the texts of the candidates of note `:id`. */
export const BLANK_CANDIDATES_OF_NOTE =
  "UPDATE note_candidates SET fact = NULL WHERE note_id = :id";

/** Reads the last `limit` recorded candidates, newest first. Leaves out evictions. */
export function readRecordedCandidates(db: Db, limit: number): RecordedCandidate[] {
  const newest = new Sql(db).all<{
    fact: string | null;
    offer: string | null;
    atMs: number;
    episodeId: number;
    noteId: number | null;
  }>(
    `SELECT fact, offer_json AS offer, created_at AS atMs, episode_id AS episodeId,
       CASE WHEN decision IN ('write', 'supersede') THEN note_id END AS noteId
     FROM note_candidates WHERE decision <> 'evict' ORDER BY created_at DESC, id DESC LIMIT ?`,
    limit,
  );
  const episodes = new EpisodeLookups(db);
  return newest.flatMap(({ fact, offer, episodeId, ...row }) => {
    const episode = episodes.find(episodeId);
    if (episode === null) return [];
    const { channel, sessionId, endedAtMs: saidAtMs } = episode;
    return [{ ...row, channel, sessionId, saidAtMs, candidate: readOffer(fact, offer) }];
  });
}

/** Counts the results of notes offered after `sinceMs`, and all notes that wait for approval now. */
export function countNoteOutcomes(db: Db, now: () => number, sinceMs: number) {
  const all = new Sql(db).all<{ decision: string; reason: string; count: number }>(
    `SELECT decision, reason, count(*) AS count FROM note_candidates
     WHERE created_at > ? GROUP BY decision, reason ORDER BY count(*) DESC, reason`,
    sinceMs,
  );
  const totals: Record<string, number> = {};
  const droppedByReason: Record<string, number> = {};
  for (const { decision, reason, count } of all) {
    totals[decision] = (totals[decision] ?? 0) + count;
    if (decision === "drop") droppedByReason[reason] = count;
  }
  const { write = 0, confirm = 0, supersede = 0, evict = 0, drop = 0 } = totals;
  return {
    /** New notes, also pending and shadow ones. */
    made: write,
    confirmed: confirm,
    superseded: supersede,
    evicted: evict,
    dropped: drop,
    droppedByReason,
    /** Notes that wait for the streamer's approval now, whenever they were made. */
    waiting: new NoteReview(db, now).countPending(),
  };
}

/** Everything that was offered of a note except the fact, as `note_candidates.offer_json` stores it. */
const offerSchema = candidateSchema.omit({ fact: true }).extend({ version: z.literal(2) });

/** Reads a candidate from its row. Returns null if its text was removed, or its format is an old one. */
function readOffer(fact: string | null, json: string | null): Candidate | null {
  if (fact === null || json === null) return null;
  const parsed = offerSchema.safeParse(JSON.parse(json));
  if (!parsed.success) return null;
  const { version: _, ...rest } = parsed.data;
  return { ...rest, fact };
}
