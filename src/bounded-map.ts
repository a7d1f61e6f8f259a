// Pure: values in, values out.

interface Entry<Value> {
  readonly value: Value;
  readonly atMs: number;
}

/**
 * A map. Setting an entry drops the oldest ones: those beyond `sizeMax`, and those as old as `ageMsMax`. Setting a key
 * again makes it the newest; reading it does not. Times are epoch ms; leave them out if there is no `ageMsMax`.
 */
export class BoundedMap<Key, Value> {
  readonly #sizeMax: number;
  readonly #ageMsMax: number;
  readonly #entries = new Map<Key, Entry<Value>>();
  /** Runs from the oldest entry on. It is kept, because a new iterator would pass the deleted entries again. */
  #walk = this.#entries.entries();
  #oldest = this.#walk.next();

  constructor(sizeMax: number, ageMsMax = Number.POSITIVE_INFINITY) {
    this.#sizeMax = sizeMax;
    this.#ageMsMax = ageMsMax;
  }

  /** Returns the value of a key; undefined if it is missing, or too old at `nowMs`. */
  get(key: Key, nowMs = 0): Value | undefined {
    const found = this.#entries.get(key);
    return found === undefined || this.#isOld(found.atMs, nowMs) ? undefined : found.value;
  }

  set(key: Key, value: Value, nowMs = 0): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, atMs: nowMs });
    for (let first = this.#findOldest(); first !== null; first = this.#findOldest()) {
      if (this.#entries.size <= this.#sizeMax && !this.#isOld(first[1].atMs, nowMs)) break;
      this.#entries.delete(first[0]);
    }
  }

  /** Returns the keys that are not too old at `nowMs`, oldest first. */
  keys(nowMs = 0): Key[] {
    return [...this.#entries]
      .filter(([, { atMs }]) => !this.#isOld(atMs, nowMs))
      .map(([key]) => key);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** True if the two times are `ageMsMax` or more apart, in either direction: a clock may have been set back. */
  #isOld(atMs: number, nowMs: number): boolean {
    return Math.abs(nowMs - atMs) >= this.#ageMsMax;
  }

  /** Returns the oldest entry, and moves the iterator on to it; null if the map is empty. */
  #findOldest(): readonly [Key, Entry<Value>] | null {
    while (!this.#oldest.done && this.#entries.get(this.#oldest.value[0]) !== this.#oldest.value[1])
      this.#oldest = this.#walk.next();
    if (!this.#oldest.done) return this.#oldest.value;
    this.#walk = this.#entries.entries();
    this.#oldest = this.#walk.next();
    return this.#oldest.value ?? null;
  }
}

/** Returns a function that calls `make` at its first call, and returns that value from then on. */
export function memoize<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
