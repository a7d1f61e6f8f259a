import { normalWords } from "../../language/words.ts";
import { blocksOf, blockWhere } from "./read-prompt.ts";

const LISTED = /^\[(\d+)\] (.+)$/;
/** What was said before counts less than the message. */
const BEFORE_WEIGHT = 0.25;

/**
 * Puts the notes that a prompt lists in order: by how many words they share with the message, ties as they stood. Null
 * where it lists none.
 */
export function rerankByRule(tail: string): { readonly ids: readonly number[] } | null {
  const blocks = blocksOf(tail);
  if (!blocks.has("notes")) return null;
  const wordsIn = (title: RegExp) => new Set(normalWords(blockWhere(blocks, title).join("\n")));
  const asked = wordsIn(/^message$/);
  const before = wordsIn(/^said before$/);
  const notes = blockWhere(blocks, /^notes$/).flatMap((line) => {
    const [, id, text = ""] = LISTED.exec(line) ?? [];
    return id === undefined ? [] : [{ id: Number(id), words: new Set(normalWords(text)) }];
  });
  const score = ({ words }: { readonly words: ReadonlySet<string> }): number =>
    [...words].reduce(
      (sum, word) => sum + Number(asked.has(word)) + BEFORE_WEIGHT * Number(before.has(word)),
      0,
    );
  return {
    ids: notes
      .map((note) => ({ ...note, score: score(note) }))
      .sort(byScore)
      .map(({ id }) => id),
  };
}

function byScore(one: { readonly score: number }, other: { readonly score: number }): number {
  return other.score - one.score;
}
