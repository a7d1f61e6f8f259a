import type { Hit, Meant, Sought } from "./sought.ts";
import { withoutMarks } from "./word-forms.ts";

/** Looks for parts of words: calls `hit` for each that the words have. Few questions have any. */
export function wordParts({
  inside,
  endings,
}: Pick<Sought, "inside" | "endings">): (words: readonly string[], hit: Hit) => void {
  const characters = new Map(inside.map((one) => [one.part, one]));
  const ends = endings.map((one) => ({ ...one, part: withoutMarks(one.part) }));
  return (words, hit) => {
    const found = words.flatMap((word) => [
      ...charactersIn(word, characters),
      ...endsOf(word, ends),
    ]);
    for (const { term, strength } of found) hit(term, strength);
  };
}

function charactersIn(word: string, characters: ReadonlyMap<string, Meant>): Meant[] {
  if (characters.size === 0) return [];
  return Array.from(word).flatMap((one) => characters.get(one) ?? []);
}

function endsOf(word: string, ends: Sought["endings"]): Sought["endings"] {
  if (ends.length === 0) return ends;
  const plain = withoutMarks(word);
  return ends.filter(({ part }) => plain.length > part.length && plain.endsWith(part));
}
