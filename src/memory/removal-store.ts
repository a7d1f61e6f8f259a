import type { Db } from "../database/open-database.ts";
import { prepareStatements } from "../database/statements.ts";
import { splitSentences } from "../language/clean.ts";
import { readStems } from "../language/stems.ts";
import { openCandidateStore } from "./candidate-store.ts";
import { openClaimStore, openEpisodeTexts, prepareEpisodeForget } from "./episode-texts-store.ts";
import { makeFactKey, sharesMostWords } from "./fact-key.ts";
import { getOwner, type StoredNote } from "./note-reads-store.ts";
import { NoteStore } from "./note-store.ts";

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
  const claimStore = openClaimStore(db, now);
  const episodes = openEpisodeTexts(db);
  const notes = new NoteStore(db, now);
  const { blankOfEpisode } = openCandidateStore(db, now);
  return (episodeId: number, gone: ReadonlySet<number>): { claims: number; notes: number } => {
    const claims = claimStore.supports(episodeId);
    const lost = claims.flatMap(({ n, eventIdsJson }) => {
      const eventIds: number[] = JSON.parse(eventIdsJson);
      const left = eventIds.filter((id) => !gone.has(id));
      claimStore.setSupport(JSON.stringify(left), episodeId, n);
      return left.length === 0 ? [n] : [];
    });
    for (const { n, borrowedIdsJson } of claims) {
      // Claims of others that had borrowed a word of a removed message.
      const borrowedIds: number[] = JSON.parse(borrowedIdsJson);
      if (!borrowedIds.some((id) => gone.has(id))) continue;
      claimStore.weaken(episodeId, n);
      notes.demoteUnproven(episodeId, n);
    }
    for (const n of lost) claimStore.withdraw(episodeId, n);
    const removed = lost.reduce((sum, n) => sum + notes.removeEvidence(episodeId, n), 0);
    if (lost.length > 0) blankOfEpisode(episodeId);
    episodes.rewrite(episodeId);
    return { claims: lost.length, notes: removed };
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
  const notes = new NoteStore(db, now);
  const candidates = openCandidateStore(db, now);
  const claimStore = openClaimStore(db, now);
  const episodes = openEpisodeTexts(db);
  /** True if an episode's texts state a fact. In doubt they do, for facts about the channel. */
  const isStated = (episodeId: number, { fact, scope }: StoredNote): boolean => {
    const { topic, summary, recap } = episodes.find(episodeId) ?? {
      topic: "",
      summary: "",
      recap: "",
    };
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
        ? [...ofEvidence].flatMap((episodeId) => claimStore.ofChannel(episodeId))
        : claimStore.ofViewer(note.subjectId);
    const behind = evidence.flatMap(({ episodeId, claimN: n }) =>
      n === null ? [] : [{ episodeId, n }],
    );
    const claims = new Map<string, ClaimKey>();
    for (const claim of [...behind, ...near.filter(({ statement }) => says(statement))]) {
      claims.set(`${claim.episodeId} ${claim.n}`, claim);
    }
    let claimsWithdrawn = 0;
    for (const { episodeId, n } of claims.values()) {
      // A claim that other notes rest on says what those say instead.
      const others = notes.restingOn(episodeId, n).filter(({ id }) => !removedIds.includes(id));
      if (others.length > 0)
        claimStore.restate(others.map(({ fact }) => fact).join(". "), episodeId, n);
      else claimsWithdrawn += claimStore.withdraw(episodeId, n);
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
    for (const episodeId of rewritten) episodes.rewrite(episodeId);
    return { notes: removedIds, claimsWithdrawn, summariesRewritten: rewritten.length };
  };
}

/** Two facts without words have the same. */
function wordsOf(fact: string): ReadonlySet<string> {
  return new Set(readStems(fact).join(" ").split(" "));
}

/** Returns a function that removes everything that was learned about a viewer, and counts notes and emptied summaries. */
export function prepareMemoryForget(db: Db, now: () => number) {
  const notes = new NoteStore(db, now);
  const forgetEpisodes = prepareEpisodeForget(db);
  return (userId: string) => {
    const removed = notes.removeAbout(userId);
    return { notes: removed, summaries: forgetEpisodes(userId) };
  };
}
