import { z } from "zod";
import { isSameJson } from "../platform/config/json-tree.ts";
import { type PolicyChanges, policyChangesSchema } from "../platform/config/memory-schema.ts";
import type { Db } from "../platform/database/open-database.ts";
import { runtimeStore } from "../platform/database/runtime-store.ts";

/** How often a candidate that the active policy judged one way was judged another by the one on trial. */
export interface TrialCount {
  readonly decision: string;
  readonly reason: string;
  readonly trialDecision: string;
  readonly trialReason: string;
  readonly count: number;
}

/** A policy on trial, and what it would have done. */
export interface Trial {
  readonly changes: PolicyChanges;
  readonly sinceMs: number;
  readonly counts: readonly TrialCount[];
}

export interface TrialStore {
  /** Notes since when these keys are on trial; null ends it. The same ones go on. */
  begin(changes: PolicyChanges | null): void;
  /** Null while none is. */
  read(): Trial | null;
}

const NAME = "memory_trial";
const stored = z.strictObject({ changes: policyChangesSchema.nullable(), sinceMs: z.int() });

export function trialStore(db: Db, now: () => number): TrialStore {
  const runtime = runtimeStore(db, now);
  const counts = db.prepare<[number], TrialCount>(
    `SELECT decision, reason, trial_decision AS trialDecision, trial_reason AS trialReason, count(*) AS count
     FROM note_candidates WHERE created_at >= ? AND trial_decision IS NOT NULL
     GROUP BY 1, 2, 3, 4 ORDER BY count(*) DESC, 1, 2, 3, 4`,
  );
  return {
    begin: (changes) => {
      const last = runtime.read(NAME, stored);
      if (isSameJson(last?.value.changes ?? null, changes)) return;
      runtime.write(NAME, { changes, sinceMs: now() });
    },
    read: () => {
      const { changes, sinceMs } = runtime.read(NAME, stored)?.value ?? {
        changes: null,
        sinceMs: 0,
      };
      return changes === null ? null : { changes, sinceMs, counts: counts.all(sinceMs) };
    },
  };
}
