// Pure: values in, values out.
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Returns `base` with `changes` merged in. Objects merge key by key, and a key whose change is undefined stays. Any
 * other value, also a list or null, replaces the old one.
 */
export function mergeJson(base: unknown, changes: unknown): unknown {
  if (!isJsonObject(base) || !isJsonObject(changes)) return changes;
  const changed = Object.entries(changes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key, key in base ? mergeJson(base[key], value) : value] as const);
  // Not assigned one by one: a key of a file may be called __proto__.
  return Object.fromEntries([...Object.entries(base), ...changed]);
}

/** Returns every value that is no object, by its dotted path, in order. A list is one value; an empty object is none. */
export function leavesOf(value: unknown, path = ""): ReadonlyMap<string, unknown> {
  if (!isJsonObject(value)) return new Map([[path, value]]);
  const prefix = path === "" ? "" : `${path}.`;
  return new Map(
    Object.entries(value).flatMap(([key, inner]) => [...leavesOf(inner, prefix + key)]),
  );
}

/** Returns an object with one value at a dotted path: `{ a: { b: value } }` for `a.b`. */
export function nestValue(path: string, value: unknown): JsonObject {
  const [key = "", ...rest] = path.split(".");
  return { [key]: rest.length === 0 ? value : nestValue(rest.join("."), value) };
}

/** Returns the object without the value at a dotted path. An object that this empties stays. */
export function removePath(value: JsonObject, path: string): JsonObject {
  const [key = "", ...rest] = path.split(".");
  const { [key]: inner, ...others } = value;
  if (rest.length === 0) return others;
  return isJsonObject(inner) ? { ...value, [key]: removePath(inner, rest.join(".")) } : value;
}

/** True if two JSON values are the same, with their keys in the same order. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
