import { PERSON } from "../language/people.ts";
import { sentencesOf } from "../language/sentences.ts";
import { normalWords } from "../language/words.ts";
import type { Db } from "../platform/database/open-database.ts";
import { factKey, sharesMostWords } from "./fact-key.ts";
import { type NoteRecord, type NoteRecords, ownerOf } from "./note-records-store.ts";
import { summaryRewriter } from "./summary-rewrite-store.ts";

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
  const rows = statements(db);
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
  return normalWords(fact.replaceAll(new RegExp(PERSON, "gu"), " ")).join(" ");
}

type Rows = ReturnType<typeof statements>;

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
  const wanted = new Set(normalWords(fact.replaceAll(new RegExp(PERSON, "gu"), " ")));
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

function statements(db: Db) {
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
    restingOn: db.prepare<[number, number], { id: number; fact: string }>(
      `SELECT s.id, s.fact FROM note_evidence v JOIN semantic_notes s ON s.id = v.note_id
       WHERE v.episode_id = ? AND v.claim_n = ? ORDER BY s.id`,
    ),
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
    /** What stood behind it stands behind its successor, or aside: it is not taken for true again on its own. */
    handOn: db.prepare<[{ id: number }]>(
      `UPDATE semantic_notes SET
         superseded_by = (SELECT gone.superseded_by FROM semantic_notes gone WHERE gone.id = :id),
         status = CASE WHEN (SELECT gone.superseded_by FROM semantic_notes gone WHERE gone.id = :id) IS NULL
           THEN 'stale' ELSE status END,
         status_before = NULL
       WHERE superseded_by = :id`,
    ),
    drop: db.prepare<[number]>("DELETE FROM semantic_notes WHERE id = ?"),
  };
}
