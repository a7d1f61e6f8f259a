import type { Db } from "../database/open-database.ts";
import { prepareStatements } from "../database/statements.ts";
import { completePolicy, listPolicyChanges, type Policy } from "./memory-policy.ts";

/** Source of a policy change: start, reload of the file, a command, or the page. */
export type PolicySource = "start" | "reload" | "cli set" | "rollback" | "page";

interface Acceptance {
  readonly number: number;
  readonly source: string;
  readonly createdAtMs: number;
}

/** An accepted policy, as stored: its keys may differ from those of today. */
interface PolicyRow extends Acceptance {
  readonly policy: unknown;
}

/** Stores every accepted policy, numbered. */
export function openPolicyHistory(db: Db, now: () => number) {
  const sql = prepareStatements(db);
  const rows =
    "SELECT number, policy_json AS policyJson, source, created_at AS createdAtMs FROM policy_history";
  const newest = sql.all<[number], Row>(`${rows} ORDER BY number DESC LIMIT ?`);
  const one = sql.one<[number], Row>(`${rows} WHERE number = ?`);
  const insert = sql.insert<[string, string, number]>(
    "INSERT INTO policy_history (policy_json, source, created_at) VALUES (?, ?, ?)",
  );
  return {
    /**
     * Stores a policy if it differs from the last, and returns its number or the last one's. `also` runs in the same
     * transaction; if it throws, nothing is stored. The transaction is immediate, so that the daemon and a command
     * cannot both store one.
     */
    record: (policy: Policy, source: PolicySource, also?: () => void): number =>
      db
        .transaction((): number => {
          also?.();
          const [last] = newest(1);
          const isSame =
            last !== undefined &&
            listPolicyChanges(JSON.parse(last.policyJson), policy).length === 0;
          return isSame ? last.number : insert(JSON.stringify(policy), source, now());
        })
        .immediate(),
    /** The policies, newest first, each with its changes from the one before. */
    list: (limit: number) => {
      // One more than is asked for: the last is held against it.
      const policies = newest(limit + 1).map(toPolicyRow);
      return policies.slice(0, limit).map((row, n) => {
        const before = completePolicy(policies[n + 1]?.policy ?? row.policy, row.policy);
        return { ...row, changes: listPolicyChanges(before, row.policy) };
      });
    },
    find: (number: number): PolicyRow | null => {
      const row = one(number);
      return row && toPolicyRow(row);
    },
  };
}

interface Row extends Acceptance {
  readonly policyJson: string;
}

function toPolicyRow({ policyJson, ...row }: Row): PolicyRow {
  return { ...row, policy: JSON.parse(policyJson) };
}
