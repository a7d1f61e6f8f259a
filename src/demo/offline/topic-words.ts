import english from "./data/english.json" with { type: "json" };
import type { Said } from "./read-prompt.ts";

const TOPICS_MAX = 3;
/** What one line alone says is no topic of a conversation, unless nothing else is. */
const USES_MIN = 2;
const CHARS_MAX = 18;
const CHARS_MIN = 3;
const STEM_CHARS_MIN = 3;
const WORDS = new Intl.Segmenter("en", { granularity: "word" });
const LETTER = /\p{L}/u;
const LABEL = /^(?:P\d{1,4}|STREAMER|someone|bot)$/u;
/** What Twitch calls a channel's emotes: the channel's own word, then another with a capital. */
const EMOTE = /^(?:\p{Ll}{2,}\p{Lu}\w{2,}|monka)/u;
/** One letter again and again, or laughter. */
const CHEER = /(\p{L})\1{2}|(?:ha){2}|(?:lo){2}/u;
const VERB_ENDING = /\p{L}{2}[^aeou]ed$/u;

const COMMON = setOf(english.common);
const QUALITY = setOf(english.qualities);
const VERB: ReadonlySet<string> = new Set(english.verbs.split(" ").map(rootOf));

/** The telling words of a text in order, lower case: names of things and what happened to them. */
export function tellingWords(text: string): string[] {
  const found: string[] = [];
  for (const { segment, isWordLike } of WORDS.segment(text.replaceAll(/[’ʼ＇]/gu, "'"))) {
    if (isWordLike !== true || LABEL.test(segment) || EMOTE.test(segment)) continue;
    const word = segment.toLowerCase().replace(/'s$/u, "");
    if (tells(word)) found.push(word);
  }
  return found;
}

/** Forms of one word count as one: a plural, a third person, an -ing, an -ed. */
export function rootOf(word: string): string {
  const bare = word.toLowerCase().replace(/'s$/u, "");
  const cut = bare.replace(/(?:ies|y)$/u, "i").replace(/(?:ing|ed|es|s|e)$/u, "");
  return cut.length < STEM_CHARS_MIN ? bare : cut.replace(/([^aeiou])\1$/u, "$1");
}

/** Whether a telling word is no verb and does not say how something is: as far as a list tells. */
export function isThing(word: string): boolean {
  return !QUALITY.has(word) && !VERB.has(rootOf(word)) && !VERB_ENDING.test(word);
}

/** What a fact is on: at most three words, as people write them. People stand in it as labels. */
export function topicsOfFact(fact: string): string[] {
  const words = tellingWords(fact);
  const things = words.filter(isThing);
  // Who loves cooking loves a verb: then that is the topic.
  return [...new Set(things.length > 0 ? things : words.slice(-1))].slice(0, TOPICS_MAX);
}

/** What most people spoke of, at most three words, most widely used first. */
export function topicsOfChat(lines: readonly Said[]): string[] {
  const users = new Map<string, { word: string; labels: Set<string>; uses: number }>();
  for (const { text, label } of lines) {
    for (const word of new Set(tellingWords(text).filter(isThing))) {
      const entry = users.get(rootOf(word)) ?? { word, labels: new Set<string>(), uses: 0 };
      entry.labels.add(label);
      entry.uses += 1;
      users.set(rootOf(word), entry);
    }
  }
  const ranked = [...users.values()].sort(
    (a, b) => b.labels.size - a.labels.size || b.uses - a.uses,
  );
  const shared = ranked.filter(({ uses }) => uses >= USES_MIN);
  const topics = shared.length > 0 ? shared.slice(0, TOPICS_MAX) : ranked.slice(0, 1);
  return topics.map(({ word }) => word);
}

/** Whether a line speaks of a topic that `topicsOfChat` found. */
export function speaksOf(text: string, topic: string): boolean {
  return tellingWords(text).some((word) => isThing(word) && rootOf(word) === rootOf(topic));
}

function tells(word: string): boolean {
  const hasLength = word.length >= CHARS_MIN && word.length <= CHARS_MAX;
  return (
    hasLength && LETTER.test(word) && !COMMON.has(word) && !word.includes("'") && !CHEER.test(word)
  );
}

function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}
