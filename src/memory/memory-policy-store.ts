import type { Db } from "../database/open-database.ts";
import { statements } from "../database/statements.ts";
import { type Policy, policyChanges, wholePolicy } from "./memory-policy.ts";

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
export function policyHistory(db: Db, now: () => number) {
  const sql = statements(db);
  const rows =
    "SELECT number, policy_json AS policyJson, source, created_at AS createdAtMs FROM policy_history";
  const newest = sql.all<[number], Row>(`${rows} ORDER BY number DESC LIMIT ?`);
  const one = sql.one<[number], Row>(`${rows} WHERE number = ?`);
  const insert = sql.insert<[string, string, number]>(
    "INSERT INTO policy_history (policy_json, source, created_at) VALUES (?, ?, ?)",
  );
  return {
    /**
     * Writes one that differs from the last. Gives its number, or that of the last where they are the same. `also` is
     * done within: what it throws undoes the row. Immediate: a command that has just written its row and the daemon that
     * reads the file must not both write one.
     */
    record: (policy: Policy, source: PolicySource, also?: () => void): number =>
      db
        .transaction((): number => {
          also?.();
          const [last] = newest(1);
          const isSame =
            last !== undefined && policyChanges(JSON.parse(last.policyJson), policy).length === 0;
          return isSame ? last.number : insert(JSON.stringify(policy), source, now());
        })
        .immediate(),
    /** Newest first, each with what it changed of the one before. */
    list: (limit: number) => {
      // One more than is asked for: the last is held against it.
      const policies = newest(limit + 1).map(asPolicyRow);
      return policies.slice(0, limit).map((row, n) => {
        const before = wholePolicy(policies[n + 1]?.policy ?? row.policy, row.policy);
        return { ...row, changes: policyChanges(before, row.policy) };
      });
    },
    find: (number: number): PolicyRow | null => {
      const row = one(number);
      return row && asPolicyRow(row);
    },
  };
}

interface Row extends Omit<PolicyRow, "policy"> {
  readonly policyJson: string;
}

function asPolicyRow({ policyJson, ...row }: Row): PolicyRow {
  return { ...row, policy: JSON.parse(policyJson) };
}
