// Pure: values in, values out.
/** Repeated at least this often before it is shortened. */
const REPEATS_MIN = 3;
/** Longest phrase looked for, in words. */
const PERIOD_MAX = 4;

/**
 * Shortens what somebody repeated: `party EDM party EDM party EDM` becomes `party EDM (×3)`. A wall of emotes says as
 * much in a few tokens. Linear in the length of the text.
 */
export function collapseRepeats(text: string): string {
  const words = text.split(" ");
  if (!repeatsSomething(words)) return text;
  const out: string[] = [];
  for (let at = 0; at < words.length; ) {
    const { period, repeats } = longestRepeat(words, at);
    out.push(...words.slice(at, at + period));
    if (repeats >= REPEATS_MIN) out.push(`(×${repeats})`);
    at += repeats >= REPEATS_MIN ? period * repeats : 1;
    if (repeats < REPEATS_MIN) out.length -= period - 1;
  }
  return out.join(" ");
}

/** Whether any phrase stands three times in a row: most chat has none, and is told so at once. */
function repeatsSomething(words: readonly string[]): boolean {
  for (let period = 1; period <= PERIOD_MAX; period += 1) {
    let same = 0;
    for (let at = period; at < words.length; at += 1) {
      same = words[at] === words[at - period] ? same + 1 : 0;
      if (same >= period * (REPEATS_MIN - 1)) return true;
    }
  }
  return false;
}

/** The phrase at `at` that covers most when repeated; one word, once, where none is. */
function longestRepeat(words: readonly string[], at: number): { period: number; repeats: number } {
  let best = { period: 1, repeats: 1 };
  for (let period = 1; period <= PERIOD_MAX; period += 1) {
    let repeats = 1;
    while (isSame(words, at, { period, repeats })) repeats += 1;
    const covers = repeats >= REPEATS_MIN ? repeats * period : 0;
    if (covers > best.repeats * best.period) best = { period, repeats };
  }
  return best;
}

function isSame(
  words: readonly string[],
  at: number,
  { period, repeats }: { readonly period: number; readonly repeats: number },
): boolean {
  const from = at + period * repeats;
  if (from + period > words.length) return false;
  for (let offset = 0; offset < period; offset += 1) {
    if (words[at + offset] !== words[from + offset]) return false;
  }
  return true;
}
