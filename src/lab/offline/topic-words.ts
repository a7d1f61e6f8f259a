import { languageOf, stemOf as stemIn, wordsIn } from "../../language/words.ts";
import { QUALITIES, SHORT_WORDS, VERBS } from "./common-words.ts";
import { SELF_LANGUAGES } from "./self-languages.ts";
import { singularOf } from "./singular.ts";
import { isCommon, stemOf, type Tongue, tellingWords } from "./telling-words.ts";
import type { Said } from "./transcript.ts";

const TOPICS_MAX = 3;
/** What one line alone says is no topic of a conversation, unless nothing else is. */
const USES_MIN = 2;
const LABEL = /\bP\d{1,4}\b(?:'s)?/gu;
/** In what the channel said the matter stands behind the colon. */
const CHANNEL_LEAD = /^(?!P\d)[^:]{1,80}: /u;
const PLAN = /(?<=(?<!\p{L})(?:will|va a|будет) )\p{L}+/gu;
const LETTER = /\p{L}/u;
/** A fact begins with a label, so a word with a capital is a name. */
const NAME = /^\p{Lu}\p{Ll}/u;
/** Behind these stand titles, places and names: an s at their end is theirs. */
const NAMING =
  /(?<!\p{L})(?:plays?|playing|played|mains?|maining|speedruns?|streams?|lives?|is from|moved|called|favourite)(?!\p{L})/iu;
const JAPANESE = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]/u;
/** A verb or an adjective, or what particles leave of one. */
const JAPANESE_ENDING = /^(?:\p{sc=Han}+\p{sc=Hira}+|\p{sc=Hira}{1,2})$/u;
const VERB_ENDING = /(?:\p{L}{2}[^aeou]ed|ться|тся|ешь|ают|яют|уют|ает|яет|ует)$/u;

const SHORT: ReadonlySet<string> = new Set(SHORT_WORDS.split(" "));
const QUALITY: ReadonlySet<string> = new Set(QUALITIES.split(" "));
const VERB: ReadonlySet<string> = new Set(VERBS.split(" ").map((verb) => stemIn(verb, "en")));
/** What the rules themselves put around what somebody said, but for nouns; and the verbs that they take over. */
const TOLD = toldWords({
  nouns: "rank level ранг rango ランク pronouns",
  verbs:
    "played watched seen finished tried переехал переехала переехали бросил бросила забросил забросила aprendiendo estudiando jugando trabajando leyendo viendo",
});

/** What a fact is on: at most three words, as people write them. People stand in it as labels. */
export function topicsOfFact(fact: string): string[] {
  const matter = fact
    .replace(CHANNEL_LEAD, "")
    .replace(LABEL, " ")
    .replace(PLAN, " ")
    .replaceAll("/", " ");
  const hasNames = NAMING.test(fact) || languageOf(matter) !== "en";
  const words = wordsIn(matter)
    .filter(({ stem }) => LETTER.test(stem))
    .map(({ surface }) => ({
      word: surface.toLowerCase(),
      isName: hasNames || NAME.test(surface),
    }))
    .filter(({ word }) => mayBeTopic(word));
  const own = words.filter(({ word }) => !TOLD.has(word));
  const things = own.filter(({ word, isName }) => isName || isThing(word));
  // Who loves cooking loves a verb: then that is the topic.
  const topics = (things.length > 0 ? things : (own.length > 0 ? own : words).slice(-1)).map(
    ({ word, isName }) => (isName ? word : singularOf(word)),
  );
  return [...new Set(topics)].slice(0, TOPICS_MAX);
}

/** What most people spoke of, at most three words, most widely used first. */
export function topicsOfChat(lines: readonly Said[], tongue: Tongue): string[] {
  const users = new Map<string, { word: string; labels: Set<string>; uses: number }>();
  for (const { text, label } of lines) {
    for (const word of new Set(thingsIn(text, tongue))) {
      const entry = users.get(stemOf(word)) ?? { word, labels: new Set<string>(), uses: 0 };
      entry.labels.add(label);
      entry.uses += 1;
      users.set(stemOf(word), entry);
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
export function speaksOf(text: string, topic: string, tongue: Tongue): boolean {
  return thingsIn(text, tongue).some((word) => stemOf(word) === stemOf(topic));
}

/** The telling words of a line that are topics, if enough people use them. */
function thingsIn(text: string, tongue: Tongue): string[] {
  const things = tellingWords(text).filter(isThing);
  return tongue === "english" ? things.map(singularOf) : things;
}

/** Whether a telling word is no verb and does not say how something is: as far as a list tells. */
export function isThing(word: string): boolean {
  return !QUALITY.has(word) && !VERB.has(stemIn(word, "en")) && !VERB_ENDING.test(word);
}

function mayBeTopic(word: string): boolean {
  const charsMin = JAPANESE.test(word) ? 1 : 3;
  return (
    word.length >= charsMin && !isCommon(word) && !SHORT.has(word) && !JAPANESE_ENDING.test(word)
  );
}

function toldWords(but: { readonly nouns: string; readonly verbs: string }): ReadonlySet<string> {
  const told = SELF_LANGUAGES.flatMap(({ rules }) =>
    rules.flatMap(({ told: text }) => wordsIn(text.replace(/\{\w+\}|\$P(?:'s)?/gu, " "))),
  ).map(({ surface }) => surface.toLowerCase());
  const nouns = new Set(but.nouns.split(" "));
  return new Set([...told, ...but.verbs.split(" ")].filter((word) => !nouns.has(word)));
}
