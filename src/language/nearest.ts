// Pure: values in, values out.
import { distance } from "fastest-levenshtein";

const TYPO_DISTANCE_MAX = 3;

/**
 * Finds the known name that a word may misspell, whatever its case. Null if none is near: one edit for every three
 * letters, three at most. Two swapped neighbours are one edit.
 */
export function findNearest(word: string, known: readonly string[]): string | null {
  const allowed = Math.min(TYPO_DISTANCE_MAX, Math.ceil(word.length / 3));
  let best: { readonly name: string; readonly edits: number } | null = null;
  for (const name of known) {
    const edits = countEdits(word.toLowerCase(), name.toLowerCase());
    if (edits <= allowed && edits < Math.min(best?.edits ?? Infinity, name.length)) {
      best = { name, edits };
    }
  }
  return best?.name ?? null;
}

function countEdits(one: string, other: string): number {
  let fewest = distance(one, other);
  for (let at = 0; at + 1 < one.length; at += 1) {
    const swapped = one.slice(0, at) + one.charAt(at + 1) + one.charAt(at) + one.slice(at + 2);
    if (swapped !== one) fewest = Math.min(fewest, 1 + distance(swapped, other));
  }
  return fewest;
}
