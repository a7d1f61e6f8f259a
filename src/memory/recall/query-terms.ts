// Pure: values in, values out.
import { LANGUAGES } from "../../language/languages.ts";
import {
  latinStemsOf,
  plainText,
  plainWords,
  readLanguage,
  remember,
  stemOf,
} from "../../language/words.ts";

/** How much a term counts among the words of a note, and among its topics: 0 to 1. */
interface QueryTerm {
  readonly lexical: number;
  readonly topic: number;
  /** Whether it was said, by anybody: the stream's category alone is no conversation. */
  readonly isSaid: boolean;
}

/** Called for a term that is there, with how well it fits: 0 to 1. */
type Hit = (term: number, strength: number) => void;

/** What a speaker talks about, as lore is held against it. */
export interface Query {
  readonly terms: readonly QueryTerm[];
  /** Finds terms among a note's words, as they stand with the note: normalised, with spaces between them. */
  inWords(words: string, hit: Hit): void;
  /** Finds them among its topics, as they were written. */
  inTopics(topics: string, hit: Hit): void;
}

export interface SpokenText {
  /** Of the event, so that its words are read once; null where nothing may be remembered about it. */
  readonly id: number | null;
  readonly text: string;
}

export interface Conversation {
  readonly message: SpokenText;
  /** The speaker's own last messages, oldest first. */
  readonly recent: readonly SpokenText[];
  readonly category: string;
  /** What others said, where it counts whether a topic is talked of at all. */
  readonly others: readonly SpokenText[];
}

/** The message says what is asked for; what was said before it, what it may refer to. */
const MESSAGE: QueryTerm = { lexical: 1, topic: 1, isSaid: true };
const RECENT: QueryTerm = { lexical: 0.3, topic: 0.5, isSaid: true };
const CATEGORY: QueryTerm = { lexical: 0, topic: 0.5, isSaid: false };
const OTHERS: QueryTerm = { lexical: 0, topic: 0, isSaid: true };
/** How well a longer word answers that the one asked for is a part of: a Schäferhund is a Hund, 小狗 is a 狗. */
const PART_STRENGTH = 0.8;
/** And one that begins alike: two such words are often one in two forms; as often they are not. */
const ALIKE_STRENGTH = 0.5;
/** Of a longer word in Chinese characters a single one says little. */
const HAN_CHARS_MAX = 2;
const HAN_WORD = /^\p{sc=Han}+$/u;
/** What somebody said longer ago is seldom what they mean now. */
export const RECENT_LINES_MAX = 3;
const REMEMBERED_MAX = 500;
/** Languages whose words may end in another word. */
const COMPOUNDING: ReadonlySet<string> = new Set(
  LANGUAGES.filter(({ compounds }) => compounds).map(({ code }) => code),
);

/** A word that somebody said: its stem, and as it was written, in lower case. */
interface ReadWord {
  readonly stem: string;
  readonly written: string;
  /** As it is compared where the note was read as another language than the question: both are short. */
  readonly stems: readonly string[];
  /** What a longer word that has it in it, or at its end, may be about. */
  readonly inside: readonly string[];
  readonly endings: readonly string[];
}

/**
 * Reads what is talked about. The words of a line that has an id are kept, the line is not, and those of a category:
 * most of what a reply looks at was looked at by the one before.
 */
export function conversationReader(): (said: Conversation) => Query {
  const remembered = new Map<number | string, readonly ReadWord[]>();
  const readOnce = (key: number | string, text: string): readonly ReadWord[] => {
    const words = remembered.get(key) ?? readWords(text);
    if (remembered.size >= REMEMBERED_MAX) remembered.clear();
    remembered.set(key, words);
    return words;
  };
  const read = ({ id, text }: SpokenText): readonly ReadWord[] =>
    id === null ? readWords(text) : readOnce(id, text);
  return ({ message, recent, category, others }) =>
    queryOf([
      [read(message), MESSAGE],
      ...recent.slice(-RECENT_LINES_MAX).map((line) => [read(line), RECENT] as const),
      [readOnce(category, category), CATEGORY],
      ...others.map((line) => [read(line), OTHERS] as const),
    ]);
}

function readWords(text: string): readonly ReadWord[] {
  if (text === "") return [];
  const plain = plainText(text);
  const language = readLanguage(plain);
  return plainWords(plain, language).map(({ surface, stem }) => {
    const written = surface.toLowerCase();
    const isCompounding = COMPOUNDING.has(language) && stem.length >= ENDING_CHARS_MIN;
    return {
      stem,
      written,
      stems: latinStemsOf(written).filter((other) => other !== stem),
      inside: hanParts(written, language),
      // A note may be read as another language, and keep the form that it was written in.
      endings: isCompounding ? [...new Set([stem, written])] : NONE,
    };
  });
}

/** The segmenter makes 狗叫 one word, and 小狗 another. In Japanese only a character that is a word says anything. */
function hanParts(word: string, language: string): readonly string[] {
  const chars = language === "zh" ? HAN_CHARS_MAX : 1;
  return word.length <= chars && HAN_WORD.test(word) ? Array.from(word) : NONE;
}

const NONE: readonly string[] = [];

/** What is said again counts as where it weighs most; what may answer it is told by where it stands first. */
function queryOf(said: readonly (readonly [readonly ReadWord[], QueryTerm])[]): Query {
  const terms: QueryTerm[] = [];
  const numbers = new Map<string, number>();
  const table = wordTable();
  const add = (word: ReadWord, weight: QueryTerm): void => {
    const known = numbers.get(word.stem);
    if (known !== undefined) {
      terms[known] = stronger(terms[known] ?? weight, weight);
      return;
    }
    const term = terms.push(weight) - 1;
    numbers.set(word.stem, term);
    table.seek(word, term, weight);
  };
  for (const [words, weight] of said) for (const word of words) add(word, weight);
  return {
    terms,
    inWords: (words, hit) => {
      for (const word of wordsOf(withoutMarks(words))) table.find(word, hit);
    },
    inTopics: (topics, hit) => {
      for (const word of wordsOf(topics.toLowerCase())) {
        for (const form of topicForms(word)) table.find(form, hit);
      }
    },
  };
}

function stronger(one: QueryTerm, other: QueryTerm): QueryTerm {
  if (one === other) return one;
  return {
    lexical: Math.max(one.lexical, other.lexical),
    topic: Math.max(one.topic, other.topic),
    isSaid: one.isSaid || other.isSaid,
  };
}

type Table = Map<string, number>;

/** What is looked for in the words of notes. Letters with a mark count as those without. */
function wordTable() {
  const whole: Table = new Map();
  const beginnings: Table = new Map();
  const characters: Table = new Map();
  const endings: Table = new Map();
  /** With `isLoose` a word that begins alike answers too, half as well. */
  const seekWord = (word: string, term: number, isLoose: boolean): void => {
    // What a note has as several words is looked for as several.
    for (const one of wordsOf(withoutMarks(word))) {
      putFirst(whole, one, term);
      const beginning = isLoose ? beginningOf(one) : null;
      if (beginning !== null) putFirst(beginnings, beginning, term);
    }
  };
  return {
    seek: (word: ReadWord, term: number, weight: QueryTerm): void => {
      // Only what the message itself says is worth a loose fit.
      const isLoose = weight === MESSAGE;
      seekWord(word.stem, term, isLoose);
      for (const other of word.stems) seekWord(other, term, false);
      if (!isLoose && weight !== CATEGORY) return;
      if (word.written !== word.stem) seekWord(word.written, term, isLoose);
      for (const character of word.inside) putFirst(characters, character, term);
      for (const ending of word.endings) putFirst(endings, withoutMarks(ending), term);
    },
    /** A word counts as itself or as one that begins alike; its parts count besides. */
    find: (word: string, hit: Hit): void => {
      if (!hitFor(whole, word, 1, hit) && beginnings.size > 0) {
        hitFor(beginnings, beginningOf(word), ALIKE_STRENGTH, hit);
      }
      hitParts(endings, endingsOf, word, hit);
      hitParts(characters, charactersOf, word, hit);
    },
  };
}

function hitParts(
  table: Table,
  partsOf: (word: string) => Iterable<string>,
  word: string,
  hit: Hit,
): void {
  if (table.size === 0) return;
  for (const part of partsOf(word)) hitFor(table, part, PART_STRENGTH, hit);
}

function putFirst(table: Table, key: string, term: number): void {
  if (!table.has(key)) table.set(key, term);
}

function hitFor(table: Table, key: string | null, strength: number, hit: Hit): boolean {
  const term = key === null ? undefined : table.get(key);
  if (term === undefined) return false;
  hit(term, strength);
  return true;
}

/** Topics are kept as they were written; what they are in each language is soon the same few words. */
const topicFormsKnown = new Map<string, readonly string[]>();
const TOPIC_FORMS_MAX = 5_000;

/** A topic's word as it was written, and as a question about it may be stemmed. */
function topicForms(word: string): readonly string[] {
  const known = topicFormsKnown.get(word);
  if (known !== undefined) return known;
  const latin = latinStemsOf(word);
  const stems = latin.length > 0 ? latin : [stemOf(word, readLanguage(word))];
  const value = [...new Set([word, ...stems].map(withoutMarks))];
  return remember(topicFormsKnown, { word, value, max: TOPIC_FORMS_MAX });
}

/** So many characters in common make two words alike: fewer in scripts without vowels, or with syllables. */
const ALIKE_CHARS = 5;
const ALIKE_CHARS_SEMITIC = 3;
const ALIKE_CHARS_EAST_ASIAN = 2;
const SEMITIC = { from: 0x590, to: 0x77f };
const EAST_ASIAN_FROM = 0x2e80;

/** How many characters of a word another has to begin with to be alike. */
function alikeChars(word: string): number {
  const code = word.charCodeAt(0);
  if (code >= EAST_ASIAN_FROM) return ALIKE_CHARS_EAST_ASIAN;
  return code >= SEMITIC.from && code <= SEMITIC.to ? ALIKE_CHARS_SEMITIC : ALIKE_CHARS;
}

/** As much of a word as makes two alike; null where it is too short for that. */
function beginningOf(word: string): string | null {
  const length = alikeChars(word);
  if (!SURROGATE.test(word)) return word.length < length ? null : word.slice(0, length);
  const characters = Array.from(word);
  return characters.length < length ? null : characters.slice(0, length).join("");
}

const SURROGATE = /[\ud800-\udfff]/;

/** All but what stands between words and between topics, in ASCII and in the scripts of East Asia. */
const WORD = /[^ ,;:/|&+()\-、。・，　]+/g;

function wordsOf(text: string): readonly string[] {
  return text.match(WORD) ?? NONE;
}

/** A shorter ending says nothing, in UTF-16 units. */
const ENDING_CHARS_MIN = 4;
/** Less before it makes no compound. */
const BEFORE_ENDING_MIN = 3;
const LATIN = /^\p{sc=Latn}+$/u;

/** What a word may end with that is a word as well: a Schäferhund is a Hund. */
function endingsOf(word: string): readonly string[] {
  const count = word.length - BEFORE_ENDING_MIN - ENDING_CHARS_MIN + 1;
  if (count <= 0 || !LATIN.test(word)) return [];
  return Array.from({ length: count }, (_, n) => word.slice(BEFORE_ENDING_MIN + n));
}

const HAN = /\p{sc=Han}/gu;

/** The Chinese characters of a word, each once. */
function charactersOf(word: string): ReadonlySet<string> {
  return new Set(word.match(HAN));
}

/** The Latin letters with marks. */
const MARKED = /[\u00c0-\u017f]/g;

function withoutMarks(word: string): string {
  return word.replace(MARKED, (letter) => letter.normalize("NFD").charAt(0));
}
