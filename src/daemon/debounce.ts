/**
 * Whether what was found is new and may be taken: editors write a file in several steps, so only what two looks in a
 * row find is, and that once.
 */
export function steady(): (found: string) => boolean {
  let seen: string | null = null;
  let taken: string | null = null;
  return (found) => {
    const isSteady = found === seen;
    seen = found;
    if (!isSteady || found === taken) return false;
    taken = found;
    return true;
  };
}
