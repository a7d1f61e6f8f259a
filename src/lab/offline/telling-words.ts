import { COMMON_WORDS } from "./common-words.ts";

export type Tongue = "english" | "russian" | "spanish" | "japanese";

const WORDS = new Intl.Segmenter("und", { granularity: "word" });
const LABEL = /^(?:P\d{1,4}|someone|bot)$/u;
const WIDE = /[\p{sc=Han}\p{sc=Kana}\p{sc=Hang}]/u;
const LETTER = /\p{L}/u;
/** What Twitch calls a channel's emotes: the channel's own word, then another with a capital. */
const EMOTE = /^(?:\p{Ll}{2,}\p{Lu}\w{2,}|monka)/u;
const APOSTROPHES = /[’ʼ＇]/gu;
const POSSESSIVE = /'s$/u;
const CHARS_MAX = 18;
const STEM_CHARS = 6;
const COMMON: ReadonlySet<string> = new Set(Object.values(COMMON_WORDS).join(" ").split(" "));

/** The telling words of a text in order, lower case: names of things and what happened to them. */
export function tellingWords(text: string): string[] {
  const found: string[] = [];
  for (const { segment, isWordLike } of WORDS.segment(text.replace(APOSTROPHES, "'"))) {
    if (isWordLike !== true || LABEL.test(segment) || EMOTE.test(segment)) continue;
    const word = segment.toLowerCase().replace(POSSESSIVE, "");
    if (tells(word)) found.push(word);
  }
  return found;
}

/** Whether a word in lower case is one that tells nothing about a matter: grammar, a greeting, a time. */
export function isCommon(word: string): boolean {
  return COMMON.has(word);
}

/** Forms of one word count as one. */
export function stemOf(word: string): string {
  return WIDE.test(word) ? word : word.replace(/(?<=.{3})s$/u, "").slice(0, STEM_CHARS);
}

/** The language that most of the lines are in, as far as script and small words tell. */
export function tongueOf(texts: readonly string[]): Tongue {
  const whole = texts.join(" ");
  const letters = count(whole, /\p{L}/gu);
  if (count(whole, /[\p{sc=Hira}\p{sc=Kana}]/gu) * 5 > letters) return "japanese";
  if (count(whole, /\p{sc=Cyrl}/gu) * 2 > letters) return "russian";
  const spanish = count(
    whole,
    /(?<!\p{L})(?:el|la|los|las|que|de|en|un|una|por|con|para|es|está|muy|pero|como|yo|mi|se|lo)(?!\p{L})/giu,
  );
  const english = count(
    whole,
    /(?<!\p{L})(?:the|a|and|to|of|in|is|it|that|you|for|on|with|this|my|i|was|are|but|so)(?!\p{L})/giu,
  );
  return spanish > english ? "spanish" : "english";
}

function tells(word: string): boolean {
  if (!LETTER.test(word) || word.length > CHARS_MAX || COMMON.has(word)) return false;
  if (WIDE.test(word)) return word.length > 1;
  // "i'll" is grammar; one letter again and again is a cheer.
  return (
    word.length > 3 &&
    !word.includes("'") &&
    !/(\p{L})\1{2}|(?:ha){2}|(?:ja){2}|(?:lo){2}|(?:ах){2}/u.test(word) &&
    new Set(word).size > 2
  );
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
