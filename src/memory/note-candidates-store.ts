import { z } from "zod";
import type { Db } from "../database/open-database.ts";
import { statements } from "../database/statements.ts";
import { type Candidate, type CandidateReason, candidateSchema } from "./check-sorted.ts";
import type { Verdict } from "./write-policy.ts";

/** Why that became of it: the policy's reason, what it was no candidate for, or the cap that a note made room under. */
type CandidateLogReason = Verdict["reason"] | CandidateReason | "cap";

/** What the reason alone may say: neither the fact nor anything else that was offered is kept. */
const UNTOLD: ReadonlySet<string> = new Set([
  "sensitive",
  "banned",
  "suppressed",
  "opted_out",
  // A viewer was told that it is not kept.
  "no_room",
]);

/** What was offered and what became of it, in `note_candidates`, kept for thirty days. */
export function candidateLog(db: Db, now: () => number) {
  const insert = statements(db).run<
    [Readonly<Record<string, string | number | null>> & { readonly reason: CandidateLogReason }]
  >(
    `INSERT INTO note_candidates (episode_id, fact, decision, reason, note_id, created_at, offer_json)
     VALUES (:episodeId, :fact, :decision, :reason, :noteId, :nowMs, :offer)`,
  );
  const bare = { fact: null, noteId: null, offer: null };
  return {
    /** Records a judged candidate. `model` is null if a person offered it. */
    record: (judged: {
      readonly candidate: Candidate;
      readonly episodeId: number;
      readonly model: string | null;
      readonly verdict: Verdict;
      readonly noteId: number | null;
    }): void => {
      const { candidate, episodeId, model, verdict, noteId } = judged;
      const { kind: decision, reason } = verdict;
      const isUntold = decision === "drop" && UNTOLD.has(reason);
      const told = isUntold ? {} : { fact: candidate.fact, offer: offerJson(candidate, model) };
      insert({ ...bare, ...told, episodeId, decision, reason, noteId, nowMs: now() });
    },
    /** Something was offered that is no candidate at all: its words are nobody's, and not kept. */
    recordUnusable: (episodeId: number, reason: CandidateReason): void =>
      void insert({ ...bare, episodeId, decision: "drop", reason, nowMs: now() }),
    /** A note made room for another one. */
    recordEvicted: (episodeId: number, noteId: number): void =>
      void insert({ ...bare, episodeId, decision: "evict", reason: "cap", noteId, nowMs: now() }),
  };
}

/** All that was offered of a note besides the fact itself, as `note_candidates.offer_json` holds it. */
const offerSchema = candidateSchema.omit({ fact: true }).extend({
  version: z.literal(2),
  /** The model that offered it; null where a person did. */
  model: z.string().nullable(),
});

function offerJson({ fact: _, ...rest }: Candidate, model: string | null): string {
  return JSON.stringify({ version: 2, ...rest, model });
}

/** A candidate as it was offered, from its row; null where the row says too little, or something else. */
export function readOffer(fact: string | null, json: string | null): Candidate | null {
  if (fact === null || json === null) return null;
  const parsed = offerSchema.safeParse(parseJson(json));
  if (!parsed.success) return null;
  const { version: _, model: _by, ...rest } = parsed.data;
  return { ...rest, fact };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
