import {
  isJsonObject,
  isSameJson,
  type JsonObject,
  leavesOf,
  mergeJson,
  nestValue,
} from "../config/json-tree.ts";
import type { Config } from "../config/load.ts";
import type { MemoryPolicy } from "../config/schema.ts";
import type { Db } from "../database/open-database.ts";
import { Sql } from "../database/statements.ts";
import { makeUsageFault } from "../errors.ts";

/** The part of a configuration that decides about memory and actions. It has a history and can be rolled back. */
export interface Policy {
  readonly memory: MemoryPolicy;
  readonly actions: Config["actions"];
  /** The memory scope of each persona that sets one. */
  readonly personas: Readonly<Record<string, "shared" | "persona">>;
}

export function getPolicy({
  memory,
  actions,
  personas,
}: Pick<Config, "memory" | "actions" | "personas">): Policy {
  const own = personas.flatMap(({ name, memory: scope }) =>
    scope === undefined ? [] : [[name, scope] as const],
  );
  return { memory, actions, personas: Object.fromEntries(own) };
}

export interface PolicyChange {
  /** Dotted, as in config.json: `memory.mode`. */
  readonly key: string;
  /** Undefined if one of the two has no such key. */
  readonly from: unknown;
  readonly to: unknown;
}

/** Returns each dotted key whose values differ. A list is one value. */
export function listPolicyChanges(from: unknown, to: unknown): readonly PolicyChange[] {
  const before = leavesOf(from);
  const after = leavesOf(to);
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((key) => !isSameJson(before.get(key), after.get(key)))
    .map((key) => ({ key, from: before.get(key), to: after.get(key) }));
}

/** Returns `stored` with the top-level keys that it lacks, from `current`. */
export function completePolicy(stored: unknown, current: unknown): unknown {
  return isJsonObject(stored) && isJsonObject(current) ? { ...current, ...stored } : stored;
}

/** Changes the JSON of a configuration file. */
type FileChange = (raw: JsonObject) => JsonObject;

/** Returns a change that merges `changes` into `memory`, key by key. */
export function setMemory(changes: JsonObject): FileChange {
  return (raw) => ({ ...raw, memory: mergeJson(raw["memory"] ?? {}, changes) });
}

/** A rollback restores these whole: a key that the target lacks was not set then. */
const RECORDS: ReadonlySet<string> = new Set(["limits", "words"]);

/**
 * Returns a change that restores each key of `memory` and `actions` that `target` has and that differs from `current`.
 * Keys that this version does not know are left out. Each persona gets its memory scope of `target`, or none.
 */
export function restorePolicy(target: unknown, { memory, actions }: Policy): FileChange {
  const wanted = isJsonObject(target) ? target : {};
  return (raw) =>
    withPersonaScopes(
      restoreKeys(raw, { memory, actions }, wanted),
      readObject(wanted, "personas"),
    );
}

/** Returns `raw` with each key of `current` that differs in `wanted`, at any depth. */
function restoreKeys(raw: JsonObject, current: JsonObject, wanted: JsonObject): JsonObject {
  const restored = Object.entries(current).flatMap(([key, value]) => {
    const old = wanted[key];
    if (old === undefined || isSameJson(value, old)) return [];
    if (!isJsonObject(value) || RECORDS.has(key)) return [[key, old]];
    const inner = readObject(raw, key);
    const changed = restoreKeys(inner, value, readObject(wanted, key));
    return isSameJson(inner, changed) ? [] : [[key, changed]];
  });
  return { ...raw, ...Object.fromEntries(restored) };
}

function withPersonaScopes(raw: JsonObject, scopes: JsonObject): JsonObject {
  const personas = raw["personas"];
  if (!Array.isArray(personas)) return raw;
  const restored = personas.map((one: unknown) => {
    if (!isJsonObject(one)) return one;
    const scope = scopes[String(one["name"]).trim()];
    if (scope !== undefined) return { ...one, memory: scope };
    const { memory: _, ...rest } = one;
    return rest;
  });
  return { ...raw, personas: restored };
}

function readObject(tree: JsonObject, key: string): JsonObject {
  const value = tree[key];
  return isJsonObject(value) ? value : {};
}

/**
 * Reads `KEY=VALUE` words as nested keys of a memory policy. A key is dotted, with or without `memory.` in front. A
 * value is JSON, else plain text; of a key that is a list in `current`, words with commas. Throws a Fault for a word
 * that is not `KEY=VALUE`. The configuration's reader checks keys and values later.
 */
export function readPolicySettings(words: readonly string[], current: MemoryPolicy): JsonObject {
  const known = leavesOf(current);
  let settings: unknown = {};
  for (const word of words) {
    const [, key = "", value = ""] = /^\s*(?:memory\.)?([^=\s]+)\s*=(.*)$/s.exec(word) ?? [];
    if (key === "")
      throw makeUsageFault(
        `${word}: is not KEY=VALUE`,
        "such as `forgetmenot memory policy set mode=shadow caps.viewerNotes=40`",
      );
    const read = readValue(value.trim(), Array.isArray(known.get(key)));
    settings = mergeJson(settings, nestValue(key, read));
  }
  return isJsonObject(settings) ? settings : {};
}

function readValue(text: string, isList: boolean): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (!isList) return text;
    return text
      .split(",")
      .map((word) => word.trim())
      .filter((word) => word !== "");
  }
}

/** Source of a policy change: start, reload of the file, a command, or the page. */
export type PolicySource = "start" | "reload" | "cli set" | "rollback" | "page";

interface PolicyRow {
  readonly number: number;
  readonly source: string;
  readonly createdAtMs: number;
  /** As stored: its keys may differ from those of today. */
  readonly policy: unknown;
}

/** Every accepted policy, numbered. */
export class PolicyHistory {
  readonly #db: Db;
  readonly #sql: Sql;
  readonly #now: () => number;

  constructor(db: Db, now: () => number) {
    this.#db = db;
    this.#sql = new Sql(db);
    this.#now = now;
  }

  /**
   * Stores a policy if it differs from the newest, and returns its number, else the newest one's. `also` runs first in
   * the transaction, even if nothing differs; if it throws, nothing is stored. The transaction is immediate, so that
   * the daemon and a command cannot both store one.
   */
  record(policy: Policy, source: PolicySource, also?: () => void): number {
    return this.#db
      .transaction((): number => {
        also?.();
        const [last] = this.#newest(1);
        if (last !== undefined && listPolicyChanges(last.policy, policy).length === 0)
          return last.number;
        return this.#sql.insert(
          "INSERT INTO policy_history (policy_json, source, created_at) VALUES (?, ?, ?)",
          ...[JSON.stringify(policy), source, this.#now()],
        );
      })
      .immediate();
  }

  /**
   * Returns the newest `limit` policies, newest first, each with its changes from the one before. The very first has
   * none. A top-level key that the one before lacks is no change.
   */
  list(limit: number) {
    const policies = this.#newest(limit + 1);
    return policies.slice(0, limit).map((row, n) => {
      const before = completePolicy(policies[n + 1]?.policy ?? row.policy, row.policy);
      return { ...row, changes: listPolicyChanges(before, row.policy) };
    });
  }

  find(number: number): PolicyRow | null {
    return this.#select("WHERE number = ?", number)[0] ?? null;
  }

  #newest(limit: number): PolicyRow[] {
    return this.#select("ORDER BY number DESC LIMIT ?", limit);
  }

  #select(which: string, value: number): PolicyRow[] {
    return this.#sql
      .all<PolicyRow & { readonly policy: string }>(
        `SELECT number, policy_json AS policy, source, created_at AS createdAtMs FROM policy_history ${which}`,
        value,
      )
      .map((row) => ({ ...row, policy: JSON.parse(row.policy) }));
  }
}
