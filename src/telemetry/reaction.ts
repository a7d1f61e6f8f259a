// Pure: values in, values out.
import {
  DISLIKED_PHRASES,
  DISLIKED_WORDS,
  LIKED_PHRASES,
  LIKED_WORDS,
  NEGATIONS,
} from "./reaction-words.ts";

type Reaction = "positive" | "negative";

const LIKED = new Set(LIKED_WORDS.split(" "));
const DISLIKED = new Set(DISLIKED_WORDS.split(" "));
const NEGATING = new Set(NEGATIONS.split(" "));
const NEGATION_REACH = 2;
/** A word in a longer line is about something else. */
const REACTION_WORDS_MAX = 8;

/** Laughter, as it is typed: haha, jajaja, kkkk, хаха, ахах, www, 草, ㅋㅋ and ㅎㅎ (in NFKC's letters), 哈哈, ههه. */
const LAUGHTER =
  /(?<![\p{L}\p{N}])(?:a*(?:ha){2,}h?|(?:he){2,}|(?:ja){2,}j?|(?:rs){2,}|k{3,}|w{2,}|[ах]{4,}|(?:хе){2,})(?!\.?[\p{L}\p{N}])|[草笑]|\u110f{2,}|\u1112{2,}|哈{2,}|ه{3,}/u;
const LIKED_SIGNS = /[😂🤣😄😁😆😍🥰😘👍👏🙌💜❤💙💚💛🔥🎉🤗😎💯]/u;
const DISLIKED_SIGNS = /[👎😡😠🤬🤮🤢🙄💩😒🖕😴]/u;
const BESIDE_WORDS = /^[^\p{L}\p{N}<]+|[^\p{L}\p{N}]+$/gu;

/**
 * What a line says about the answer it follows, by a table of words, emotes and signs: null where nothing, or both.
 * A table sees no irony: its counts are worth something in sum, not one by one.
 */
export function reactionOf(text: string): Reaction | null {
  const lower = text.normalize("NFKC").toLowerCase();
  const words = lower
    .split(/\s+/u)
    .map((word) => (word === "<3" ? word : word.replace(BESIDE_WORDS, "")));
  const says = (table: ReadonlySet<string>): boolean =>
    words.length <= REACTION_WORDS_MAX &&
    words.some((word, at) => table.has(word) && !isNegated(words, at));
  const holds = (phrases: readonly string[]): boolean =>
    phrases.some((phrase) => lower.includes(phrase));
  const isDisliked = says(DISLIKED) || holds(DISLIKED_PHRASES) || DISLIKED_SIGNS.test(lower);
  const isLiked =
    says(LIKED) || holds(LIKED_PHRASES) || LIKED_SIGNS.test(lower) || LAUGHTER.test(lower);
  if (isLiked === isDisliked) return null;
  return isLiked ? "positive" : "negative";
}

function isNegated(words: readonly string[], at: number): boolean {
  return words.slice(Math.max(0, at - NEGATION_REACH), at).some((word) => NEGATING.has(word));
}
