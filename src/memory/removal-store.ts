import type { Db } from "../database/open-database.ts";
import { prepareStatements } from "../database/statements.ts";
import { splitSentences } from "../language/clean.ts";
import { readStems } from "../language/stems.ts";
import { openCandidateStore } from "./candidate-store.ts";
import { claimWithdrawer } from "./episode-store.ts";
import { makeFactKey, sharesMostWords } from "./fact-key.ts";
import { getOwner, type StoredNote } from "./note-reads-store.ts";
import { openNoteStore } from "./note-store.ts";

export type RemovalStore = ReturnType<typeof openRemovalStore>;

/** No limit, for SQL's LIMIT. */
const ALL = -1;

/** Removes what was learned from removed chat. Design part 6, point 12. */
export function openRemovalStore(db: Db, now: () => number) {
  const sql = prepareStatements(db);
  const dueEvents = sql.all<[number], { episodeId: number; eventId: number }>(
    "SELECT episode_id AS episodeId, event_id AS eventId FROM removed_support ORDER BY episode_id LIMIT ?",
  );
  const settled = sql.run<[number]>("DELETE FROM removed_support WHERE event_id = ?");
  const removeSupport = prepareSupportRemoval(db, now);
  return {
    /**
     * Handles at most `eventsMax` events whose text was removed, in one transaction. Withdraws claims without
     * support, removes notes without evidence, rewrites the summary from its other channel claims, and removes the
     * recap. The database stores the open work, so a crash loses nothing.
     */
    settle: (eventsMax = ALL): { claimsWithdrawn: number; notesRemoved: number } => {
      const removed = { claimsWithdrawn: 0, notesRemoved: 0 };
      if (dueEvents(1).length === 0) return removed;
      return db
        .transaction(() => {
          const eventsOf = new Map<number, Set<number>>();
          for (const { episodeId, eventId } of dueEvents(eventsMax)) {
            eventsOf.set(episodeId, (eventsOf.get(episodeId) ?? new Set()).add(eventId));
            settled(eventId);
          }
          for (const [episodeId, eventIds] of eventsOf) {
            const { claims, notes } = removeSupport(episodeId, eventIds);
            removed.claimsWithdrawn += claims;
            removed.notesRemoved += notes;
          }
          return removed;
        })
        .immediate();
    },
  };
}

/** Returns a function that removes events from the support of an episode's claims. */
function prepareSupportRemoval(db: Db, now: () => number) {
  const sql = prepareStatements(db);
  const claimsOf = sql.all<[number], { n: number; eventIdsJson: string; borrowedIdsJson: string }>(
    `SELECT n, event_ids_json AS eventIdsJson, borrowed_ids_json AS borrowedIdsJson FROM episode_claims
     WHERE episode_id = ? AND withdrawn_at IS NULL ORDER BY n`,
  );
  const weaken = sql.run<[episodeId: number, n: number]>(
    "UPDATE episode_claims SET is_weak = 1 WHERE episode_id = ? AND n = ?",
  );
  const setSupport = sql.run<[eventIdsJson: string, episodeId: number, n: number]>(
    "UPDATE episode_claims SET event_ids_json = ? WHERE episode_id = ? AND n = ?",
  );
  const { withdraw } = claimWithdrawer(db, now);
  const { demoteUnproven, removeEvidence } = openNoteStore(db, now);
  const { blankOfEpisode } = openCandidateStore(db, now);
  const rewrite = prepareSummaryRewrite(db);
  return (episodeId: number, gone: ReadonlySet<number>): { claims: number; notes: number } => {
    const claims = claimsOf(episodeId);
    const lost = claims.flatMap(({ n, eventIdsJson }) => {
      const eventIds: number[] = JSON.parse(eventIdsJson);
      const left = eventIds.filter((id) => !gone.has(id));
      setSupport(JSON.stringify(left), episodeId, n);
      return left.length === 0 ? [n] : [];
    });
    for (const { n, borrowedIdsJson } of claims) {
      // Claims of others that had borrowed a word of a removed message.
      const borrowedIds: number[] = JSON.parse(borrowedIdsJson);
      if (!borrowedIds.some((id) => gone.has(id))) continue;
      weaken(episodeId, n);
      demoteUnproven({ episodeId, n });
    }
    for (const n of lost) withdraw(episodeId, n);
    const notes = lost.reduce((sum, n) => sum + removeEvidence(episodeId, n), 0);
    if (lost.length > 0) blankOfEpisode(episodeId);
    rewrite(episodeId);
    return { claims: lost.length, notes };
  };
}

/** Rows that were removed with a note. */
export interface ForgottenNote {
  /** The note, and notes about the same subject that said the same. */
  readonly notes: readonly number[];
  readonly claimsWithdrawn: number;
  readonly summariesRewritten: number;
}

/** A sentence states a fact if it has this share of the fact's words. */
const STATED_SHARE = 0.5;

interface ClaimKey {
  readonly episodeId: number;
  readonly n: number;
}

/**
 * Returns a function that removes a note and every trace of its content: equal notes, their evidence, claims and
 * candidates, and summaries and recaps that state it. Notes that it had replaced become stale. The caller opens the
 * transaction.
 */
export function prepareNoteForget(db: Db, now: () => number) {
  const sql = prepareStatements(db);
  const notes = openNoteStore(db, now);
  const candidates = openCandidateStore(db, now);
  const { withdraw } = claimWithdrawer(db, now);
  const claimsAbout = sql.all<[userId: string], ClaimKey & { statement: string }>(
    `SELECT episode_id AS episodeId, n, statement FROM episode_claims
     WHERE subject_id = ? AND withdrawn_at IS NULL`,
  );
  const channelClaims = sql.all<[episodeId: number], ClaimKey & { statement: string }>(
    `SELECT episode_id AS episodeId, n, statement FROM episode_claims
     WHERE episode_id = ? AND subject_id IS NULL AND withdrawn_at IS NULL`,
  );
  const restate = sql.run<[string, number, number]>(
    "UPDATE episode_claims SET statement = ? WHERE episode_id = ? AND n = ?",
  );
  const textsOf = sql.one<[number], { topic: string; summary: string; recap: string }>(
    `SELECT e.topic, e.summary, coalesce(s.recap, '') AS recap FROM episodes e
     LEFT JOIN stream_sessions s ON s.id = e.session_id WHERE e.id = ?`,
  );
  const rewrite = prepareSummaryRewrite(db);

  /** True if an episode's texts state a fact. In doubt they do, for facts about the channel. */
  const isStated = (episodeId: number, { fact, scope }: StoredNote): boolean => {
    const { topic, summary, recap } = textsOf(episodeId) ?? { topic: "", summary: "", recap: "" };
    if (`${summary}${topic}${recap}` === "") return false;
    if (scope !== "viewer") return true;
    const wanted = new Set(readStems(fact));
    return [topic, ...splitSentences(`${summary} ${recap}`)].some((sentence) => {
      const shared = new Set(readStems(sentence).filter((word) => wanted.has(word)));
      return shared.size > 0 && shared.size >= wanted.size * STATED_SHARE;
    });
  };
  return (note: StoredNote): ForgottenNote => {
    const key = makeFactKey(note.fact);
    const words = wordsOf(note.fact);
    // In doubt it removes a trace, but not a note.
    const says = (text: string): boolean =>
      makeFactKey(text) === key || sharesMostWords(words, wordsOf(text));
    const removedIds = notes
      .all(getOwner(note, null))
      .filter((one) => one.id === note.id || makeFactKey(one.fact) === key)
      .map(({ id }) => id);
    const evidence = removedIds.flatMap((id) => notes.evidenceOf(id));
    const ofEvidence = new Set(evidence.map(({ episodeId }) => episodeId));
    const near =
      note.subjectId === null
        ? [...ofEvidence].flatMap((episodeId) => channelClaims(episodeId))
        : claimsAbout(note.subjectId);
    const behind = evidence.flatMap(({ episodeId, n }) => (n === null ? [] : [{ episodeId, n }]));
    const claims = new Map<string, ClaimKey>();
    for (const claim of [...behind, ...near.filter(({ statement }) => says(statement))]) {
      claims.set(`${claim.episodeId} ${claim.n}`, claim);
    }
    let claimsWithdrawn = 0;
    for (const { episodeId, n } of claims.values()) {
      // A claim that other notes rest on says what those say instead.
      const others = notes.restingOn(episodeId, n).filter(({ id }) => !removedIds.includes(id));
      if (others.length > 0) restate(others.map(({ fact }) => fact).join(". "), episodeId, n);
      else claimsWithdrawn += withdraw(episodeId, n);
    }
    const episodeIds = new Set([
      ...ofEvidence,
      ...[...claims.values()].map(({ episodeId }) => episodeId),
    ]);
    for (const { id, fact } of [...episodeIds].flatMap((one) => candidates.facts(one))) {
      if (says(fact)) candidates.blank(id);
    }
    for (const id of removedIds) notes.remove(id, "successor");
    const rewritten = [...episodeIds].filter((episodeId) => isStated(episodeId, note));
    for (const episodeId of rewritten) rewrite(episodeId);
    return { notes: removedIds, claimsWithdrawn, summariesRewritten: rewritten.length };
  };
}

/** Two facts without words have the same. */
function wordsOf(fact: string): ReadonlySet<string> {
  return new Set(readStems(fact).join(" ").split(" "));
}

/**
 * Returns a function that rewrites an episode's summary from its claims about the channel, and drops the recap of its
 * stream. Viewers' claims stay out: every prompt shows a summary.
 */
function prepareSummaryRewrite(db: Db): (episodeId: number) => void {
  const sql = prepareStatements(db);
  const claims = sql.values<[number], string>(
    `SELECT statement FROM episode_claims
     WHERE episode_id = ? AND withdrawn_at IS NULL AND scope <> 'viewer' ORDER BY n`,
  );
  const setSummary = sql.run<[string, number]>(
    "UPDATE episodes SET topic = '', summary = ?, unproven = '' WHERE id = ?",
  );
  // A new recap is written while the stream is recent.
  const dropRecap = sql.run<[number]>(
    `UPDATE stream_sessions SET recap = NULL
     WHERE id = (SELECT session_id FROM episodes WHERE id = ?) AND recap IS NOT NULL`,
  );
  return (episodeId) => {
    setSummary(claims(episodeId).join(" "), episodeId);
    dropRecap(episodeId);
  };
}

/** Returns a function that removes everything that was learned about a viewer, and returns how many notes that were. */
export function prepareMemoryForget(db: Db, now: () => number): (userId: string) => number {
  const { removeAbout } = openNoteStore(db, now);
  const steps = [
    // An episode of direct talk with this viewer alone is about them, whomever its summary names.
    `UPDATE episodes SET topic = '', summary = '', unproven = '' WHERE (topic <> '' OR summary <> '' OR unproven <> '')
       AND id IN (SELECT episode_id FROM episode_participants WHERE user_id = @userId)
       AND NOT EXISTS (SELECT 1 FROM episode_participants o WHERE o.episode_id = episodes.id AND o.user_id <> @userId)`,
    "DELETE FROM episode_claims WHERE subject_id = @userId",
    // Removes episodes that contained only a viewer's requests or typed facts about them.
    `DELETE FROM episodes WHERE kind IN ('request', 'operator', 'import')
       AND id IN (SELECT episode_id FROM episode_participants WHERE user_id = @userId)
       AND NOT EXISTS (SELECT 1 FROM episode_claims c WHERE c.episode_id = episodes.id)
       AND NOT EXISTS (SELECT 1 FROM note_evidence v WHERE v.episode_id = episodes.id)`,
    "DELETE FROM episode_participants WHERE user_id = @userId",
    "DELETE FROM claim_carriers WHERE user_id = @userId",
  ].map((sql) => prepareStatements(db).run<[{ userId: string }]>(sql));
  return (userId) => {
    const notes = removeAbout(userId);
    for (const step of steps) step({ userId });
    return notes;
  };
}

/** Removes the unproven sentences of episodes that ended before `beforeMs`, `limit` episodes at a time. */
export function prepareUnprovenSweep(db: Db) {
  return {
    expireUnproven: prepareStatements(db).run<[beforeMs: number, limit: number]>(
      `UPDATE episodes SET unproven = '' WHERE id IN
         (SELECT id FROM episodes WHERE unproven <> '' AND ended_at < ? LIMIT ?)`,
    ),
  };
}
