import { sentencesOf } from "../language/clean.ts";
import { normalWords } from "../language/words.ts";
import type { Db } from "../platform/database/open-database.ts";
import { factKey, sharesMostWords } from "./fact-key.ts";
import {
  type NoteRecord,
  type NoteRecords,
  noteRows,
  ownerOf,
  subjectDropper,
} from "./note-records-store.ts";

interface ForgottenSupport {
  readonly claimsWithdrawn: number;
  readonly notesRemoved: number;
  readonly summariesRewritten: number;
}

export interface RemovalStore {
  /**
   * Takes the events whose text was removed since the last call away from everything that was learned from them:
   * claims lose their support, a claim without any is withdrawn, evidence that rested on it alone goes, a note without
   * evidence goes, and the episode's summary becomes what its other claims about the channel say; the recap of its
   * stream goes. The database remembers what is due, so nothing is missed by a crash. One transaction. `eventsMax`: so
   * many of them at most, and the rest with the next call.
   */
  settle(eventsMax?: number): ForgottenSupport;
}

/** Of LIMIT. */
const ALL = -1;
const NOTHING: ForgottenSupport = { claimsWithdrawn: 0, notesRemoved: 0, summariesRewritten: 0 };

interface ClaimRow {
  readonly n: number;
  readonly eventIdsJson: string;
}

/** What removed chat takes with it. Design part 6, point 12. */
export function removalStore(db: Db, now: () => number): RemovalStore {
  const rows = statements(db);
  const rewrite = summaryRewriter(db);
  /** Gives how many notes went with it. What such a note had superseded is not taken for true again on its own. */
  const dropEvidence = (episodeId: number, claimN: number): number => {
    let notes = 0;
    for (const noteId of rows.dropEvidence.all(episodeId, claimN)) {
      if (rows.hasEvidence.get(noteId) !== undefined) continue;
      rows.putAside.run(noteId);
      notes += rows.drop.run(noteId).changes;
    }
    return notes;
  };
  const fromEpisode = (
    episodeId: number,
    gone: ReadonlySet<number>,
  ): { claims: number; notes: number } => {
    let claims = 0;
    let notes = 0;
    for (const { n, eventIdsJson } of rows.claims.all(episodeId)) {
      const left = parseIds(eventIdsJson).filter((id) => !gone.has(id));
      rows.setSupport.run(JSON.stringify(left), episodeId, n);
      if (left.length > 0) continue;
      rows.withdraw.run(now(), episodeId, n);
      claims += 1;
      notes += dropEvidence(episodeId, n);
    }
    if (claims > 0) rows.blankCandidates.run(episodeId);
    rewrite(episodeId);
    return { claims, notes };
  };
  return {
    settle: (eventsMax = ALL) => {
      if (rows.due.get(1) === undefined) return NOTHING;
      return db
        .transaction(() => {
          const due = rows.due.all(eventsMax);
          const gone = new Map<number, Set<number>>();
          for (const { episodeId, eventId } of due) {
            gone.set(episodeId, (gone.get(episodeId) ?? new Set()).add(eventId));
          }
          const parts = [...gone].map(([episodeId, eventIds]) => fromEpisode(episodeId, eventIds));
          for (const { eventId } of due) rows.settled.run(eventId);
          return {
            claimsWithdrawn: parts.reduce((sum, { claims }) => sum + claims, 0),
            notesRemoved: parts.reduce((sum, { notes }) => sum + notes, 0),
            summariesRewritten: parts.length,
          };
        })
        .immediate();
    },
  };
}

function parseIds(json: string): number[] {
  return JSON.parse(json);
}

function statements(db: Db) {
  return {
    due: db.prepare<[number], { episodeId: number; eventId: number }>(
      "SELECT episode_id AS episodeId, event_id AS eventId FROM removed_support ORDER BY episode_id LIMIT ?",
    ),
    settled: db.prepare<[number]>("DELETE FROM removed_support WHERE event_id = ?"),
    claims: db.prepare<[number], ClaimRow>(
      `SELECT n, event_ids_json AS eventIdsJson FROM episode_claims
       WHERE episode_id = ? AND withdrawn_at IS NULL ORDER BY n`,
    ),
    setSupport: db.prepare<[string, number, number]>(
      "UPDATE episode_claims SET event_ids_json = ? WHERE episode_id = ? AND n = ?",
    ),
    /** It says what was removed: nothing of it stays. */
    withdraw: db.prepare<[number, number, number]>(
      "UPDATE episode_claims SET statement = '', withdrawn_at = ? WHERE episode_id = ? AND n = ?",
    ),
    dropEvidence: db
      .prepare<[number, number], number>(
        "DELETE FROM note_evidence WHERE episode_id = ? AND claim_n = ? RETURNING note_id",
      )
      .pluck(),
    hasEvidence: db
      .prepare<[number], number>("SELECT 1 FROM note_evidence WHERE note_id = ? LIMIT 1")
      .pluck(),
    ...noteRows(db),
    blankCandidates: db.prepare<[number]>(
      "UPDATE note_candidates SET fact = NULL WHERE episode_id = ? AND fact IS NOT NULL",
    ),
  };
}

/** What went with a note. */
export interface ForgottenNote {
  /** The note, and those about the same subject that said the same. */
  readonly notes: readonly number[];
  readonly claimsWithdrawn: number;
  readonly summariesRewritten: number;
}

/** So much of a fact's telling words in one sentence states it. */
const STATED_SHARE = 0.5;

/**
 * Gives a function that removes a note and every trace of what it says: notes that say the same, its evidence, the claims
 * it rests on and those that say it, what is told of the candidate, and, where they state it, summaries and recaps, as
 * if the chat behind it had been removed. What it had replaced stays aside. Call it inside a transaction.
 */
export function noteForgetting(
  db: Db,
  { records, now }: { readonly records: NoteRecords; readonly now: () => number },
): (id: number) => ForgottenNote {
  const rows = forgetStatements(db);
  const rewrite = summaryRewriter(db);
  return (id) => {
    const note = records.get(id);
    const key = factKey(note.fact);
    const words = wordsOf(note.fact);
    // In doubt a trace goes, and a note stays.
    const says = (text: string): boolean =>
      factKey(text) === key || sharesMostWords(words, wordsOf(text));
    const gone = records
      .all(ownerOf(note, null))
      .filter((one) => one.id === id || factKey(one.fact) === key);
    const goneIds = new Set(gone.map((one) => one.id));
    const claims = claimsBehind(rows, note, { goneIds, says });
    const episodeIds = new Set([
      ...gone.flatMap((one) => rows.episodes.all(one.id)),
      ...claims.map(({ episodeId }) => episodeId),
    ]);
    const withdrawn = claims.filter((claim) => withdraw(rows, claim, { goneIds, nowMs: now() }));
    for (const episodeId of episodeIds) blankCandidates(rows, episodeId, says);
    for (const one of gone) drop(rows, one.id);
    const stating = [...episodeIds].filter((episodeId) => isStated(rows, episodeId, note));
    for (const episodeId of stating) rewrite(episodeId);
    return {
      notes: [...goneIds],
      claimsWithdrawn: withdrawn.length,
      summariesRewritten: stating.length,
    };
  };
}

function wordsOf(fact: string): string {
  return normalWords(fact).join(" ");
}

type Rows = ReturnType<typeof forgetStatements>;

interface ClaimKey {
  readonly episodeId: number;
  readonly n: number;
}

interface Going {
  readonly goneIds: ReadonlySet<number>;
  readonly says: (text: string) => boolean;
}

/** The claims that the notes rest on; those about the same person, or of the same episodes, that say the same. */
function claimsBehind(rows: Rows, { subjectId }: NoteRecord, { goneIds, says }: Going): ClaimKey[] {
  const restedOn = [...goneIds].flatMap((id) => rows.evidence.all(id));
  const near =
    subjectId === null
      ? [...goneIds].flatMap((id) => rows.channelClaims.all(id))
      : rows.claimsAbout.all(subjectId);
  const saying = near.filter(({ statement }) => says(statement));
  const all = [...restedOn, ...saying].map(({ episodeId, n }) => ({ episodeId, n }));
  return [...new Map(all.map((key) => [`${key.episodeId} ${key.n}`, key])).values()];
}

/** A claim that another note rests on, too, says only what that note says from now on. True where it was withdrawn. */
function withdraw(
  rows: Rows,
  { episodeId, n }: ClaimKey,
  { goneIds, nowMs }: { readonly goneIds: ReadonlySet<number>; readonly nowMs: number },
): boolean {
  const others = rows.restingOn.all(episodeId, n).filter(({ id }) => !goneIds.has(id));
  if (others.length > 0) {
    rows.restate.run(others.map(({ fact }) => fact).join(". "), episodeId, n);
    return false;
  }
  rows.withdraw.run(nowMs, episodeId, n);
  return true;
}

function blankCandidates(rows: Rows, episodeId: number, says: (text: string) => boolean): void {
  for (const { id, fact } of rows.candidates.all(episodeId)) {
    if (says(fact)) rows.blankCandidate.run(id);
  }
}

function drop(rows: Rows, id: number): void {
  rows.blankOwn.run(id);
  rows.handOn.run({ id });
  rows.drop.run(id);
}

/** Whether a summary, a topic or the stream's recap states what the note says. In doubt it does, for the channel's notes. */
function isStated(rows: Rows, episodeId: number, { fact, scope }: NoteRecord): boolean {
  const told = rows.told.get(episodeId);
  if (told === undefined || `${told.summary}${told.topic}${told.recap}` === "") return false;
  if (scope !== "viewer") return true;
  const wanted = new Set(normalWords(fact));
  return [told.topic, ...sentencesOf(`${told.summary} ${told.recap}`).map(({ text }) => text)].some(
    (sentence) => {
      const shared = new Set(normalWords(sentence).filter((word) => wanted.has(word)));
      return shared.size > 0 && shared.size >= wanted.size * STATED_SHARE;
    },
  );
}

interface Claim extends ClaimKey {
  readonly statement: string;
}

function forgetStatements(db: Db) {
  return { ...reads(db), ...writes(db) };
}

function reads(db: Db) {
  return {
    episodes: db
      .prepare<[number], number>("SELECT episode_id FROM note_evidence WHERE note_id = ?")
      .pluck(),
    evidence: db.prepare<[number], ClaimKey>(
      `SELECT episode_id AS episodeId, claim_n AS n FROM note_evidence
       WHERE note_id = ? AND claim_n IS NOT NULL`,
    ),
    claimsAbout: db.prepare<[string], Claim>(
      `SELECT episode_id AS episodeId, n, statement FROM episode_claims
       WHERE subject_id = ? AND withdrawn_at IS NULL`,
    ),
    channelClaims: db.prepare<[number], Claim>(
      `SELECT c.episode_id AS episodeId, c.n, c.statement FROM note_evidence v
       JOIN episode_claims c ON c.episode_id = v.episode_id
       WHERE v.note_id = ? AND c.subject_id IS NULL AND c.withdrawn_at IS NULL`,
    ),
    ...noteRows(db),
    candidates: db.prepare<[number], { id: number; fact: string }>(
      "SELECT id, fact FROM note_candidates WHERE episode_id = ? AND fact IS NOT NULL",
    ),
    told: db.prepare<[number], { topic: string; summary: string; recap: string }>(
      `SELECT e.topic, e.summary, coalesce(s.recap, '') AS recap FROM episodes e
       LEFT JOIN stream_sessions s ON s.id = e.session_id WHERE e.id = ?`,
    ),
  };
}

function writes(db: Db) {
  return {
    withdraw: db.prepare<[number, number, number]>(
      `UPDATE episode_claims SET statement = '', withdrawn_at = coalesce(withdrawn_at, ?)
       WHERE episode_id = ? AND n = ?`,
    ),
    restate: db.prepare<[string, number, number]>(
      "UPDATE episode_claims SET statement = ? WHERE episode_id = ? AND n = ?",
    ),
    blankCandidate: db.prepare<[number]>(
      "UPDATE note_candidates SET fact = NULL, offer_json = NULL WHERE id = ?",
    ),
    blankOwn: db.prepare<[number]>(
      "UPDATE note_candidates SET fact = NULL, offer_json = NULL WHERE note_id = ?",
    ),
  };
}

/**
 * Gives a function that makes an episode's summary what its claims about the channel still say, and takes away the recap
 * of its stream. Only claims about the channel: everybody's prompt shows a summary, and a viewer's claims are the
 * viewer's. Design part 6, point 12.
 */
function summaryRewriter(db: Db): (episodeId: number) => void {
  const claims = db
    .prepare<[number], string>(
      `SELECT statement FROM episode_claims
       WHERE episode_id = ? AND withdrawn_at IS NULL AND scope <> 'viewer' ORDER BY n`,
    )
    .pluck();
  const setSummary = db.prepare<[string, number]>(
    "UPDATE episodes SET topic = '', summary = ? WHERE id = ?",
  );
  /** It was made from the summary as it was; a new one is written while the stream is recent. */
  const dropRecap = db.prepare<[number]>(
    `UPDATE stream_sessions SET recap = NULL
     WHERE id = (SELECT session_id FROM episodes WHERE id = ?) AND recap IS NOT NULL`,
  );
  return (episodeId) => {
    setSummary.run(claims.all(episodeId).join(" "), episodeId);
    dropRecap.run(episodeId);
  };
}

/** A function that takes everything that was learned about somebody; gives how many notes that were. */
export function memoryForgetter(db: Db): (userId: string) => number {
  const dropNotes = subjectDropper(db);
  const steps = [
    // A talk of theirs alone with the bot is about them, whomever its summary names.
    `UPDATE episodes SET topic = '', summary = '' WHERE (topic <> '' OR summary <> '')
       AND id IN (SELECT episode_id FROM episode_participants WHERE user_id = @userId)
       AND NOT EXISTS (SELECT 1 FROM episode_participants o WHERE o.episode_id = episodes.id AND o.user_id <> @userId)`,
    "DELETE FROM episode_claims WHERE subject_id = @userId",
  ].map((sql) => db.prepare<[{ userId: string }]>(sql));
  // Episodes that were nothing but what was asked for or written about them.
  const wishes = db.prepare<[string]>(
    `DELETE FROM episodes WHERE kind IN ('request', 'operator', 'import')
       AND id IN (SELECT episode_id FROM episode_participants WHERE user_id = ?)
       AND NOT EXISTS (SELECT 1 FROM episode_claims c WHERE c.episode_id = episodes.id)
       AND NOT EXISTS (SELECT 1 FROM note_evidence v WHERE v.episode_id = episodes.id)`,
  );
  const participation = db.prepare<[string]>("DELETE FROM episode_participants WHERE user_id = ?");
  return (userId) => {
    const notes = dropNotes(userId);
    for (const step of steps) step.run({ userId });
    wishes.run(userId);
    participation.run(userId);
    return notes;
  };
}
