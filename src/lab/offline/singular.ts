/** Plurals that stay, and names that only look like one. */
const AS_IT_IS =
  /(?:[aiou]s|ss|ics|ves|series|species)$|^(?:athens|avengers|charles|hades|hercules|james|jeans|legends|lens|mars|mercedes|news|pants|pronouns|sims|simpsons|souls|wales)$/u;

/** The first that fits is taken: an ending, and what stands there for one. */
const ENDINGS: readonly (readonly [several: RegExp, one: string])[] = [
  [/(?<=^(?:brown|cook|hood|mov|rook|smooth|zomb)ie)s$/u, ""],
  [/(?<=\p{L}{2}[^aeiou])ies$/u, "y"],
  [/(?<=\p{L}(?:ss|x|sh|ch|[dlrt]o))es$/u, ""],
  [/(?<=\p{L}{3})s$/u, ""],
];

/** An English word in lower case as one of its kind, where its ending tells it; otherwise as it is. */
export function singularOf(word: string): string {
  if (AS_IT_IS.test(word)) return word;
  const ending = ENDINGS.find(([several]) => several.test(word));
  return ending === undefined ? word : word.replace(...ending);
}
