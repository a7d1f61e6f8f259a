// Pure: values in, values out.

/** Returns a function that makes a value on its first call, then returns the same one: a start need not wait for it. */
export function memoize<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
