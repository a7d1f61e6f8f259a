// Pure: values in, values out.

export type BoundedMap<Key, Value> = ReturnType<typeof boundedMap<Key, Value>>;

/**
 * A map that drops what was set longest ago: everything beyond `sizeMax`, and what is as old as `ageMsMax`. To set a key
 * again makes it the newest. Times are epoch ms; leave them out if age does not matter.
 */
export function boundedMap<Key, Value>(sizeMax: number, ageMsMax = Number.POSITIVE_INFINITY) {
  const entries = new Map<Key, { readonly value: Value; readonly atMs: number }>();
  // A clock that was set back makes an age negative.
  const isOld = (atMs: number, nowMs: number) => Math.abs(nowMs - atMs) >= ageMsMax;
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
      for (const [oldest, { atMs }] of entries) {
        if (entries.size <= sizeMax && !isOld(atMs, nowMs)) break;
        entries.delete(oldest);
      }
    },
    /** The keys that are not too old at `nowMs`, oldest first. */
    keys: (nowMs = 0): Key[] =>
      [...entries].filter(([, { atMs }]) => !isOld(atMs, nowMs)).map(([key]) => key),
    clear: (): void => entries.clear(),
  };
}
