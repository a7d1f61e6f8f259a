const WHO = ["My brother", "The neighbour", "Our teacher", "A tired baker", "Somebody here"];
const DID = ["painted", "forgot", "repaired", "borrowed", "sold", "photographed", "hid"];
const WHAT = ["a copper kettle", "the narrow bridge", "seven umbrellas", "an old accordion"];
const WHERE = ["behind the lighthouse", "near the frozen canal", "under our staircase"];
const WHEN = ["on a rainy Tuesday", "before the parade", "while it snowed", "last summer"];

/** Lines of our own, each of its own words and numbers; some short, some long. */
export function inventedLines(count: number): string[] {
  return Array.from({ length: count }, (_, n) => {
    const pick = (words: readonly string[], step: number) => words[(n * step + n) % words.length];
    const tail = n % 3 === 0 ? ` and told nobody about the ${n * 37} stairs` : "";
    return `${pick(WHO, 1)} ${pick(DID, 2)} ${pick(WHAT, 3)} ${pick(WHERE, 5)} ${pick(WHEN, 7)}, number ${n}${tail}`;
  });
}
