/**
 * What `make` makes of values that a reload may replace: made again, once, when one of them is another object. Give
 * it parts of the configuration, which a reload replaces whole.
 */
export function remade<T>(values: () => readonly unknown[], make: () => T): () => T {
  let last: { readonly of: readonly unknown[]; readonly made: T } | null = null;
  return () => {
    const current = values();
    if (last === null || current.some((value, at) => value !== last?.of[at])) {
      last = { of: current, made: make() };
    }
    return last.made;
  };
}
