import type { Db } from "../platform/database/open-database.ts";
import { offerJson } from "./candidate-json.ts";
import type { Candidate, CandidateReason } from "./check-sorted.ts";
import type { Verdict } from "./write-policy.ts";

/** Why that became of it: the policy's reason, what it was no candidate for, or the cap that a note made room under. */
type CandidateLogReason = Verdict["reason"] | CandidateReason | "cap";

/** One candidate and what became of it. */
interface JudgedCandidate {
  readonly candidate: Candidate;
  readonly episodeId: number;
  /** Which model offered it; null where a person did. */
  readonly model: string | null;
  readonly verdict: Verdict;
  readonly noteId: number | null;
  /** What a policy on trial would have made of it; null while none is. */
  readonly trial: Verdict | null;
}

/** What was offered and what became of it, in `note_candidates`, kept for thirty days. */
export interface CandidateLog {
  record(judged: JudgedCandidate): void;
  /** Something was offered that is no candidate at all: its words are nobody's, and not kept. */
  recordUnusable(episodeId: number, reason: CandidateReason): void;
  /** A note made room for another one. */
  recordEvicted(episodeId: number, noteId: number): void;
}

/** What the reason alone may say: neither the fact nor anything else that was offered is kept. */
const UNTOLD: ReadonlySet<string> = new Set([
  "sensitive",
  "banned",
  "suppressed",
  "opted_out",
  // A viewer was told that it is not kept.
  "no_room",
]);

export function candidateLog(db: Db, now: () => number): CandidateLog {
  const insert = db.prepare<[Row]>(
    `INSERT INTO note_candidates (episode_id, fact, decision, reason, note_id, created_at, offer_json,
       trial_decision, trial_reason)
     VALUES (:episodeId, :fact, :decision, :reason, :noteId, :nowMs, :offer, :trialDecision, :trialReason)`,
  );
  const bare = { fact: null, offer: null, trialDecision: null, trialReason: null };
  return {
    record: ({ candidate, episodeId, model, verdict, noteId, trial }) => {
      const { kind: decision, reason } = verdict;
      const isUntold = decision === "drop" && UNTOLD.has(reason);
      insert.run({
        episodeId,
        fact: isUntold ? null : candidate.fact,
        decision,
        reason,
        noteId,
        nowMs: now(),
        offer: isUntold ? null : offerJson(candidate, model),
        trialDecision: trial?.kind ?? null,
        trialReason: trial?.reason ?? null,
      });
    },
    recordUnusable: (episodeId, reason) => {
      insert.run({ ...bare, episodeId, decision: "drop", reason, noteId: null, nowMs: now() });
    },
    recordEvicted: (episodeId, noteId) => {
      insert.run({ ...bare, episodeId, decision: "evict", reason: "cap", noteId, nowMs: now() });
    },
  };
}

interface Row {
  readonly episodeId: number;
  readonly fact: string | null;
  readonly decision: Verdict["kind"] | "evict";
  readonly reason: CandidateLogReason;
  readonly noteId: number | null;
  readonly nowMs: number;
  readonly offer: string | null;
  readonly trialDecision: string | null;
  readonly trialReason: string | null;
}
