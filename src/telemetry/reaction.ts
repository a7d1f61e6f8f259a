// Pure: values in, values out.
import { LANGUAGES } from "../language/languages.ts";

type Reaction = "positive" | "negative";

/** Emotes of Twitch and the most used ones of BetterTTV, FrankerFaceZ and 7TV: the same in every language. */
const LIKED_EMOTES =
  "kekw kekwait lul lulw omegalul pog pogchamp poggers pogu pogslide ezclap clap peepohappy peepoclap catjam pepelaugh " +
  "icant seemsgood vohiyo 4head kreygasm heyguys bloodtrail coolcat tehepelo widepeepohappy <3";
const DISLIKED_EMOTES =
  "residentsleeper notlikethis wutface failfish dansgame babyrage weirdchamp madge pepepains";

const LIKED_ALL = LANGUAGES.flatMap(({ praise }) => praise);
const DISLIKED_ALL = LANGUAGES.flatMap(({ complaint }) => complaint);
const LIKED = new Set([...LIKED_ALL, ...LIKED_EMOTES.split(" ")]);
const DISLIKED = new Set([...DISLIKED_ALL, ...DISLIKED_EMOTES.split(" ")]);
const LIKED_PHRASES = LIKED_ALL.filter(isPhrase);
const DISLIKED_PHRASES = DISLIKED_ALL.filter(isPhrase);
const NEGATING = new Set(LANGUAGES.flatMap(({ negators }) => negators));
const NEGATION_REACH = 2;
const DENIAL_WORDS_MAX = 12;
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

const ENDS_AS_QUESTION = /[?？؟]/u;

/** Whether a line asks something: it says how nobody liked an answer. */
export function asksSomething(text: string): boolean {
  return ENDS_AS_QUESTION.test(text);
}

/** Whether a short line denies something: "that is not what I asked" thanks nobody. */
export function denies(text: string): boolean {
  const words = text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll("’", "'")
    .split(/[^\p{L}\p{M}\p{N}']+/u);
  return words.length <= DENIAL_WORDS_MAX && words.some((word) => NEGATING.has(word));
}

/** Of several words, or of a script that writes none apart: looked for anywhere in a line. */
function isPhrase(word: string): boolean {
  return word.includes(" ") || /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u.test(word);
}

function isNegated(words: readonly string[], at: number): boolean {
  return words.slice(Math.max(0, at - NEGATION_REACH), at).some((word) => NEGATING.has(word));
}
