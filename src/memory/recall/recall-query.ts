// Pure: values in, values out.

import {
  type Language,
  latinStemsOf,
  plainText,
  readLanguage,
  stemOf,
  wordsIn,
} from "../../language/words.ts";
import { SYNONYMS } from "../comparison-words.ts";
import type { Sought, SoughtPart, SoughtWord } from "./query-terms.ts";
import { ENDING_CHARS_MIN } from "./word-forms.ts";

/** What a speaker talks about, as lore is held against it. */
export interface Asked {
  /** How much a term counts among the words of a note, and among its topics: 0 to 1. */
  readonly terms: readonly AskedTerm[];
  readonly sought: Sought;
}

interface AskedTerm {
  readonly lexical: number;
  readonly topic: number;
  /** Whether it was said, by anybody: the stream's category alone is no conversation. */
  readonly isSaid: boolean;
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
const MESSAGE: AskedTerm = { lexical: 1, topic: 1, isSaid: true };
const RECENT: AskedTerm = { lexical: 0.3, topic: 0.5, isSaid: true };
const CATEGORY: AskedTerm = { lexical: 0, topic: 0.5, isSaid: false };
const OTHERS: AskedTerm = { lexical: 0, topic: 0, isSaid: true };
/** How well a word that says about the same answers to one that is asked for. */
const SYNONYM_STRENGTH = 0.8;
/** And a longer one that it is a part of: a Schäferhund is a Hund, 小狗 is a 狗. */
const PART_STRENGTH = 0.8;
/** Of a longer word in Chinese characters a single one says little. */
const HAN_CHARS_MAX = 2;
const HAN_WORD = /^\p{sc=Han}+$/u;
/** What somebody said longer ago is seldom what they mean now. */
export const RECENT_LINES_MAX = 3;
const REMEMBERED_MAX = 500;

/** A word that somebody said: its stem, and as it was written, in lower case: so topics stand in a note. */
interface ReadWord {
  readonly stem: string;
  readonly written: string;
  /** As it is compared where the note was read as another language than the question. */
  readonly stems: readonly string[];
  /** Stems of words that say about the same. */
  readonly synonyms: readonly string[];
  /** What a longer word that has it in it, or at its end, may be about. */
  readonly inside: readonly string[];
  readonly endings: readonly string[];
}

/**
 * Reads what is talked about. The words of a line that has an id are kept, the line is not: most of what a reply looks
 * at was looked at by the one before.
 */
export function conversationReader(): (said: Conversation) => Asked {
  const remembered = new Map<number, readonly ReadWord[]>();
  const readCategory = categoryReader();
  const read = ({ id, text }: SpokenText): readonly ReadWord[] => {
    const known = id === null ? undefined : remembered.get(id);
    if (known !== undefined) return known;
    const words = readWords(text);
    if (remembered.size >= REMEMBERED_MAX) remembered.clear();
    if (id !== null) remembered.set(id, words);
    return words;
  };
  return ({ message, recent, category, others }) => {
    const asking = collector();
    const addAll = (words: readonly ReadWord[], weight: AskedTerm): void => {
      for (const word of words) asking.add(word, weight);
    };
    addAll(read(message), MESSAGE);
    for (const line of recent.slice(-RECENT_LINES_MAX)) addAll(read(line), RECENT);
    addAll(readCategory(category), CATEGORY);
    for (const line of others) addAll(read(line), OTHERS);
    return asking.asked();
  };
}

/** One category at a time is streamed, and asked about with every message. */
function categoryReader(): (category: string) => readonly ReadWord[] {
  let last = { category: "", words: readWords("") };
  return (category) => {
    if (category !== last.category) last = { category, words: readWords(category) };
    return last.words;
  };
}

interface Collector {
  add(word: ReadWord, weight: AskedTerm): void;
  asked(): Asked;
}

function collector(): Collector {
  const terms: AskedTerm[] = [];
  const numbers = new Map<string, number>();
  const sought: Seeking = { words: [], inside: [], endings: [] };
  return {
    add: (word, weight) => {
      const known = numbers.get(word.stem);
      if (known !== undefined) {
        terms[known] = stronger(terms[known] ?? weight, weight);
        return;
      }
      const term = terms.push(weight) - 1;
      numbers.set(word.stem, term);
      seekWord(sought, word, term, weight);
    },
    asked: () => ({ terms, sought }),
  };
}

interface Seeking extends Sought {
  readonly words: SoughtWord[];
  readonly inside: SoughtPart[];
  readonly endings: SoughtPart[];
}

function seekWord(sought: Seeking, word: ReadWord, term: number, weight: AskedTerm): void {
  const { stem, written, stems, synonyms, inside, endings } = word;
  // Only what the message itself says is worth a loose fit.
  const isLoose = weight === MESSAGE;
  sought.words.push({ word: stem, term, strength: 1, isLoose });
  for (const other of stems) sought.words.push({ word: other, term, strength: 1, isLoose: false });
  if (!isLoose && weight !== CATEGORY) return;
  if (written !== stem) sought.words.push({ word: written, term, strength: 1, isLoose });
  for (const same of synonyms) {
    sought.words.push({ word: same, term, strength: SYNONYM_STRENGTH, isLoose: false });
  }
  for (const part of inside) sought.inside.push({ part, term, strength: PART_STRENGTH });
  for (const part of endings) sought.endings.push({ part, term, strength: PART_STRENGTH });
}

function stronger(one: AskedTerm, other: AskedTerm): AskedTerm {
  if (one === other) return one;
  return {
    lexical: Math.max(one.lexical, other.lexical),
    topic: Math.max(one.topic, other.topic),
    isSaid: one.isSaid || other.isSaid,
  };
}

function readWords(text: string): readonly ReadWord[] {
  const plain = plainText(text);
  const { language, isClear } = readLanguage(plain);
  return wordsIn(plain, language).map(({ surface, stem }) => {
    const written = surface.toLowerCase();
    const isCompounding = language === "de" && stem.length >= ENDING_CHARS_MIN;
    return {
      stem,
      written,
      stems: isClear ? NONE : latinStemsOf(written).filter((other) => other !== stem),
      synonyms: synonymsOf(stem, language),
      inside: hanParts(written, language),
      // A note may be read as another language, and keep the form that it was written in.
      endings: isCompounding ? [...new Set([stem, written])] : NONE,
    };
  });
}

/** The segmenter makes 狗叫 one word, and 小狗 another. In Japanese only a character that is a word says anything. */
function hanParts(word: string, language: Language): readonly string[] {
  const chars = language === "zh" ? HAN_CHARS_MAX : 1;
  return word.length <= chars && HAN_WORD.test(word) ? Array.from(word) : NONE;
}

const NONE: readonly string[] = [];
const synonyms = new Map<Language, ReadonlyMap<string, readonly string[]>>();

function synonymsOf(stem: string, language: Language): readonly string[] {
  const known = synonyms.get(language) ?? readSynonyms(language);
  synonyms.set(language, known);
  return known.get(stem) ?? NONE;
}

function readSynonyms(language: Language): ReadonlyMap<string, readonly string[]> {
  const groups = SYNONYMS[language] ?? [];
  return new Map(
    groups.flatMap((group) => {
      const stems = [...new Set(group.split(" ").map((word) => stemOf(word, language)))];
      return stems.map((stem) => [stem, stems.filter((other) => other !== stem)] as const);
    }),
  );
}
