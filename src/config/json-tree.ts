// Pure: values in, values out.
/** An object of a JSON file. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `base` with `changes` in their places: objects go deep; a list, a number, a text or null is one value. */
export function mergeJson(base: unknown, changes: unknown): unknown {
  if (!isJsonObject(base) || !isJsonObject(changes)) return changes;
  const changed = Object.entries(changes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key, key in base ? mergeJson(base[key], value) : value] as const);
  // Not assigned one by one: a key of a file may be called __proto__.
  return Object.fromEntries([...Object.entries(base), ...changed]);
}

/** Every value that is no object, by its dotted path, in order. */
export function leavesOf(value: unknown, path = ""): ReadonlyMap<string, unknown> {
  if (!isJsonObject(value)) return new Map([[path, value]]);
  const entries = Object.entries(value).flatMap(([key, inner]) => [
    ...leavesOf(inner, path === "" ? key : `${path}.${key}`),
  ]);
  return new Map(entries);
}

/** Objects inside each other that end in one value: `{ a: { b: value } }` for `a.b`. */
export function nestValue(path: string, value: unknown): JsonObject {
  const keys = path.split(".");
  const nested = keys.reduceRight<unknown>(
    (inner, key) => Object.fromEntries([[key, inner]]),
    value,
  );
  return isJsonObject(nested) ? nested : {};
}

/** Returns the object without the value at a dotted path. An object that this empties stays. */
export function removePath(value: JsonObject, path: string): JsonObject {
  const [key = "", ...rest] = path.split(".");
  const { [key]: inner, ...others } = value;
  if (rest.length === 0) return others;
  return isJsonObject(inner) ? { ...value, [key]: removePath(inner, rest.join(".")) } : value;
}

/** True if two JSON values are the same. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
