// Pure: values in, values out.
import {
  isJsonObject,
  isSameJson,
  type JsonObject,
  leavesOf,
  mergeJson,
  nestedIn,
} from "../platform/config/json-tree.ts";
import type { Policy } from "./memory-policy.ts";

/** What a configuration file becomes, as the JSON that stands in it. */
export type FileChange = (raw: JsonObject) => JsonObject;

/** Sets keys of the memory policy. */
export function setMemory(changes: JsonObject): FileChange {
  return (raw) => ({ ...raw, memory: mergeJson(raw["memory"] ?? {}, changes) });
}

/** Sets keys of the policy on trial, beside those that are on trial already. */
export function setTrial(changes: JsonObject): FileChange {
  return (raw) => {
    const memory = objectAt(raw, "memory");
    return { ...raw, memory: { ...memory, trial: mergeJson(memory["trial"] ?? {}, changes) } };
  };
}

/** Takes the policy on trial away. */
export function endTrial(raw: JsonObject): JsonObject {
  if (!("trial" in objectAt(raw, "memory"))) return raw;
  const { trial: _, ...memory } = objectAt(raw, "memory");
  return { ...raw, memory };
}

/**
 * Brings the policy back that `target` describes, from the one that holds now. Only what differs is written; keys that
 * this version does not know any more are left out, and personas that are gone stay gone.
 */
export function restorePolicy(target: unknown, current: Policy): FileChange {
  const wanted = isJsonObject(target) ? target : {};
  return (raw) => {
    const known = leavesOf(current.memory);
    const changes = [...leavesOf(objectAt(wanted, "memory"))]
      .filter(([key, value]) => known.has(key) && !isSameJson(known.get(key), value))
      .map(([key, value]) => nestedIn(key, value));
    const memory = changes.reduce<unknown>(mergeJson, raw["memory"] ?? {});
    const restored = changes.length === 0 ? raw : { ...raw, memory };
    return withPersonaScopes(restored, objectAt(wanted, "personas"));
  };
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

function objectAt(tree: JsonObject, key: string): JsonObject {
  const value = tree[key];
  return isJsonObject(value) ? value : {};
}
