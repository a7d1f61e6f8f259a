import { calmSince } from "../chat/known-store.ts";
import type { Db } from "../database/open-database.ts";
import { statements } from "../database/statements.ts";
import { sentencesOf } from "../language/clean.ts";
import { normalWords } from "../language/words.ts";
import { EVIDENCE_PROVES } from "./carriers-store.ts";
import { factKey, sharesMostWords } from "./fact-key.ts";
import type { WaitingClaim } from "./note-prompt.ts";
import {
  goneRows,
  type NoteRecord,
  type NoteRecords,
  ownerOf,
  subjectDropper,
} from "./note-records-store.ts";

export type RemovalStore = ReturnType<typeof removalStore>;

/** Of LIMIT. */
const ALL = -1;

/** What removed chat takes with it. Design part 6, point 12. */
export function removalStore(db: Db, now: () => number) {
  const sql = statements(db);
  const dueEvents = sql.all<[number], { episodeId: number; eventId: number }>(
    "SELECT episode_id AS episodeId, event_id AS eventId FROM removed_support ORDER BY episode_id LIMIT ?",
  );
  const settled = sql.run<[number]>("DELETE FROM removed_support WHERE event_id = ?");
  const fromEpisode = supportRemover(db, now);
  return {
    /**
     * Takes the events whose text was removed since the last call away from everything that was learned from them:
     * claims lose their support, a claim without any is withdrawn, evidence that rested on it alone goes, a note without
     * evidence goes, and the episode's summary becomes what its other claims about the channel say; the recap of its
     * stream goes. The database remembers what is due, so nothing is missed by a crash. One transaction. `eventsMax`: so
     * many of them at most, and the rest with the next call.
     */
    settle: (eventsMax = ALL): Withdrawn => {
      if (dueEvents(1).length === 0) return { claimsWithdrawn: 0, notesRemoved: 0 };
      return db
        .transaction(() => {
          const due = dueEvents(eventsMax);
          const gone = new Map<number, Set<number>>();
          for (const { episodeId, eventId } of due) {
            gone.set(episodeId, (gone.get(episodeId) ?? new Set()).add(eventId));
          }
          const parts = [...gone].map(([episodeId, eventIds]) => fromEpisode(episodeId, eventIds));
          for (const { eventId } of due) settled(eventId);
          return {
            claimsWithdrawn: parts.reduce((sum, { claimsWithdrawn }) => sum + claimsWithdrawn, 0),
            notesRemoved: parts.reduce((sum, { notesRemoved }) => sum + notesRemoved, 0),
          };
        })
        .immediate();
    },
  };
}

interface Withdrawn {
  readonly claimsWithdrawn: number;
  readonly notesRemoved: number;
}

/** A function that takes events away from what was learned of an episode. */
function supportRemover(
  db: Db,
  now: () => number,
): (episodeId: number, gone: ReadonlySet<number>) => Withdrawn {
  const sql = statements(db);
  const claims = sql.all<[number], { n: number; eventIdsJson: string; borrowedIdsJson: string }>(
    `SELECT n, event_ids_json AS eventIdsJson, borrowed_ids_json AS borrowedIdsJson FROM episode_claims
     WHERE episode_id = ? AND withdrawn_at IS NULL ORDER BY n`,
  );
  const weaken = sql.run<[episodeId: number, n: number]>(
    "UPDATE episode_claims SET is_weak = 1 WHERE episode_id = ? AND n = ?",
  );
  const toShadow = sql.run<[{ episodeId: number; n: number; nowMs: number; calmSince: string }]>(
    `UPDATE semantic_notes AS s SET status = 'shadow', ended_at = :nowMs
     WHERE status = 'active' AND pinned = 0
       AND id IN (SELECT note_id FROM note_evidence WHERE episode_id = :episodeId AND claim_n = :n)
       AND NOT EXISTS (SELECT 1 FROM note_evidence v WHERE v.note_id = s.id AND ${EVIDENCE_PROVES})`,
  );
  const setSupport = sql.run<[string, number, number]>(
    "UPDATE episode_claims SET event_ids_json = ? WHERE episode_id = ? AND n = ?",
  );
  const dropEvidence = sql.values<[number, number], number>(
    "DELETE FROM note_evidence WHERE episode_id = ? AND claim_n = ? RETURNING note_id",
  );
  const hasEvidence = sql.value<[number], number>(
    "SELECT 1 FROM note_evidence WHERE note_id = ? LIMIT 1",
  );
  const blankCandidates = sql.run<[number]>(
    "UPDATE note_candidates SET fact = NULL WHERE episode_id = ? AND fact IS NOT NULL",
  );
  const withdraw = claimWithdrawer(db, now);
  const rewrite = summaryRewriter(db);
  const { putAside, drop } = goneRows(db);
  return (episodeId, gone) => {
    const standing = claims(episodeId);
    // A removed message took a word with it that it had lent to somebody else's claim.
    const lent = standing.filter(({ borrowedIdsJson }) =>
      (JSON.parse(borrowedIdsJson) as number[]).some((id) => gone.has(id)),
    );
    const lost = standing.flatMap(({ n, eventIdsJson }) => {
      const eventIds: number[] = JSON.parse(eventIdsJson);
      const left = eventIds.filter((id) => !gone.has(id));
      setSupport(JSON.stringify(left), episodeId, n);
      return left.length === 0 ? [n] : [];
    });
    for (const { n } of lent) {
      weaken(episodeId, n);
      toShadow({ episodeId, n, nowMs: now(), calmSince: calmSince(now()) });
    }
    for (const n of lost) withdraw(episodeId, n);
    const bare = lost
      .flatMap((n) => dropEvidence(episodeId, n))
      .filter((noteId) => hasEvidence(noteId) === null);
    for (const noteId of bare) {
      putAside(noteId);
      drop(noteId);
    }
    if (lost.length > 0) blankCandidates(episodeId);
    rewrite(episodeId);
    return { claimsWithdrawn: lost.length, notesRemoved: bare.length };
  };
}

/** A function that withdraws a claim of an episode: nothing of what it said stays. */
export function claimWithdrawer(db: Db, now: () => number) {
  const withdraw = statements(db).run<[number, number, number]>(
    `UPDATE episode_claims SET statement = '', withdrawn_at = coalesce(withdrawn_at, ?)
     WHERE episode_id = ? AND n = ?`,
  );
  return (episodeId: number, n: number) => withdraw(now(), episodeId, n);
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
  const sql = statements(db);
  const episodesOf = sql.values<[number], number>(
    "SELECT episode_id FROM note_evidence WHERE note_id = ?",
  );
  const candidates = sql.all<[number], { id: number; fact: string }>(
    "SELECT id, fact FROM note_candidates WHERE episode_id = ? AND fact IS NOT NULL",
  );
  const blankCandidate = sql.run<[number]>(
    "UPDATE note_candidates SET fact = NULL, offer_json = NULL WHERE id = ?",
  );
  const rows = goneRows(db);
  const claimsBehind = claimFinder(db);
  const withdraw = claimTaker(db, now);
  const isStated = stating(db);
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
    const goneIds = gone.map((one) => one.id);
    const claims = claimsBehind(note, goneIds, says);
    const episodeIds = new Set([
      ...goneIds.flatMap((one) => episodesOf(one)),
      ...claims.map(({ episodeId }) => episodeId),
    ]);
    const withdrawn = claims.filter((claim) => withdraw(claim, goneIds));
    for (const candidate of [...episodeIds].flatMap((episodeId) => candidates(episodeId))) {
      if (says(candidate.fact)) blankCandidate(candidate.id);
    }
    for (const one of goneIds) {
      rows.blankCandidates(one);
      rows.handOn({ id: one });
      rows.drop(one);
    }
    const rewritten = [...episodeIds].filter((episodeId) => isStated(episodeId, note));
    for (const episodeId of rewritten) rewrite(episodeId);
    return {
      notes: goneIds,
      claimsWithdrawn: withdrawn.length,
      summariesRewritten: rewritten.length,
    };
  };
}

/** Two facts without words have the same. */
function wordsOf(fact: string): ReadonlySet<string> {
  return new Set(normalWords(fact).join(" ").split(" "));
}

type ClaimKey = Pick<WaitingClaim, "episodeId" | "n">;

/** A function that gives the claims that notes rest on; those about the same person, or of the same episodes, that say the same. */
function claimFinder(db: Db) {
  const sql = statements(db);
  const evidence = sql.all<[number], ClaimKey>(
    "SELECT episode_id AS episodeId, claim_n AS n FROM note_evidence WHERE note_id = ? AND claim_n IS NOT NULL",
  );
  const claimsAbout = sql.all<[string], ClaimKey & { statement: string }>(
    `SELECT episode_id AS episodeId, n, statement FROM episode_claims
     WHERE subject_id = ? AND withdrawn_at IS NULL`,
  );
  const channelClaims = sql.all<[number], ClaimKey & { statement: string }>(
    `SELECT c.episode_id AS episodeId, c.n, c.statement FROM note_evidence v
     JOIN episode_claims c ON c.episode_id = v.episode_id
     WHERE v.note_id = ? AND c.subject_id IS NULL AND c.withdrawn_at IS NULL`,
  );
  return (
    { subjectId }: NoteRecord,
    noteIds: readonly number[],
    says: (text: string) => boolean,
  ): ClaimKey[] => {
    const near =
      subjectId === null ? noteIds.flatMap((id) => channelClaims(id)) : claimsAbout(subjectId);
    const saying = near.filter(({ statement }) => says(statement));
    const all = [...noteIds.flatMap((id) => evidence(id)), ...saying];
    return [...new Map(all.map((claim) => [`${claim.episodeId} ${claim.n}`, claim])).values()];
  };
}

/** A function that withdraws a claim; one that other notes rest on says what those say instead, and it gives false. */
function claimTaker(db: Db, now: () => number) {
  const restate = statements(db).run<[string, number, number]>(
    "UPDATE episode_claims SET statement = ? WHERE episode_id = ? AND n = ?",
  );
  const { restingOn } = goneRows(db);
  const withdraw = claimWithdrawer(db, now);
  return ({ episodeId, n }: ClaimKey, goneIds: readonly number[]): boolean => {
    const others = restingOn(episodeId, n).filter(({ id }) => !goneIds.includes(id));
    if (others.length > 0) restate(others.map(({ fact }) => fact).join(". "), episodeId, n);
    else withdraw(episodeId, n);
    return others.length === 0;
  };
}

/** A function that tells whether summary, topic or recap state what a note says. In doubt they do, for the channel's. */
function stating(db: Db) {
  const toldIn = statements(db).one<[number], { topic: string; summary: string; recap: string }>(
    `SELECT e.topic, e.summary, coalesce(s.recap, '') AS recap FROM episodes e
     LEFT JOIN stream_sessions s ON s.id = e.session_id WHERE e.id = ?`,
  );
  return (episodeId: number, { fact, scope }: NoteRecord): boolean => {
    const { topic, summary, recap } = toldIn(episodeId) ?? { topic: "", summary: "", recap: "" };
    if (`${summary}${topic}${recap}` === "") return false;
    if (scope !== "viewer") return true;
    const wanted = new Set(normalWords(fact));
    return [topic, ...sentencesOf(`${summary} ${recap}`)].some((sentence) => {
      const shared = new Set(normalWords(sentence).filter((word) => wanted.has(word)));
      return shared.size > 0 && shared.size >= wanted.size * STATED_SHARE;
    });
  };
}

/**
 * Gives a function that makes an episode's summary what its claims about the channel still say, and takes away the recap
 * of its stream. Only claims about the channel: everybody's prompt shows a summary, and a viewer's claims are the
 * viewer's. Design part 6, point 12.
 */
function summaryRewriter(db: Db): (episodeId: number) => void {
  const sql = statements(db);
  const claims = sql.values<[number], string>(
    `SELECT statement FROM episode_claims
     WHERE episode_id = ? AND withdrawn_at IS NULL AND scope <> 'viewer' ORDER BY n`,
  );
  const setSummary = sql.run<[string, number]>(
    "UPDATE episodes SET topic = '', summary = ?, unproven = '' WHERE id = ?",
  );
  // It was made from the summary as it was; a new one is written while the stream is recent.
  const dropRecap = sql.run<[number]>(
    `UPDATE stream_sessions SET recap = NULL
     WHERE id = (SELECT session_id FROM episodes WHERE id = ?) AND recap IS NOT NULL`,
  );
  return (episodeId) => {
    setSummary(claims(episodeId).join(" "), episodeId);
    dropRecap(episodeId);
  };
}

/** A function that takes everything that was learned about somebody; gives how many notes that were. */
export function memoryForgetter(db: Db): (userId: string) => number {
  const dropNotes = subjectDropper(db);
  const steps = [
    // A talk of theirs alone with the bot is about them, whomever its summary names.
    `UPDATE episodes SET topic = '', summary = '', unproven = '' WHERE (topic <> '' OR summary <> '' OR unproven <> '')
       AND id IN (SELECT episode_id FROM episode_participants WHERE user_id = @userId)
       AND NOT EXISTS (SELECT 1 FROM episode_participants o WHERE o.episode_id = episodes.id AND o.user_id <> @userId)`,
    "DELETE FROM episode_claims WHERE subject_id = @userId",
    // Episodes that were nothing but what was asked for or written about them.
    `DELETE FROM episodes WHERE kind IN ('request', 'operator', 'import')
       AND id IN (SELECT episode_id FROM episode_participants WHERE user_id = @userId)
       AND NOT EXISTS (SELECT 1 FROM episode_claims c WHERE c.episode_id = episodes.id)
       AND NOT EXISTS (SELECT 1 FROM note_evidence v WHERE v.episode_id = episodes.id)`,
    "DELETE FROM episode_participants WHERE user_id = @userId",
    "DELETE FROM claim_carriers WHERE user_id = @userId",
  ].map((sql) => statements(db).run<[{ userId: string }]>(sql));
  return (userId) => {
    const notes = dropNotes(userId);
    for (const step of steps) step({ userId });
    return notes;
  };
}
