// Pure: values in, values out.

/** Returns a function that makes a value at its first call, and returns it from then on. */
export function memoize<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
