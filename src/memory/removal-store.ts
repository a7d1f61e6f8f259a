import type { Db } from "../database/open-database.ts";
import { Sql } from "../database/statements.ts";
import { splitSentences } from "../language/clean.ts";
import { readStems } from "../language/stems.ts";
import { CandidateStore } from "./candidate-store.ts";
import {
  ClaimStore,
  forgetInEpisodes,
  readEpisodeTexts,
  rewriteSummary,
} from "./episode-texts-store.ts";
import { makeFactKey, sharesMostWords } from "./fact-key.ts";
import { getOwner, type StoredNote } from "./note-reads-store.ts";
import { NoteStore } from "./note-store.ts";

export interface ForgottenNote {
  /** The note, and notes about the same subject that said the same. */
  readonly notes: readonly number[];
  readonly claimsWithdrawn: number;
  readonly summariesRewritten: number;
}

/** Removes from memory: what removed chat supported, a note with every trace, or everything about a viewer. */
export class RemovalStore {
  readonly #db: Db;
  readonly #sql: Sql;
  readonly #notes: NoteStore;
  readonly #claims: ClaimStore;
  readonly #candidates: CandidateStore;

  constructor(db: Db, now: () => number) {
    this.#db = db;
    this.#sql = new Sql(db);
    this.#notes = new NoteStore(db, now);
    this.#claims = new ClaimStore(db, now);
    this.#candidates = new CandidateStore(db, now);
  }

  /**
   * Handles the events whose text was removed since the last call, in one transaction. Withdraws claims without
   * support, removes notes without evidence, rewrites summaries from the remaining claims about the channel, and
   * removes recaps. Triggers of schema.sql list the events, so a crash loses nothing. Design part 6, point 12.
   */
  settle(): { claimsWithdrawn: number; notesRemoved: number } {
    const removed = { claimsWithdrawn: 0, notesRemoved: 0 };
    // Mostly no work is due, and a write would wait for the database.
    if (this.#readDue().length === 0) return removed;
    return this.#db
      .transaction(() => {
        const eventsOf = new Map<number, Set<number>>();
        for (const { episodeId, eventId } of this.#readDue())
          eventsOf.set(episodeId, (eventsOf.get(episodeId) ?? new Set()).add(eventId));
        this.#sql.run("DELETE FROM removed_support");
        for (const [episodeId, eventIds] of eventsOf) {
          const { claims, notes } = this.#removeSupport(episodeId, eventIds);
          removed.claimsWithdrawn += claims;
          removed.notesRemoved += notes;
        }
        return removed;
      })
      .immediate();
  }

  #readDue(): { episodeId: number; eventId: number }[] {
    return this.#sql.all(
      "SELECT episode_id AS episodeId, event_id AS eventId FROM removed_support ORDER BY episode_id",
    );
  }

  /**
   * Removes events from the support of an episode's claims, withdraws claims without support, and rewrites the summary.
   * Claims that borrowed a word of the events become doubtful, and their notes may move to shadow. Returns the numbers
   * of withdrawn claims and removed notes.
   */
  #removeSupport(episodeId: number, gone: ReadonlySet<number>) {
    const lost: number[] = [];
    for (const { n, eventIdsJson, borrowedIdsJson } of this.#claims.listSupports(episodeId)) {
      const eventIds: number[] = JSON.parse(eventIdsJson);
      const left = eventIds.filter((id) => !gone.has(id));
      this.#claims.setSupport(episodeId, n, left);
      if (left.length === 0) lost.push(n);
      // Claims of others that had borrowed a word of a removed message.
      const borrowedIds: number[] = JSON.parse(borrowedIdsJson);
      if (!borrowedIds.some((id) => gone.has(id))) continue;
      this.#claims.weaken(episodeId, n);
      this.#notes.demoteUnproven(episodeId, n);
    }
    let notes = 0;
    for (const n of lost) {
      this.#claims.withdraw(episodeId, n);
      notes += this.#notes.removeEvidence(episodeId, n);
    }
    if (lost.length > 0) this.#candidates.blankOfEpisode(episodeId);
    rewriteSummary(this.#sql, episodeId);
    return { claims: lost.length, notes };
  }

  /**
   * Removes a note and the traces of its content: equal notes of the same subject, their claims and candidates, and
   * summaries and recaps that state it. A claim on which other notes rest gets their words. Call it in a transaction.
   */
  forgetNote(note: StoredNote): ForgottenNote {
    const key = makeFactKey(note.fact);
    const words = wordsOf(note.fact);
    // In doubt it removes a trace, but not a note.
    const says = (text: string): boolean =>
      makeFactKey(text) === key || sharesMostWords(words, wordsOf(text));
    const notes = this.#notes
      .all(getOwner(note, null))
      .filter((one) => one.id === note.id || makeFactKey(one.fact) === key)
      .map(({ id }) => id);
    const evidence = notes.flatMap((id) => this.#notes.evidenceOf(id));
    const ofEvidence = new Set(evidence.map(({ episodeId }) => episodeId));
    const near =
      note.subjectId === null
        ? [...ofEvidence].flatMap((episodeId) => this.#claims.aboutChannel(episodeId))
        : this.#claims.aboutViewer(note.subjectId);
    const claims = new Map<string, { episodeId: number; n: number }>();
    const addClaim = (episodeId: number, n: number) =>
      claims.set(`${episodeId} ${n}`, { episodeId, n });
    for (const { episodeId, claimN } of evidence) if (claimN !== null) addClaim(episodeId, claimN);
    for (const { episodeId, n } of near.filter(({ statement }) => says(statement)))
      addClaim(episodeId, n);
    let claimsWithdrawn = 0;
    for (const { episodeId, n } of claims.values()) {
      // A claim that other notes rest on says what those say instead.
      const others = this.#notes
        .listNotesOfClaim(episodeId, n)
        .filter(({ id }) => !notes.includes(id));
      if (others.length > 0)
        this.#claims.setStatement(episodeId, n, others.map(({ fact }) => fact).join(". "));
      else claimsWithdrawn += this.#claims.withdraw(episodeId, n);
    }
    const ofClaims = [...claims.values()].map(({ episodeId }) => episodeId);
    const episodeIds = [...new Set([...ofEvidence, ...ofClaims])];
    for (const { id, fact } of episodeIds.flatMap((one) => this.#candidates.facts(one)))
      if (says(fact)) this.#candidates.blank(id);
    for (const id of notes) this.#notes.remove(id);
    const rewritten = episodeIds.filter((episodeId) => this.#isStated(episodeId, note));
    for (const episodeId of rewritten) rewriteSummary(this.#sql, episodeId);
    return { notes, claimsWithdrawn, summariesRewritten: rewritten.length };
  }

  /**
   * Returns true if a sentence of an episode has at least half of a viewer fact's words. For a channel fact, any text
   * is enough.
   */
  #isStated(episodeId: number, { fact, scope }: StoredNote): boolean {
    const { topic, summary, recap } = readEpisodeTexts(this.#sql, episodeId);
    if (`${summary}${topic}${recap}` === "") return false;
    if (scope !== "viewer") return true;
    const wanted = new Set(readStems(fact));
    return [topic, ...splitSentences(`${summary} ${recap}`)].some((sentence) => {
      const shared = new Set(readStems(sentence).filter((word) => wanted.has(word)));
      return shared.size > 0 && shared.size >= wanted.size * STATED_SHARE;
    });
  }

  /**
   * Removes all notes about a viewer, their claims, and the summaries of episodes without other participants. Their name
   * in other summaries stays: `nameRemover` replaces it. Counts notes and emptied summaries.
   */
  forgetViewer(userId: string): { notes: number; summaries: number } {
    const notes = this.#notes.removeAbout(userId);
    return { notes, summaries: forgetInEpisodes(this.#sql, userId) };
  }
}

/** A sentence states a fact if it has this share of the fact's words. */
const STATED_SHARE = 0.5;

/** Returns the stems of a fact; "" alone if there are none, so that two such facts have the same. */
function wordsOf(fact: string): ReadonlySet<string> {
  return new Set(readStems(fact).join(" ").split(" "));
}
