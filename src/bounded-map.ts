// Pure: values in, values out.

export type BoundedMap<Key, Value> = ReturnType<typeof createBoundedMap<Key, Value>>;

interface Entry<Value> {
  readonly value: Value;
  readonly atMs: number;
}

/**
 * Makes a map that drops its oldest entries: those beyond `sizeMax`, and those as old as `ageMsMax`. Setting a key
 * again makes it the newest. Times are epoch ms; leave them out if age does not matter.
 */
export function createBoundedMap<Key, Value>(sizeMax: number, ageMsMax = Number.POSITIVE_INFINITY) {
  const entries = new Map<Key, Entry<Value>>();
  // One walk that goes on: a new one passes by all that was deleted before it.
  let walk = entries.entries();
  let oldest = walk.next();
  // A clock that was set back makes an age negative.
  const isOld = (atMs: number, nowMs: number) => Math.abs(nowMs - atMs) >= ageMsMax;
  /** Moves on to the oldest entry that is still there. */
  const findOldest = (): readonly [Key, Entry<Value>] | null => {
    while (oldest.done !== true && entries.get(oldest.value[0]) !== oldest.value[1])
      oldest = walk.next();
    if (oldest.done !== true) return oldest.value;
    walk = entries.entries();
    oldest = walk.next();
    return oldest.value ?? null;
  };
  return {
    /** The value of a key; undefined if it was dropped, or is too old at `nowMs`. */
    get: (key: Key, nowMs?: number): Value | undefined => {
      const found = entries.get(key);
      if (found === undefined || (nowMs !== undefined && isOld(found.atMs, nowMs)))
        return undefined;
      return found.value;
    },
    set: (key: Key, value: Value, nowMs = 0): void => {
      entries.delete(key);
      entries.set(key, { value, atMs: nowMs });
      for (let first = findOldest(); first !== null; first = findOldest()) {
        if (entries.size <= sizeMax && !isOld(first[1].atMs, nowMs)) break;
        entries.delete(first[0]);
      }
    },
    /** The keys that are not too old at `nowMs`, oldest first. */
    keys: (nowMs = 0): Key[] =>
      [...entries].filter(([, { atMs }]) => !isOld(atMs, nowMs)).map(([key]) => key),
    clear: (): void => entries.clear(),
  };
}

/** Returns a function that makes a value at its first call, and returns it from then on. */
export function memoize<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
