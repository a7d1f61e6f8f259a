import { z } from "zod";
import { isSameJson } from "../platform/config/json-tree.ts";
import { type PolicyChanges, policyChangesSchema } from "../platform/config/memory-schema.ts";
import type { Db } from "../platform/database/open-database.ts";
import { runtimeStore } from "../platform/database/runtime-store.ts";
import { type Policy, type PolicyChange, policyChanges, wholePolicy } from "./memory-policy.ts";

/** Who brought a policy about: the program's start, a change of the file, a command, or the page. */
export type PolicySource = "start" | "reload" | "cli set" | "rollback" | "page";

/** A policy that was accepted. */
interface PolicyRow {
  readonly number: number;
  /** As it was then: keys may have come and gone since. */
  readonly policy: unknown;
  readonly source: string;
  readonly createdAtMs: number;
}

/** Every policy that was accepted, numbered. */
export interface PolicyHistory {
  /**
   * Writes one that differs from the last. Gives its number, or that of the last where they are the same. `also` is
   * done within: what it throws undoes the row.
   */
  record(policy: Policy, source: PolicySource, also?: () => void): number;
  /** Newest first, each with what it changed of the one before. */
  list(limit: number): readonly (PolicyRow & { readonly changes: readonly PolicyChange[] })[];
  find(number: number): PolicyRow | null;
}

export function policyHistory(db: Db, now: () => number): PolicyHistory {
  const columns = "number, policy_json AS policyJson, source, created_at AS createdAtMs";
  const newest = db.prepare<[number], Row>(
    `SELECT ${columns} FROM policy_history ORDER BY number DESC LIMIT ?`,
  );
  const one = db.prepare<[number], Row>(`SELECT ${columns} FROM policy_history WHERE number = ?`);
  const insert = db.prepare<[string, string, number]>(
    "INSERT INTO policy_history (policy_json, source, created_at) VALUES (?, ?, ?)",
  );
  return {
    // Immediate: a command that has just written its row and the daemon that reads the file must not both write one.
    record: (policy, source, also) =>
      db
        .transaction((): number => {
          also?.();
          const last = newest.get(1);
          const isSame =
            last !== undefined && policyChanges(JSON.parse(last.policyJson), policy).length === 0;
          if (isSame) return last.number;
          return Number(insert.run(JSON.stringify(policy), source, now()).lastInsertRowid);
        })
        .immediate(),
    list: (limit) => {
      // One more than is asked for: the last is held against it.
      const rows = newest.all(limit + 1).map(asPolicyRow);
      return rows.slice(0, limit).map((row, n) => {
        const before = wholePolicy(rows[n + 1]?.policy ?? row.policy, row.policy);
        return { ...row, changes: policyChanges(before, row.policy) };
      });
    },
    find: (number) => {
      const row = one.get(number);
      return row === undefined ? null : asPolicyRow(row);
    },
  };
}

interface Row extends Omit<PolicyRow, "policy"> {
  readonly policyJson: string;
}

function asPolicyRow({ policyJson, ...row }: Row): PolicyRow {
  return { ...row, policy: JSON.parse(policyJson) };
}

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
