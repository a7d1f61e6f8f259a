// Pure: values in, values out.
import { isSameJson, leavesOf, mergeJson } from "../platform/config/json-tree.ts";
import type { Config } from "../platform/config/load.ts";
import { type MemoryPolicy, policySchema } from "../platform/config/memory-schema.ts";

/** What of a configuration decides about memory: the part that is kept in history, and rolled back to. */
export interface Policy {
  readonly memory: MemoryPolicy;
  /** Whether a persona shares its notes, by its name, where it says so itself. */
  readonly personas: Readonly<Record<string, "shared" | "persona">>;
}

export function policyOf({ memory, personas }: Pick<Config, "memory" | "personas">): Policy {
  const { trial: _, ...policy } = memory;
  const own = personas.flatMap(({ name, memory: scope }) =>
    scope === undefined ? [] : [[name, scope] as const],
  );
  return { memory: policy, personas: Object.fromEntries(own) };
}

/** The policy on trial, whole; null while there is none. */
export function trialPolicy({ trial, ...active }: Config["memory"]): MemoryPolicy | null {
  return trial === null ? null : policySchema.parse(mergeJson(active, trial));
}

export interface PolicyChange {
  /** Dotted, as in config.json: `memory.mode`. */
  readonly key: string;
  /** Undefined where one of the two has no such key. */
  readonly from: unknown;
  readonly to: unknown;
}

/** What differs between two policies, key by key. */
export function policyChanges(from: unknown, to: unknown): readonly PolicyChange[] {
  const before = leavesOf(from);
  const after = leavesOf(to);
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((key) => !isSameJson(before.get(key), after.get(key)))
    .map((key) => ({ key, from: before.get(key), to: after.get(key) }));
}
